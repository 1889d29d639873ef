//! What is made of each step of the machine.

use crate::error::{Error, Result};
use crate::opcode::Opcode;

/// Where the machine stands: given to every step that makes or changes something.
#[derive(Debug, Clone, Copy)]
pub struct Place<'w> {
    /// The input as far as it is gathered.
    pub window: &'w [u8],
    /// Where in the window the opcode begins.
    pub offset: usize,
    /// Where in the window the next opcode begins.
    pub next: usize,
}

/// Text or bytes that a step carries.
#[derive(Debug, Clone, Copy)]
pub struct Data<'w> {
    /// The bytes, escapes resolved. Text is UTF-8, in which surrogates may stand alone; an 8-bit string is what it is.
    pub bytes: &'w [u8],
    /// Where in the window these very bytes stand; `None` where they had to be made from escapes or digits.
    pub offset: Option<usize>,
}

/// Builds something from the machine's steps. The machine has the stack and the memo; what stands in them are the handler's `Ref`s.
///
/// A [`Document`](crate::Document) is what one handler builds, statistics are what another counts; the machine knows neither. A step
/// that returns an error ends the load with it; the machine adds the place. The order of calls is that of the opcodes. Steps that only move
/// values about (`PUT`, `GET`, `DUP`, `POP`) have default methods that do nothing.
pub trait Handler {
    /// What stands for a value on the stack and in the memo.
    type Ref: Copy;

    /// An opcode begins: called before its step.
    #[inline]
    fn opcode(&mut self, _opcode: Opcode, _at: Place<'_>) {}

    /// `PROTO`.
    #[inline]
    fn protocol(&mut self, _protocol: u8) {}

    /// `None`.
    fn none(&mut self) -> Result<Self::Ref>;
    /// A boolean.
    fn bool(&mut self, value: bool) -> Result<Self::Ref>;
    /// An integer of 64 bits.
    fn int(&mut self, value: i64) -> Result<Self::Ref>;
    /// A wider integer: two's complement, little-endian, without redundant bytes.
    fn big_int(&mut self, data: Data<'_>) -> Result<Self::Ref>;
    /// A float.
    fn float(&mut self, value: f64) -> Result<Self::Ref>;
    /// Text, not checked yet.
    fn str(&mut self, data: Data<'_>) -> Result<Self::Ref>;
    /// An 8-bit string of Python 2.
    fn str8(&mut self, data: Data<'_>) -> Result<Self::Ref>;
    /// Bytes.
    fn bytes(&mut self, data: Data<'_>) -> Result<Self::Ref>;
    /// A bytearray.
    fn bytearray(&mut self, data: Data<'_>) -> Result<Self::Ref>;
    /// An out-of-band buffer.
    fn next_buffer(&mut self) -> Result<Self::Ref>;
    /// The same buffer, read-only.
    fn readonly_buffer(&mut self, buffer: Self::Ref) -> Result<Self::Ref>;

    /// A list of these items.
    fn list(&mut self, items: &[Self::Ref]) -> Result<Self::Ref>;
    /// A tuple of these items.
    fn tuple(&mut self, items: &[Self::Ref]) -> Result<Self::Ref>;
    /// A dict of these items, keys and values in turn.
    fn dict(&mut self, items: &[Self::Ref], at: Place<'_>) -> Result<Self::Ref>;
    /// An empty set.
    fn empty_set(&mut self) -> Result<Self::Ref>;
    /// A frozenset of these items.
    fn frozenset(&mut self, items: &[Self::Ref], at: Place<'_>) -> Result<Self::Ref>;

    /// Appends items to a list or an object. There is at least one.
    fn append(&mut self, list: Self::Ref, items: &[Self::Ref], at: Place<'_>) -> Result<()>;
    /// Sets items, keys and values in turn, of a dict or an object. There is at least one.
    fn set_items(&mut self, dict: Self::Ref, items: &[Self::Ref], at: Place<'_>) -> Result<()>;
    /// Adds items to a set or an object. There is at least one.
    fn add_items(&mut self, set: Self::Ref, items: &[Self::Ref], at: Place<'_>) -> Result<()>;

    /// A class or function by its module and name (`GLOBAL`, and `INST` before its call).
    fn global(&mut self, module: Data<'_>, name: Data<'_>, at: Place<'_>) -> Result<Self::Ref>;
    /// A class or function whose module and name are values.
    fn stack_global(&mut self, module: Self::Ref, name: Self::Ref, at: Place<'_>) -> Result<Self::Ref>;
    /// The class or function of an extension code, which is 1 at least.
    fn extension(&mut self, code: u32) -> Result<Self::Ref>;
    /// `callable(*args)`.
    fn reduce(&mut self, callable: Self::Ref, args: Self::Ref, at: Place<'_>) -> Result<Self::Ref>;
    /// `class.__new__(class, *args)`.
    fn new_object(&mut self, class: Self::Ref, args: Self::Ref, at: Place<'_>) -> Result<Self::Ref>;
    /// `class.__new__(class, *args, **kwargs)`.
    fn new_object_ex(&mut self, class: Self::Ref, args: Self::Ref, kwargs: Self::Ref, at: Place<'_>) -> Result<Self::Ref>;
    /// An instance of an old-style class (`OBJ`).
    fn obj(&mut self, class: Self::Ref, args: &[Self::Ref], at: Place<'_>) -> Result<Self::Ref>;
    /// An instance of an old-style class (`INST`).
    fn inst(&mut self, class: Self::Ref, args: &[Self::Ref], at: Place<'_>) -> Result<Self::Ref>;
    /// Gives an object its state.
    fn build(&mut self, object: Self::Ref, state: Self::Ref, at: Place<'_>) -> Result<()>;
    /// The object of a persistent id given as text.
    fn persistent_text(&mut self, id: Data<'_>) -> Result<Self::Ref>;
    /// The object of a persistent id given as a value.
    fn persistent(&mut self, id: Self::Ref) -> Result<Self::Ref>;

    /// The value was stored in a memo slot.
    #[inline]
    fn put(&mut self, _index: u64, _value: Self::Ref) {}
    /// The value was read from a memo slot.
    #[inline]
    fn get(&mut self, _index: u64, _value: Self::Ref, _at: Place<'_>) {}
    /// The values were dropped from the stack.
    #[inline]
    fn pop(&mut self, _values: &[Self::Ref], _at: Place<'_>) {}
}

/// The error of a step that needs a value of another kind.
#[cold]
pub(crate) fn wrong_kind(expected: &'static str, found: &'static str) -> Error {
    Error::new(crate::error::ErrorKind::WrongKind { expected, found })
}
