//! What is written of a program's own types against what CPython writes for the same plain values.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Result;
use brinery::py::{Bytearray, Bytes, Complex, Frozenset, Global, Int, Object, Set, Tuple};
use brinery::{Document, MemoPolicy, Pickler};
use serde::ser::{SerializeMap, SerializeSeq, SerializeStruct, SerializeTupleStruct};
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use crate::oracle::{Judge, Options, Typed, hex};

/// A value, by what serde is told of it.
#[derive(Debug, Clone)]
pub enum T {
    /// `None`.
    None,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// An integer of any size.
    Wide(Int),
    /// A float.
    Float(f64),
    /// Text.
    Str(String),
    /// A variant without fields.
    Variant(&'static str),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A bytearray.
    Bytearray(Vec<u8>),
    /// A complex number.
    Complex(f64, f64),
    /// A list; whether its length is told.
    List(Vec<T>, bool),
    /// A tuple.
    Tuple(Vec<T>),
    /// A set.
    Set(Vec<T>),
    /// A frozenset.
    Frozenset(Vec<T>),
    /// A dict; whether its length is told.
    Dict(Vec<(T, T)>, bool),
    /// A struct.
    Struct(Vec<(&'static str, T)>),
    /// A variant that holds something.
    Holds(&'static str, Box<T>),
    /// A class.
    Class(&'static str),
    /// An object of a class, as a struct with the class's name.
    Instance(Vec<(&'static str, T)>),
    /// The same by the wrapper.
    Object(Vec<(T, T)>),
    /// A call.
    Call(Vec<T>),
    /// A namedtuple.
    Point(Box<(T, T)>),
    /// A member of an enum.
    Member,
}

struct Map<'t>(&'t [(T, T)], bool);

impl Serialize for Map<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(self.1.then_some(self.0.len()))?;
        for (key, value) in self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

fn structure<S: Serializer>(name: &'static str, fields: &[(&'static str, T)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_struct(name, fields.len())?;
    for (name, value) in fields {
        object.serialize_field(name, value)?;
    }
    object.end()
}

impl Serialize for T {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_none(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => serializer.serialize_i64(value),
                (_, Ok(value)) => serializer.serialize_u64(value),
                _ => serializer.serialize_i128(*value),
            },
            Self::Wide(value) => value.serialize(serializer),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Str(text) => serializer.serialize_str(text),
            Self::Variant(name) => serializer.serialize_unit_variant("Choice", 0, name),
            Self::Bytes(bytes) => Bytes(bytes).serialize(serializer),
            Self::Bytearray(bytes) => Bytearray(bytes).serialize(serializer),
            Self::Complex(re, im) => Complex { re: *re, im: *im }.serialize(serializer),
            Self::List(items, true) => items.serialize(serializer),
            Self::List(items, false) => {
                let mut seq = serializer.serialize_seq(None)?;
                items.iter().try_for_each(|item| seq.serialize_element(item))?;
                seq.end()
            }
            Self::Tuple(items) => Tuple(items).serialize(serializer),
            Self::Set(items) => Set(items).serialize(serializer),
            Self::Frozenset(items) => Frozenset(items).serialize(serializer),
            Self::Dict(pairs, is_told) => Map(pairs, *is_told).serialize(serializer),
            Self::Struct(fields) => structure("Plain", fields, serializer),
            Self::Holds(name, value) => serializer.serialize_newtype_variant("Choice", 0, name, &**value),
            Self::Class(name) => Global::new("zoo", *name).serialize(serializer),
            Self::Instance(fields) => structure("zoo.Plain", fields, serializer),
            Self::Object(pairs) => Object::with_state(Global::new("zoo", "Plain"), Map(pairs, true)).serialize(serializer),
            Self::Call(args) => {
                let mut call = serializer.serialize_tuple_struct("zoo.Bag", args.len())?;
                args.iter().try_for_each(|arg| call.serialize_field(arg))?;
                call.end()
            }
            Self::Point(both) => {
                let mut object = serializer.serialize_struct("zoo.Point()", 2)?;
                object.serialize_field("x", &both.0)?;
                object.serialize_field("y", &both.1)?;
                object.end()
            }
            Self::Member => serializer.serialize_unit_variant("zoo.Colour", 1, "g"),
        }
    }
}

impl T {
    /// The description for CPython.
    fn describe(&self) -> Json {
        let float = |value: &f64| json!(["float", hex(&value.to_be_bytes())]);
        let all = |kind: &str, items: &[Self]| Json::Array([json!(kind)].into_iter().chain(items.iter().map(Self::describe)).collect());
        let pairs = |head: Vec<Json>, pairs: &[(Self, Self)]| {
            Json::Array(head.into_iter().chain(pairs.iter().map(|(key, value)| json!([key.describe(), value.describe()]))).collect())
        };
        let fields = |head: Vec<Json>, fields: &[(&str, Self)]| {
            Json::Array(head.into_iter().chain(fields.iter().map(|(name, value)| json!([["str", name], value.describe()]))).collect())
        };
        match self {
            Self::None => Json::Null,
            Self::Bool(value) => json!(value),
            Self::Int(value) => json!(["int", value.to_string()]),
            Self::Wide(value) => json!(["int", value.to_string()]),
            Self::Float(value) => float(value),
            Self::Str(text) => json!(["str", text]),
            Self::Variant(name) => json!(["name", name]),
            Self::Bytes(bytes) => json!(["bytes", hex(bytes)]),
            Self::Bytearray(bytes) => json!(["bytearray", hex(bytes)]),
            Self::Complex(re, im) => json!(["complex", float(re), float(im)]),
            Self::List(items, _) => all("list", items),
            Self::Tuple(items) => all("tuple", items),
            Self::Set(items) => all("set", items),
            Self::Frozenset(items) => all("frozenset", items),
            Self::Dict(items, _) => pairs(vec![json!("dict")], items),
            Self::Struct(items) => fields(vec![json!("dict")], items),
            Self::Holds(name, value) => json!(["dict", [["str", name], value.describe()]]),
            Self::Class(name) => json!(["class", name]),
            Self::Instance(items) => fields(vec![json!("object"), json!("Plain")], items),
            Self::Object(items) => pairs(vec![json!("object"), json!("Plain")], items),
            Self::Call(args) => {
                let mut call = vec![json!("call"), json!("Bag")];
                call.extend(args.iter().map(Self::describe));
                Json::Array(call)
            }
            Self::Point(both) => json!(["new", "Point", both.0.describe(), both.1.describe()]),
            Self::Member => json!(["member", "Colour", ["str", "g"]]),
        }
    }

    /// Whether CPython writes something by protocols 0 and 1 that serde is not told: a namedtuple is a tuple.
    fn has_namedtuple(&self) -> bool {
        match self {
            Self::Point(_) => true,
            Self::List(items, _) | Self::Tuple(items) | Self::Call(items) => items.iter().any(Self::has_namedtuple),
            Self::Dict(pairs, _) | Self::Object(pairs) => pairs.iter().any(|(_, value)| value.has_namedtuple()),
            Self::Struct(fields) | Self::Instance(fields) => fields.iter().any(|(_, value)| value.has_namedtuple()),
            Self::Holds(_, value) => value.has_namedtuple(),
            _ => false,
        }
    }
}

/// Numbers that look random.
#[derive(Debug)]
pub struct Random(u64);

const NAMES: [&str; 8] = ["name", "id", "x", "a longer name of a field", "Größe", "", "é", "items"];
const CHARS: [char; 8] = ['a', 'b', '\n', '\\', 'é', '\u{100}', '\u{20ac}', '\u{1f600}'];

impl Random {
    /// The numbers of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        // Marsaglia's xorshift
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 32).unwrap_or_default() % limit
    }

    fn text(&mut self) -> String {
        let len = [0, 1, 1, 2, 5, 20, 255, 256, 300][self.below(9)];
        (0..len).map(|_| CHARS[self.below(CHARS.len())]).collect()
    }

    fn bytes(&mut self) -> Vec<u8> {
        let len = [0, 1, 1, 2, 5, 255, 256][self.below(7)];
        (0..len).map(|_| u8::try_from(self.below(256)).unwrap_or_default()).collect()
    }

    fn int(&mut self) -> i128 {
        let edge = 1_i128 << [0, 7, 8, 15, 16, 31, 32, 63, 64, 100, 126][self.below(11)];
        let sign = if self.below(2) == 0 { 1 } else { -1 };
        sign * edge + [-2, -1, 0, 1, 2][self.below(5)]
    }

    fn float(&mut self) -> f64 {
        [0.0, -0.0, 1.5, -2.25, 1e300, 5e-324, f64::INFINITY, f64::NAN, 0.1][self.below(9)]
    }

    fn key(&mut self) -> T {
        match self.below(6) {
            0 => T::Int(self.int()),
            1 => T::Bytes(self.bytes()),
            2 => T::Tuple(vec![T::Int(self.int()), T::Str(self.text())]),
            3 => T::Str(self.text()),
            _ => T::Str(NAMES[self.below(NAMES.len())].to_owned()),
        }
    }

    fn items(&mut self, depth: usize) -> Vec<T> {
        let len = [0, 1, 2, 3, 4, 7][self.below(6)];
        (0..len).map(|_| self.value(depth + 1)).collect()
    }

    fn pairs(&mut self, depth: usize) -> Vec<(T, T)> {
        let mut seen = HashSet::new();
        let len = [0, 1, 2, 5][self.below(4)];
        let keys: Vec<T> = (0..len).map(|_| self.key()).filter(|key| seen.insert(key.describe().to_string())).collect();
        keys.into_iter().map(|key| (key, self.value(depth + 1))).collect()
    }

    fn fields(&mut self, depth: usize) -> Vec<(&'static str, T)> {
        let start = self.below(NAMES.len());
        let len = self.below(4);
        NAMES.iter().cycle().skip(start).take(len).map(|name| (*name, self.value(depth + 1))).collect()
    }

    /// Small numbers, which Python's sets have in their order.
    fn numbers(&mut self) -> Vec<T> {
        (0..[0, 1, 2, 5, 40][self.below(5)]).map(T::Int).collect()
    }

    /// A value, nested up to 12 deep.
    pub fn value(&mut self, depth: usize) -> T {
        let is_told = self.below(3) > 0;
        match self.below(if depth > 12 { 12 } else { 26 }) {
            0 => T::None,
            1 => T::Bool(self.below(2) == 0),
            2 | 3 => T::Int(self.int()),
            4 => T::Float(self.float()),
            5 | 6 => T::Str(self.text()),
            7 => T::Variant(NAMES[self.below(NAMES.len())]),
            8 => T::Bytes(self.bytes()),
            9 => T::Bytearray(self.bytes()),
            10 => T::Complex(self.float(), self.float()),
            11 => T::Class(["Plain", "Empty", "Bag", "Outer.Inner"][self.below(3)]),
            12 | 13 => T::List(self.items(depth), is_told),
            14 | 15 => T::Tuple(self.items(depth)),
            16 => T::Set(self.numbers()),
            17 => T::Frozenset(self.numbers()),
            18 | 19 => T::Dict(self.pairs(depth), is_told),
            20 => T::Struct(self.fields(depth)),
            21 => T::Holds(NAMES[self.below(NAMES.len())], Box::new(self.value(depth + 1))),
            22 => T::Instance(self.fields(depth)),
            // one without attributes has no state, and not an empty one
            23 => match self.fields(depth) {
                fields if fields.is_empty() => T::Instance(fields),
                fields => T::Object(fields.into_iter().map(|(name, value)| (T::Str(name.to_owned()), value)).collect()),
            },
            24 => T::Call(self.items(depth)),
            _ if self.below(2) == 0 => T::Member,
            _ => T::Point(Box::new((self.value(depth + 1), self.value(depth + 1)))),
        }
    }
}

/// Values made for edges: batches, frames, widths.
#[must_use]
pub fn edges() -> Vec<T> {
    let mut values = Vec::new();
    for count in [0, 1, 2, 3, 4, 255, 256, 999, 1_000, 1_001, 2_000, 2_001] {
        let ints = |count: i128| (0..count).map(T::Int).collect::<Vec<_>>();
        for is_told in [true, false] {
            values.push(T::List(ints(count), is_told));
            values.push(T::Dict((0..count).map(|at| (T::Int(at), T::Str(format!("text {at}")))).collect(), is_told));
            values.push(T::Dict((0..count).map(|at| (T::Str(format!("key {at}")), T::None)).collect(), is_told));
            values.push(T::List(vec![T::List(ints(count), is_told), T::List(ints(count), is_told)], is_told));
        }
        values.extend([T::Tuple(ints(count)), T::Set(ints(count)), T::Frozenset(ints(count)), T::Call(ints(count))]);
        values.push(T::Object((0..count.max(1)).map(|at| (T::Str(format!("attribute_{at}")), T::Int(at))).collect()));
    }
    for size in [0, 1, 2, 255, 256, 65_535, 65_536, 65_537, 200_000] {
        let text = |char: &str| T::Str(char.repeat(size));
        values.push(T::List(vec![text("x"), T::None, text("é"), T::Bytes(vec![7; size]), T::Bytearray(vec![8; size]), text("x")], true));
        values.push(T::Dict(vec![(text("k"), text("v"))], true));
    }
    // frames that end among texts, inside keys, and behind the mark of what does not tell its length
    for count in [100, 700, 3_000] {
        let texts: Vec<T> = (0..count).map(|at| T::Str(format!("{at:0100}"))).collect();
        values.push(T::List(texts.clone(), true));
        values.push(T::Tuple(texts.clone()));
        let records =
            |at| T::Struct(vec![("name", T::Str(format!("{at:090}"))), ("id", T::Int(at)), ("items", T::List(vec![T::Float(0.5)], true))]);
        values.push(T::List((0..count).map(records).collect(), true));
        values.push(T::List((0..count).map(|at| T::Instance(vec![("name", T::Str(format!("{at:090}")))])).collect(), true));
    }
    let wide = |bytes: usize, last: u8| T::Wide(Int::from_bytes(&[&vec![0xff; bytes][..], &[last]].concat()));
    values.push(T::List(
        [1, 7, 8, 9, 16, 254, 255, 256, 1_700].into_iter().flat_map(|bytes| [wide(bytes, 0), wide(bytes, 0x80)]).collect(),
        true,
    ));
    values.push(T::List(vec![T::Member, T::Member, T::Class("Outer"), T::Class("Plain"), T::Class("Plain"), T::Instance(vec![])], true));
    values
}

/// What came of comparing.
#[derive(Debug, Default)]
pub struct Report {
    /// Values compared.
    pub values: usize,
    /// Pickles that are the same, byte for byte.
    pub identical: usize,
    /// Pickles that load as the same value.
    pub equal: usize,
    /// What is wrong.
    pub faults: Vec<String>,
}

impl Report {
    /// The counts.
    #[must_use]
    pub fn summary(&self) -> String {
        format!(
            "typed: {} values written: {} pickles identical, {} equal, {} faults",
            self.values,
            self.identical,
            self.equal,
            self.faults.len()
        )
    }
}

/// Most questions that are under way at once.
const AHEAD: usize = 64;
/// Most faults that are kept.
const FAULTS: usize = 20;

/// Compares what is written of values with what CPython writes.
pub fn compare(root: &Path, values: impl Iterator<Item = T>) -> Result<Report> {
    let mut typed = Typed::new(root)?;
    let mut judge = Judge::new(root)?;
    let mut report = Report::default();
    let mut waiting = std::collections::VecDeque::new();
    for value in values {
        typed.ask(&value.describe())?;
        waiting.push_back(value);
        if waiting.len() >= AHEAD
            && let Some(value) = waiting.pop_front()
        {
            check(&value, &typed.answer()?, &mut judge, &mut report)?;
        }
    }
    for value in waiting {
        check(&value, &typed.answer()?, &mut judge, &mut report)?;
    }
    Ok(report)
}

fn check(value: &T, expected: &[Vec<u8>], judge: &mut Judge, report: &mut Report) -> Result<()> {
    report.values += 1;
    let mut asked = Vec::new();
    for (protocol, expected) in (0..).zip(expected) {
        let mut pickler = Pickler::new();
        let mut fault = |what: &str, bytes: &[u8]| {
            if report.faults.len() < FAULTS {
                report.faults.push(format!(
                    "protocol {protocol}: {what}: {value:.300?}\n  CPython {}\n  Brinery {}",
                    expected.escape_ascii(),
                    bytes.escape_ascii()
                ));
            }
        };
        let written = match pickler.protocol(protocol).to_vec(value) {
            Ok(written) => written,
            Err(error) => {
                fault(&error.to_string(), &[]);
                continue;
            }
        };
        let mut streamed = Vec::new();
        pickler.to_writer(&mut streamed, value)?;
        if streamed != written {
            fault("a writer gets other bytes", &streamed);
        }
        if written == *expected {
            report.identical += 1;
        } else if protocol < 2 && value.has_namedtuple() {
            asked.push((protocol, written));
        } else {
            fault("other bytes", &written);
            continue;
        }
        // by value and without a memo the same comes back
        for memo in [MemoPolicy::EqualText, MemoPolicy::Off] {
            let other = pickler.memo(memo).to_vec(value)?;
            let same = Document::from_slice(&other)?.root().repr().to_string() == Document::from_slice(expected)?.root().repr().to_string();
            if !same && !value.has_namedtuple() {
                fault("another value with another memo", &other);
            }
            asked.push((protocol, other));
        }
    }
    for (protocol, written) in &asked {
        judge.ask(&expected[usize::from(*protocol)], written, &Options::default())?;
    }
    for (protocol, written) in asked {
        let verdict = judge.answer()?;
        match verdict.differs.or(verdict.dis) {
            None => report.equal += 1,
            Some(why) => report.faults.push(format!("protocol {protocol}: {why}: {value:.300?}\n  Brinery {}", written.escape_ascii())),
        }
    }
    Ok(())
}
