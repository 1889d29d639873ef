//! Typed reading: what a pickle holds as values of a program's own types, by serde.
//!
//! [`from_slice`] borrows text and bytes from the input where a type has room for that (`&str`, `&[u8]`, `Cow`); [`from_reader`] gives owned values; a
//! [`Document`] that is there already is read by [`from_document`], a part of it by [`from_item`]. [`StreamDeserializer`] reads the
//! pickles of a reader one after another, and [`Unpickler`] has all of these with options.
//!
//! ```
//! use serde::Deserialize;
//! #[derive(Deserialize)]
//! struct User<'a> {
//!     name: &'a str,
//!     langs: Vec<&'a str>,
//! }
//! // pickle.dumps({'name': 'Ada', 'langs': ['py', 'rs']}, protocol=4)
//! let bytes = b"\x80\x04\x95(\0\0\0\0\0\0\0}\x94(\x8c\x04name\x94\x8c\x03Ada\x94\x8c\x05langs\x94]\x94(\x8c\x02py\x94\x8c\x02rs\x94eu.";
//! let user: User = brinery::from_slice(bytes)?;
//! assert_eq!((user.name, user.langs), ("Ada", vec!["py", "rs"]));
//! # Ok::<(), brinery::Error>(())
//! ```
//!
//! # What reads as what
//!
//! | Python | serde |
//! | --- | --- |
//! | `None` | unit, `None` of an `Option` |
//! | `bool`, `float`, `str` | `bool`, `f64` (from an `int` as well, to the nearest, as `float(value)`), string or `char` |
//! | `int` | any integer type that holds it, up to 128 bits; of any size: [`py::Int`](crate::py::Int) |
//! | `bytes`, `bytearray`, out-of-band buffers | bytes (`serde_bytes`, [`py::Bytes`](crate::py::Bytes)) or a sequence of `u8`; `String` takes those that are UTF-8 |
//! | 8-bit strings of Python 2 | strings or bytes, whichever is wanted; by themselves what the [`Encoding`](crate::Encoding) makes of them |
//! | `list`, `tuple`, `set`, `frozenset` | sequences, tuples and tuple structs |
//! | `dict` | maps with keys of any kind, and structs by their fields' names |
//! | an object of any class | see below |
//! | a class or function | an error; [`py::Global`](crate::py::Global) has its name |
//! | `'Name'`, `('Name', value)`, `{'Name': value}` | a variant of an enum |
//! | anything | [`Value`], and nothing that is skipped is looked at |
//!
//! In structs with `#[serde(flatten)]` and in untagged and internally tagged enums, serde keeps values in a form of its own before a type gets them. What is inside these is read as for a type that
//! says nothing of what it wants: a [`Value`] there has lists for tuples and sets, and not the names of classes, and the wrappers of [`py`](crate::py)
//! take what they wrap whatever its kind. A field name that is flattened is text: an integer key is its digits there, unless the dict has that text as well, and a flattened map cannot
//! have integers for keys.
//!
//! # Objects
//!
//! A class does not exist here, and its object is read by what makes it:
//!
//! - A *struct* gets an object's attributes (its state, be it a dict, slots, or both, and keyword arguments), or the items that were set in it as in a
//!   dict, or the arguments of its call, by position: this is how namedtuples and `__reduce__` come.
//! - A *map* gets the items that were set in it, or its attributes, or its one argument if that is a dict or a list of pairs.
//! - A *sequence or tuple* gets the items that were appended or added, or its one argument if that is a sequence, or its arguments.
//! - The containers of `collections` (`deque`, `defaultdict`, `OrderedDict`, `Counter`) are what is in them, be it nothing.
//! - A *number, string or bytes* is the one argument of an object that has nothing else: subclasses of `int` and `str`, `Decimal('1.5')`,
//!   members of an `IntEnum`.
//! - An *enum* reads a member of a Python `Enum` by its value (a text, or an int as text: `#[serde(rename = "3")]`), or by its name where the pickle has that.
//! - What says nothing of what it wants (`serde_json::Value`, untagged enums) gets whichever of these there is, without the name of the class, and an error where it
//!   would lose more than that.
//!
//! A struct or enum whose name is that of a Python class (`#[serde(rename = "shop.models.Order")]`, see [`Pickler::to_vec`](crate::Pickler::to_vec)) reads
//! objects of this class alone, and dicts.
//!
//! # Sharing, cycles, depth
//!
//! A value that is referred to twice is read twice, within [`Limits::expansion`](crate::Limits::expansion). Types may be inside each other, and Rust reads
//! them by recursion: [`Limits::serde_depth`](crate::Limits::serde_depth) bounds it, in which an `Option`, a newtype and an enum are a level each as a list is, and a value inside itself is an error that says
//! where.
//!
//! # Errors
//!
//! Errors say where in the value, what was wanted and found, and at which byte:
//!
//! ```
//! # use serde::Deserialize;
//! #[derive(Debug, Deserialize)]
//! struct Shop { ports: Vec<u16> }
//! let error = brinery::from_slice::<Shop>(b"\x80\x04}\x8c\x05ports](K\x50J\0\0\x01\0es.").unwrap_err();
//! assert_eq!(error.to_string(), ".ports[1]: expected u16, found int 65536 at offset 14");
//! ```

mod access;
mod deserializer;
mod direct;
mod error;
mod locate;
mod object;
mod python;
mod reading;
mod stream;

use std::io::{BufRead, Read};

use serde_core::Deserialize;
use serde_core::de::DeserializeOwned;

pub use deserializer::Deserializer;
use direct::Outcome;
pub(crate) use direct::Spare;
pub(crate) use locate::Place;
pub(crate) use reading::Choices;
pub use stream::StreamDeserializer;

use crate::document::{Document, DocumentBuilder, Item};
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Input as _, ReadSource, SliceInput, Source};
use crate::limits::Limits;
use crate::unpickler::Unpickler;
use crate::value::Value;
use deserializer::De;
use reading::{Input, Lend, Nowhere, Reading, Whole};

/// Reads a value of a type from the pickle in a slice, which has to be all of the slice. Text and bytes can be borrowed from it.
///
/// ```
/// let numbers: Vec<i64> = brinery::from_slice(b"\x80\x04](K\x01K\x02e.")?;
/// assert_eq!(numbers, [1, 2]);
/// # Ok::<(), brinery::Error>(())
/// ```
pub fn from_slice<'de, T: Deserialize<'de>>(input: &'de [u8]) -> Result<T> {
    Unpickler::new().from_slice(input)
}

/// Reads a value of a type from the first pickle of a reader. Bytes behind it may have been read as well; for several pickles there is
/// [`StreamDeserializer`].
///
/// ```
/// let file: &[u8] = b"\x80\x04\x8c\x05hello.";
/// assert_eq!(brinery::from_reader::<_, String>(file)?, "hello");
/// # Ok::<(), brinery::Error>(())
/// ```
pub fn from_reader<R: Read, T: DeserializeOwned>(reader: R) -> Result<T> {
    Unpickler::new().from_reader(reader)
}

/// Reads a value of a type from a document's first pickle, with the default limits. Text and bytes can be borrowed from the document.
///
/// ```
/// let document = brinery::Document::from_slice(b"\x80\x04\x8c\x01a\x8c\x01b\x86.")?;
/// let (a, b): (&str, &str) = brinery::from_document(&document)?;
/// assert_eq!((a, b), ("a", "b"));
/// # Ok::<(), brinery::Error>(())
/// ```
pub fn from_document<'de, T: Deserialize<'de>>(document: &'de Document<'_>) -> Result<T> {
    from_item(document.root())
}

/// Reads a value of a type from a value of a document, with the default limits.
///
/// ```
/// let document = brinery::Document::from_slice(b"\x80\x04}\x8c\x01aK\x05s.")?;
/// let a: u8 = brinery::from_item(document.root().get("a").unwrap())?;
/// assert_eq!(a, 5);
/// # Ok::<(), brinery::Error>(())
/// ```
pub fn from_item<'de, T: Deserialize<'de>>(item: Item<'de>) -> Result<T> {
    read(item, Whole, &Limits::default(), Choices::default())
}

/// Reads a value of a type from a tree.
///
/// ```
/// use brinery::Value;
/// let tree = Value::List([Value::Int(1), Value::Int(2)].into_iter().collect());
/// assert_eq!(brinery::from_value::<(i8, i8)>(&tree)?, (1, 2));
/// # Ok::<(), brinery::Error>(())
/// ```
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T> {
    let document = DocumentBuilder::document_of(value)?;
    from_document(&document)
}

/// Reads a value of a document, and on a failure says where in the input it stands.
fn read<'a, 'de, T: Deserialize<'de>, L: Lend<'a, 'de>>(item: Item<'a>, lend: L, limits: &Limits, choices: Choices) -> Result<T> {
    let mut reading = Reading::new(item.document, limits, choices);
    T::deserialize(De::new(item, &mut reading, lend)).map_err(|error| locate::located(error, item.document))
}

/// Typed reading with options.
///
/// A pickle is read straight into the type where its layout is the usual one, and from the start again by a document where that turns out not to be so: a type's own
/// `Deserialize` may run twice for one value.
impl Unpickler {
    /// Reads a value of a type from the pickle in a slice, as [`from_slice`].
    ///
    /// ```
    /// use brinery::{Encoding, Unpickler};
    /// let mut unpickler = Unpickler::new();
    /// assert_eq!(unpickler.encoding(Encoding::Latin1).from_slice::<String>(b"U\x02h\xe9.")?, "h\u{e9}");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    #[allow(clippy::wrong_self_convention)]
    pub fn from_slice<'de, T: Deserialize<'de>>(&mut self, input: &'de [u8]) -> Result<T> {
        if self.reads_directly() {
            let (limits, spare) = self.direct_parts();
            match direct::read(&mut SliceInput::new(input), Input(input), limits, spare) {
                Outcome::Value(value, end) if end == input.len() => return Ok(value),
                Outcome::Failed(error) => return Err(error),
                _ => {}
            }
        }
        let document = self.load(input)?;
        let end = document.pickles().next().map_or(0, |pickle| pickle.end);
        let behind = input.len() as u64 - end;
        if behind > 0 {
            return Err(Error::at(ErrorKind::TrailingBytes(behind), end, None));
        }
        self.read_and_recycle(document, |document, limits, choices| read(document.root(), Input(input), limits, choices))
    }

    /// Reads a value of a type from the first pickle of a reader, as [`from_reader`]. Buffers serve one call after another.
    #[allow(clippy::wrong_self_convention)]
    pub fn from_reader<R: Read, T: DeserializeOwned>(&mut self, reader: R) -> Result<T> {
        self.from_source(&mut ReadSource::new(reader), &mut 0)
    }

    /// Reads a value of a type from the pickle of a source that has given so many bytes already, and then has given more.
    #[allow(clippy::wrong_self_convention)]
    pub(crate) fn from_source<T: DeserializeOwned>(&mut self, source: &mut dyn Source, offset: &mut u64) -> Result<T> {
        let mut input = self.reader_input(source, *offset);
        if self.reads_directly() {
            let (limits, spare) = self.direct_parts();
            match direct::read(&mut input, Nowhere, limits, spare) {
                Outcome::Value(value, end) => {
                    *offset += end as u64;
                    self.keep_buffer(input.finish(end));
                    return Ok(value);
                }
                Outcome::Failed(error) => {
                    let used = input.window().len();
                    self.keep_buffer(input.finish(used));
                    return Err(error);
                }
                Outcome::Poisoned => {}
            }
        }
        let document = self.load_input(input)?;
        *offset = document.pickles().next().map_or(*offset, |pickle| pickle.end);
        self.read_and_recycle(document, |document, limits, choices| read(document.root(), Whole, limits, choices))
    }

    /// Reads a value of a type from a document's first pickle, with the limits and choices set here.
    #[allow(clippy::wrong_self_convention)]
    pub fn from_document<'de, T: Deserialize<'de>>(&self, document: &'de Document<'_>) -> Result<T> {
        read(document.root(), Whole, self.limits_set(), self.choices())
    }

    /// A deserializer over a value of a document with the limits and choices set here, for what takes one.
    #[must_use]
    pub fn deserializer<'de>(&self, item: Item<'de>) -> Deserializer<'de> {
        Deserializer::with(item, self.limits_set(), self.choices())
    }

    /// Reads a value of a type from the first pickle of a buffered reader, which is left right behind it.
    ///
    /// ```
    /// let mut file: &[u8] = b"\x80\x04K\x05.the rest";
    /// assert_eq!(brinery::Unpickler::new().from_buf_reader::<_, u8>(&mut file)?, 5);
    /// assert_eq!(file, b"the rest");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    #[allow(clippy::wrong_self_convention)]
    pub fn from_buf_reader<R: BufRead, T: DeserializeOwned>(&mut self, reader: R) -> Result<T> {
        let document = self.load_buf_reader(reader)?;
        self.read_and_recycle(document, |document, limits, choices| read(document.root(), Whole, limits, choices))
    }

    /// Sets whether typed reading takes a class or function for `None` where no type asks for its name, and in every `Option`; by default it is an error.
    ///
    /// ```
    /// let bytes = b"\x80\x04}\x8c\x01fcmath\nsin\ns.";
    /// let read = |unpickler: &mut brinery::Unpickler| unpickler.from_slice::<std::collections::HashMap<String, Option<u8>>>(bytes);
    /// let error = read(&mut brinery::Unpickler::new()).unwrap_err();
    /// assert_eq!(error.to_string(), "['f']: expected u8, found math.sin at offset 6");
    /// assert_eq!(read(brinery::Unpickler::new().globals_as_none(true))?["f"], None);
    /// # Ok::<(), brinery::Error>(())
    /// ```
    pub fn globals_as_none(&mut self, as_none: bool) -> &mut Self {
        self.choices_mut().globals_as_none = as_none;
        self
    }

    /// Sets whether typed reading takes a value inside itself for `None` in the inner place; by default it is an error.
    ///
    /// ```
    /// // l = []; l.append(l)
    /// let list: Vec<Option<Vec<u8>>> = brinery::Unpickler::new().cycles_as_none(true).from_slice(b"\x80\x04]\x94h\0a.")?;
    /// assert_eq!(list, [None]);
    /// # Ok::<(), brinery::Error>(())
    /// ```
    pub fn cycles_as_none(&mut self, as_none: bool) -> &mut Self {
        self.choices_mut().cycles_as_none = as_none;
        self
    }

    /// Whether reading without a document means the same with these options.
    fn reads_directly(&self) -> bool {
        self.has_strict_frames() && direct::is_possible(self.limits_set())
    }

    fn read_and_recycle<T>(
        &mut self,
        document: Document<'_>,
        read: impl FnOnce(&Document<'_>, &Limits, Choices) -> Result<T>,
    ) -> Result<T> {
        let result = read(&document, self.limits_set(), self.choices());
        self.recycle(document);
        result
    }
}
