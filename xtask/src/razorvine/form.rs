//! The canonical form of what Razorvine's reader makes of a value, as `xtask/razorvine/README.md` has it, from the document alone.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use brinery::{Id, Item, Kind};

use super::objects::{Made, made};

/// The longest form that the reader prints.
const LIMIT: usize = 1 << 26;

/// The form of an item; an error for what has none.
pub fn form(item: Item<'_>) -> Result<String, String> {
    let mut printer = Printer { out: String::new(), labels: vec![HashMap::new()], open: HashSet::new(), unsorted: Vec::new() };
    let mut tasks = vec![Task::Value(item)];
    while let Some(task) = tasks.pop() {
        if printer.out.len() > LIMIT {
            return Err("too long".to_owned());
        }
        let after = tasks.len();
        match task {
            Task::Value(item) => printer.value(item, &mut tasks)?,
            Task::Text(text) => printer.out.push_str(text),
            Task::Owned(text) => printer.out.push_str(&text),
            Task::Begin => printer.labels.push(HashMap::new()),
            Task::End => drop(printer.labels.pop()),
            Task::Entry => {
                let end = printer.out.len();
                if let Some((_, ends)) = printer.unsorted.last_mut() {
                    ends.push(end);
                }
            }
            Task::Close(id) => {
                printer.sort();
                printer.out.push('}');
                printer.open.remove(&id);
            }
        }
        // what was added comes in its own order
        tasks[after..].reverse();
    }
    Ok(printer.out)
}

/// Something still to be printed.
#[derive(Debug)]
pub(super) enum Task<'d> {
    Value(Item<'d>),
    Text(&'static str),
    Owned(String),
    /// Labels start anew, and are the outer ones again.
    Begin,
    End,
    /// An entry or element ends.
    Entry,
    /// A map or set ends.
    Close(Id),
}

struct Printer {
    out: String,
    labels: Vec<HashMap<Id, usize>>,
    /// Maps and sets being printed.
    open: HashSet<Id>,
    /// Where the entries of each of them begin and end.
    unsorted: Vec<(usize, Vec<usize>)>,
}

impl Printer {
    fn value<'d>(&mut self, item: Item<'d>, tasks: &mut Vec<Task<'d>>) -> Result<(), String> {
        match item.kind() {
            Kind::Int => self.out.push_str(&decimal(&item.as_int_bytes().unwrap_or_default())),
            Kind::None | Kind::Bool => {
                let _ = write!(self.out, "{}", item.repr());
            }
            Kind::Float => self.out.push_str(&real(item.as_f64().unwrap_or_default())),
            Kind::Str => self.out.push_str(&quoted("s", item.as_text_bytes().unwrap_or_default())),
            Kind::Str8 => self.out.push_str(&quoted("s", text_of(item).unwrap_or_default().as_bytes())),
            Kind::Bytes | Kind::Bytearray | Kind::Buffer => self.out.push_str(&quoted("b", item.as_bytes().unwrap_or_default())),
            Kind::Tuple if item.len() == Some(0) => self.out.push_str("()"),
            Kind::List | Kind::Tuple => {
                if self.is_new(item.id()) {
                    let (open, close) = if item.kind() == Kind::List { ("[", "]") } else { ("(", ")") };
                    tasks.push(Task::Text(open));
                    for (at, item) in item.items().enumerate() {
                        tasks.extend([Task::Text(if at == 0 { "" } else { ", " }), Task::Value(item)]);
                    }
                    tasks.push(Task::Text(close));
                }
            }
            Kind::Dict => self.map("{", item, None, item.entries(), tasks),
            Kind::Set => self.set(item, item.items(), tasks),
            Kind::Persistent => {
                tasks.push(Task::Text("pid("));
                tasks.extend(item.persistent_id().map(Task::Value));
                tasks.push(Task::Text(")"));
            }
            Kind::Object => match made(item)? {
                Made::Text(text) => self.out.push_str(&text),
                Made::Set(list) => self.set(item, list.items(), tasks),
                Made::Object(class) => {
                    let state = item.state().into_iter().flat_map(Item::entries);
                    let items = item.actions().filter_map(|action| match action {
                        brinery::Action::SetItems(entries) => Some(entries),
                        _ => None,
                    });
                    self.map("class{", item, Some(class), state.chain(items.flatten()), tasks);
                }
            },
            kind => return Err(format!("{kind:?}")),
        }
        Ok(())
    }

    /// Prints a label; whether what it is for comes next.
    fn is_new(&mut self, id: Id) -> bool {
        let Some(labels) = self.labels.last_mut() else { return false };
        let next = labels.len() + 1;
        let label = *labels.entry(id).or_insert(next);
        let _ = write!(self.out, "#{label}");
        if label == next {
            self.out.push('=');
        }
        label == next
    }

    fn map<'d>(
        &mut self,
        open: &str,
        item: Item<'d>,
        class: Option<String>,
        entries: impl Iterator<Item = (Item<'d>, Item<'d>)>,
        tasks: &mut Vec<Task<'d>>,
    ) {
        if !self.begins(open, item.id(), "#map") {
            return;
        }
        if let Some(class) = class {
            tasks.extend([Task::Owned(format!("s\"__class__\": {}", quoted("s", class.as_bytes()))), Task::Entry]);
        }
        for (key, value) in entries {
            tasks.extend([Task::Begin, Task::Value(key), Task::End, Task::Text(": ")]);
            tasks.extend([Task::Begin, Task::Value(value), Task::End, Task::Entry]);
        }
        tasks.push(Task::Close(item.id()));
    }

    fn set<'d>(&mut self, item: Item<'d>, elements: brinery::Items<'d>, tasks: &mut Vec<Task<'d>>) {
        if !self.begins("set{", item.id(), "#set") {
            return;
        }
        for element in elements {
            tasks.extend([Task::Begin, Task::Value(element), Task::End, Task::Entry]);
        }
        tasks.push(Task::Close(item.id()));
    }

    fn begins(&mut self, open: &str, id: Id, again: &str) -> bool {
        if self.open.contains(&id) {
            self.out.push_str(again);
            return false;
        }
        if !self.is_new(id) {
            return false;
        }
        self.open.insert(id);
        self.out.push_str(open);
        self.unsorted.push((self.out.len(), Vec::new()));
        true
    }

    /// Sorts the entries of the innermost map or set, and puts commas between.
    fn sort(&mut self) {
        let Some((start, ends)) = self.unsorted.pop() else { return };
        let mut at = start;
        let mut entries: Vec<String> = Vec::with_capacity(ends.len());
        for end in ends {
            entries.push(self.out[at..end].to_owned());
            at = end;
        }
        entries.sort_unstable();
        self.out.truncate(start);
        self.out.push_str(&entries.join(", "));
    }
}

/// The digits of an integer in two's complement, little-endian, however many there are.
fn decimal(bytes: &[u8]) -> String {
    let is_negative = bytes.last().is_some_and(|&byte| byte >= 0x80);
    // the magnitude, in digits of base 10^9 from the lowest on
    let mut digits: Vec<u64> = Vec::new();
    for &byte in bytes.iter().rev() {
        let mut carry = u64::from(if is_negative { !byte } else { byte });
        for digit in &mut digits {
            let value = *digit * 256 + carry;
            (*digit, carry) = (value % 1_000_000_000, value / 1_000_000_000);
        }
        if carry > 0 {
            digits.push(carry);
        }
    }
    let mut one = u64::from(is_negative);
    for digit in &mut digits {
        let value = *digit + one;
        (*digit, one) = (value % 1_000_000_000, value / 1_000_000_000);
    }
    if one > 0 {
        digits.push(one);
    }
    let sign = if is_negative { "-" } else { "" };
    let first = digits.last().copied().unwrap_or(0);
    digits.iter().rev().skip(1).fold(format!("{sign}{first}"), |text, digit| text + &format!("{digit:09}"))
}

/// A double.
pub(super) fn real(value: f64) -> String {
    if value.is_nan() { "f:nan".to_owned() } else { format!("f:{:016x}", value.to_bits()) }
}

/// The text that the reader has, of a text or an 8-bit string.
pub(super) fn text_of(item: Item<'_>) -> Option<String> {
    match item.kind() {
        Kind::Str => item.as_str().map(str::to_owned),
        Kind::Str8 => item.as_str8().map(|bytes| bytes.iter().map(|&byte| char::from(byte)).collect()),
        _ => None,
    }
}

/// Text or bytes between quotes.
pub(super) fn quoted(prefix: &str, bytes: &[u8]) -> String {
    format!("{prefix}\"{}\"", escaped(bytes))
}

/// Printable ASCII as it is, everything else in hexadecimal digits.
pub(super) fn escaped(bytes: &[u8]) -> String {
    let mut out = String::new();
    for &byte in bytes {
        match byte {
            b' ' | b'!' | b'#'..=b'[' | b']'..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out
}
