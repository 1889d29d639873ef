//! [`DocumentBuilder`]: documents made by a program.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::builder::Builder;
use super::store::{How, Node, Ref, StepKind};
use super::{Document, Encoding, Id, Loaded, Pickle};
use crate::bigint;
use crate::error::{Error, ErrorKind, Result};
use crate::handler::{Data, Handler, Place};
use crate::limits::Limits;
use crate::native::Types;

/// Makes a [`Document`], value by value: whatever a pickle can hold, shared and recursive structures included.
///
/// Each value has an [`Id`], by which others refer to it; an id is its own builder's alone, and another's may stand for some other value. A list, dict, set or object can grow after others refer to it, which is how cycles come
/// about. What CPython would refuse is refused here as well: a list as a key, items appended to an int.
///
/// ```
/// use brinery::{DocumentBuilder, Pickler};
/// let mut builder = DocumentBuilder::new();
/// let class = builder.global("shop", "Order")?;
/// let order = builder.new_object(class, [])?;
/// let (number, lines) = (builder.int(7)?, builder.list([])?);
/// builder.append(lines, order)?; // a cycle
/// let names = [builder.str("number")?, builder.str("lines")?];
/// let state = builder.dict([(names[0], number), (names[1], lines)])?;
/// builder.set_state(order, state)?;
/// let document = builder.finish(order)?;
/// assert_eq!(document.root().repr().to_string(), "shop.Order(.number=7, .lines=[shop.Order(...)])");
/// let bytes = Pickler::new().dump(&document)?;
/// # Ok::<(), brinery::Error>(())
/// ```
pub struct DocumentBuilder {
    builder: Builder,
    buffers: Vec<Cow<'static, [u8]>>,
    types: Types,
    /// Shared values that were added, by their address, and kept so that it stays theirs.
    shared: HashMap<usize, (Arc<dyn Any + Send + Sync>, Option<Id>)>,
}

/// There is no input.
const NOWHERE: Place<'static> = Place { window: &[], offset: 0, next: 0 };

fn made(bytes: &[u8]) -> Data<'_> {
    Data { bytes, offset: None }
}

impl fmt::Debug for DocumentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DocumentBuilder")
            .field("nodes", &self.builder.store.nodes.len())
            .field("types", &self.types)
            .finish_non_exhaustive()
    }
}

impl Default for DocumentBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl DocumentBuilder {
    /// A builder with default limits.
    #[must_use]
    pub fn new() -> Self {
        let mut builder = Builder::new();
        builder.set_limits(&Limits::default());
        builder.name_as_python3();
        Self { builder, buffers: Vec::new(), types: Types::default(), shared: HashMap::new() }
    }

    pub(crate) fn with_types(types: Types) -> Self {
        Self { types, ..Self::new() }
    }

    /// Adds a value of a type that is registered with the [`Pickler`](crate::Pickler) that this builder is of.
    pub fn save<T: Any>(&mut self, value: &T) -> Result<Id> {
        let types = self.types.clone();
        types.save(value, self)
    }

    /// Adds a value of a registered type, which is one value wherever it is added. One that is inside itself is an error.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use brinery::Pickler;
    /// struct Name(String);
    /// let mut pickler = Pickler::new();
    /// pickler.register(|name: &Name, builder| { let text = builder.str(&name.0)?; builder.list([text]) });
    /// let name = Arc::new(Name("Ada".into()));
    /// let mut builder = pickler.builder();
    /// let both = [builder.save_shared(&name)?, builder.save_shared(&name)?];
    /// assert_eq!(both[0], both[1]);
    /// # Ok::<(), brinery::Error>(())
    /// ```
    pub fn save_shared<T: Any + Send + Sync>(&mut self, value: &Arc<T>) -> Result<Id> {
        let address = Arc::as_ptr(value).addr();
        if let Some(&(_, id)) = self.shared.get(&address) {
            // without an id it is being added
            return id.ok_or_else(|| Error::new(ErrorKind::Cyclic));
        }
        self.shared.insert(address, (Arc::clone(value) as _, None));
        let id = self.save(&**value);
        match &id {
            Ok(id) => self.shared.insert(address, (Arc::clone(value) as _, Some(*id))),
            Err(_) => self.shared.remove(&address),
        };
        id
    }

    /// A value of this builder.
    fn value(&self, id: Id) -> Result<Ref> {
        let value = id.value().filter(|value| value.index().is_none_or(|index| index < self.builder.store.nodes.len()));
        value.ok_or_else(|| Error::new(ErrorKind::UnknownId))
    }

    fn values(&self, ids: impl IntoIterator<Item = Id>) -> Result<Vec<Ref>> {
        ids.into_iter().map(|id| self.value(id)).collect()
    }

    fn pairs(&self, pairs: impl IntoIterator<Item = (Id, Id)>) -> Result<Vec<Ref>> {
        self.values(pairs.into_iter().flat_map(|(key, value)| [key, value]))
    }

    /// `None`.
    #[must_use]
    pub fn none(&self) -> Id {
        Id::of(Ref::NONE)
    }

    /// A boolean.
    #[must_use]
    pub fn bool(&self, value: bool) -> Id {
        Id::of(Ref::bool(value))
    }

    /// An integer of 64 bits.
    pub fn int(&mut self, value: i64) -> Result<Id> {
        self.builder.int(value).map(Id::of)
    }

    /// An integer of any size: two's complement, little-endian.
    pub fn int_bytes(&mut self, bytes: &[u8]) -> Result<Id> {
        match bigint::to_i64(bytes) {
            Some(value) => self.int(value),
            None => self.builder.big_int(made(bigint::minimal(bytes))).map(Id::of),
        }
    }

    /// A float.
    pub fn float(&mut self, value: f64) -> Result<Id> {
        self.builder.float(value).map(Id::of)
    }

    /// Text.
    pub fn str(&mut self, text: &str) -> Result<Id> {
        self.builder.str(made(text.as_bytes())).map(Id::of)
    }

    /// Text in which surrogates may stand alone, as UTF-8 would have them.
    pub fn str_surrogates(&mut self, text: &[u8]) -> Result<Id> {
        self.builder.str(made(text)).map(Id::of)
    }

    /// An 8-bit string of Python 2.
    pub fn str8(&mut self, bytes: &[u8]) -> Result<Id> {
        self.builder.str8(made(bytes)).map(Id::of)
    }

    /// An 8-bit string that reads so.
    pub(crate) fn str8_as(&mut self, bytes: &[u8], encoding: Encoding) -> Result<Id> {
        self.builder.set_encoding(encoding);
        let string = self.str8(bytes);
        self.builder.set_encoding(Encoding::default());
        string
    }

    /// Bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<Id> {
        self.builder.bytes(made(bytes)).map(Id::of)
    }

    /// A bytearray.
    pub fn bytearray(&mut self, bytes: &[u8]) -> Result<Id> {
        self.builder.bytearray(made(bytes)).map(Id::of)
    }

    /// A buffer (PEP 574) with its data, which a [`Pickler`](crate::Pickler) writes in band or out of band.
    pub fn buffer(&mut self, data: impl Into<Cow<'static, [u8]>>, readonly: bool) -> Result<Id> {
        let index = self.builder.store.buffers;
        self.builder.store.buffers += 1;
        self.buffers.push(data.into());
        self.builder.push(Node::Buffer { readonly, index }).map(Id::of)
    }

    /// A list.
    pub fn list(&mut self, items: impl IntoIterator<Item = Id>) -> Result<Id> {
        let items = self.values(items)?;
        self.builder.list(&items).map(Id::of)
    }

    /// A tuple.
    pub fn tuple(&mut self, items: impl IntoIterator<Item = Id>) -> Result<Id> {
        let items = self.values(items)?;
        self.builder.tuple(&items).map(Id::of)
    }

    /// A dict. Of equal keys, the first stays and has the last one's value.
    pub fn dict(&mut self, pairs: impl IntoIterator<Item = (Id, Id)>) -> Result<Id> {
        let items = self.pairs(pairs)?;
        self.builder.dict(&items, NOWHERE).map(Id::of)
    }

    /// A set. Of equal elements, the first stays.
    pub fn set(&mut self, items: impl IntoIterator<Item = Id>) -> Result<Id> {
        let set = self.builder.empty_set()?;
        self.add(Id::of(set), items)?;
        Ok(Id::of(set))
    }

    /// A frozenset. Of equal elements, the first stays.
    pub fn frozenset(&mut self, items: impl IntoIterator<Item = Id>) -> Result<Id> {
        let items = self.values(items)?;
        self.builder.frozenset(&items, NOWHERE).map(Id::of)
    }

    /// Appends an item to a list or an object.
    pub fn append(&mut self, list: Id, item: Id) -> Result<()> {
        self.extend(list, [item])
    }

    /// Appends items to a list or an object.
    pub fn extend(&mut self, list: Id, items: impl IntoIterator<Item = Id>) -> Result<()> {
        let (list, items) = (self.value(list)?, self.values(items)?);
        if items.is_empty() { Ok(()) } else { self.builder.append(list, &items, NOWHERE) }
    }

    /// Sets an item of a dict or an object.
    pub fn set_item(&mut self, dict: Id, key: Id, value: Id) -> Result<()> {
        self.set_items(dict, [(key, value)])
    }

    /// Sets items of a dict or an object.
    pub fn set_items(&mut self, dict: Id, pairs: impl IntoIterator<Item = (Id, Id)>) -> Result<()> {
        let (dict, items) = (self.value(dict)?, self.pairs(pairs)?);
        if items.is_empty() { Ok(()) } else { self.builder.set_items(dict, &items, NOWHERE) }
    }

    /// Adds items to a set, or to an object as to a set.
    pub fn add(&mut self, set: Id, items: impl IntoIterator<Item = Id>) -> Result<()> {
        let (set, items) = (self.value(set)?, self.values(items)?);
        if items.is_empty() { Ok(()) } else { self.builder.add_items(set, &items, NOWHERE) }
    }

    /// A class or function by its module and qualified name, as Python 3 has them.
    pub fn global(&mut self, module: &str, name: &str) -> Result<Id> {
        self.builder.global(made(module.as_bytes()), made(name.as_bytes()), NOWHERE).map(Id::of)
    }

    /// A class or function by an extension code, 1 to 2^31 - 1.
    pub fn extension(&mut self, code: u32) -> Result<Id> {
        if !(1..=i32::MAX.unsigned_abs()).contains(&code) {
            return Err(Error::new(ErrorKind::InvalidExtension(code.into())));
        }
        self.builder.extension(code).map(Id::of)
    }

    /// An object outside the pickle, by its id: text as a rule, or any value.
    pub fn persistent(&mut self, id: Id) -> Result<Id> {
        let id = self.value(id)?;
        self.builder.persistent(id).map(Id::of)
    }

    /// `callable(*args)`: what a `__reduce__` asks for.
    pub fn call(&mut self, callable: Id, args: impl IntoIterator<Item = Id>) -> Result<Id> {
        let (callable, args) = (self.value(callable)?, self.values(args)?);
        let args = self.builder.tuple(&args)?;
        self.builder.reduce(callable, args, NOWHERE).map(Id::of)
    }

    /// `class.__new__(class, *args)`: how objects of most classes are made.
    pub fn new_object(&mut self, class: Id, args: impl IntoIterator<Item = Id>) -> Result<Id> {
        let (class, args) = (self.value(class)?, self.values(args)?);
        let args = self.builder.tuple(&args)?;
        self.builder.new_object(class, args, NOWHERE).map(Id::of)
    }

    /// `class.__new__(class, *args, **kwargs)`.
    pub fn new_object_ex(
        &mut self,
        class: Id,
        args: impl IntoIterator<Item = Id>,
        kwargs: impl IntoIterator<Item = (Id, Id)>,
    ) -> Result<Id> {
        let (class, args, kwargs) = (self.value(class)?, self.values(args)?, self.pairs(kwargs)?);
        let args = self.builder.tuple(&args)?;
        let kwargs = self.builder.dict(&kwargs, NOWHERE)?;
        self.builder.new_object_ex(class, args, kwargs, NOWHERE).map(Id::of)
    }

    /// Gives an object its state: a dict of attributes as a rule.
    pub fn set_state(&mut self, object: Id, state: Id) -> Result<()> {
        let (object, state) = (self.value(object)?, self.value(state)?);
        self.builder.build(object, state, NOWHERE)
    }

    /// Gives an object its state by `setter(object, state)`: the sixth part of what a `__reduce__` returns.
    pub fn set_state_by(&mut self, setter: Id, object: Id, state: Id) -> Result<()> {
        let (setter, object) = (self.value(setter)?, self.value(object)?);
        let args = [object, self.value(state)?];
        let args = self.builder.tuple(&args)?;
        self.builder.check_call(setter, args)?;
        let call = self.builder.made(How::Reduce, setter, args, None)?;
        if self.builder.store.object(object).is_none() {
            return Err(self.builder.wrong("an object", object));
        }
        self.builder.store.add_step(object, StepKind::Call(call))
    }

    /// The document whose value this is.
    pub fn finish(mut self, root: Id) -> Result<Document<'static>> {
        let root = self.value(root)?;
        self.builder.settle(&[]);
        self.builder.mark_attributes();
        let pickle = Pickle { start: 0, end: 0, protocol: None };
        let loaded = Loaded { pickle, root, left: Vec::new(), dropped: Vec::new() };
        let mut document = Document::new(Cow::Borrowed(&[]), self.builder.take_store(), vec![loaded]);
        document.buffers = self.buffers;
        Ok(document)
    }

    /// An object as another document or a tree has it.
    pub(crate) fn made_object(&mut self, how: How, callable: Id, args: Id, kwargs: Option<Id>) -> Result<Id> {
        let (callable, args) = (self.value(callable)?, self.value(args)?);
        let object = match (how, kwargs) {
            (How::Newobj, _) => self.builder.new_object(callable, args, NOWHERE),
            (How::NewobjEx, Some(kwargs)) => {
                let kwargs = self.value(kwargs)?;
                self.builder.new_object_ex(callable, args, kwargs, NOWHERE)
            }
            (How::Inst | How::Obj, _) => self.builder.made(how, callable, args, None),
            _ => self.builder.reduce(callable, args, NOWHERE),
        };
        object.map(Id::of)
    }

    /// A class or function by two values.
    pub(crate) fn global_of_values(&mut self, module: Id, name: Id) -> Result<Id> {
        let (module, name) = (self.value(module)?, self.value(name)?);
        self.builder.stack_global(module, name, NOWHERE).map(Id::of)
    }

    /// A buffer whose data may be absent.
    pub(crate) fn buffer_of(&mut self, index: usize, readonly: bool, data: Option<&[u8]>) -> Result<Id> {
        match data {
            Some(data) => self.buffer(data.to_vec(), readonly),
            None => Err(Error::new(ErrorKind::BufferAbsent(index))),
        }
    }

    /// Any call whose result is dropped, done to an object.
    pub(crate) fn call_on(&mut self, object: Id, callable: Id, args: Id) -> Result<()> {
        let (object, callable, args) = (self.value(object)?, self.value(callable)?, self.value(args)?);
        let call = self.builder.made(How::Reduce, callable, args, None)?;
        self.builder.store.add_step(object, StepKind::Call(call))
    }
}
