//! Objects of Python classes: what makes them, before and after their arguments.

use super::serializer::Writer;
use crate::error::{Error, Result};
use crate::names::Known;
use crate::opcode::Opcode;
use crate::py::ClassName;

/// A variant with something inside is no member of an `Enum` of Python.
pub(super) fn plain_enum(name: &str, variant: &str) -> Result<()> {
    match ClassName::parse(name) {
        None => Ok(()),
        Some(_) => {
            Err(Error::custom(format_args!("{name}.{variant} has values, and a member of an Enum of Python has none beside its own")))
        }
    }
}

/// Objects.
impl Writer<'_, '_, '_, '_> {
    /// An object that is made without arguments, as CPython writes it: by `NEWOBJ`, before protocol 2 by a function of `copyreg`.
    pub(super) fn begin_instance(&mut self, class: ClassName<'_>) -> Result<()> {
        if self.protocol() >= 2 {
            self.walk.own_global(class.module, class.name)?;
            self.walk.out.boundary()?;
            self.walk.empty_tuple();
            self.op(Opcode::Newobj);
        } else {
            self.walk.known(Known::Reconstructor)?;
            self.walk.out.boundary()?;
            self.op(Opcode::Mark);
            self.walk.out.boundary()?;
            self.walk.own_global(class.module, class.name)?;
            self.walk.known(Known::Object)?;
            self.walk.out.boundary()?;
            self.op(Opcode::None);
            self.walk.tuple_op(3);
            self.walk.put_own()?;
            self.op(Opcode::Reduce);
        }
        self.walk.put_own().map(|_| ())
    }

    /// A class before its arguments: how many of these stand on the stack already, and the opcode that makes the object.
    pub(super) fn begin_call(&mut self, class: ClassName<'_>, is_called: bool) -> Result<(usize, Opcode)> {
        let start = self.begin_object(is_called)?;
        self.walk.own_global(class.module, class.name)?;
        Ok(start)
    }

    /// What stands before the class of an object.
    pub(super) fn begin_object(&mut self, is_called: bool) -> Result<(usize, Opcode)> {
        if is_called {
            return Ok((0, Opcode::Reduce));
        }
        if self.protocol() >= 2 {
            return Ok((0, Opcode::Newobj));
        }
        self.walk.known(Known::Newobj)?;
        self.walk.out.boundary()?;
        self.op(Opcode::Mark);
        Ok((1, Opcode::Reduce))
    }

    /// What was collected of a class's name.
    pub(super) fn global(&mut self) -> Result<()> {
        if self.keeps_class {
            return Ok(());
        }
        let (module, name) = self.kept_class()?;
        self.walk.own_global(&module, &name)
    }

    fn kept_class(&mut self) -> Result<(String, String)> {
        self.keeps_class = false;
        match <[String; 2]>::try_from(std::mem::take(&mut self.parts)) {
            Ok([module, name]) => Ok((module, name)),
            Err(_) => Err(Error::custom("a class has a module and a name")),
        }
    }

    /// An object of the class that was kept, which has no arguments.
    pub(super) fn kept_instance(&mut self) -> Result<()> {
        let (module, name) = self.kept_class()?;
        self.is_made = true;
        self.begin_instance(ClassName { module: &module, name: &name, by_position: false })
    }

    /// The class that was kept, before its arguments.
    pub(super) fn kept_call(&mut self) -> Result<()> {
        let (module, name) = self.kept_class()?;
        self.begin_object(false)?;
        self.walk.own_global(&module, &name)
    }
}
