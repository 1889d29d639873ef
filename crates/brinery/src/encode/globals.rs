//! Classes and functions by their names.

use std::collections::HashMap;

use super::memo::{self, State};
use super::rules::Dialect;
use super::walk::{BYTES_OF_A_VALUE, Walk};
use crate::document::{END, How, Object, Ref};
use crate::error::{Error, ErrorKind, Result};
use crate::names::{self, Known};
use crate::opcode::Opcode;

/// Names longer than this are looked through as seldom as can be.
const LONG_NAME: usize = 256;
/// Most names in the name of a nested class, before protocol 4: CPython's recursion ends between 400 and 500.
const DEEPEST_NAME: usize = 500;
/// In names of more than this, the names of all classes around are paid for.
const DEEP_NAME: usize = 8;

impl<'d> Walk<'d, '_, '_> {
    /// Whether names are written as Python 2 has them.
    fn python2(&self) -> bool {
        self.rules.protocol < 3 && self.rules.fix_imports
    }

    /// A part of a global's name, as text.
    fn name_text(&self, part: Ref) -> &'d str {
        let bytes = self.store.bytes_of(&self.document.source, part).map(|(_, bytes)| bytes);
        std::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
    }

    /// The names of a global as they are to be written.
    pub(super) fn names(&self, object: &Object) -> (&'d str, &'d str) {
        self.mapped(object.python2, self.name_text(object.callable), self.name_text(object.args))
    }

    /// Names of one Python as they are to be written.
    fn mapped<'n>(&self, python2: bool, module: &'n str, name: &'n str) -> (&'n str, &'n str) {
        match (python2, self.python2()) {
            (true, false) => names::to_python3(module, name),
            (false, true) => names::to_python2(module, name),
            _ => (module, name),
        }
    }

    /// The names of a global in Python 3.
    fn names_in_python3(&self, object: &Object) -> (&'d str, &'d str) {
        let (module, name) = (self.name_text(object.callable), self.name_text(object.args));
        if object.python2 { names::to_python3(module, name) } else { (module, name) }
    }

    /// Writes a global of the document that has not been written yet.
    pub(super) fn global(&mut self, value: Ref, object: &Object) -> Result<()> {
        let (store, source) = (self.store, &self.document.source);
        let has_text = |part| store.bytes_of(source, part).is_some_and(|(_, text)| std::str::from_utf8(text).is_ok());
        self.pay_for_name(object)?;
        let (own_module, own_name) = self.names_in_python3(object);
        if let Some(code) = self.extension_code(own_module, own_name) {
            // CPython gives these no number
            self.extension_op(code)?;
            return if object.first == END { Ok(()) } else { self.put(value) };
        }
        if let Some(number) = self.memo.global(own_module, own_name).filter(|_| self.rules.has_memo()) {
            memo::get(self.out, self.rules.protocol, number);
            self.memo.number(value, number);
            return Ok(());
        }
        let (module, name) = self.names(object);
        if self.rules.protocol >= 4 {
            let (same_module, same_name) = (self.name_text(object.callable) == module, self.name_text(object.args) == name);
            if same_module || !has_text(object.callable) {
                self.name_atom(object.callable)?;
            } else {
                self.shared_own_text(module)?;
            }
            if same_name || !has_text(object.args) {
                self.name_atom(object.args)?;
            } else {
                self.own_text(name.as_bytes())?;
            }
            self.out.op(Opcode::StackGlobal);
            return self.put(value);
        }
        if !has_text(object.callable) || !has_text(object.args) {
            return Err(unwritable_name("lone surrogates need protocol 4"));
        }
        let whole = self.name_text(object.args);
        if whole.contains('.') {
            self.nested(object.python2, self.name_text(object.callable), whole)?;
        } else {
            self.global_op(module, name)?;
        }
        if self.rules.is_razorvine() && !self.shared.contains(&value) && object.first == END {
            return Ok(());
        }
        self.put(value)
    }

    /// The text of a name, as text whatever it was.
    fn name_atom(&mut self, part: Ref) -> Result<()> {
        match self.store.bytes_of(&self.document.source, part) {
            Some((kind, text)) if !kind.is_text() => self.own_text(text),
            _ => self.plain_atom(part).map(|_| ()),
        }
    }

    /// The registered extension code of a global, named as in Python 3.
    fn extension_code(&self, module: &str, name: &str) -> Option<u32> {
        if self.rules.protocol < 2 || self.rules.extensions.is_empty() || module.len() + name.len() > LONG_NAME {
            return None;
        }
        self.rules.extensions.get(&(module.to_owned(), name.to_owned())).copied()
    }

    /// Pays for a long name that is one of several globals: each of them is looked through, and before protocol 4 written.
    fn pay_for_name(&mut self, object: &Object) -> Result<()> {
        let length = |part| self.store.bytes_of(&self.document.source, part).map_or(0, |(_, text)| text.len());
        for part in [object.callable, object.args] {
            let length = length(part);
            if length > LONG_NAME && !self.long_names.insert(part) {
                self.pay(length as u64 / BYTES_OF_A_VALUE)?;
            }
        }
        Ok(())
    }

    /// An extension code.
    pub(super) fn extension_op(&mut self, code: u32) -> Result<()> {
        if !(1..=i32::MAX.unsigned_abs()).contains(&code) {
            return Err(Error::new(ErrorKind::InvalidExtension(code.into())));
        }
        if self.rules.protocol < 2 {
            return Err(Error::new(ErrorKind::Unwritable { what: "an extension code", reason: "it needs protocol 2" }));
        }
        match (u8::try_from(code), u16::try_from(code)) {
            (Ok(code), _) => self.out.op_with(Opcode::Ext1, [code]),
            (_, Ok(code)) => self.out.op_with(Opcode::Ext2, code.to_le_bytes()),
            _ => self.out.op_with(Opcode::Ext4, code.to_le_bytes()),
        }
        Ok(())
    }

    /// A global that the writer itself needs: the document's if there is one, and nothing is still to be done to that.
    pub(super) fn known(&mut self, known: Known) -> Result<()> {
        self.out.boundary()?;
        let (module, name) = known.names();
        if let Some(&value) = self.store.named.get(&known)
            && let Some(object) = self.store.object(value)
            && self.names_in_python3(object) == (module, name)
            && object.first == END
            && !self.rules.is_razorvine()
        {
            if let State::Written(number) = self.memo_state(value) {
                memo::get(self.out, self.rules.protocol, number);
                return Ok(());
            }
            return self.global(value, object);
        }
        self.own_global(module, name)
    }

    /// A global that no value of the document is.
    pub(super) fn own_global(&mut self, module: &str, name: &str) -> Result<()> {
        if let Some(code) = self.extension_code(module, name) {
            return self.extension_op(code);
        }
        if let Some(number) = self.memo.global(module, name) {
            memo::get(self.out, self.rules.protocol, number);
            return Ok(());
        }
        if self.rules.protocol >= 4 {
            self.shared_own_text(module)?;
            self.own_text(name.as_bytes())?;
            self.out.op(Opcode::StackGlobal);
        } else if name.contains('.') {
            self.nested(false, module, name)?;
        } else {
            let (module, name) = self.mapped(false, module, name);
            self.global_op(module, name)?;
        }
        if let Some(number) = self.put_own()? {
            self.memo.set_global(module, name, number);
        }
        Ok(())
    }

    /// A name inside a class, before protocol 4: got from the class, as there is no opcode for it.
    fn nested(&mut self, python2: bool, module: &str, name: &str) -> Result<()> {
        let path: Vec<&str> = name.split('.').collect();
        if path.len() > DEEPEST_NAME {
            return Err(unwritable_name("it is of a class inside 500 others, which needs protocol 4"));
        }
        if path.len() > DEEP_NAME {
            self.pay((path.len() * name.len()) as u64 / BYTES_OF_A_VALUE)?;
        }
        let prefix = |parts: usize| path.get(..parts).unwrap_or_default().join(".");
        let has_numbers = self.rules.dialect == Dialect::Python;
        // from the innermost class that has been written
        let written =
            (1..path.len()).rev().filter(|_| has_numbers).find_map(|parts| Some((parts, self.written_class(module, &prefix(parts))?)));
        let base = written.map_or(1, |(parts, _)| parts);
        for _ in base..path.len() {
            self.known(Known::Getattr)?;
            self.out.boundary()?;
            self.mark_below(2);
        }
        match written {
            Some((_, number)) => memo::get(self.out, self.rules.protocol, number),
            None => {
                let outermost = prefix(1);
                let code = self.extension_code(module, &outermost).filter(|_| has_numbers);
                if let Some(code) = code {
                    self.extension_op(code)?;
                } else {
                    let (its_module, its_name) = self.mapped(python2, module, &outermost);
                    self.global_op(its_module, its_name)?;
                    if has_numbers {
                        self.put_class(module, &outermost)?;
                    }
                }
            }
        }
        for parts in base + 1..=path.len() {
            self.own_text(path.get(parts - 1).copied().unwrap_or_default().as_bytes())?;
            self.tuple_op(2);
            if has_numbers {
                self.put_own()?;
            }
            self.out.op(Opcode::Reduce);
            if has_numbers && parts < path.len() {
                self.put_class(module, &prefix(parts))?;
            }
        }
        Ok(())
    }

    /// The number of a class, be it a value of the document or not.
    fn written_class(&mut self, module: &str, name: &str) -> Option<u32> {
        if let Some(number) = self.memo.global(module, name) {
            return Some(number);
        }
        let value = self.value_of(module, name)?;
        match self.memo_state(value) {
            State::Written(number) => Some(number),
            _ => None,
        }
    }

    /// The topmost value is this class, and gets a number.
    fn put_class(&mut self, module: &str, name: &str) -> Result<()> {
        // a value to which something is still to be done is written when its turn comes
        let value = self.value_of(module, name);
        if let Some(value) = value.filter(|&value| self.store.object(value).is_some_and(|object| object.first == END)) {
            return self.put(value);
        }
        if let Some(number) = self.put_own()? {
            self.memo.set_global(module, name, number);
        }
        Ok(())
    }

    /// The document's value of a global.
    fn value_of(&mut self, module: &str, name: &str) -> Option<Ref> {
        if self.globals.is_none() {
            let mut globals = HashMap::new();
            for index in 0..self.store.nodes.len() {
                let Some(value) = Ref::node(index) else { break };
                if let Some(object) = self.store.object(value).filter(|object| object.how == How::Global) {
                    globals.entry(self.names_in_python3(object)).or_insert(value);
                }
            }
            self.globals = Some(globals);
        }
        self.globals.as_ref()?.get(&(module, name)).copied()
    }

    fn global_op(&mut self, module: &str, name: &str) -> Result<()> {
        let is_ascii = module.is_ascii() && name.is_ascii();
        if self.rules.protocol < 3 && !is_ascii {
            return Err(unwritable_name("it is not ASCII, which needs protocol 3"));
        }
        check_lines(module, name)?;
        self.out.line(Opcode::Global, |line| {
            line.extend_from_slice(module.as_bytes());
            line.push(b'\n');
            line.extend_from_slice(name.as_bytes());
        });
        Ok(())
    }

    /// `INST`: an old-style instance of the class, which stands in the opcode's own argument.
    pub(super) fn inst_line(&mut self, class: Ref) -> Result<()> {
        let Some(object) = self.store.object(class) else { return Ok(()) };
        let (module, name) = self.names(object);
        if !module.is_ascii() || !name.is_ascii() {
            return Err(unwritable_name("it is not ASCII, which needs protocol 3"));
        }
        check_lines(module, name)?;
        // the opcode has the names each time
        self.pay((module.len() + name.len()) as u64 / LONG_NAME as u64)?;
        self.out.line(Opcode::Inst, |line| {
            line.extend_from_slice(module.as_bytes());
            line.push(b'\n');
            line.extend_from_slice(name.as_bytes());
        });
        Ok(())
    }
}

/// Refuses names that are no two lines.
fn check_lines(module: &str, name: &str) -> Result<()> {
    if module.is_empty() || name.is_empty() {
        return Err(unwritable_name("it is empty, which needs protocol 4"));
    }
    if module.contains('\n') || name.contains('\n') {
        return Err(unwritable_name("it has a newline, which needs protocol 4"));
    }
    Ok(())
}

fn unwritable_name(reason: &'static str) -> Error {
    Error::new(ErrorKind::Unwritable { what: "the name of a class or function", reason })
}
