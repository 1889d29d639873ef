//! How a program's own types become Python objects: one registry for each pickler.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::document::{DocumentBuilder, Id};
use crate::error::{Error, ErrorKind, Result};

/// What a value of a program's own type is in Python: an instance of a class.
///
/// See [`Pickler::register_class`](crate::Pickler::register_class).
#[derive(Debug, Clone, Default)]
pub struct Instance {
    args: Vec<Id>,
    is_called: bool,
    state: Option<Id>,
}

impl Instance {
    /// `class.__new__(class)`: an instance that is given its attributes by its state.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `class(*args)`.
    #[must_use]
    pub fn call(args: impl IntoIterator<Item = Id>) -> Self {
        Self { args: args.into_iter().collect(), is_called: true, state: None }
    }

    /// `class.__new__(class, *args)`.
    #[must_use]
    pub fn new_with(args: impl IntoIterator<Item = Id>) -> Self {
        Self { args: args.into_iter().collect(), is_called: false, state: None }
    }

    /// With a state: a dict of attributes as a rule.
    #[must_use]
    pub fn state(self, state: Id) -> Self {
        Self { state: Some(state), ..self }
    }
}

type Save = dyn Fn(&dyn Any, &mut DocumentBuilder) -> Result<Id> + Send + Sync;

/// Functions by the type whose values they add to a document; cheap to clone.
#[derive(Default, Clone)]
pub(crate) struct Types(Arc<HashMap<TypeId, Arc<Save>>>);

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Types({})", self.0.len())
    }
}

impl Types {
    pub(crate) fn register<T: Any>(&mut self, save: impl Fn(&T, &mut DocumentBuilder) -> Result<Id> + Send + Sync + 'static) {
        let save = move |value: &dyn Any, builder: &mut DocumentBuilder| match value.downcast_ref::<T>() {
            Some(value) => save(value, builder),
            None => Err(unregistered::<T>()),
        };
        Arc::make_mut(&mut self.0).insert(TypeId::of::<T>(), Arc::new(save));
    }

    pub(crate) fn register_class<T: Any>(
        &mut self,
        module: &str,
        name: &str,
        instance: impl Fn(&T, &mut DocumentBuilder) -> Result<Instance> + Send + Sync + 'static,
    ) {
        let (module, name) = (module.to_owned(), name.to_owned());
        self.register(move |value: &T, builder| {
            let class = builder.global(&module, &name)?;
            let Instance { args, is_called, state } = instance(value, builder)?;
            let object = if is_called { builder.call(class, args)? } else { builder.new_object(class, args)? };
            if let Some(state) = state {
                builder.set_state(object, state)?;
            }
            Ok(object)
        });
    }

    pub(crate) fn save<T: Any>(&self, value: &T, builder: &mut DocumentBuilder) -> Result<Id> {
        let save = self.0.get(&TypeId::of::<T>()).ok_or_else(unregistered::<T>)?;
        save(value, builder)
    }
}

#[cold]
fn unregistered<T>() -> Error {
    Error::new(ErrorKind::Unregistered(type_name::<T>().to_owned()))
}
