//! The handler that builds a [`Document`](super::Document).

use std::collections::HashMap;
use std::sync::Arc;

use super::Encoding;
use super::keys::Keys;
use super::refmap::RefSet;
use super::store::{DataKind, END, HASHABLE, How, ItemsKind, Node, Object, Ref, StepKind, Store, UNSETTLED, Unpacked, length};
use crate::error::{Error, ErrorKind, Result};
use crate::handler::{Data, Handler, Place, wrong_kind};
use crate::limits::Limits;
use crate::names::{self, Known};
use crate::text::{Utf8, check_utf8};

/// Extension codes and the module and name that each stands for.
pub(crate) type Extensions = Arc<HashMap<u32, (String, String)>>;

/// Names longer than this together are not looked up.
const LONGEST_NAME: usize = 256;

/// The globals of one module.
type Names = HashMap<Box<[u8]>, Ref>;

#[derive(Debug)]
pub(crate) struct Builder {
    pub(super) store: Store,
    pub(super) encoding: Encoding,
    pub(super) extensions: Extensions,
    pub(super) node_limit: u32,
    pub(super) copied_limit: u64,
    /// Bytes copied that the input's length does not explain.
    copied: u64,
    pub(super) protocol: Option<u8>,
    /// Globals by module and name.
    globals: HashMap<Box<[u8]>, Names>,
    /// Containers whose equal keys are still to be found.
    pub(super) unsettled: Vec<Ref>,
    /// Values dropped from the stack.
    pub(super) dropped: Vec<Ref>,
    /// The result of a call, and where the next opcode is: a `POP` there is part of how CPython writes objects.
    fresh_call: Option<(Ref, usize)>,
    /// A call whose result was dropped at once, until it is clear that it does not repeat another.
    dropped_call: Option<DroppedCall>,
}

#[derive(Debug, Clone, Copy)]
struct DroppedCall {
    call: Ref,
    /// Where the opcode after `POP` is.
    next: usize,
    /// The object that it was done to, and the last step before it.
    target: Option<(Ref, u32)>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            store: Store::default(),
            encoding: Encoding::default(),
            extensions: Extensions::default(),
            node_limit: u32::MAX,
            copied_limit: u64::MAX,
            copied: 0,
            protocol: None,
            globals: HashMap::new(),
            unsettled: Vec::new(),
            dropped: Vec::new(),
            fresh_call: None,
            dropped_call: None,
        }
    }

    pub(crate) fn set_limits(&mut self, limits: &Limits) {
        self.node_limit = limits.nodes.min((1 << 31) - 1);
        self.copied_limit = limits.copied;
    }

    pub(crate) fn set_encoding(&mut self, encoding: Encoding) {
        self.encoding = encoding;
    }

    pub(crate) fn set_extensions(&mut self, extensions: Extensions) {
        self.extensions = extensions;
    }

    /// What the first PROTO said.
    pub(crate) fn stated_protocol(&self) -> Option<u8> {
        self.protocol
    }

    pub(crate) fn take_store(&mut self) -> Store {
        std::mem::take(&mut self.store)
    }

    /// Finds equal keys in what was built.
    pub(crate) fn settle(&mut self, keys: &mut Keys, window: &[u8]) {
        keys.settle(&mut self.store, window, &mut self.unsettled);
    }

    /// The dropped values that neither the root, nor the stack, nor each other reaches.
    pub(crate) fn unreachable_dropped(&mut self, root: Ref, left: &[Ref], seen: &mut RefSet) -> Vec<Ref> {
        let mut dropped = std::mem::take(&mut self.dropped);
        if dropped.is_empty() {
            return dropped;
        }
        self.store.reach(root, seen);
        for &value in left {
            self.store.reach(value, seen);
        }
        // a later value may hold an earlier one
        dropped.reverse();
        dropped.retain(|&value| {
            let new = !seen.contains(&value);
            self.store.reach(value, seen);
            new
        });
        dropped.reverse();
        dropped
    }

    /// Begins a pickle. What was built before stays.
    pub(crate) fn begin(&mut self) {
        self.protocol = None;
        self.dropped.clear();
        self.fresh_call = None;
        self.dropped_call = None;
    }

    /// Forgets everything that was built.
    pub(crate) fn reset(&mut self, store: Store) {
        self.store = store;
        self.store.clear();
        self.copied = 0;
        self.unsettled.clear();
        self.globals.clear();
        self.begin();
    }

    #[inline(always)]
    pub(super) fn push(&mut self, node: Node) -> Result<Ref> {
        self.store.push(node, self.node_limit)
    }

    #[inline(always)]
    pub(super) fn new_data(&mut self, kind: DataKind, bytes: &[u8], offset: Option<usize>) -> Result<Ref> {
        let node = self.store.data_node(kind, bytes, offset);
        self.push(node)
    }

    /// Pays for a copy.
    pub(super) fn charge(&mut self, bytes: usize, at: Place<'_>) -> Result<()> {
        self.copied = self.copied.saturating_add(bytes as u64);
        let limit = self.copied_limit.saturating_add(at.window.len() as u64);
        if self.copied > limit {
            return Err(ErrorKind::LimitExceeded { limit: "copied", at: limit }.into());
        }
        Ok(())
    }

    /// A set or frozenset of these items.
    pub(super) fn set_of(&mut self, kind: ItemsKind, items: &[Ref]) -> Result<Ref> {
        for &item in items {
            self.check_hashable(item)?;
        }
        let node = self.store.items_node(kind, items)?;
        let set = self.push(node)?;
        self.unsettle(set);
        Ok(set)
    }

    /// Notes that a container may hold equal keys.
    #[inline(always)]
    fn unsettle(&mut self, container: Ref) {
        if let Some(Node::Items { flags, len: 2.., .. }) = self.store.node_mut(container)
            && *flags & UNSETTLED == 0
        {
            *flags |= UNSETTLED;
            self.unsettled.push(container);
        }
    }

    /// The Python type of a value, for errors.
    #[cold]
    pub(super) fn kind_name(&self, value: Ref) -> &'static str {
        kind_name(&self.store, value)
    }

    #[cold]
    fn wrong(&self, expected: &'static str, found: Ref) -> Error {
        wrong_kind(expected, self.kind_name(found))
    }

    /// Refuses what cannot be a key. Nothing here recurses; a tuple is looked through once.
    #[inline(always)]
    fn check_hashable(&mut self, value: Ref) -> Result<()> {
        match self.store.node(value) {
            None
            | Some(
                Node::Int(_) | Node::Float(_) | Node::Object(_) | Node::Buffer { .. } | Node::Items { kind: ItemsKind::Frozenset, .. },
            ) => Ok(()),
            Some(Node::Data { kind, .. }) if *kind != DataKind::Bytearray => Ok(()),
            Some(Node::Items { kind: ItemsKind::Tuple, .. }) => self.check_hashable_tuple(value),
            _ => Err(ErrorKind::Unhashable(self.kind_name(value)).into()),
        }
    }

    fn check_hashable_tuple(&mut self, tuple: Ref) -> Result<()> {
        let mut open = vec![tuple];
        while let Some(value) = open.pop() {
            match self.store.node_mut(value) {
                Some(Node::Items { kind: ItemsKind::Tuple, flags, len, start, .. }) if *flags & HASHABLE == 0 => {
                    // true once all of them are; if one is not, the load ends and nobody asks again
                    *flags |= HASHABLE;
                    let (start, len) = (*start, *len as usize);
                    let heavy = |item: &&Ref| item.index().is_some();
                    open.extend(self.store.slice(start, len).iter().filter(heavy));
                }
                Some(
                    Node::Data { kind: DataKind::Bytearray, .. }
                    | Node::Items { kind: ItemsKind::List | ItemsKind::Dict | ItemsKind::Set, .. },
                ) => return Err(ErrorKind::Unhashable(self.kind_name(value)).into()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Appends to the items of a container.
    #[inline(always)]
    fn extend(&mut self, container: Ref, items: &[Ref]) -> Result<()> {
        let Some(&Node::Items { kind, room, flags, len, start }) = self.store.node(container) else { return Ok(()) };
        let per = if kind == ItemsKind::Dict { 2 } else { 1 };
        let total = length(len as usize + items.len() / per)?;
        let (start, room) = self.store.grow(start, len as usize * per, room, items);
        if let Some(node) = self.store.node_mut(container) {
            *node = Node::Items { kind, room, flags, len: total, start };
        }
        Ok(())
    }

    /// An integer or boolean.
    fn int_value(&self, value: Ref) -> Option<i64> {
        match (value.unpack(), self.store.node(value)) {
            (Unpacked::Int(value), _) | (_, Some(&Node::Int(value))) => Some(value),
            (Unpacked::Bool(value), _) => Some(value.into()),
            _ => None,
        }
    }

    /// The place of an index in a sequence, counted from its end where it is negative.
    fn place(&self, index: Ref, len: usize) -> Result<usize> {
        let value = self.int_value(index).ok_or_else(|| self.wrong("an index", index))?;
        let place = if value < 0 { value.checked_add(len as i64) } else { Some(value) };
        let place = place.and_then(|place| usize::try_from(place).ok()).filter(|&place| place < len);
        place.ok_or_else(|| ErrorKind::IndexOutOfRange.into())
    }

    /// Sets items of a list by their index, as `list.__setitem__`.
    fn set_list_items(&mut self, len: u32, start: u64, items: &[Ref]) -> Result<()> {
        for pair in items.chunks_exact(2) {
            let &[index, value] = pair else { continue };
            let place = self.place(index, len as usize)?;
            if let Some(slot) = self.store.refs.get_mut(start as usize + place) {
                *slot = value;
            }
        }
        Ok(())
    }

    /// Changes a bytearray. Its bytes stand in the input and are copied for it, which is paid for.
    fn change_bytearray(&mut self, bytearray: Ref, at: Place<'_>, change: impl FnOnce(&Self, &mut Vec<u8>) -> Result<()>) -> Result<()> {
        let mut bytes = self.store.bytes_of(at.window, bytearray).map_or(Vec::new(), |(_, bytes)| bytes.to_vec());
        self.charge(bytes.len(), at)?;
        change(self, &mut bytes)?;
        let node = self.store.data_node(DataKind::Bytearray, &bytes, None);
        if let Some(slot) = self.store.node_mut(bytearray) {
            *slot = node;
        }
        Ok(())
    }

    fn byte(&self, value: Ref) -> Result<u8> {
        self.int_value(value).and_then(|value| u8::try_from(value).ok()).ok_or_else(|| self.wrong("a byte", value))
    }

    fn new_object(&mut self, how: How, callable: Ref, args: Ref, kwargs: Option<Ref>) -> Result<Ref> {
        self.add_object(Object { how, known: Known::Other, callable, args, kwargs, first: END, last: END })
    }

    fn add_object(&mut self, object: Object) -> Result<Ref> {
        let value = self.push(Node::Object(self.store.objects.len() as u32))?;
        self.store.objects.push(object);
        Ok(value)
    }

    fn new_global(&mut self, module: Ref, name: Ref, known: Known) -> Result<Ref> {
        let how = How::Global;
        self.add_object(Object { how, known, callable: module, args: name, kwargs: None, first: END, last: END })
    }

    /// The global of this name: one object, however often it is named, as in Python.
    fn global_of(&mut self, module: &[u8], name: &[u8], parts: impl FnOnce(&mut Self) -> Result<(Ref, Ref)>) -> Result<Ref> {
        // a long name that is named over and over must not be hashed each time; there is none in practice
        let is_short = module.len() + name.len() <= LONGEST_NAME;
        if is_short && let Some(&global) = self.globals.get(module).and_then(|names| names.get(name)) {
            return Ok(global);
        }
        let (module_part, name_part) = parts(self)?;
        let global = self.new_global(module_part, name_part, names::known(module, name))?;
        if is_short {
            self.globals.entry(module.into()).or_default().insert(name.into(), global);
        }
        Ok(global)
    }

    /// Refuses to call what is certainly not callable. What an unknown class can do is not known, so it may be.
    fn check_call(&self, callable: Ref, args: Ref) -> Result<()> {
        if self.store.object(callable).is_none() {
            return Err(self.wrong("a callable", callable));
        }
        let is_tuple = matches!(self.store.items(args), Some((ItemsKind::Tuple, _)));
        if !is_tuple && self.store.object(args).is_none() {
            return Err(self.wrong("a tuple of arguments", args));
        }
        Ok(())
    }

    /// `None`, or `None` with no slots.
    fn is_no_state(&self, state: Ref) -> bool {
        let empty = |slots| slots == Ref::NONE || matches!(self.store.items(slots), Some((ItemsKind::Dict, [])));
        match self.store.items(state) {
            Some((ItemsKind::Tuple, &[dict, slots])) => dict == Ref::NONE && empty(slots),
            _ => state == Ref::NONE,
        }
    }

    fn tuple_of(&mut self, items: &[Ref]) -> Result<Ref> {
        if items.is_empty() {
            return Ok(Ref::EMPTY_TUPLE);
        }
        let node = self.store.items_node(ItemsKind::Tuple, items)?;
        self.push(node)
    }

    fn call_by_stack(&mut self, how: How, class: Ref, args: &[Ref], at: Place<'_>) -> Result<Ref> {
        let args = self.tuple_of(args)?;
        self.check_call(class, args)?;
        if args != Ref::EMPTY_TUPLE
            && let Some(folded) = self.fold_call(class, args, at)?
        {
            return Ok(folded);
        }
        self.new_object(how, class, args, None)
    }

    /// A call whose result is dropped at once: a state setter called on its first argument, or the repetition of a call that
    /// made a recursive object, which CPython writes when it finds the object memoised after writing its arguments.
    fn drop_call(&mut self, call: Ref, next: usize) -> Result<()> {
        let args = self.store.object(call).map_or(Ref::EMPTY_TUPLE, |call| call.args);
        let first = self.store.items(args).and_then(|(_, args)| args.first().copied());
        let target = first.and_then(|first| Some((first, self.store.object(first)?.last)));
        if let Some((target, _)) = target {
            self.store.add_step(target, StepKind::Call(call))?;
        }
        self.dropped.push(call);
        self.dropped_call = Some(DroppedCall { call, next, target });
        Ok(())
    }

    #[cold]
    fn forget_repetition(&mut self, dropped: DroppedCall, kept: Ref, at: Place<'_>) {
        let same_call = || {
            let (first, second) = (self.store.object(dropped.call)?, self.store.object(kept)?);
            let (first_args, second_args) = (self.store.items(first.args)?.1, self.store.items(second.args)?.1);
            Some(kept != dropped.call && first.callable == second.callable && first_args == second_args)
        };
        if at.offset != dropped.next || same_call() != Some(true) {
            return;
        }
        if let Some((target, last)) = dropped.target {
            self.store.steps.pop();
            if let Some(step) = self.store.steps.get_mut(last as usize) {
                step.next = END;
            }
            if let Some(object) = self.store.object_mut(target) {
                object.last = last;
                if last == END {
                    object.first = END;
                }
            }
        }
        self.dropped.pop();
    }

    /// Whether the value is text as Python sees it.
    fn is_str(&self, value: Ref) -> bool {
        matches!(
            self.store.node(value),
            Some(Node::Data { kind: DataKind::Str | DataKind::StrSurrogates | DataKind::Str8Text | DataKind::Str8Latin1, .. })
        )
    }
}

/// The Python type of a value, for errors.
pub(super) fn kind_name(store: &Store, value: Ref) -> &'static str {
    match value.unpack() {
        Unpacked::None => return "None",
        Unpacked::Bool(_) => return "bool",
        Unpacked::Int(_) => return "int",
        Unpacked::EmptyTuple => return "tuple",
        Unpacked::Node(_) => {}
    }
    match store.node(value) {
        Some(Node::Int(_)) => "int",
        Some(Node::Float(_)) => "float",
        Some(Node::Data { kind, .. }) => match kind {
            DataKind::Int => "int",
            DataKind::Str | DataKind::StrSurrogates => "str",
            DataKind::Str8Text | DataKind::Str8Latin1 | DataKind::Str8Bytes => "8-bit str",
            DataKind::Bytes => "bytes",
            DataKind::Bytearray => "bytearray",
        },
        Some(Node::Items { kind, .. }) => match kind {
            ItemsKind::List => "list",
            ItemsKind::Tuple => "tuple",
            ItemsKind::Dict => "dict",
            ItemsKind::Set => "set",
            ItemsKind::Frozenset => "frozenset",
        },
        Some(Node::Object(_)) => match store.object(value).map(|object| object.how) {
            Some(How::Global) => "global",
            Some(How::Extension) => "extension",
            Some(How::Persistent) => "persistent object",
            _ => "object",
        },
        Some(Node::Buffer { .. }) => "buffer",
        None => "nothing",
    }
}

impl Handler for Builder {
    type Ref = Ref;

    fn protocol(&mut self, protocol: u8) {
        self.protocol.get_or_insert(protocol);
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
            Some(Node::Object(_)) => self.store.add_items_step(list, items, |len, start| StepKind::Append { len, start }),
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
            Some(Node::Object(_)) => self.store.add_items_step(dict, items, |len, start| StepKind::SetItems { len, start }),
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
            Some(Node::Object(_)) => self.store.add_items_step(set, items, |len, start| StepKind::Add { len, start }),
            _ => Err(self.wrong("a set", set)),
        }
    }

    fn global(&mut self, module: Data<'_>, name: Data<'_>, _at: Place<'_>) -> Result<Ref> {
        self.global_of(module.bytes, name.bytes, |builder| Ok((builder.str(module)?, builder.str(name)?)))
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
                self.new_object(How::Extension, code, Ref::EMPTY_TUPLE, None)
            }
        }
    }

    fn reduce(&mut self, callable: Ref, args: Ref, at: Place<'_>) -> Result<Ref> {
        self.check_call(callable, args)?;
        if let Some(folded) = self.fold_call(callable, args, at)? {
            return Ok(folded);
        }
        let object = self.new_object(How::Reduce, callable, args, None)?;
        self.fresh_call = Some((object, at.next));
        Ok(object)
    }

    fn new_object(&mut self, class: Ref, args: Ref, _at: Place<'_>) -> Result<Ref> {
        self.check_call(class, args)?;
        Self::new_object(self, How::Newobj, class, args, None)
    }

    fn new_object_ex(&mut self, class: Ref, args: Ref, kwargs: Ref, _at: Place<'_>) -> Result<Ref> {
        self.check_call(class, args)?;
        match self.store.items(kwargs) {
            Some((ItemsKind::Dict, items)) => {
                if let Some(&key) = items.iter().step_by(2).find(|&&key| !self.is_str(key)) {
                    return Err(self.wrong("a str as keyword", key));
                }
            }
            _ if self.store.object(kwargs).is_some() => {}
            _ => return Err(self.wrong("a dict of keyword arguments", kwargs)),
        }
        Self::new_object(self, How::NewobjEx, class, args, Some(kwargs))
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
        self.new_object(How::Persistent, id, Ref::EMPTY_TUPLE, None)
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
