//! What an opcode pushes, in words: from its bytes alone.

use brinery::handler::Place;
use brinery::{Item, Kind, Lexer, Op, Opcode, StackItem, Unpickler};
use serde_json::Value;

use crate::args::Reading;
use crate::sites::{Site, Trace};

/// Reads the arguments of single opcodes, as the codec reads them.
#[derive(Debug)]
pub(super) struct Values {
    unpickler: Unpickler,
    extensions: Vec<(u32, (String, String))>,
}

impl Values {
    pub(super) fn new(reading: &Reading) -> Self {
        Self { unpickler: reading.unpickler(), extensions: reading.extensions.clone() }
    }

    /// Gives what an opcode pushes to a function. Its bytes are a pickle of their own, but for the STOP.
    fn with<T>(&mut self, bytes: &[u8], use_it: impl FnOnce(Item<'_>) -> T) -> Option<T> {
        let (document, _) = self.unpickler.load_partial(bytes, 0);
        let result = document.left_on_stack(0).next().map(use_it);
        self.unpickler.recycle(document);
        result
    }

    /// An opcode's argument, as Python writes it, cut after so many bytes.
    pub(super) fn argument(&mut self, at: Place<'_>, limit: usize) -> String {
        let bytes = at.window.get(at.offset..at.next).unwrap_or_default();
        let Some(Ok(token)) = Lexer::new(bytes).next() else { return String::new() };
        match token.op {
            Op::Binint1(value) | Op::Binget(value) | Op::Binput(value) | Op::Proto(value) => value.to_string(),
            Op::Binint2(value) => value.to_string(),
            Op::Binint(value) => value.to_string(),
            Op::LongBinget(value) | Op::LongBinput(value) => value.to_string(),
            Op::Frame(length) => match (at.next as u64).checked_add(length) {
                Some(end) => format!("{length}, to offset {end}"),
                None => length.to_string(),
            },
            Op::Get(line) | Op::Put(line) => cut(&String::from_utf8_lossy(line).escape_debug().to_string(), limit),
            Op::Ext1(code) => self.extension(code.into()),
            Op::Ext2(code) => self.extension(code.into()),
            Op::Ext4(code) => self.extension(code.into()),
            Op::Global((module, name)) | Op::Inst((module, name)) => {
                cut(&format!("{} {}", line_text(module, limit), line_text(name, limit)), limit)
            }
            Op::Persid(line) => cut(&line_text(line, limit), limit),
            op => match op.data() {
                Some(data) => {
                    let good = self.with(bytes, |item| repr(item, limit));
                    // what cannot be read is shown as it stands
                    good.unwrap_or_else(|| {
                        format!("b'{}'", cut(&data.get(..limit.min(data.len())).unwrap_or(data).escape_ascii().to_string(), limit))
                    })
                }
                None if matches!(op, Op::Binfloat(_)) => self.with(bytes, |item| repr(item, limit)).unwrap_or_default(),
                None => String::new(),
            },
        }
    }

    fn extension(&self, code: i64) -> String {
        let known = self.extensions.iter().find(|(known, _)| i64::from(*known) == code);
        known.map_or_else(|| code.to_string(), |(_, (module, name))| format!("{code} {module}.{name}"))
    }

    /// An opcode's argument for `--json`.
    pub(super) fn json(&mut self, opcode: Opcode, at: Place<'_>) -> Value {
        let bytes = at.window.get(at.offset..at.next).unwrap_or_default();
        let Some(Ok(token)) = Lexer::new(bytes).next() else { return Value::Null };
        match token.op {
            Op::Binint1(value) | Op::Binget(value) | Op::Binput(value) | Op::Proto(value) | Op::Ext1(value) => value.into(),
            Op::Binint2(value) | Op::Ext2(value) => value.into(),
            Op::Binint(value) | Op::Ext4(value) => value.into(),
            Op::LongBinget(value) | Op::LongBinput(value) => value.into(),
            Op::Frame(length) => length.into(),
            Op::Global((module, name)) | Op::Inst((module, name)) => {
                Value::Array(vec![String::from_utf8_lossy(module).into(), String::from_utf8_lossy(name).into()])
            }
            Op::Get(line) | Op::Put(line) | Op::Persid(line) => String::from_utf8_lossy(line).into(),
            _ if opcode.argument() == brinery::Argument::None => Value::Null,
            _ => self.with(bytes, json_item).unwrap_or(Value::Null),
        }
    }

    /// What a value is and where it was made: `list from 12`, `collections.OrderedDict(...) from 40`; constants by themselves.
    pub(super) fn describe(&mut self, site: Site, trace: &Trace, window: &[u8], limit: usize) -> String {
        let from = |what: &str| format!("{what} from {}", site.offset());
        match site.opcode() {
            Opcode::Global | Opcode::StackGlobal => trace.global(site, window).map_or_else(|| from("global"), |name| tail(&name, limit)),
            Opcode::Inst => trace.global(site, window).map_or_else(|| from("object"), |name| from(&format!("{}(...)", tail(&name, limit)))),
            Opcode::Reduce | Opcode::Newobj | Opcode::NewobjEx | Opcode::Obj => {
                let class = trace.made_of(site).and_then(|(callable, _)| trace.global(callable, window));
                class.map_or_else(|| from("object"), |name| from(&format!("{}(...)", tail(&name, limit))))
            }
            Opcode::Ext1 | Opcode::Ext2 | Opcode::Ext4 => from("extension"),
            Opcode::Persid | Opcode::Binpersid => from("persistent object"),
            Opcode::None => "None".to_owned(),
            Opcode::Newtrue => "True".to_owned(),
            Opcode::Newfalse => "False".to_owned(),
            Opcode::EmptyTuple => "()".to_owned(),
            opcode if opcode.argument() != brinery::Argument::None => {
                let next = Lexer::new_at(window, site.offset()).next().and_then(Result::ok).map_or(0, |token| token.offset + token.size);
                self.argument(Place { window, offset: site.offset(), next }, limit)
            }
            opcode => from(opcode.stack_after().last().map_or("value", |item| item.name())),
        }
    }
}

/// The kind of a value, in one word.
pub(super) fn kind(site: Site) -> &'static str {
    match (site.opcode(), site.opcode().stack_after().last()) {
        (Opcode::Global | Opcode::StackGlobal, _) => "global",
        (Opcode::Reduce | Opcode::Newobj | Opcode::NewobjEx | Opcode::Obj | Opcode::Inst, _) => "object",
        (Opcode::Ext1 | Opcode::Ext2 | Opcode::Ext4, _) => "extension",
        (Opcode::Persid | Opcode::Binpersid, _) => "persistent",
        (_, Some(StackItem::BytesOrStr)) => "8-bit str",
        (_, Some(item)) => item.name(),
        (_, None) => "value",
    }
}

fn repr(item: Item<'_>, limit: usize) -> String {
    let mut text = String::new();
    match item.repr().limit(limit).write_to(&mut text) {
        Ok(_) => text,
        Err(_) => text + "...",
    }
}

fn json_item(item: Item<'_>) -> Value {
    match item.kind() {
        Kind::Bool => item.as_bool().into(),
        Kind::Int if item.as_i64().is_some() => item.as_i64().into(),
        // JSON has no nan and no inf
        Kind::Float if item.as_f64().is_some_and(f64::is_finite) => item.as_f64().into(),
        _ => match item.as_str() {
            Some(text) => text.into(),
            None => repr(item, usize::MAX).into(),
        },
    }
}

/// A line of text that may be long, and may be anything.
fn line_text(line: &[u8], limit: usize) -> String {
    let head = line.get(..limit.saturating_mul(4).min(line.len())).unwrap_or(line);
    let text = String::from_utf8_lossy(head);
    if text.chars().any(char::is_control) { text.escape_debug().to_string() } else { text.into_owned() }
}

/// The end of a name, which says more than its beginning, with dots if that is not all.
fn tail(name: &str, limit: usize) -> String {
    let count = name.chars().count();
    if count <= limit { name.to_owned() } else { format!("...{}", name.chars().skip(count - limit).collect::<String>()) }
}

/// The beginning of a text, with dots if that is not all.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
