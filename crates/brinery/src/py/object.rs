//! Classes by their names, and objects of them.

use std::fmt;
use std::marker::PhantomData;

use serde_core::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_core::ser::{Serialize, SerializeStruct, Serializer};

use super::{Names, Shape};

/// A class or function, by its module and qualified name, as Python 3 has them.
///
/// ```
/// use brinery::py::Global;
/// let bytes = brinery::to_vec(&Global::new("collections", "OrderedDict"))?;
/// assert_eq!(brinery::from_slice::<Global>(&bytes)?.to_string(), "collections.OrderedDict");
/// # Ok::<(), brinery::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Global {
    /// The module, such as `collections`.
    pub module: String,
    /// The name in it, such as `OrderedDict`; of a class inside a class `Outer.Inner`.
    pub name: String,
}

impl Global {
    /// A class or function.
    pub fn new(module: impl Into<String>, name: impl Into<String>) -> Self {
        Self { module: module.into(), name: name.into() }
    }
}

impl fmt::Display for Global {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.module, self.name)
    }
}

impl Serialize for Global {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(Shape::Global.name(), &(&*self.module, &*self.name))
    }
}

impl<'de> Deserialize<'de> for Global {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(Shape::Global.name(), Names).map(|(module, name)| Self { module, name })
    }
}

/// The name of [`Object`] for serde.
pub(crate) const OBJECT: &str = "$brinery::Object";
/// Its name where the class is called.
pub(crate) const CALLED: &str = "$brinery::Called";
/// Its fields, in the order in which they are written.
pub(crate) const OBJECT_FIELDS: &[&str] = &["called", "class", "args", "state"];

/// An object of a class: how it is made, and the state that it is given. What has items or keyword arguments as well is a
/// [`Value`](crate::Value), or a [`DocumentBuilder`](crate::DocumentBuilder)'s.
///
/// ```
/// use brinery::py::{Global, Object};
/// // decimal.Decimal('1.5')
/// let price = Object::call(Global::new("decimal", "Decimal"), ("1.5",));
/// let bytes = brinery::to_vec(&price)?;
/// let read: Object<(String,)> = brinery::from_slice(&bytes)?;
/// assert_eq!((read.class.name.as_str(), read.args.0.as_str()), ("Decimal", "1.5"));
/// # Ok::<(), brinery::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Object<A = (), S = ()> {
    /// Whether the class (or function) is called; if not, its `__new__` is, as for most classes of one's own.
    pub called: bool,
    /// The class.
    pub class: Global,
    /// The arguments: a tuple, or another sequence in [`Tuple`](super::Tuple).
    pub args: A,
    /// The state: mostly a dict of attributes. Unit and `None` are none.
    pub state: S,
}

impl<A> Object<A> {
    /// What a call of a class or function makes.
    pub fn call(class: Global, args: A) -> Self {
        Self { called: true, class, args, state: () }
    }
}

impl<S> Object<(), S> {
    /// An object with a state, made without arguments: what Python writes for an object of a class that says nothing of pickling.
    pub fn with_state(class: Global, state: S) -> Self {
        Self { called: false, class, args: (), state }
    }
}

impl<A: Serialize, S: Serialize> Serialize for Object<A, S> {
    fn serialize<R: Serializer>(&self, serializer: R) -> Result<R::Ok, R::Error> {
        let mut object = serializer.serialize_struct(if self.called { CALLED } else { OBJECT }, OBJECT_FIELDS.len())?;
        object.serialize_field("called", &self.called)?;
        object.serialize_field("class", &self.class)?;
        object.serialize_field("args", &self.args)?;
        object.serialize_field("state", &self.state)?;
        object.end()
    }
}

struct Reader<A, S>(PhantomData<(A, S)>);

impl<'de, A: Deserialize<'de>, S: Deserialize<'de>> Visitor<'de> for Reader<A, S> {
    type Value = Object<A, S>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of a class")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let (mut called, mut class, mut args, mut state) = (None, None, None, None);
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "called" => called = Some(map.next_value()?),
                "class" => class = Some(map.next_value()?),
                "args" => args = Some(map.next_value()?),
                "state" => state = Some(map.next_value()?),
                other => return Err(de::Error::unknown_field(other, OBJECT_FIELDS)),
            }
        }
        let missing = de::Error::missing_field;
        Ok(Object {
            called: called.ok_or_else(|| missing("called"))?,
            class: class.ok_or_else(|| missing("class"))?,
            args: args.ok_or_else(|| missing("args"))?,
            state: state.ok_or_else(|| missing("state"))?,
        })
    }
}

impl<'de, A: Deserialize<'de>, S: Deserialize<'de>> Deserialize<'de> for Object<A, S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct(OBJECT, OBJECT_FIELDS, Reader(PhantomData))
    }
}
