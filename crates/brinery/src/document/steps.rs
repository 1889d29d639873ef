//! The machine's steps, as a document takes them.

use std::sync::Arc;

use super::Encoding;
use super::builder::Builder;
use super::calls::LONGEST_NAME;
use super::store::{DataKind, How, ItemsKind, Node, Ref, StepKind};
use crate::error::{ErrorKind, Result};
use crate::handler::{Data, Handler, Place};
use crate::names::Known;
use crate::text::{Utf8, check_utf8};

impl Handler for Builder {
    type Ref = Ref;

    fn protocol(&mut self, protocol: u8) {
        self.protocol.get_or_insert(protocol);
        self.python2 = protocol < 3;
    }

    #[inline(always)]
    fn none(&mut self) -> Result<Ref> {
        Ok(Ref::NONE)
    }

    #[inline(always)]
    fn bool(&mut self, value: bool) -> Result<Ref> {
        Ok(Ref::bool(value))
    }

    #[inline(always)]
    fn int(&mut self, value: i64) -> Result<Ref> {
        match Ref::small_int(value) {
            Some(small) => Ok(small),
            None => self.push(Node::Int(value)),
        }
    }

    fn big_int(&mut self, data: Data<'_>) -> Result<Ref> {
        self.new_data(DataKind::Int, data.bytes, data.offset)
    }

    #[inline(always)]
    fn float(&mut self, value: f64) -> Result<Ref> {
        self.push(Node::Float(value))
    }

    #[inline(always)]
    fn str(&mut self, data: Data<'_>) -> Result<Ref> {
        let kind = match check_utf8(data.bytes)? {
            Utf8::Whole => DataKind::Str,
            Utf8::WithSurrogates => DataKind::StrSurrogates,
        };
        self.new_data(kind, data.bytes, data.offset)
    }

    fn str8(&mut self, data: Data<'_>) -> Result<Ref> {
        let bytes = data.bytes;
        let ascii = bytes.is_ascii();
        let refused = |encoding, valid_up_to| Err(ErrorKind::InvalidEncoding { encoding, valid_up_to }.into());
        let kind = match self.encoding {
            Encoding::Bytes => DataKind::Str8Bytes,
            _ if ascii => DataKind::Str8Text,
            Encoding::Auto => DataKind::Str8Bytes,
            Encoding::Ascii => return refused("ASCII", bytes.iter().take_while(|byte| byte.is_ascii()).count()),
            Encoding::Utf8 => match std::str::from_utf8(bytes) {
                Ok(_) => DataKind::Str8Text,
                Err(error) => return refused("UTF-8", error.valid_up_to()),
            },
            Encoding::Latin1 => {
                let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
                return self.new_data(DataKind::Str8Latin1, text.as_bytes(), None);
            }
        };
        self.new_data(kind, bytes, data.offset)
    }

    #[inline(always)]
    fn bytes(&mut self, data: Data<'_>) -> Result<Ref> {
        self.new_data(DataKind::Bytes, data.bytes, data.offset)
    }

    fn bytearray(&mut self, data: Data<'_>) -> Result<Ref> {
        self.new_data(DataKind::Bytearray, data.bytes, data.offset)
    }

    fn next_buffer(&mut self) -> Result<Ref> {
        let index = self.store.buffers;
        self.store.buffers += 1;
        self.push(Node::Buffer { readonly: false, index })
    }

    fn readonly_buffer(&mut self, buffer: Ref) -> Result<Ref> {
        match self.store.node(buffer) {
            Some(&Node::Buffer { index, .. }) => self.push(Node::Buffer { readonly: true, index }),
            // bytes are read-only as they are
            Some(Node::Data { kind: DataKind::Bytes, .. }) => Ok(buffer),
            _ => Err(self.wrong("a buffer", buffer)),
        }
    }

    #[inline(always)]
    fn list(&mut self, items: &[Ref]) -> Result<Ref> {
        let node = self.store.items_node(ItemsKind::List, items)?;
        self.push(node)
    }

    #[inline(always)]
    fn tuple(&mut self, items: &[Ref]) -> Result<Ref> {
        self.tuple_of(items)
    }

    #[inline(always)]
    fn dict(&mut self, items: &[Ref], _at: Place<'_>) -> Result<Ref> {
        for &key in items.iter().step_by(2) {
            self.check_hashable(key)?;
        }
        let node = self.store.items_node(ItemsKind::Dict, items)?;
        let dict = self.push(node)?;
        self.unsettle(dict);
        Ok(dict)
    }

    fn empty_set(&mut self) -> Result<Ref> {
        self.set_of(ItemsKind::Set, &[])
    }

    fn frozenset(&mut self, items: &[Ref], _at: Place<'_>) -> Result<Ref> {
        self.set_of(ItemsKind::Frozenset, items)
    }

    #[inline(always)]
    fn append(&mut self, list: Ref, items: &[Ref], at: Place<'_>) -> Result<()> {
        match self.store.node(list) {
            Some(Node::Items { kind: ItemsKind::List, .. }) => self.extend(list, items),
            Some(Node::Data { kind: DataKind::Bytearray, .. }) => self.change_bytearray(list, at, |builder, bytes| {
                items.iter().try_for_each(|&item| builder.byte(item).map(|byte| bytes.push(byte)))
            }),
            Some(Node::Object(_)) => self.store.add_items_step(list, items, StepKind::Append),
            _ => Err(self.wrong("a list", list)),
        }
    }

    #[inline(always)]
    fn set_items(&mut self, dict: Ref, items: &[Ref], at: Place<'_>) -> Result<()> {
        match self.store.node(dict) {
            Some(Node::Items { kind: ItemsKind::Dict, .. }) => {
                for &key in items.iter().step_by(2) {
                    self.check_hashable(key)?;
                }
                self.extend(dict, items)?;
                self.unsettle(dict);
                Ok(())
            }
            Some(&Node::Items { kind: ItemsKind::List, len, start, .. }) => self.set_list_items(len, start, items),
            Some(Node::Data { kind: DataKind::Bytearray, .. }) => self.change_bytearray(dict, at, |builder, bytes| {
                items.chunks_exact(2).try_for_each(|pair| {
                    let &[index, value] = pair else { return Ok(()) };
                    let (place, byte) = (builder.place(index, bytes.len())?, builder.byte(value)?);
                    bytes.get_mut(place).map_or(Ok(()), |slot| {
                        *slot = byte;
                        Ok(())
                    })
                })
            }),
            Some(Node::Object(_)) => self.store.add_items_step(dict, items, StepKind::SetItems),
            _ => Err(self.wrong("a dict", dict)),
        }
    }

    fn add_items(&mut self, set: Ref, items: &[Ref], _at: Place<'_>) -> Result<()> {
        match self.store.node(set) {
            Some(Node::Items { kind: ItemsKind::Set, .. }) => {
                for &item in items {
                    self.check_hashable(item)?;
                }
                self.extend(set, items)?;
                self.unsettle(set);
                Ok(())
            }
            Some(Node::Object(_)) => self.store.add_items_step(set, items, StepKind::Add),
            _ => Err(self.wrong("a set", set)),
        }
    }

    fn global(&mut self, module: Data<'_>, name: Data<'_>, _at: Place<'_>) -> Result<Ref> {
        // unlike text elsewhere, these names are strict UTF-8 in CPython
        for part in [module.bytes, name.bytes] {
            std::str::from_utf8(part).map_err(|error| ErrorKind::InvalidUtf8 { valid_up_to: error.valid_up_to() })?;
        }
        self.global_of(module.bytes, name.bytes, |builder| Ok((builder.module_of(module)?, builder.str(name)?)))
    }

    fn stack_global(&mut self, module: Ref, name: Ref, at: Place<'_>) -> Result<Ref> {
        for part in [module, name] {
            if !self.is_str(part) {
                return Err(self.wrong("the name of a module and of a global as str", part));
            }
        }
        let text = |part| self.store.bytes_of(at.window, part).map_or(&[][..], |(_, text)| text);
        let (module_text, name_text) = (text(module), text(name));
        if module_text.len() + name_text.len() > LONGEST_NAME {
            return self.new_global(module, name, Known::Other);
        }
        // the texts may be the store's, which changes
        let (module_text, name_text) = (module_text.to_vec(), name_text.to_vec());
        self.global_of(&module_text, &name_text, |_| Ok((module, name)))
    }

    fn extension(&mut self, code: u32) -> Result<Ref> {
        let extensions = Arc::clone(&self.extensions);
        match extensions.get(&code) {
            Some((module, name)) => {
                let (module, name) = (module.as_bytes(), name.as_bytes());
                self.global_of(module, name, |builder| {
                    let module = builder.new_data(DataKind::Str, module, None)?;
                    Ok((module, builder.new_data(DataKind::Str, name, None)?))
                })
            }
            None => {
                let code = self.int(code.into())?;
                self.made(How::Extension, code, Ref::EMPTY_TUPLE, None)
            }
        }
    }

    fn reduce(&mut self, callable: Ref, args: Ref, at: Place<'_>) -> Result<Ref> {
        self.check_call(callable, args)?;
        if let Some(folded) = self.fold_call(callable, args, at)? {
            return Ok(folded);
        }
        let object = self.made(How::Reduce, callable, args, None)?;
        self.fresh_call = Some((object, at.next));
        Ok(object)
    }

    fn new_object(&mut self, class: Ref, args: Ref, at: Place<'_>) -> Result<Ref> {
        self.check_call(class, args)?;
        let object = self.made(How::Newobj, class, args, None)?;
        self.fresh_call = Some((object, at.next));
        Ok(object)
    }

    fn new_object_ex(&mut self, class: Ref, args: Ref, kwargs: Ref, at: Place<'_>) -> Result<Ref> {
        self.check_call(class, args)?;
        self.check_keywords(kwargs)?;
        let object = self.made(How::NewobjEx, class, args, Some(kwargs))?;
        self.fresh_call = Some((object, at.next));
        Ok(object)
    }

    fn obj(&mut self, class: Ref, args: &[Ref], at: Place<'_>) -> Result<Ref> {
        self.call_by_stack(How::Obj, class, args, at)
    }

    fn inst(&mut self, class: Ref, args: &[Ref], at: Place<'_>) -> Result<Ref> {
        self.call_by_stack(How::Inst, class, args, at)
    }

    fn build(&mut self, object: Ref, state: Ref, _at: Place<'_>) -> Result<()> {
        if self.store.object(object).is_none() {
            // a state without anything in it is given to anything
            return if self.is_no_state(state) { Ok(()) } else { Err(self.wrong("an object", object)) };
        }
        self.store.add_step(object, StepKind::Build(state))
    }

    fn persistent_text(&mut self, id: Data<'_>) -> Result<Ref> {
        // CPython 3 takes ASCII only; Python 2 wrote any bytes
        let id = if id.bytes.is_ascii() { self.str(id)? } else { self.str8(id)? };
        self.persistent(id)
    }

    fn persistent(&mut self, id: Ref) -> Result<Ref> {
        self.store.has_persistent = true;
        self.made(How::Persistent, id, Ref::EMPTY_TUPLE, None)
    }

    #[inline(always)]
    fn get(&mut self, _index: u64, value: Ref, at: Place<'_>) {
        if let Some(dropped) = self.dropped_call.take() {
            self.forget_repetition(dropped, value, at);
        }
    }

    fn pop(&mut self, values: &[Ref], at: Place<'_>) {
        if let (&[call], Some((fresh, next))) = (values, self.fresh_call)
            && call == fresh
            && at.offset == next
            && self.drop_call(call, at.next).is_ok()
        {
            return;
        }
        self.dropped.extend(values.iter().filter(|value| value.index().is_some()));
    }
}
