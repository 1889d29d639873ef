//! Bytes of all kinds.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde_core::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde_core::ser::{Serialize, Serializer};

use super::Shape;

/// What bytes can be read into: `Vec<u8>`, `Box<[u8]>`, `Cow<[u8]>`, and `&[u8]`, which borrows from the input.
pub trait FromBytes<'de>: Sized {
    /// From bytes that do not last.
    #[must_use]
    fn from_bytes(bytes: &[u8]) -> Option<Self>;

    /// From bytes that last.
    #[must_use]
    fn from_borrowed(bytes: &'de [u8]) -> Option<Self> {
        Self::from_bytes(bytes)
    }
}

impl FromBytes<'_> for Vec<u8> {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(bytes.to_vec())
    }
}

impl FromBytes<'_> for Box<[u8]> {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(bytes.into())
    }
}

impl<'de: 'a, 'a> FromBytes<'de> for &'a [u8] {
    fn from_bytes(_: &[u8]) -> Option<Self> {
        None
    }

    fn from_borrowed(bytes: &'de [u8]) -> Option<Self> {
        Some(bytes)
    }
}

impl<'de: 'a, 'a> FromBytes<'de> for Cow<'a, [u8]> {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Cow::Owned(bytes.to_vec()))
    }

    fn from_borrowed(bytes: &'de [u8]) -> Option<Self> {
        Some(Cow::Borrowed(bytes))
    }
}

/// Bytes for serde.
struct Raw<'b>(&'b [u8]);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Writes bytes under the name of a wrapper.
pub(super) fn write<S: Serializer>(shape: Shape, bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(shape.name(), &Raw(bytes))
}

/// A visitor of bytes, as they are or in a newtype.
struct Reader<T>(PhantomData<T>, Shape);

impl<'de, T: FromBytes<'de>> Visitor<'de> for Reader<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1.wanted())
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_bytes(self)
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<T, E> {
        T::from_bytes(bytes).ok_or_else(|| E::custom("the bytes cannot be borrowed: they do not stand in the input as they are"))
    }

    fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<T, E> {
        T::from_borrowed(bytes).ok_or_else(|| E::custom("the bytes cannot be borrowed"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<T, A::Error> {
        let mut bytes: Vec<u8> = Vec::new();
        while let Some(byte) = seq.next_element()? {
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}

pub(super) fn read<'de, T: FromBytes<'de>, D: Deserializer<'de>>(shape: Shape, deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_newtype_struct(shape.name(), Reader(PhantomData, shape))
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name<T>(pub T);

        impl<T: AsRef<[u8]>> Serialize for $name<T> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                write(Shape::$name, self.0.as_ref(), serializer)
            }
        }

        impl<'de, T: FromBytes<'de>> Deserialize<'de> for $name<T> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(Shape::$name, deserializer).map(Self)
            }
        }

        impl<T> From<T> for $name<T> {
            fn from(inner: T) -> Self {
                Self(inner)
            }
        }
    )*};
}

kinds! {
    /// Python `bytes`. A `Vec<u8>` by itself is a list of numbers, as everywhere in serde.
    ///
    /// ```
    /// use brinery::py::Bytes;
    /// let pickle = b"\x80\x04C\x02hi.";
    /// let borrowed: Bytes<&[u8]> = brinery::from_slice(pickle)?;
    /// assert_eq!(borrowed.0, b"hi");
    /// assert_eq!(brinery::to_vec(&borrowed)?, b"\x80\x04\x95\x06\0\0\0\0\0\0\0C\x02hi\x94.");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    Bytes
    /// A Python `bytearray`.
    ///
    /// ```
    /// use brinery::py::Bytearray;
    /// let bytes = brinery::to_vec(&Bytearray(b"ab"))?;
    /// assert_eq!(brinery::Document::from_slice(&bytes)?.root().repr().to_string(), "bytearray(b'ab')");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    Bytearray
    /// An 8-bit string of Python 2, which is its `str`.
    ///
    /// ```
    /// use brinery::py::Str8;
    /// let bytes = brinery::Pickler::new().protocol(2).to_vec(&Str8("caf\u{e9}".as_bytes()))?;
    /// assert_eq!(bytes, b"\x80\x02U\x05caf\xc3\xa9q\x00.");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    Str8
    /// An out-of-band buffer (PEP 574): in band, as `bytes`, unless the hook of [`Pickler::on_buffer`](crate::Pickler::on_buffer) wants it out of band. Out of band it is read
    /// where the document was given its buffers ([`Document::with_buffers`](crate::Document::with_buffers)), in band from `bytes` and `bytearray`.
    ///
    /// ```
    /// use brinery::py::Buffer;
    /// let bytes = brinery::to_vec(&Buffer(b"data"))?;
    /// assert_eq!(brinery::from_slice::<Buffer<&[u8]>>(&bytes)?.0, b"data");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    Buffer
}
