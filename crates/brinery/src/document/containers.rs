//! What steps do with lists, tuples, dicts, sets and bytearrays.

use super::builder::Builder;
use super::store::{DataKind, HASHABLE, ItemsKind, KEYWORDS, Node, Ref, Unpacked, length};
use crate::error::{ErrorKind, Result};
use crate::handler::Place;

impl Builder {
    /// Refuses what cannot be a key. Nothing here recurses; a tuple is looked through once.
    #[inline(always)]
    pub(super) fn check_hashable(&mut self, value: Ref) -> Result<()> {
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
    pub(super) fn extend(&mut self, container: Ref, items: &[Ref]) -> Result<()> {
        let Some(&Node::Items { kind, room, flags, len, start }) = self.store.node(container) else { return Ok(()) };
        let per = if kind == ItemsKind::Dict { 2 } else { 1 };
        let total = length(len as usize + items.len() / per)?;
        let mut flags = flags;
        if flags & KEYWORDS != 0 && !items.iter().step_by(2).all(|&key| self.is_str(key)) {
            flags &= !KEYWORDS;
        }
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
    pub(super) fn place(&self, index: Ref, len: usize) -> Result<usize> {
        let value = self.int_value(index).ok_or_else(|| self.wrong("an index", index))?;
        let place = if value < 0 { value.checked_add(len as i64) } else { Some(value) };
        let place = place.and_then(|place| usize::try_from(place).ok()).filter(|&place| place < len);
        place.ok_or_else(|| ErrorKind::IndexOutOfRange.into())
    }

    /// Sets items of a list by their index, as `list.__setitem__`.
    pub(super) fn set_list_items(&mut self, len: u32, start: u64, items: &[Ref]) -> Result<()> {
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
    pub(super) fn change_bytearray(
        &mut self,
        bytearray: Ref,
        at: Place<'_>,
        change: impl FnOnce(&Self, &mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let mut bytes = self.store.bytes_of(at.window, bytearray).map_or(Vec::new(), |(_, bytes)| bytes.to_vec());
        self.charge(bytes.len(), at)?;
        change(self, &mut bytes)?;
        let node = self.store.data_node(DataKind::Bytearray, &bytes, None);
        if let Some(slot) = self.store.node_mut(bytearray) {
            *slot = node;
        }
        Ok(())
    }

    pub(super) fn byte(&self, value: Ref) -> Result<u8> {
        self.int_value(value).and_then(|value| u8::try_from(value).ok()).ok_or_else(|| self.wrong("a byte", value))
    }

    pub(super) fn tuple_of(&mut self, items: &[Ref]) -> Result<Ref> {
        if items.is_empty() {
            return Ok(Ref::EMPTY_TUPLE);
        }
        let node = self.store.items_node(ItemsKind::Tuple, items)?;
        self.push(node)
    }
}
