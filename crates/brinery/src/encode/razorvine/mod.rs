//! What Razorvine's reader takes for another value without saying so: here it is an error. What the reader itself refuses is left to it.
//!
//! What is looked at more than once is remembered by node, so that the work is linear in the document, whatever it shares.

mod calls;
mod dates;
mod keys;

use std::collections::HashSet;

use super::walk::Walk;
use crate::document::{How, ItemsKind, Object, Ref, RefMap, RefSet, StepKind};
use crate::error::{Error, ErrorKind, Result};
use crate::names::Known;
use crate::names::razorvine::{CLASS, Razorvine, TRACEBACK, razorvine};

/// What is known of the values of one pickle.
#[derive(Debug, Default)]
pub(super) struct Checks {
    /// What calls of a global are.
    meanings: RefMap<Razorvine>,
    /// Values that have been found right for a purpose.
    passed: HashSet<(Ref, Purpose)>,
    /// Tuples of arguments among which a class is in its place.
    class_args: RefSet,
    /// Dicts that are being written.
    open_dicts: RefSet,
    contents: keys::Contents,
}

/// What a value is looked at for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Purpose {
    State,
    Decimal,
    Bytes,
    Latin1,
    Traceback,
    /// Items of an array with this code.
    Array(u8),
}

fn refused(what: &'static str, reason: &'static str) -> Error {
    Error::new(ErrorKind::Unwritable { what, reason })
}

impl<'d> Walk<'d, '_, '_> {
    /// Refuses a class or function that is a value, as an item of this tuple or of something else.
    pub(super) fn check_item(&self, item: Ref, owner: Ref) -> Result<()> {
        let is_class = self.store.object(item).is_some_and(|object| matches!(object.how, How::Global | How::Extension));
        if is_class && !self.razorvine.class_args.contains(&owner) {
            return Err(refused("a class or function", "Razorvine's reader keeps no name of one that is a value"));
        }
        Ok(())
    }

    /// Notes that a class may be among the arguments of an object's call.
    pub(super) fn expect_class(&mut self, object: Ref, args: Ref) {
        let callable = self.store.object(object).map_or(Ref::NONE, |object| object.callable);
        if matches!(self.meaning(callable), Some(Razorvine::ArrayReconstructor | Razorvine::Reconstructor)) {
            self.razorvine.class_args.insert(args);
        }
    }

    /// A dict or set begins.
    pub(super) fn check_container(&mut self, value: Ref, kind: ItemsKind) -> Result<()> {
        match kind {
            ItemsKind::Dict => {
                self.razorvine.open_dicts.insert(value);
                self.check_keys("a dict", value, 2)
            }
            ItemsKind::Set => self.check_keys("a set", value, 1),
            ItemsKind::Frozenset => Err(refused("a frozenset", "Razorvine's reader knows none at protocol 2")),
            ItemsKind::List | ItemsKind::Tuple => Ok(()),
        }
    }

    /// A value is written.
    pub(super) fn close_container(&mut self, value: Ref) {
        self.razorvine.open_dicts.remove(&value);
    }

    /// An object is to be given a state.
    pub(super) fn check_state(&self, state: Ref) -> Result<()> {
        if self.razorvine.open_dicts.contains(&state) {
            return Err(refused("an object", "Razorvine's reader copies its state, a dict which it is in, before that is filled"));
        }
        Ok(())
    }

    /// An object begins.
    pub(super) fn check_object(&mut self, object: &Object) -> Result<()> {
        let Some((callable, args)) = self.call_of(object) else { return Ok(()) };
        let meaning = self.meaning(callable);
        if let Some(meaning) = meaning {
            self.check_call(meaning, args)?;
        }
        if meaning == Some(Razorvine::Exception) { self.check_exception(object, args) } else { self.check_steps(object) }
    }

    /// The class and the arguments of an object, as they are written.
    fn call_of(&self, object: &Object) -> Option<(Ref, &'d [Ref])> {
        let (_, args) = self.store.items(object.args)?;
        let known = self.store.object(object.callable).map_or(Known::Other, |callable| callable.known);
        match object.how {
            How::Reduce if known == Known::Newobj => args.split_first().map(|(&class, args)| (class, args)),
            How::Reduce if known == Known::NewobjEx => None,
            How::Reduce | How::Newobj | How::Inst | How::Obj => Some((object.callable, args)),
            How::NewobjEx | How::Global | How::Extension | How::Persistent => None,
        }
    }

    /// What calls of a global are to the reader.
    fn meaning(&mut self, callable: Ref) -> Option<Razorvine> {
        if let Some(&meaning) = self.razorvine.meanings.get(&callable) {
            return Some(meaning);
        }
        let object = self.store.object(callable).filter(|object| object.how == How::Global)?;
        let (module, name) = self.names(object);
        let meaning = razorvine(module, name);
        self.razorvine.meanings.insert(callable, meaning);
        Some(meaning)
    }

    /// Whether a value is looked at for this purpose for the first time.
    fn is_new(&mut self, value: Ref, purpose: Purpose) -> bool {
        self.razorvine.passed.insert((value, purpose))
    }

    /// The bytes of a text, be it one of Python 2.
    fn text_of(&self, value: Ref) -> Option<&'d [u8]> {
        use crate::document::DataKind::{Str, Str8Bytes, Str8Latin1, Str8Text, StrSurrogates};
        let (kind, bytes) = self.store.bytes_of(&self.document.source, value)?;
        matches!(kind, Str | StrSurrogates | Str8Text | Str8Latin1 | Str8Bytes).then_some(bytes)
    }

    fn is_class_key(&self, key: Ref) -> bool {
        self.text_of(key).is_some_and(|text| text == CLASS.as_bytes())
    }

    /// What is done to an object, which becomes a dict.
    fn check_steps(&mut self, object: &Object) -> Result<()> {
        let (mut has_state, mut has_items) = (false, false);
        for step in self.store.steps(object) {
            match step {
                StepKind::Build(state) => {
                    if has_state || has_items {
                        return Err(refused(
                            "an object",
                            "Razorvine's reader forgets items and attributes from before it is given a state",
                        ));
                    }
                    let Some((ItemsKind::Dict, pairs)) = self.store.items(state) else { continue };
                    has_state = !pairs.is_empty();
                    if self.is_new(state, Purpose::State) && pairs.iter().step_by(2).any(|&key| self.is_class_key(key)) {
                        return Err(class_key());
                    }
                }
                StepKind::SetItems(row) => {
                    has_items |= !self.store.row(row).is_empty();
                    if has_state && has_items {
                        return Err(refused("an object", "Razorvine's reader has items and attributes in one dict"));
                    }
                    if self.store.row(row).iter().step_by(2).any(|&key| self.is_class_key(key)) {
                        return Err(class_key());
                    }
                }
                StepKind::Append(_) | StepKind::Add(_) | StepKind::Call(_) => {}
            }
        }
        if has_items { self.check_item_keys(object) } else { Ok(()) }
    }

    /// An exception: the reader has its class, and its only argument as a part of the message.
    fn check_exception(&mut self, object: &Object, args: &[Ref]) -> Result<()> {
        let is_text = |value: &Ref| self.text_of(*value).is_some();
        if !matches!(args, [] | [_]) || !args.iter().all(is_text) {
            return Err(refused("an exception", "Razorvine's reader keeps nothing but one text of its arguments"));
        }
        for step in self.store.steps(object) {
            let StepKind::Build(state) = step else { continue };
            let Some((ItemsKind::Dict, pairs)) = self.store.items(state) else { continue };
            let is_kept = match *pairs {
                [] => true,
                [key, value] => self.text_of(key).is_some_and(|key| key == TRACEBACK.as_bytes()) && self.is_traceback(value),
                _ => false,
            };
            if !is_kept {
                return Err(refused("an exception", "Razorvine's reader keeps none of its attributes"));
            }
        }
        Ok(())
    }

    fn is_traceback(&mut self, value: Ref) -> bool {
        match self.store.items(value) {
            Some((ItemsKind::List, lines)) => {
                !self.is_new(value, Purpose::Traceback) || lines.iter().all(|&line| self.text_of(line).is_some())
            }
            _ => self.text_of(value).is_some(),
        }
    }
}

fn class_key() -> Error {
    refused("an object", "Razorvine's reader has the name of its class under the key `__class__`")
}
