//! [`Pickler`]: options, and buffers that are used again.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::io::Write;

use super::memo::{Memo, MemoPolicy};
use super::out::Out;
use super::rules::{Dialect, EightBit, Rules};
use super::walk::{Task, Walk};
use crate::document::{Document, DocumentBuilder, Id, Item, Ref};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::native::{Instance, Types};
use crate::opcode::HIGHEST_PROTOCOL;
use crate::value::Value;

/// Where the data of a buffer goes (PEP 574).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Into the pickle: as bytes if it is read-only, else as a bytearray.
    InBand,
    /// Beside the pickle, which only says that a buffer comes here.
    OutOfBand,
}

type PersistentId = dyn FnMut(Item<'_>) -> Option<String> + Send;
type OnBuffer = dyn FnMut(Item<'_>) -> Placement + Send;

/// What a program wants to be asked.
#[derive(Default)]
pub(super) struct Hooks {
    pub(super) persistent_id: Option<Box<PersistentId>>,
    pub(super) on_buffer: Option<Box<OnBuffer>>,
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (persistent_id, on_buffer) = (self.persistent_id.is_some(), self.on_buffer.is_some());
        f.debug_struct("Hooks").field("persistent_id", &persistent_id).field("on_buffer", &on_buffer).finish()
    }
}

/// What a [`Pickler`] writes: a pickle of a [`Document`], an [`Item`], or a [`Value`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Source<'d> {
    /// One pickle of a document, counted from 0: its value, and the calls that it makes beside that and whose results it drops.
    Pickle(&'d Document<'d>, usize),
    /// A value of a document, with its sharing and cycles.
    Item(Item<'d>),
    /// A tree.
    Value(&'d Value),
}

impl<'d> From<Item<'d>> for Source<'d> {
    fn from(item: Item<'d>) -> Self {
        Self::Item(item)
    }
}

impl<'d> From<&'d Document<'d>> for Source<'d> {
    fn from(document: &'d Document<'d>) -> Self {
        Self::Pickle(document, 0)
    }
}

impl<'d> From<&'d Value> for Source<'d> {
    fn from(value: &'d Value) -> Self {
        Self::Value(value)
    }
}

/// Writes pickles, byte for byte as CPython's C pickler writes the same value with the same sharing.
///
/// Options are set once and stay; each pickle starts afresh, also after a failure. What was written of a pickle that failed is taken out of a
/// vector again; a writer may have got some of it.
///
/// ```
/// use brinery::{Document, Pickler};
/// let document = Document::from_slice(b"\x80\x04](K\x01K\x02e.")?;
/// let mut pickler = Pickler::new();
/// assert_eq!(pickler.protocol(2).dump(&document)?, b"\x80\x02]q\x00(K\x01K\x02e.");
/// # Ok::<(), brinery::Error>(())
/// ```
#[derive(Debug)]
pub struct Pickler {
    rules: Rules,
    hooks: Hooks,
    types: Types,
    memo: Memo,
    tasks: Vec<Task>,
    spare: Vec<u8>,
}

impl Default for Pickler {
    fn default() -> Self {
        Self::new()
    }
}

impl Pickler {
    /// The protocol that is written unless another is set: that of `pickle.dumps` in Python 3.8 to 3.13.
    pub const DEFAULT_PROTOCOL: u8 = 4;

    /// A pickler with default options.
    #[must_use]
    pub fn new() -> Self {
        let rules = Rules {
            protocol: Self::DEFAULT_PROTOCOL,
            dialect: Dialect::default(),
            memo: MemoPolicy::default(),
            fix_imports: true,
            eight_bit: EightBit::default(),
            #[cfg(feature = "serde")]
            tuple_enums: false,
            limits: Limits::default(),
            extensions: HashMap::new(),
        };
        Self { rules, hooks: Hooks::default(), types: Types::default(), memo: Memo::default(), tasks: Vec::new(), spare: Vec::new() }
    }

    /// A pickler for the readers of Razorvine Pickle, and so for Apache Spark: see [`Dialect::Razorvine`].
    #[must_use]
    pub fn razorvine() -> Self {
        let mut pickler = Self::new();
        pickler.dialect(Dialect::Razorvine);
        pickler
    }

    /// Sets the protocol, 0 to 5. One that does not exist is an error when something is written.
    pub fn protocol(&mut self, protocol: u8) -> &mut Self {
        self.rules.protocol = protocol;
        self
    }

    /// Sets in whose manner pickles are written. Razorvine's is always protocol 2.
    pub fn dialect(&mut self, dialect: Dialect) -> &mut Self {
        self.rules.dialect = dialect;
        self
    }

    /// Sets which values are written once and referred to after that.
    pub fn memo(&mut self, memo: MemoPolicy) -> &mut Self {
        self.rules.memo = memo;
        self
    }

    /// Sets whether names are written as Python 2 has them before protocol 3: the `fix_imports` of `pickle.dumps`, true by default.
    pub fn fix_imports(&mut self, fix_imports: bool) -> &mut Self {
        self.rules.fix_imports = fix_imports;
        self
    }

    /// Sets how 8-bit strings of Python 2 are written.
    pub fn eight_bit(&mut self, eight_bit: EightBit) -> &mut Self {
        self.rules.eight_bit = eight_bit;
        self
    }

    /// Sets the limits. Of these, `depth`, `expansion` and `digits` are a pickler's.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        self.rules.limits = limits;
        self
    }

    /// Sets the extension codes of `copyreg.add_extension`: from protocol 2 on a class or function that has one is written by it.
    pub fn extensions<M: Into<String>, N: Into<String>>(&mut self, extensions: impl IntoIterator<Item = (u32, (M, N))>) -> &mut Self {
        self.rules.extensions = extensions.into_iter().map(|(code, (module, name))| ((module.into(), name.into()), code)).collect();
        self
    }

    /// Sets what says that a value is outside the pickle, and its id there: the `persistent_id` of `pickle.Pickler`. It is asked for each value,
    /// each time that the value is referred to.
    ///
    /// ```
    /// use brinery::{Document, Pickler};
    /// let document = Document::from_slice(b"\x80\x04]C\x03big\x94a.")?;
    /// let mut pickler = Pickler::new();
    /// pickler.persistent_id(|item| item.as_bytes().map(|bytes| format!("blob of {}", bytes.len())));
    /// let document = Document::from_reader(&*pickler.dump(&document)?)?;
    /// assert_eq!(document.root().at(0).and_then(|item| item.persistent_id()).and_then(|id| id.as_str().map(str::len)), Some(9));
    /// # Ok::<(), brinery::Error>(())
    /// ```
    pub fn persistent_id(&mut self, hook: impl FnMut(Item<'_>) -> Option<String> + Send + 'static) -> &mut Self {
        self.hooks.persistent_id = Some(Box::new(hook));
        self
    }

    /// Sets what says where the data of a buffer goes, from protocol 5 on; it can take the data as well ([`Item::as_bytes`]): the
    /// `buffer_callback` of `pickle.Pickler`. Without it, a document's out-of-band buffers stay out of band, which is an error where their
    /// order is another than in the document. Before protocol 5, every buffer is in band.
    pub fn on_buffer(&mut self, hook: impl FnMut(Item<'_>) -> Placement + Send + 'static) -> &mut Self {
        self.hooks.on_buffer = Some(Box::new(hook));
        self
    }

    /// Sets how values of a type become part of a document, for this pickler: by any calls of the builder.
    ///
    /// ```
    /// use brinery::{Document, Pickler};
    /// struct Celsius(f64);
    /// let mut pickler = Pickler::new();
    /// pickler.register(|degrees: &Celsius, builder| builder.float(degrees.0));
    /// pickler.register(|list: &Vec<Celsius>, builder| {
    ///     let items = list.iter().map(|degrees| builder.save(degrees)).collect::<Result<Vec<_>, _>>()?;
    ///     builder.list(items)
    /// });
    /// let bytes = pickler.dump_native(&vec![Celsius(20.5), Celsius(-3.0)])?;
    /// assert_eq!(Document::from_slice(&bytes)?.root().repr().to_string(), "[20.5, -3.0]");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    pub fn register<T: Any>(&mut self, save: impl Fn(&T, &mut DocumentBuilder) -> Result<Id> + Send + Sync + 'static) -> &mut Self {
        self.types.register(save);
        self
    }

    /// Sets of which class values of a type are in Python, and how they are made there, for this pickler.
    ///
    /// ```
    /// use brinery::{Document, Instance, Pickler};
    /// struct Point(i64, i64);
    /// let mut pickler = Pickler::new();
    /// pickler.register_class("geometry", "Point", |point: &Point, builder| {
    ///     Ok(Instance::call([builder.int(point.0)?, builder.int(point.1)?]))
    /// });
    /// let bytes = pickler.dump_native(&Point(1, 2))?;
    /// assert_eq!(Document::from_slice(&bytes)?.root().repr().to_string(), "geometry.Point(1, 2)");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    pub fn register_class<T: Any>(
        &mut self,
        module: &str,
        name: &str,
        instance: impl Fn(&T, &mut DocumentBuilder) -> Result<Instance> + Send + Sync + 'static,
    ) -> &mut Self {
        self.types.register_class(module, name, instance);
        self
    }

    /// A builder that knows the types registered here.
    #[must_use]
    pub fn builder(&self) -> DocumentBuilder {
        DocumentBuilder::with_types(self.types.clone())
    }

    /// Writes a value of a registered type into a new vector.
    pub fn dump_native<T: Any>(&mut self, value: &T) -> Result<Vec<u8>> {
        let mut builder = self.builder();
        let root = builder.save(value)?;
        self.dump(&builder.finish(root)?)
    }

    /// Writes a pickle into a new vector.
    pub fn dump<'d>(&mut self, source: impl Into<Source<'d>>) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.dump_into(source, &mut bytes)?;
        Ok(bytes)
    }

    /// Appends a pickle to a vector.
    pub fn dump_into<'d>(&mut self, source: impl Into<Source<'d>>, bytes: &mut Vec<u8>) -> Result<()> {
        let length = bytes.len();
        let (written, result) = self.run(source.into(), std::mem::take(bytes), None);
        *bytes = written;
        if result.is_err() {
            bytes.truncate(length);
        }
        result
    }

    /// Writes a pickle to a writer, a frame or 64 KiB at a time. The memory that this takes is in proportion to the values that have a memo
    /// number, not to what is written.
    pub fn dump_to<'d, W: Write>(&mut self, source: impl Into<Source<'d>>, mut writer: W) -> Result<()> {
        let mut buffer = std::mem::take(&mut self.spare);
        buffer.clear();
        let (buffer, result) = self.run(source.into(), buffer, Some(&mut writer));
        self.spare = buffer;
        result
    }

    fn run(&mut self, source: Source<'_>, buffer: Vec<u8>, writer: Option<&mut dyn Write>) -> (Vec<u8>, Result<()>) {
        if self.rules.protocol > HIGHEST_PROTOCOL {
            return (buffer, Err(Error::new(ErrorKind::UnsupportedProtocol(self.rules.protocol))));
        }
        match source {
            Source::Item(item) => self.run_item(item, &Default::default(), buffer, writer),
            Source::Pickle(document, nth) => {
                let Some(loaded) = document.pickles.get(nth) else { return (buffer, Err(Error::new(ErrorKind::Empty))) };
                self.run_item(Item::new(document, loaded.root), &document.store.calls_among(loaded), buffer, writer)
            }
            Source::Value(value) => match DocumentBuilder::document_of(value) {
                Ok(document) => self.run_item(document.root(), &Default::default(), buffer, writer),
                Err(error) => (buffer, Err(error)),
            },
        }
    }

    /// Writes a value, and before and behind it others that are dropped again.
    fn run_item(
        &mut self,
        item: Item<'_>,
        others: &[Vec<Ref>; 2],
        buffer: Vec<u8>,
        writer: Option<&mut dyn Write>,
    ) -> (Vec<u8>, Result<()>) {
        let protocol = self.rules.protocol;
        if self.rules.is_razorvine() {
            self.rules.protocol = 2;
        }
        let mut out = Out::new(buffer, writer);
        let result = self.with_walk(item.document, &mut out, |walk| walk.pickle(item.value, others));
        self.rules.protocol = protocol;
        (out.into_buffer(), result)
    }

    /// Writes something of a document by a walk over it.
    pub(super) fn with_walk(
        &mut self,
        document: &Document<'_>,
        out: &mut Out<'_>,
        write: impl FnOnce(&mut Walk<'_, '_, '_>) -> Result<()>,
    ) -> Result<()> {
        self.memo.clear(document.store.nodes.len());
        write(&mut Walk::new(document, &self.rules, &mut self.hooks, &mut self.memo, &mut self.tasks, out))
    }
}

/// What typed writing needs.
#[cfg(feature = "serde")]
impl Pickler {
    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(super) fn has_persistent_hook(&self) -> bool {
        self.hooks.persistent_id.is_some()
    }

    pub(super) fn take_spare(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.spare)
    }

    pub(super) fn keep_spare(&mut self, buffer: Vec<u8>) {
        self.spare = buffer;
    }

    pub(super) fn write_item(&mut self, item: Item<'_>, buffer: Vec<u8>, writer: Option<&mut dyn Write>) -> (Vec<u8>, Result<()>) {
        self.run_item(item, &Default::default(), buffer, writer)
    }

    /// Sets whether typed writing has variants of enums that hold something as `('Name', value)`, and those that hold nothing as `('Name',)`: the form that
    /// `serde-pickle` calls compat. By default they are `{'Name': value}` and `'Name'`. Reading takes both.
    ///
    /// ```
    /// #[derive(serde::Serialize)]
    /// enum Shape { Empty, Circle(f64) }
    /// let mut pickler = brinery::Pickler::new();
    /// let mut show = |pickler: &mut brinery::Pickler| {
    ///     let bytes = pickler.to_vec(&vec![Shape::Empty, Shape::Circle(0.5)])?;
    ///     Ok::<_, brinery::Error>(brinery::Document::from_slice(&bytes)?.root().repr().to_string())
    /// };
    /// assert_eq!(show(&mut pickler)?, "['Empty', {'Circle': 0.5}]");
    /// assert_eq!(show(pickler.enums_as_tuples(true))?, "[('Empty',), ('Circle', 0.5)]");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    pub fn enums_as_tuples(&mut self, as_tuples: bool) -> &mut Self {
        self.rules.tuple_enums = as_tuples;
        self
    }
}
