//! What Python objects become in a program.

use std::collections::HashMap;
use std::fmt;

use crate::document::Item;
use crate::error::{Error, ErrorKind, Result};

type Construct<T> = dyn Fn(Item<'_>, &Constructors<T>) -> Result<T> + Send + Sync;

/// What the objects of a document become in a program: a function for each class, and one for every other class.
///
/// Names are those of Python 3; a document of protocol 0 to 2 that names a class as Python 2 does finds it as well.
///
/// ```
/// use brinery::{Constructors, Document, Error};
/// #[derive(Debug, PartialEq)]
/// enum Shape {
///     Circle(i64),
///     Group(Vec<Shape>),
///     Unknown(String),
/// }
/// let mut shapes = Constructors::new();
/// shapes
///     .register("shapes", "Circle", |circle, _| {
///         let radius = circle.attr("radius").and_then(|radius| radius.as_i64());
///         radius.map(Shape::Circle).ok_or_else(|| Error::custom("a circle without a radius"))
///     })
///     .register("shapes", "Group", |group, shapes| group.items().map(|shape| shapes.construct(shape)).collect::<Result<_, _>>().map(Shape::Group))
///     .otherwise(|other, _| Ok(Shape::Unknown(other.repr().to_string())));
/// let bytes = b"cshapes\nGroup\n)\x81(cshapes\nCircle\n)\x81}X\x06\0\0\0radiusK\x05sbcshapes\nSquare\n)\x81e.";
/// let document = Document::from_slice(bytes)?;
/// let group = shapes.construct(document.root())?;
/// assert_eq!(group, Shape::Group(vec![Shape::Circle(5), Shape::Unknown("shapes.Square()".into())]));
/// # Ok::<(), Error>(())
/// ```
pub struct Constructors<T> {
    classes: HashMap<(String, String), Box<Construct<T>>>,
    otherwise: Option<Box<Construct<T>>>,
}

impl<T> Default for Constructors<T> {
    fn default() -> Self {
        Self { classes: HashMap::new(), otherwise: None }
    }
}

impl<T> fmt::Debug for Constructors<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<_> = self.classes.keys().collect();
        names.sort();
        f.debug_struct("Constructors").field("classes", &names).field("otherwise", &self.otherwise.is_some()).finish()
    }
}

impl<T> Constructors<T> {
    /// Functions for no class.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what objects of a class become. The function can construct what is inside.
    pub fn register(
        &mut self,
        module: &str,
        name: &str,
        construct: impl Fn(Item<'_>, &Self) -> Result<T> + Send + Sync + 'static,
    ) -> &mut Self {
        self.classes.insert((module.to_owned(), name.to_owned()), Box::new(construct));
        self
    }

    /// Sets what everything else becomes: objects of other classes, and values that are no objects.
    pub fn otherwise(&mut self, construct: impl Fn(Item<'_>, &Self) -> Result<T> + Send + Sync + 'static) -> &mut Self {
        self.otherwise = Some(Box::new(construct));
        self
    }

    /// What a value becomes. Without a function for it, the error says which class has none.
    pub fn construct(&self, item: Item<'_>) -> Result<T> {
        let names = item.class().and_then(Item::names_in_python3);
        if let Some((module, name)) = names
            && let Some(construct) = self.classes.get(&(module.to_owned(), name.to_owned()))
        {
            return construct(item, self);
        }
        let unregistered = || {
            let what = names.map_or_else(|| item.kind().name().to_owned(), |(module, name)| format!("{module}.{name}"));
            Error::new(ErrorKind::Unregistered(what))
        };
        self.otherwise.as_ref().ok_or_else(unregistered)?(item, self)
    }
}
