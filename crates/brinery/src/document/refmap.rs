//! Maps and sets of values, keyed by identity.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::store::Ref;

pub(crate) type RefMap<V> = HashMap<Ref, V, BuildHasherDefault<RefHasher>>;
pub(crate) type RefSet = HashSet<Ref, BuildHasherDefault<RefHasher>>;

/// Node indexes are counted up by the machine, not chosen by the input, so one multiplication spreads them.
#[derive(Debug, Default)]
pub(crate) struct RefHasher(u64);

impl Hasher for RefHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(byte.into());
        }
    }

    fn write_u32(&mut self, value: u32) {
        let product = (self.0 ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}
