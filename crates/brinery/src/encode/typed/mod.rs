//! Values of a program's own types, written as they come from serde.

mod calls;
mod compound;
mod error;
mod names;
mod serializer;

use std::io::Write;

use serde_core::Serialize;

use super::out::Out;
use super::pickler::Pickler;
use crate::document::{Document, Store};
use crate::error::{Error, ErrorKind, Result};
use crate::opcode::HIGHEST_PROTOCOL;
use crate::value::Value;
use serializer::Writer;

/// Writes a value into a new vector, by protocol 4.
///
/// The bytes are those of `pickle.dumps(x, 4)` for the plain Python value: structs and maps are dicts, sequences lists, tuples and arrays tuples, `None` and unit
/// `None`; equal keys and field names are one object, as after `json.loads`. See [`Pickler::to_vec`] for more.
///
/// ```
/// use serde::Serialize;
/// #[derive(Serialize)]
/// struct User { name: String, langs: Vec<String> }
/// let bytes = brinery::to_vec(&User { name: "Ada".into(), langs: vec!["py".into(), "rs".into()] })?;
/// assert_eq!(bytes, b"\x80\x04\x95(\0\0\0\0\0\0\0}\x94(\x8c\x04name\x94\x8c\x03Ada\x94\x8c\x05langs\x94]\x94(\x8c\x02py\x94\x8c\x02rs\x94eu.");
/// # Ok::<(), brinery::Error>(())
/// ```
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    Pickler::new().to_vec(value)
}

/// Writes a value to a writer, by protocol 4, a frame at a time.
///
/// ```
/// let mut file = Vec::new();
/// brinery::to_writer(&mut file, &("a", 1))?;
/// assert_eq!(brinery::from_slice::<(String, u8)>(&file)?, ("a".to_owned(), 1));
/// # Ok::<(), brinery::Error>(())
/// ```
pub fn to_writer<W: Write, T: Serialize + ?Sized>(writer: W, value: &T) -> Result<()> {
    Pickler::new().to_writer(writer, value)
}

/// The tree of a value of a type.
///
/// ```
/// use brinery::Value;
/// assert_eq!(brinery::to_value(&[1, 2])?, Value::Tuple([Value::Int(1), Value::Int(2)].into_iter().collect()));
/// # Ok::<(), brinery::Error>(())
/// ```
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value> {
    Value::from_document(&Document::from_slice(&to_vec(value)?)?)
}

/// Typed writing.
impl Pickler {
    /// Writes a value of a type into a new vector.
    ///
    /// A struct whose name is that of a Python class (no name of Rust has a dot) is written as an object of it:
    ///
    /// | name | written as |
    /// | --- | --- |
    /// | `#[serde(rename = "shop.models.Order")] struct Order { .. }` | an object of class `Order` of module `shop.models` with the fields as attributes |
    /// | `"shop.models.Point()"`, any struct | `Point.__new__(Point, *fields)`: a namedtuple |
    /// | `"decimal.Decimal"`, a tuple struct | the call `Decimal(*fields)` |
    /// | `"shop.models.Colour"`, an enum without values in its variants | the member whose value is the variant's name |
    /// | `"shop.models:Order.Line"` | the same for a class inside a class |
    ///
    /// serde itself drops the name of a struct that has `#[serde(flatten)]` in it: such a struct is always a dict. Before protocol 2 a namedtuple is the call
    /// `copyreg.__newobj__(Point, *fields)`, which loads as the same object and is not what CPython writes then.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// #[derive(Debug, PartialEq, Serialize, Deserialize)]
    /// #[serde(rename = "shop.models.Order")]
    /// struct Order { number: u32, price: Decimal }
    /// #[derive(Debug, PartialEq, Serialize, Deserialize)]
    /// #[serde(rename = "decimal.Decimal")]
    /// struct Decimal(String);
    ///
    /// let order = Order { number: 7, price: Decimal("4.50".into()) };
    /// let bytes = brinery::Pickler::new().to_vec(&order)?;
    /// let document = brinery::Document::from_slice(&bytes)?;
    /// assert_eq!(document.root().repr().to_string(), "shop.models.Order(.number=7, .price=decimal.Decimal('4.50'))");
    /// assert_eq!(brinery::from_slice::<Order>(&bytes)?, order);
    /// # Ok::<(), brinery::Error>(())
    /// ```
    ///
    /// Enums are as serde has them by default, and as `serde-pickle` writes them: a variant without fields is its name, others are a dict of the name and what they hold
    /// ([`enums_as_tuples`](Self::enums_as_tuples) has the other form). The wrappers of [`py`](crate::py) are for everything else that Python has.
    ///
    /// Types may be inside each other up to [`Limits::serde_depth`](crate::Limits::serde_depth).
    pub fn to_vec<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.extend(&mut bytes, value)?;
        Ok(bytes)
    }

    /// Appends the pickle of a value of a type to a vector, which is as it was if that fails.
    ///
    /// ```
    /// let mut message = b"length".to_vec();
    /// brinery::Pickler::new().protocol(2).extend(&mut message, &[1, 2])?;
    /// assert_eq!(message, b"length\x80\x02K\x01K\x02\x86q\x00.");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    pub fn extend<T: Serialize + ?Sized>(&mut self, bytes: &mut Vec<u8>, value: &T) -> Result<()> {
        let length = bytes.len();
        let (written, result) = self.typed(value, std::mem::take(bytes), None);
        *bytes = written;
        if result.is_err() {
            bytes.truncate(length);
        }
        result
    }

    /// Writes a value of a type to a writer, a frame or 64 KiB at a time.
    pub fn to_writer<W: Write, T: Serialize + ?Sized>(&mut self, mut writer: W, value: &T) -> Result<()> {
        let mut buffer = self.take_spare();
        buffer.clear();
        let (buffer, result) = self.typed(value, buffer, Some(&mut writer));
        self.keep_spare(buffer);
        result
    }

    fn typed<T: Serialize + ?Sized>(&mut self, value: &T, buffer: Vec<u8>, writer: Option<&mut dyn Write>) -> (Vec<u8>, Result<()>) {
        let protocol = self.rules().protocol;
        if protocol > HIGHEST_PROTOCOL {
            return (buffer, Err(Error::new(ErrorKind::UnsupportedProtocol(protocol))));
        }
        // these look at values of a document
        if self.rules().is_razorvine() || self.has_persistent_hook() {
            return self.by_document(value, buffer, writer);
        }
        let document = Document::new(std::borrow::Cow::Borrowed(&[]), Store::default(), Vec::new());
        let mut out = Out::new(buffer, writer);
        let result = self.with_walk(&document, &mut out, |walk| {
            walk.start();
            let mut writer = Writer::new(walk);
            value.serialize(&mut writer)?;
            if writer.is_broken {
                return Err(Error::custom("a part of the value failed, and the rest was written nonetheless"));
            }
            walk.end()
        });
        (out.into_buffer(), result)
    }

    /// Writes a value by way of a document.
    fn by_document<T: Serialize + ?Sized>(&mut self, value: &T, buffer: Vec<u8>, writer: Option<&mut dyn Write>) -> (Vec<u8>, Result<()>) {
        let mut pickler = Pickler::new();
        pickler.protocol(HIGHEST_PROTOCOL).limits(self.rules().limits.clone()).enums_as_tuples(self.rules().tuple_enums);
        let document = pickler.to_vec(value);
        match document.and_then(|bytes| Document::from_reader(&*bytes)) {
            Ok(document) => self.write_item(document.root(), buffer, writer),
            Err(error) => (buffer, Err(error)),
        }
    }
}
