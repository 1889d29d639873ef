//! The canonical form of a value, as `corpus/README.md` defines it and `corpus/record.py` prints it for CPython.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use brinery::{Action, How, Id, Item, Kind};

/// The canonical form of an item. `None` if it would be longer than the limit.
#[must_use]
pub fn canonical(item: Item<'_>, limit: usize) -> Option<String> {
    let mut sets = HashSet::new();
    render(item, limit, &mut sets)
}

enum Task<'d> {
    Value(Item<'d>),
    Text(&'static str),
    Owned(String),
}

struct Printer<'d> {
    out: String,
    labels: HashMap<Id, usize>,
    tasks: Vec<Task<'d>>,
}

fn render(item: Item<'_>, limit: usize, sets: &mut HashSet<Id>) -> Option<String> {
    let mut printer = Printer { out: String::new(), labels: HashMap::new(), tasks: vec![Task::Value(item)] };
    while let Some(task) = printer.tasks.pop() {
        match task {
            Task::Value(item) => printer.value(item, limit, sets)?,
            Task::Text(text) => printer.out.push_str(text),
            Task::Owned(text) => printer.out.push_str(&text),
        }
        if printer.out.len() > limit {
            return None;
        }
    }
    Some(printer.out)
}

impl<'d> Printer<'d> {
    fn value(&mut self, item: Item<'d>, limit: usize, sets: &mut HashSet<Id>) -> Option<()> {
        let kind = item.kind();
        let is_set = matches!(kind, Kind::Set | Kind::Frozenset);
        if is_set && sets.contains(&item.id()) {
            self.out.push_str("#set");
            return Some(());
        }
        if self.atom(item) {
            return Some(());
        }
        if let Some(label) = self.labels.get(&item.id()) {
            let _ = write!(self.out, "#{label}");
            return Some(());
        }
        let label = self.labels.len() + 1;
        self.labels.insert(item.id(), label);
        let _ = write!(self.out, "#{label}=");
        if is_set {
            sets.insert(item.id());
            let elements: Option<Vec<String>> = item.items().map(|element| render(element, limit, sets)).collect();
            sets.remove(&item.id());
            let mut elements = elements?;
            elements.sort();
            let open = if kind == Kind::Set { "set{" } else { "frozenset{" };
            let _ = write!(self.out, "{open}{}}}", elements.join(", "));
            return Some(());
        }
        let mut tasks = Vec::new();
        match kind {
            Kind::List => bracketed(&mut tasks, "[", item.items(), "]"),
            Kind::Tuple => bracketed(&mut tasks, "(", item.items(), ")"),
            Kind::Dict => pairs(&mut tasks, "{", item.entries(), "}"),
            Kind::Persistent => {
                tasks.push(Task::Text("pid("));
                tasks.extend(item.persistent_id().map(Task::Value));
                actions(&mut tasks, item);
                tasks.push(Task::Text(")"));
            }
            Kind::Global => {
                tasks.push(Task::Owned(global(item)));
                tasks.push(Task::Text("{"));
                actions(&mut tasks, item);
                tasks.push(Task::Text("}"));
            }
            _ => {
                let has_args = item.args().and_then(Item::len).is_none_or(|len| len > 0);
                let how = match item.how() {
                    Some(How::Newobj | How::NewobjEx) => "new(",
                    Some(How::Inst | How::Obj) if !has_args => "new(",
                    _ => "call(",
                };
                tasks.push(Task::Text(how));
                tasks.extend(item.callable().map(Task::Value));
                tasks.push(Task::Text(", ("));
                if let Some(args) = item.args() {
                    bracketed(&mut tasks, "", args.items(), "");
                }
                if let Some(kwargs) = item.kwargs().filter(|kwargs| kwargs.len() != Some(0)) {
                    tasks.push(Task::Text(if has_args { ", " } else { "" }));
                    pairs(&mut tasks, "**{", kwargs.entries(), "}");
                }
                tasks.push(Task::Text(")"));
                actions(&mut tasks, item);
                tasks.push(Task::Text(")"));
            }
        }
        self.tasks.extend(tasks.into_iter().rev());
        Some(())
    }

    /// Whether the value has no label, and so is written now.
    fn atom(&mut self, item: Item<'_>) -> bool {
        let out = &mut self.out;
        match item.kind() {
            Kind::Float => match item.as_f64() {
                Some(value) if !value.is_nan() => {
                    let _ = write!(out, "f:{:016x}", value.to_bits());
                }
                _ => out.push_str("f:nan"),
            },
            Kind::None | Kind::Bool | Kind::Int => {
                let _ = write!(out, "{}", item.repr());
            }
            Kind::Str | Kind::Str8 => match item.as_text_bytes() {
                Some(text) => out.push_str(&quoted('s', text)),
                None => out.push_str(&quoted('b', item.as_bytes().unwrap_or_default())),
            },
            Kind::Bytes => out.push_str(&quoted('b', item.as_bytes().unwrap_or_default())),
            Kind::Bytearray => out.push_str(&quoted('B', item.as_bytes().unwrap_or_default())),
            Kind::Buffer => match item.as_bytes() {
                Some(bytes) => out.push_str(&quoted('b', bytes)),
                None => out.push_str("buffer"),
            },
            Kind::Extension => {
                let _ = write!(out, "extension({})", item.extension_code().unwrap_or_default());
            }
            Kind::Tuple if item.len() == Some(0) => out.push_str("()"),
            Kind::Frozenset if item.len() == Some(0) => out.push_str("frozenset{}"),
            Kind::Global if item.actions().next().is_none() => out.push_str(&global(item)),
            _ => return false,
        }
        true
    }
}

fn global(item: Item<'_>) -> String {
    let Some((module, name)) = item.global_parts() else { return String::new() };
    let text = [module.as_text_bytes().unwrap_or_default(), b".", name.as_text_bytes().unwrap_or_default()].concat();
    quoted('g', &text)
}

fn quoted(prefix: char, bytes: &[u8]) -> String {
    let mut out = format!("{prefix}\"");
    for &byte in bytes {
        match byte {
            b' ' | b'!' | b'#'..=b'[' | b']'..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}

fn bracketed<'d>(tasks: &mut Vec<Task<'d>>, open: &'static str, items: brinery::Items<'d>, close: &'static str) {
    tasks.push(Task::Text(open));
    for (at, item) in items.enumerate() {
        tasks.push(Task::Text(if at == 0 { "" } else { ", " }));
        tasks.push(Task::Value(item));
    }
    tasks.push(Task::Text(close));
}

fn pairs<'d>(tasks: &mut Vec<Task<'d>>, open: &'static str, entries: brinery::Entries<'d>, close: &'static str) {
    tasks.push(Task::Text(open));
    for (at, (key, value)) in entries.enumerate() {
        tasks.push(Task::Text(if at == 0 { "" } else { ", " }));
        tasks.extend([Task::Value(key), Task::Text(": "), Task::Value(value)]);
    }
    tasks.push(Task::Text(close));
}

/// What was done, adjacent actions of one kind joined.
fn actions<'d>(tasks: &mut Vec<Task<'d>>, item: Item<'d>) {
    let mut open: Option<(&'static str, &'static str)> = None;
    for action in item.actions() {
        let (kind, close) = match action {
            Action::Append(_) => ("; extend[", "]"),
            Action::SetItems(_) => ("; set{", "}"),
            Action::Add(_) => ("; add[", "]"),
            Action::Build(_) => ("; build(", ")"),
            _ => ("; call(", ")"),
        };
        let joins = open.is_some_and(|(last, _)| last == kind) && matches!(close, "]" | "}");
        if joins {
            tasks.push(Task::Text(", "));
        } else {
            tasks.extend(open.map(|(_, close)| Task::Text(close)));
            tasks.push(Task::Text(kind));
            open = Some((kind, close));
        }
        match action {
            Action::Append(items) | Action::Add(items) => bracketed(tasks, "", items, ""),
            Action::SetItems(entries) => pairs(tasks, "", entries, ""),
            Action::Build(state) => tasks.push(Task::Value(state)),
            Action::Call(call) => {
                tasks.extend(call.callable().map(Task::Value));
                if let Some(args) = call.args() {
                    bracketed(tasks, ", (", args.items(), ")");
                }
            }
            _ => {}
        }
    }
    tasks.extend(open.map(|(_, close)| Task::Text(close)));
}
