//! What a value looks like in Python.

mod atoms;

use std::fmt::{self, Write};

pub(crate) use atoms::{
    bytearray as write_bytearray, bytes as write_bytes, float as write_float, str as write_str, str_inside as write_name,
};

use crate::bigint;
use crate::document::{Entries, Item, Items, Kind, Part, RefSet};
use crate::error::{Error, ErrorKind, Result};

/// Prints a value as Python's `repr` does, to the character, for everything that is made of builtin values; sets in pickled order.
///
/// What is not builtin prints so that it can be told apart:
///
/// | value | text |
/// | --- | --- |
/// | a class or function | `module.Name` |
/// | an object | `module.Class(arg, key=value, .attribute=value, *[appended], **{key: value})` |
/// | its state, if that is not attributes | `.__setstate__(state)` within the parentheses |
/// | an object outside the pickle | `persistent_load(id)` |
/// | an extension code that is not registered | `extension(code)` |
/// | an out-of-band buffer without its data | `buffer(0)` |
/// | an integer of more digits than the limit | hexadecimal |
///
/// A value inside itself prints as `[...]`, `{...}`, `(...)`, `set(...)` or `module.Class(...)`. A shared value prints in each place, so the
/// text may be far longer than the pickle: [`limit`](Self::limit) bounds it.
///
/// `Display` prints at most 64 MiB and is an error beyond.
#[derive(Debug, Clone)]
pub struct Repr<'d> {
    item: Item<'d>,
    limit: usize,
    digits: usize,
}

/// What [`Repr::write_to`] wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Written {
    /// Bytes of text.
    pub bytes: usize,
    /// Integers that were printed in hexadecimal since Python refuses to print so many digits.
    pub hexadecimal: usize,
}

impl<'d> Repr<'d> {
    pub(crate) fn new(item: Item<'d>) -> Self {
        Self { item, limit: 64 << 20, digits: 4_300 }
    }

    /// How many bytes of text there may be.
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// How many decimal digits an integer may have before it is printed in hexadecimal; 4,300 as in Python by default.
    #[must_use]
    pub fn digits(mut self, digits: usize) -> Self {
        self.digits = digits;
        self
    }

    /// Writes the text. Beyond the limit it is an error, and what was written is the text's beginning.
    pub fn write_to(&self, out: &mut impl Write) -> Result<Written> {
        let mut out = Bounded { out, left: self.limit, written: 0, exceeded: false };
        let mut printer =
            Printer { path: RefSet::default(), tasks: vec![Task::Value(self.item)], digits: self.digits, hexadecimal: 0, silent: 0 };
        match printer.run(&mut out) {
            Ok(()) => Ok(Written { bytes: out.written, hexadecimal: printer.hexadecimal }),
            Err(fmt::Error) if out.exceeded => Err(Error::new(ErrorKind::LimitExceeded { limit: "output", at: self.limit as u64 })),
            Err(fmt::Error) => Err(std::io::Error::other("the text could not be written").into()),
        }
    }
}

impl fmt::Display for Repr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f).map(|_| ()).map_err(|_| fmt::Error)
    }
}

/// A writer that stops after so many bytes.
struct Bounded<'w, W> {
    out: &'w mut W,
    left: usize,
    written: usize,
    exceeded: bool,
}

impl<W> Bounded<'_, W> {
    /// Counts work that writes nothing.
    fn spend(&mut self, work: usize) -> fmt::Result {
        match self.left.checked_sub(work) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.exceeded = true;
                Err(fmt::Error)
            }
        }
    }
}

impl<W: Write> Write for Bounded<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.len() > self.left {
            self.exceeded = true;
            let mut end = self.left;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            self.left = 0;
            self.out.write_str(text.get(..end).unwrap_or_default())?;
            return Err(fmt::Error);
        }
        self.left -= text.len();
        self.written += text.len();
        self.out.write_str(text)
    }
}

/// What is still to be printed.
enum Task<'d> {
    Value(Item<'d>),
    Text(&'static str),
    /// The rest of a container's elements; the flag is for the first.
    Items(Items<'d>, bool),
    /// The rest of a dict's pairs.
    Pairs(Entries<'d>, bool),
    /// `, key=value` or `, .attribute=value`.
    Named(Entries<'d>, &'static str, bool),
    /// The value is printed whole.
    Leave(Item<'d>),
}

struct Printer<'d> {
    /// Values that are being printed.
    path: RefSet,
    tasks: Vec<Task<'d>>,
    digits: usize,
    hexadecimal: usize,
    /// Pieces that print nothing.
    silent: usize,
}

impl<'d> Printer<'d> {
    fn run(&mut self, out: &mut Bounded<'_, impl Write>) -> fmt::Result {
        while let Some(task) = self.tasks.pop() {
            out.spend(std::mem::take(&mut self.silent))?;
            match task {
                Task::Value(item) => self.value(out, item)?,
                Task::Text(text) => out.write_str(text)?,
                Task::Leave(item) => {
                    self.path.remove(&item.value);
                }
                Task::Items(mut items, first) => {
                    if let Some(item) = items.next() {
                        separate(out, first)?;
                        self.tasks.push(Task::Items(items, false));
                        self.tasks.push(Task::Value(item));
                    }
                }
                Task::Pairs(mut pairs, first) => {
                    if let Some((key, value)) = pairs.next() {
                        separate(out, first)?;
                        self.tasks.push(Task::Pairs(pairs, false));
                        self.tasks.push(Task::Value(value));
                        self.tasks.push(Task::Text(": "));
                        self.tasks.push(Task::Value(key));
                    }
                }
                Task::Named(mut pairs, dot, first) => {
                    if let Some((key, value)) = pairs.next() {
                        separate(out, first)?;
                        out.write_str(dot)?;
                        match key.as_str() {
                            Some(name) if is_identifier(name) => out.write_str(name)?,
                            _ => self.atom(out, key)?,
                        }
                        out.write_char('=')?;
                        self.tasks.push(Task::Named(pairs, dot, false));
                        self.tasks.push(Task::Value(value));
                    }
                }
            }
        }
        Ok(())
    }

    /// A value, or its beginning and the tasks for the rest.
    fn value(&mut self, out: &mut impl Write, item: Item<'d>) -> fmt::Result {
        let (open, close, recursive) = match item.kind() {
            Kind::List => ("[", "]", "[...]"),
            Kind::Tuple if item.len() == Some(1) => ("(", ",)", "(...)"),
            Kind::Tuple => ("(", ")", "(...)"),
            Kind::Dict => ("{", "}", "{...}"),
            Kind::Set if item.is_empty() == Some(true) => return out.write_str("set()"),
            Kind::Set => ("{", "}", "set(...)"),
            Kind::Frozenset if item.is_empty() == Some(true) => return out.write_str("frozenset()"),
            Kind::Frozenset => ("frozenset({", "})", "frozenset(...)"),
            Kind::Global => return self.global(out, item),
            Kind::Object => return self.object(out, item),
            Kind::Persistent => return self.persistent(out, item),
            Kind::Extension => return self.extension(out, item),
            _ => return self.atom(out, item),
        };
        if !self.path.insert(item.value) {
            return out.write_str(recursive);
        }
        out.write_str(open)?;
        self.tasks.push(Task::Leave(item));
        self.tasks.push(Task::Text(close));
        self.tasks.push(match item.kind() {
            Kind::Dict => Task::Pairs(item.entries(), true),
            _ => Task::Items(item.items(), true),
        });
        Ok(())
    }

    fn atom(&mut self, out: &mut impl Write, item: Item<'d>) -> fmt::Result {
        match item.kind() {
            Kind::None => out.write_str("None"),
            Kind::Bool => out.write_str(if item.as_bool() == Some(true) { "True" } else { "False" }),
            Kind::Int => match item.as_i64() {
                Some(value) => write!(out, "{value}"),
                None => {
                    let (text, hexadecimal) = bigint::to_text(&item.as_int_bytes().unwrap_or_default(), self.digits);
                    self.hexadecimal += usize::from(hexadecimal);
                    out.write_str(&text)
                }
            },
            Kind::Float => write_float(out, item.as_f64().unwrap_or(f64::NAN)),
            Kind::Bytearray => write_bytearray(out, item.as_bytes().unwrap_or_default()),
            Kind::Buffer => match (item.as_bytes(), item.as_buffer()) {
                (Some(bytes), _) => write_bytes(out, bytes),
                (None, Some((index, true))) => write!(out, "buffer({index}, readonly=True)"),
                (None, buffer) => write!(out, "buffer({})", buffer.map_or(0, |(index, _)| index)),
            },
            _ => match item.as_text_bytes() {
                Some(text) => write_str(out, text),
                None => write_bytes(out, item.as_bytes().unwrap_or_default()),
            },
        }
    }

    /// A global; with what was done to it, if anything was.
    fn global(&mut self, out: &mut impl Write, item: Item<'d>) -> fmt::Result {
        let Some((module, name)) = item.global_parts() else { return Ok(()) };
        if !item.is_python_constant() {
            write_name(out, module.as_text_bytes().unwrap_or_default(), None)?;
            out.write_char('.')?;
        }
        write_name(out, name.as_text_bytes().unwrap_or_default(), None)?;
        if item.actions().next().is_none() { Ok(()) } else { self.parts(out, item, item.parts()) }
    }

    fn extension(&mut self, out: &mut impl Write, item: Item<'d>) -> fmt::Result {
        let code = item.extension_code().unwrap_or_default();
        if !self.path.insert(item.value) {
            return write!(out, "extension({code}, ...)");
        }
        write!(out, "extension({code}")?;
        self.tasks.push(Task::Leave(item));
        self.tasks.push(Task::Text(")"));
        self.push_parts(item.parts(), false);
        Ok(())
    }

    fn persistent(&mut self, out: &mut impl Write, item: Item<'d>) -> fmt::Result {
        out.write_str("persistent_load")?;
        if !self.path.insert(item.value) {
            return out.write_str("(...)");
        }
        out.write_char('(')?;
        let Some(id) = item.persistent_id() else { return Ok(()) };
        let parts = item.parts();
        self.tasks.push(Task::Leave(item));
        self.tasks.push(Task::Text(")"));
        self.push_parts(parts, false);
        self.tasks.push(Task::Value(id));
        Ok(())
    }

    fn object(&mut self, out: &mut impl Write, item: Item<'d>) -> fmt::Result {
        let Some(class) = item.class() else { return Ok(()) };
        if class.kind() == Kind::Global && class.actions().next().is_none() {
            self.global(out, class)?;
            return self.parts(out, item, item.parts());
        }
        // the callable is a value of its own, such as the result of another call
        if self.path.contains(&item.value) {
            return out.write_str("(...)");
        }
        self.tasks.push(Task::Leave(item));
        self.path.insert(item.value);
        self.tasks.push(Task::Text(")"));
        self.push_parts(item.parts(), true);
        self.tasks.push(Task::Text("("));
        self.tasks.push(Task::Value(class));
        Ok(())
    }

    /// Everything in an object's parentheses, with these.
    fn parts(&mut self, out: &mut impl Write, item: Item<'d>, parts: Vec<Part<'d>>) -> fmt::Result {
        if !self.path.insert(item.value) {
            return out.write_str("(...)");
        }
        out.write_char('(')?;
        self.tasks.push(Task::Leave(item));
        self.tasks.push(Task::Text(")"));
        self.push_parts(parts, true);
        Ok(())
    }

    /// Tasks for an object's parts; `first` if nothing stands before them.
    fn push_parts(&mut self, parts: Vec<Part<'d>>, first: bool) {
        let mut tasks = Vec::with_capacity(3 * parts.len());
        let mut first = first;
        for part in parts {
            let begin = |text: &'static str, later: &'static str| Task::Text(if first { text } else { later });
            match part {
                Part::Arguments(items) => tasks.push(Task::Items(items, first)),
                Part::Keywords(entries) if entries.clone().all(|(key, _)| key.as_text_bytes().is_some()) => {
                    tasks.push(Task::Named(entries, "", first));
                }
                Part::Attributes(entries) => {
                    if entries.clone().next().is_none() {
                        // nothing to print, but looked at: it counts as if it were printed
                        self.silent += 1;
                        continue;
                    }
                    tasks.push(Task::Named(entries, ".", first));
                }
                Part::State(state) => {
                    tasks.push(begin(".__setstate__(", ", .__setstate__("));
                    tasks.extend([Task::Value(state), Task::Text(")")]);
                }
                Part::Appended(items) => {
                    tasks.push(begin("*[", ", *["));
                    tasks.extend([Task::Items(items, true), Task::Text("]")]);
                }
                // keywords that are no text are nothing Python would take, but shown they are
                Part::SetItems(entries) | Part::Keywords(entries) => {
                    tasks.push(begin("**{", ", **{"));
                    tasks.extend([Task::Pairs(entries, true), Task::Text("}")]);
                }
                Part::Added(items) => {
                    tasks.push(begin("*{", ", *{"));
                    tasks.extend([Task::Items(items, true), Task::Text("}")]);
                }
                Part::Call(call) => {
                    tasks.push(begin("", ", "));
                    tasks.push(Task::Value(call));
                }
            }
            first = false;
        }
        self.tasks.extend(tasks.into_iter().rev());
    }
}

fn separate(out: &mut impl Write, first: bool) -> fmt::Result {
    if first { Ok(()) } else { out.write_str(", ") }
}

/// Whether a name can stand before `=` as it is. Python has more identifiers; those print in quotes.
fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_alphabetic() || first == '_') && chars.all(|char| char.is_alphanumeric() || char == '_')
}
