//! serde's data model as opcodes.

use serde_core::Serialize;
use serde_core::ser;

use super::calls::plain_enum;
use super::compound::{Args, Container, Fields, Items, Pairs, Suffix};
use super::names::{EMPTY, Names};
use crate::bigint;
use crate::document::{DocumentBuilder, Item};
use crate::encode::pickler::Placement;
use crate::encode::spell::latin1_char;
use crate::encode::walk::Walk;
use crate::encode::{MemoPolicy, atoms, memo};
use crate::error::{Error, ErrorKind, Result};
use crate::opcode::Opcode;
use crate::py::{self, ClassName, Shape};
use crate::value::Value;

/// What the next value is to be. One byte, which is read as it was written: a value with something inside would be read wider than it was written, and that
/// costs more than writing a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Whatever it says it is.
    Plain,
    /// A key or a name, which is one object wherever it is equal.
    Key,
    /// What a wrapper wants: the writer's `shape`.
    Shaped,
    /// The arguments of a call, of which `before` stand on the stack already.
    Args,
    /// A state: unit is none.
    State,
    /// A part of a class's name, which is kept.
    Part,
    /// A tree, which is left where the writer finds it.
    Tree,
}

/// A pickle that is being written from serde's calls.
// what is true of it now, each by itself
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Writer<'x, 'd, 'p, 'w> {
    /// Over no document: it has the memo, and knows how protocols spell things.
    pub(super) walk: &'x mut Walk<'d, 'p, 'w>,
    names: Names,
    pub(super) mode: Mode,
    /// What a wrapper wants.
    shape: Shape,
    /// How many arguments stand on the stack.
    pub(super) before: usize,
    depth: usize,
    /// The state that was asked for is none.
    pub(super) no_state: bool,
    /// Parts of a class's name.
    pub(super) parts: Vec<String>,
    /// A class is kept, and written with the arguments.
    pub(super) keeps_class: bool,
    /// An object without arguments is made.
    pub(super) is_made: bool,
    /// What is written is a key, or an element of a set, or in a tuple that is one.
    pub(super) is_hashed: bool,
    /// A part failed: whatever a program makes of that, the pickle is not whole.
    pub(super) is_broken: bool,
}

impl<'x, 'd, 'p, 'w> Writer<'x, 'd, 'p, 'w> {
    pub(super) fn new(walk: &'x mut Walk<'d, 'p, 'w>) -> Self {
        Self {
            walk,
            names: Names::default(),
            mode: Mode::Plain,
            shape: Shape::Value,
            before: 0,
            depth: 0,
            no_state: false,
            parts: Vec::new(),
            keeps_class: false,
            is_made: false,
            is_hashed: false,
            is_broken: false,
        }
    }

    /// Writes a part of something.
    #[inline(always)]
    pub(super) fn part<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let result = value.serialize(&mut *self);
        if result.is_err() {
            self.is_broken = true;
        }
        result
    }

    /// Python hashes keys and elements of sets, which nothing can be that changes.
    pub(super) fn check_hashable(&self, kind: &'static str) -> Result<()> {
        if self.is_hashed { Err(Error::new(ErrorKind::Unhashable(kind))) } else { Ok(()) }
    }

    pub(super) fn protocol(&self) -> u8 {
        self.walk.rules.protocol
    }

    pub(super) fn op(&mut self, opcode: Opcode) {
        self.walk.out.op(opcode);
    }

    /// Whether the next value is a key; the one after it is plain again.
    #[inline(always)]
    fn take_mode(&mut self) -> Result<bool> {
        self.walk.out.boundary()?;
        if self.mode == Mode::Plain { Ok(false) } else { self.take_other() }
    }

    #[inline(never)]
    fn take_other(&mut self) -> Result<bool> {
        let mode = std::mem::replace(&mut self.mode, Mode::Plain);
        match mode {
            Mode::Plain | Mode::Key | Mode::State => Ok(mode == Mode::Key),
            _ => self.special(mode),
        }
    }

    #[cold]
    fn special(&self, mode: Mode) -> Result<bool> {
        match mode {
            Mode::Args => Err(Error::custom("the arguments of an object are a tuple, or another sequence in `py::Tuple`")),
            Mode::Shaped => Err(Error::custom(format_args!("what is wrapped cannot be {}", self.shape.wanted()))),
            Mode::Part => Err(Error::custom("a class's name is text")),
            _ => Ok(false),
        }
    }

    pub(super) fn deepen(&mut self) -> Result<()> {
        let at = self.walk.rules.limits.serde_depth;
        if self.depth >= at {
            return Err(Error::new(ErrorKind::LimitExceeded { limit: "serde_depth", at: at as u64 }));
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn rise(&mut self) {
        self.depth -= 1;
    }

    /// Pushes what has a number.
    fn get(&mut self, number: u32) {
        memo::get(self.walk.out, self.walk.rules.protocol, number);
    }

    /// Text. Names and keys are one object wherever they are equal, and so is what has at most one character of Latin-1.
    #[inline]
    pub(super) fn text(&mut self, text: &str, is_name: bool) -> Result<()> {
        let rules = self.walk.rules;
        if !rules.has_memo() {
            return atoms::text(self.walk.out, rules.protocol, text.as_bytes());
        }
        if text.len() <= 2 && (text.is_empty() || latin1_char(text.as_bytes()).is_some()) {
            return self.short_text(text);
        }
        if is_name || rules.memo == MemoPolicy::EqualText {
            if let Some(&number) = self.names.texts.get(text) {
                self.get(number);
                return Ok(());
            }
            self.names.texts.insert(text.into(), self.walk.memo.next_number());
        }
        atoms::text(self.walk.out, rules.protocol, text.as_bytes())?;
        self.walk.put_own().map(|_| ())
    }

    #[cold]
    fn short_text(&mut self, text: &str) -> Result<()> {
        let char = latin1_char(text.as_bytes());
        let known = match char {
            Some(char) => self.walk.memo.char(char).map(|(number, _)| number),
            None => self.names.short_texts.get(EMPTY),
        };
        if let Some(number) = known {
            self.get(number);
            return Ok(());
        }
        atoms::text(self.walk.out, self.walk.rules.protocol, text.as_bytes())?;
        if let Some(number) = self.walk.put_own()? {
            match char {
                Some(char) => self.walk.memo.set_char(char, number, true),
                None => self.names.short_texts.set(EMPTY, number),
            }
        }
        Ok(())
    }

    /// Bytes, of which Python has those of length 0 and 1 as one object each.
    fn bytes(&mut self, bytes: &[u8], is_key: bool) -> Result<()> {
        let short = match *bytes {
            [] => Some(EMPTY),
            [byte] => Some(usize::from(byte)),
            _ => None,
        };
        let known = match short {
            Some(at) => self.names.short_bytes.get(at),
            None if is_key => self.names.bytes.get(bytes).copied(),
            None => None,
        };
        if let Some(number) = known {
            self.get(number);
            return Ok(());
        }
        self.walk.bytes_ops(bytes, None)?;
        if let Some(number) = self.walk.put_own()? {
            match short {
                Some(at) => self.names.short_bytes.set(at, number),
                None if is_key => {
                    self.names.bytes.insert(bytes.into(), number);
                }
                None => {}
            }
        }
        Ok(())
    }

    /// An integer in two's complement.
    fn int_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        let rules = self.walk.rules;
        match bigint::to_i64(bytes) {
            Some(value) => atoms::int(self.walk.out, rules.protocol, value),
            None => atoms::big_int(self.walk.out, rules.protocol, bigint::minimal(bytes), rules.limits.digits)?,
        }
        Ok(())
    }

    /// An out-of-band buffer: as such if the hook wants that, else as bytes.
    fn buffer(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(hook) = self.walk.hooks.on_buffer.as_mut().filter(|_| self.walk.rules.protocol >= 5) {
            let mut builder = DocumentBuilder::new();
            let buffer = builder.buffer(bytes.to_vec(), true)?;
            let document = builder.finish(buffer)?;
            if hook(document.root()) == Placement::OutOfBand {
                self.op(Opcode::NextBuffer);
                self.op(Opcode::ReadonlyBuffer);
                return Ok(());
            }
        }
        self.bytes(bytes, false)
    }

    /// The tree that a value leaves.
    fn take_tree<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<Value> {
        self.mode = Mode::Tree;
        let tree = py::take_tree(|| value.serialize(&mut *self))?;
        self.mode = Mode::Plain;
        tree.ok_or_else(|| Error::custom("a newtype that has the name of a tree and is none"))
    }

    /// A tree, with all that it has.
    fn tree<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let tree = self.take_tree(value)?;
        if self.is_hashed {
            // a document refuses elements that cannot be hashed
            DocumentBuilder::document_of(&Value::Set([tree.clone()].into_iter().collect()))?;
        }
        let document = DocumentBuilder::document_of(&tree)?;
        let slots = self.walk.memo.begin_document(document.node_count());
        let mut tasks = Vec::new();
        let root: Item<'_> = document.root();
        let mut walk = Walk::new(&document, self.walk.rules, self.walk.hooks, self.walk.memo, &mut tasks, self.walk.out);
        let result = walk.values(root.value, &Default::default());
        self.walk.memo.end_document(slots);
        result
    }

    /// A value that a wrapper wraps.
    fn shaped<T: Serialize + ?Sized>(&mut self, shape: Shape, value: &T) -> Result<()> {
        match shape {
            Shape::Value => return self.tree(value),
            Shape::Persistent if self.protocol() > 0 => {
                self.mode = Mode::Plain;
                value.serialize(&mut *self)?;
                self.op(Opcode::Binpersid);
                return Ok(());
            }
            _ => {}
        }
        (self.mode, self.shape) = (Mode::Shaped, shape);
        if shape == Shape::Int {
            // else it would be written as for other formats
            return py::take_tree(|| value.serialize(&mut *self)).map(|_| ());
        }
        value.serialize(&mut *self)
    }

    /// A member of an enum of Python, by its value.
    fn member(&mut self, class: ClassName<'_>, name: &'static str, variant: &'static str) -> Result<()> {
        if let Some(&number) = self.names.members.get(&(name, variant)) {
            self.get(number);
            return Ok(());
        }
        self.walk.own_global(class.module, class.name)?;
        self.walk.out.boundary()?;
        self.walk.mark_below(2);
        self.walk.out.boundary()?;
        // a value of the class, and no name
        self.text(variant, false)?;
        self.walk.tuple_op(1);
        self.walk.put_own()?;
        self.op(Opcode::Reduce);
        if let Some(number) = self.walk.put_own()? {
            self.names.members.insert((name, variant), number);
        }
        Ok(())
    }

    /// What a sequence or tuple becomes, if nothing else is wanted this.
    fn container(&mut self, plain: Container) -> Result<Container> {
        let mode = std::mem::replace(&mut self.mode, Mode::Plain);
        Ok(match (mode, self.shape, plain) {
            (Mode::Plain | Mode::Key | Mode::State, ..) => plain,
            (Mode::Args, ..) => Container::Args(self.before),
            (Mode::Shaped, Shape::Tuple, _) => Container::Tuple,
            (Mode::Shaped, Shape::List, _) => Container::List,
            (Mode::Shaped, Shape::Set, _) => Container::Set,
            (Mode::Shaped, Shape::Frozenset, _) => Container::Frozenset,
            (Mode::Shaped, Shape::Complex, Container::Tuple) => Container::Complex,
            (Mode::Shaped, Shape::Global, Container::Tuple) => Container::Name,
            _ => return self.special(mode).and(Err(Error::custom("a sequence where there can be none"))),
        })
    }

    /// The name of a variant, before what it holds.
    pub(super) fn begin_variant(&mut self, variant: &'static str) -> Result<()> {
        if self.walk.rules.tuple_enums {
            self.walk.mark_below(2);
        } else {
            self.check_hashable("dict")?;
            self.walk.empty(Opcode::EmptyDict, Opcode::Dict);
            self.walk.put_own()?;
        }
        self.walk.out.boundary()?;
        self.text(variant, true)
    }

    pub(super) fn end_variant(&mut self) -> Result<()> {
        if self.walk.rules.tuple_enums {
            self.walk.tuple_op(2);
            self.walk.put_own()?;
        } else {
            self.op(Opcode::Setitem);
        }
        Ok(())
    }
}

/// Numbers.
macro_rules! ints {
    ($($method:ident: $type:ty)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<()> {
            self.take_mode()?;
            atoms::int(self.walk.out, self.walk.rules.protocol, value.into());
            Ok(())
        }
    )*};
}

impl<'a, 'x, 'd, 'p, 'w> ser::Serializer for &'a mut Writer<'x, 'd, 'p, 'w> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'a, 'x, 'd, 'p, 'w>;
    type SerializeTuple = Items<'a, 'x, 'd, 'p, 'w>;
    type SerializeTupleStruct = Items<'a, 'x, 'd, 'p, 'w>;
    type SerializeTupleVariant = Items<'a, 'x, 'd, 'p, 'w>;
    type SerializeMap = Pairs<'a, 'x, 'd, 'p, 'w>;
    type SerializeStruct = Fields<'a, 'x, 'd, 'p, 'w>;
    type SerializeStructVariant = Fields<'a, 'x, 'd, 'p, 'w>;

    ints! { serialize_i8: i8 serialize_i16: i16 serialize_i32: i32 serialize_i64: i64 serialize_u8: u8 serialize_u16: u16 serialize_u32: u32 }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.take_mode()?;
        atoms::bool(self.walk.out, self.walk.rules.protocol, value);
        Ok(())
    }

    fn serialize_u64(self, value: u64) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => self.serialize_u128(value.into()),
        }
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        self.take_mode()?;
        self.int_bytes(&value.to_le_bytes())
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.take_mode()?;
        let mut bytes = [0; 17];
        bytes.iter_mut().zip(value.to_le_bytes()).for_each(|(to, from)| *to = from);
        self.int_bytes(&bytes)
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        self.serialize_f64(value.into())
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.take_mode()?;
        atoms::float(self.walk.out, self.walk.rules.protocol, value);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Result<()> {
        match self.mode {
            Mode::Part => {
                self.mode = Mode::Plain;
                self.parts.push(text.to_owned());
                return Ok(());
            }
            Mode::Shaped if self.shape == Shape::Persistent => {
                self.mode = Mode::Plain;
                return self.walk.persistent_line(Some(text));
            }
            _ => {}
        }
        let is_key = self.take_mode()?;
        self.text(text, is_key)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<()> {
        let shape = match self.mode {
            Mode::Shaped if matches!(self.shape, Shape::Bytes | Shape::Bytearray | Shape::Buffer | Shape::Str8 | Shape::Int) => {
                self.mode = Mode::Plain;
                self.shape
            }
            _ => Shape::Bytes,
        };
        let is_key = self.take_mode()?;
        match shape {
            Shape::Bytearray => {
                self.check_hashable("bytearray")?;
                self.walk.bytearray_ops(bytes, None)?;
                self.walk.put_own().map(|_| ())
            }
            Shape::Buffer => self.buffer(bytes),
            Shape::Str8 => {
                atoms::str8(self.walk.out, self.walk.rules.protocol, bytes)?;
                self.walk.put_own().map(|_| ())
            }
            Shape::Int => self.int_bytes(bytes),
            _ => self.bytes(bytes, is_key),
        }
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        self.deepen()?;
        value.serialize(&mut *self)?;
        self.rise();
        Ok(())
    }

    fn serialize_unit(self) -> Result<()> {
        match self.mode {
            Mode::Args if self.before == 0 => {
                self.mode = Mode::Plain;
                self.walk.empty_tuple();
            }
            Mode::Args => {
                self.mode = Mode::Plain;
                self.kept_instance()?;
            }
            Mode::State => {
                self.mode = Mode::Plain;
                self.no_state = true;
            }
            Mode::Tree => self.mode = Mode::Plain,
            _ => {
                self.take_mode()?;
                self.op(Opcode::None);
            }
        }
        Ok(())
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<()> {
        match ClassName::checked(name)? {
            Some(_) => ser::SerializeStruct::end(self.serialize_struct(name, 0)?),
            None => self.serialize_unit(),
        }
    }

    fn serialize_unit_variant(self, name: &'static str, _index: u32, variant: &'static str) -> Result<()> {
        self.take_mode()?;
        if let Some(class) = ClassName::checked(name)? {
            return self.member(class, name, variant);
        }
        if self.walk.rules.tuple_enums {
            self.walk.mark_below(2);
            self.text(variant, true)?;
            self.walk.tuple_op(1);
            return self.walk.put_own().map(|_| ());
        }
        self.text(variant, true)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<()> {
        if let Some(shape) = Shape::of(name) {
            return match (self.mode, shape) {
                (Mode::Args, Shape::Tuple) => value.serialize(self),
                // a tree that is the line of a persistent id
                (Mode::Shaped, Shape::Value) if self.shape == Shape::Persistent => match self.take_tree(value)? {
                    Value::Str(text) => self.walk.persistent_line(Some(&text)),
                    _ => self.walk.persistent_line(None),
                },
                (Mode::Plain | Mode::Key | Mode::State, _) => {
                    self.deepen()?;
                    self.shaped(shape, value)?;
                    self.rise();
                    Ok(())
                }
                (mode, _) => self.special(mode).map(|_| ()),
            };
        }
        if ClassName::parse(name).is_some() {
            let mut call = self.serialize_tuple_struct(name, 1)?;
            ser::SerializeTupleStruct::serialize_field(&mut call, value)?;
            return ser::SerializeTupleStruct::end(call);
        }
        self.serialize_some(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        plain_enum(name, variant)?;
        self.take_mode()?;
        self.deepen()?;
        self.begin_variant(variant)?;
        value.serialize(&mut *self).map_err(|error| error.within(format_args!("['{variant}']")))?;
        self.rise();
        self.end_variant()
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq> {
        let container = self.container(Container::List)?;
        Items::begin(self, container, len, Suffix::None)
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple> {
        let container = self.container(Container::Tuple)?;
        Items::begin(self, container, Some(len), Suffix::None)
    }

    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeTupleStruct> {
        let Some(class) = ClassName::checked(name)? else { return self.serialize_tuple(len) };
        self.take_mode()?;
        let (before, call) = self.begin_call(class, !class.by_position)?;
        Items::begin(self, Container::Args(before), Some(len), Suffix::Call(call))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        plain_enum(name, variant)?;
        self.take_mode()?;
        self.begin_variant(variant)?;
        Items::begin(self, Container::List, Some(len), Suffix::Variant(variant))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap> {
        self.take_mode()?;
        Pairs::begin(self, len, Suffix::None)
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeStruct> {
        if name == py::OBJECT || name == py::CALLED {
            self.take_mode()?;
            self.deepen()?;
            return Ok(Fields::Object(Args::new(self, name == py::CALLED)));
        }
        let Some(class) = ClassName::checked(name)? else { return Ok(Fields::Dict(self.serialize_map(Some(len))?)) };
        self.take_mode()?;
        if class.by_position {
            let (before, call) = self.begin_call(class, false)?;
            return Ok(Fields::Args(Items::begin(self, Container::Args(before), Some(len), Suffix::Call(call))?));
        }
        self.begin_instance(class)?;
        if len == 0 {
            return Ok(Fields::Nothing);
        }
        self.walk.out.boundary()?;
        Ok(Fields::Dict(Pairs::begin(self, Some(len), Suffix::Build)?))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStructVariant> {
        plain_enum(name, variant)?;
        self.take_mode()?;
        self.begin_variant(variant)?;
        self.walk.out.boundary()?;
        Ok(Fields::Dict(Pairs::begin(self, Some(len), Suffix::Variant(variant))?))
    }
}
