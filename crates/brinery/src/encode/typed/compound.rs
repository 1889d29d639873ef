//! Containers and objects, whose parts come one after another.

use serde_core::Serialize;
use serde_core::ser;

use super::serializer::{Mode, Writer};
use crate::document::{Document, Ref};
use crate::encode::out::Place;
use crate::encode::pickler::Pickler;
use crate::encode::run::{Run, RunKind};
use crate::error::{Error, Result};
use crate::names::Known;
use crate::opcode::Opcode;

/// Length of what does not say how long it is.
const UNKNOWN: usize = usize::MAX - 1;
/// Longest text of a key in an error.
const KEY: usize = 40;

/// What items become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    List,
    Tuple,
    Set,
    Frozenset,
    /// The arguments of a call, of which so many stand on the stack already.
    Args(usize),
    /// The two parts of a complex number.
    Complex,
    /// A module and a name.
    Name,
    Dict,
}

/// What stands behind a container.
#[derive(Debug, Clone, Copy)]
pub(super) enum Suffix {
    None,
    /// It is what a variant holds.
    Variant(&'static str),
    /// It is the arguments of a call.
    Call(Opcode),
    /// It is the state of an object.
    Build,
}

/// A container that is being written.
struct Batches {
    container: Container,
    run: Run,
    suffix: Suffix,
    /// Where the mark of the batch stands, if it may have to go.
    mark: Option<Place>,
    is_set_call: bool,
    /// Whether the container itself is a key or an element.
    is_hashed: bool,
}

impl Batches {
    /// Begins a container of so many items.
    fn begin(writer: &mut Writer<'_, '_, '_, '_>, container: Container, len: Option<usize>, suffix: Suffix) -> Result<Self> {
        writer.deepen()?;
        // the state of an object has nothing to do with its hash
        let is_hashed = writer.is_hashed;
        match container {
            _ if matches!(suffix, Suffix::Build) => {}
            Container::List => writer.check_hashable("list")?,
            Container::Dict => writer.check_hashable("dict")?,
            Container::Set => writer.check_hashable("set")?,
            _ => {}
        }
        writer.is_hashed = match container {
            Container::Set | Container::Frozenset => true,
            Container::Tuple => is_hashed,
            _ => false,
        };
        writer.walk.out.boundary()?;
        let protocol = writer.protocol();
        let is_set_call = protocol < 4 && matches!(container, Container::Set | Container::Frozenset);
        let mut mark = None;
        let kind = match container {
            Container::List => {
                writer.walk.empty(Opcode::EmptyList, Opcode::List);
                writer.walk.put_own()?;
                RunKind::List
            }
            Container::Dict => {
                writer.walk.empty(Opcode::EmptyDict, Opcode::Dict);
                writer.walk.put_own()?;
                RunKind::Dict
            }
            Container::Set | Container::Frozenset if is_set_call => {
                writer.walk.known(if container == Container::Set { Known::Set } else { Known::Frozenset })?;
                writer.walk.mark_below(2);
                writer.walk.empty(Opcode::EmptyList, Opcode::List);
                writer.walk.put_own()?;
                RunKind::SetList
            }
            Container::Set => {
                writer.op(Opcode::EmptySet);
                writer.walk.put_own()?;
                RunKind::Set
            }
            Container::Frozenset => {
                writer.op(Opcode::Mark);
                RunKind::Plain
            }
            Container::Complex => {
                writer.walk.own_global("builtins", "complex")?;
                writer.walk.out.boundary()?;
                writer.walk.mark_below(2);
                RunKind::Plain
            }
            Container::Tuple | Container::Args(0) => {
                let needs_mark = len.is_none_or(|len| len > 3 || len > 0 && protocol < 2);
                if needs_mark {
                    writer.op(Opcode::Mark);
                    mark = len.is_none().then(|| writer.walk.out.last());
                }
                RunKind::Plain
            }
            Container::Args(_) => {
                if writer.keeps_class {
                    writer.kept_call()?;
                }
                RunKind::Plain
            }
            Container::Name => RunKind::Plain,
        };
        let unit = if container == Container::Dict { 2 } else { 1 };
        let run = Run::new(kind, Ref::NONE, 0, len.map_or(UNKNOWN, |len| len.saturating_mul(unit)));
        Ok(Self { container, run, suffix, mark, is_set_call, is_hashed })
    }

    /// Before an item, or before a key.
    #[inline(always)]
    fn next(&mut self, writer: &mut Writer<'_, '_, '_, '_>) -> Result<()> {
        if self.run.at == self.run.batch_end {
            self.next_batch(writer)?;
        }
        self.run.at += 1;
        Ok(())
    }

    fn next_batch(&mut self, writer: &mut Writer<'_, '_, '_, '_>) -> Result<()> {
        let (closing, goes_on, is_marked) = self.run.next_batch(writer.walk.rules);
        if let Some(opcode) = closing {
            writer.op(opcode);
        }
        if !goes_on {
            return Err(Error::custom(format_args!(
                "there are more items than the {} that were announced",
                self.run.len / self.run.unit()
            )));
        }
        if is_marked {
            writer.op(Opcode::Mark);
            if self.run.len == UNKNOWN {
                self.mark = Some(writer.walk.out.last());
            }
        }
        Ok(())
    }

    /// Behind the last item.
    fn end(&mut self, writer: &mut Writer<'_, '_, '_, '_>) -> Result<()> {
        if self.run.len == UNKNOWN {
            self.end_unknown(writer);
        } else if self.run.at != self.run.len {
            let unit = self.run.unit();
            return Err(Error::custom(format_args!("{} items were announced, and there are {}", self.run.len / unit, self.run.at / unit)));
        }
        if self.run.at == self.run.batch_end {
            loop {
                let (closing, goes_on, is_marked) = self.run.next_batch(writer.walk.rules);
                if let Some(opcode) = closing {
                    writer.op(opcode);
                }
                if !goes_on {
                    break;
                }
                if is_marked {
                    writer.op(Opcode::Mark);
                }
            }
        }
        self.close(writer)?;
        writer.is_hashed = self.is_hashed;
        match self.suffix {
            Suffix::None => {}
            Suffix::Variant(_) => writer.end_variant()?,
            Suffix::Call(opcode) => {
                writer.op(opcode);
                writer.walk.put_own()?;
            }
            Suffix::Build => writer.op(Opcode::Build),
        }
        writer.rise();
        Ok(())
    }

    /// The length of what did not say it is known now: what has the short form with that, gets it, unless the mark has left the buffer.
    fn end_unknown(&mut self, writer: &mut Writer<'_, '_, '_, '_>) {
        self.run.len = self.run.at;
        if self.container == Container::Tuple || matches!(self.container, Container::Args(0)) {
            if (self.run.len == 0 || self.run.len <= 3 && writer.protocol() >= 2)
                && let Some(place) = self.mark.take()
                && !writer.walk.out.remove(place)
            {
                self.mark = Some(place);
            }
            return;
        }
        let is_single = self.run.is_single(writer.walk.rules);
        if is_single && self.mark.is_some_and(|place| writer.walk.out.remove(place)) {
            self.run.unmark();
        }
        if self.run.at != self.run.batch_end
            && let Some(opcode) = self.run.suspend()
        {
            writer.op(opcode);
        }
    }

    /// Makes the container of its items where that comes last.
    fn close(&mut self, writer: &mut Writer<'_, '_, '_, '_>) -> Result<()> {
        let len = self.run.len;
        match self.container {
            Container::List | Container::Dict => return Ok(()),
            Container::Set if !self.is_set_call => return Ok(()),
            Container::Set | Container::Frozenset if self.is_set_call => {
                writer.walk.tuple_op(1);
                writer.walk.put_own()?;
                writer.op(Opcode::Reduce);
            }
            Container::Frozenset | Container::Set => writer.op(Opcode::Frozenset),
            Container::Name => return writer.global(),
            Container::Tuple | Container::Args(0) if len == 0 => {
                writer.walk.empty_tuple();
                return Ok(());
            }
            // its mark is too far behind
            Container::Tuple if self.mark.is_some() => writer.op(Opcode::Tuple),
            Container::Tuple => writer.walk.tuple_op(len),
            Container::Args(before) => writer.walk.tuple_op(before + len),
            Container::Complex => {
                writer.walk.tuple_op(2);
                writer.walk.put_own()?;
                writer.op(Opcode::Reduce);
            }
        }
        writer.walk.put_own().map(|_| ())
    }

    /// The part of a path that leads into the container.
    fn part(&self, error: Error, part: std::fmt::Arguments<'_>) -> Error {
        let error = error.within(part);
        match self.suffix {
            Suffix::Variant(variant) => error.within(format_args!("['{variant}']")),
            _ => error,
        }
    }
}

/// Items that are being written.
pub(super) struct Items<'a, 'x, 'd, 'p, 'w> {
    writer: &'a mut Writer<'x, 'd, 'p, 'w>,
    batches: Batches,
}

impl<'a, 'x, 'd, 'p, 'w> Items<'a, 'x, 'd, 'p, 'w> {
    pub(super) fn begin(writer: &'a mut Writer<'x, 'd, 'p, 'w>, container: Container, len: Option<usize>, suffix: Suffix) -> Result<Self> {
        let batches = Batches::begin(writer, container, len, suffix)?;
        Ok(Self { writer, batches })
    }

    #[inline(always)]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.batches.next(self.writer)?;
        if self.batches.container == Container::Name {
            self.writer.mode = Mode::Part;
        }
        let at = self.batches.run.at - 1;
        self.writer.part(value).map_err(|error| self.batches.part(error, format_args!("[{at}]")))
    }

    fn finish(mut self) -> Result<()> {
        self.batches.end(self.writer)
    }
}

macro_rules! sequences {
    ($($trait:ident $method:ident)*) => {$(
        impl ser::$trait for Items<'_, '_, '_, '_, '_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.item(value)
            }

            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

sequences! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

/// Keys and values that are being written.
pub(super) struct Pairs<'a, 'x, 'd, 'p, 'w> {
    writer: &'a mut Writer<'x, 'd, 'p, 'w>,
    batches: Batches,
}

impl<'a, 'x, 'd, 'p, 'w> Pairs<'a, 'x, 'd, 'p, 'w> {
    pub(super) fn begin(writer: &'a mut Writer<'x, 'd, 'p, 'w>, len: Option<usize>, suffix: Suffix) -> Result<Self> {
        let batches = Batches::begin(writer, Container::Dict, len, suffix)?;
        Ok(Self { writer, batches })
    }

    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.batches.next(self.writer)?;
        self.writer.mode = Mode::Key;
        self.writer.is_hashed = true;
        let at = self.batches.run.at / 2;
        let result = self.writer.part(key);
        self.writer.is_hashed = false;
        result.map_err(|error| self.batches.part(error, format_args!(".keys()[{at}]")))
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if self.batches.run.at.is_multiple_of(2) {
            return Err(Error::custom("a value without a key"));
        }
        self.batches.run.at += 1;
        self.writer.part(value)
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.batches.next(self.writer)?;
        self.writer.walk.out.boundary()?;
        self.writer.text(name, true)?;
        self.value(value).map_err(|error| self.batches.part(error, format_args!(".{name}")))
    }
}

impl ser::SerializeMap for Pairs<'_, '_, '_, '_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let at = self.batches.run.at / 2;
        self.value(value).map_err(|error| self.batches.part(error, format_args!(".values()[{at}]")))
    }

    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(&mut self, key: &K, value: &V) -> Result<()> {
        self.key(key)?;
        self.value(value).map_err(|error| self.batches.part(error, format_args!("[{}]", key_text(key))))
    }

    fn end(mut self) -> Result<()> {
        self.batches.end(self.writer)
    }
}

/// A key as Python prints it.
#[cold]
fn key_text<T: Serialize + ?Sized>(key: &T) -> String {
    let bytes = Pickler::new().to_vec(key).unwrap_or_default();
    Document::from_slice(&bytes).map_or_else(|_| "...".to_owned(), |document| document.root().shortened(KEY))
}

/// The fields of a struct.
pub(super) enum Fields<'a, 'x, 'd, 'p, 'w> {
    /// Of a dict, which may be the attributes of an object.
    Dict(Pairs<'a, 'x, 'd, 'p, 'w>),
    /// Of a call, by position.
    Args(Items<'a, 'x, 'd, 'p, 'w>),
    /// Of [`py::Object`](crate::py::Object).
    Object(Args<'a, 'x, 'd, 'p, 'w>),
    /// Of an object without attributes.
    Nothing,
}

impl Fields<'_, '_, '_, '_, '_> {
    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        match self {
            Self::Dict(pairs) => pairs.field(name, value),
            Self::Args(items) => items.item(value),
            Self::Object(args) => args.field(name, value),
            Self::Nothing => Err(Error::custom("a field of a struct that was announced without any")),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Dict(mut pairs) => pairs.batches.end(pairs.writer),
            Self::Args(items) => items.finish(),
            Self::Object(args) => {
                args.writer.rise();
                Ok(())
            }
            Self::Nothing => Ok(()),
        }
    }
}

macro_rules! structs {
    ($($trait:ident)*) => {$(
        impl ser::$trait for Fields<'_, '_, '_, '_, '_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.field(name, value)
            }

            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

structs! { SerializeStruct SerializeStructVariant }

/// An object that says its class, arguments and state, in this order.
pub(super) struct Args<'a, 'x, 'd, 'p, 'w> {
    writer: &'a mut Writer<'x, 'd, 'p, 'w>,
    is_called: bool,
    start: (usize, Opcode),
}

impl<'a, 'x, 'd, 'p, 'w> Args<'a, 'x, 'd, 'p, 'w> {
    pub(super) fn new(writer: &'a mut Writer<'x, 'd, 'p, 'w>, is_called: bool) -> Self {
        Self { writer, is_called, start: (0, Opcode::Reduce) }
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        let writer = &mut *self.writer;
        match name {
            "class" => {
                // how an object is made before protocol 2 depends on its arguments
                writer.keeps_class = !self.is_called && writer.protocol() < 2;
                self.start = if writer.keeps_class { (1, Opcode::Reduce) } else { writer.begin_object(self.is_called)? };
                writer.part(value)
            }
            "args" => {
                let (before, opcode) = self.start;
                (writer.mode, writer.before) = (Mode::Args, before);
                writer.walk.out.boundary()?;
                writer.part(value).map_err(|error| error.within(format_args!(".args")))?;
                if std::mem::take(&mut writer.is_made) {
                    return Ok(());
                }
                writer.op(opcode);
                writer.walk.put_own().map(|_| ())
            }
            "state" => {
                writer.mode = Mode::State;
                writer.no_state = false;
                let is_hashed = std::mem::take(&mut writer.is_hashed);
                writer.part(value).map_err(|error| error.within(format_args!(".state")))?;
                writer.is_hashed = is_hashed;
                if !std::mem::take(&mut writer.no_state) {
                    writer.op(Opcode::Build);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
