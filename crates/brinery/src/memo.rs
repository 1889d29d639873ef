//! The memo: slot to value.

use std::collections::HashMap;

/// Slots that pickles really use are numbered from 0 without gaps and live in a vector; a slot far above the number of filled
/// ones, which only a strange pickle has, lives in a map, so that a huge index costs no memory.
#[derive(Debug)]
pub(crate) struct Memo<R> {
    dense: Vec<Option<R>>,
    sparse: HashMap<u64, R>,
    filled: usize,
}

/// How far above twice the number of filled slots the vector may reach.
const SLACK: u64 = 1024;

impl<R: Copy> Memo<R> {
    pub(crate) fn new() -> Self {
        Self { dense: Vec::new(), sparse: HashMap::new(), filled: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.dense.clear();
        self.sparse.clear();
        self.filled = 0;
    }

    #[inline]
    pub(crate) fn get(&self, index: u64) -> Option<R> {
        match usize::try_from(index).ok().and_then(|index| self.dense.get(index)) {
            Some(Some(value)) => Some(*value),
            _ if self.sparse.is_empty() => None,
            _ => self.sparse.get(&index).copied(),
        }
    }

    #[inline]
    pub(crate) fn put(&mut self, index: u64, value: R) {
        if index == self.dense.len() as u64 && self.sparse.is_empty() {
            self.dense.push(Some(value));
            self.filled += 1;
        } else {
            self.put_anywhere(index, value);
        }
    }

    fn put_anywhere(&mut self, index: u64, value: R) {
        let len = self.dense.len() as u64;
        if index >= len && index <= 2 * self.filled as u64 + SLACK {
            self.dense.resize(index as usize + 1, None);
        }
        match usize::try_from(index).ok().and_then(|index| self.dense.get_mut(index)) {
            Some(slot) => {
                // the vector may have grown over a slot of the map
                let known = slot.is_some() || self.sparse.remove(&index).is_some();
                *slot = Some(value);
                self.filled += usize::from(!known);
            }
            None => self.filled += usize::from(self.sparse.insert(index, value).is_none()),
        }
    }

    /// Stores in the slot that `MEMOIZE` takes: the number of filled slots, as in CPython, which is not always a free one.
    #[inline]
    pub(crate) fn memoize(&mut self, value: R) -> u64 {
        let index = self.filled as u64;
        self.put(index, value);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_indexes_are_sparse_and_found() {
        let mut memo = Memo::new();
        memo.put(u64::from(u32::MAX), 'a');
        memo.put(1 << 60, 'b');
        assert_eq!(memo.memoize('c'), 2);
        assert!(memo.dense.len() < 10);
        assert_eq!(memo.get(u64::from(u32::MAX)), Some('a'));
        assert_eq!(memo.get(1 << 60), Some('b'));
        assert_eq!(memo.get(2), Some('c'));
        assert_eq!(memo.get(0), None);
    }

    #[test]
    fn the_vector_grows_over_the_map() {
        let mut memo = Memo::new();
        memo.put(2_000, 'x');
        for index in 0..1_500 {
            memo.put(index, 'y');
        }
        assert_eq!(memo.get(2_000), Some('x'));
        memo.put(2_500, 'z');
        assert_eq!(memo.get(2_000), Some('x'));
        memo.put(2_000, 'w');
        assert_eq!(memo.get(2_000), Some('w'));
        assert_eq!(memo.memoize('m'), 1_502);
    }
}
