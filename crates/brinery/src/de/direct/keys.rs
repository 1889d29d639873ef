//! The keys of a dict, all of which have to be different: what equal keys mean is a document's to say.

use std::hash::{BuildHasher, RandomState};

/// So many keys are compared one by one.
const FEW: usize = 16;
/// Longest row of places that are taken: with places by chance it is hardly ever half as long.
const LONGEST_ROW: usize = 64;

/// Where a text stands: its start and its length.
type Place = (u32, u32);

/// Keys so far: all of them texts, or all of them integers.
#[derive(Debug)]
pub(super) struct Keys {
    count: usize,
    few: [Place; FEW],
    ints: [i64; FEW],
    is_of_texts: bool,
    /// The integers came in their order; the last is the largest.
    is_ascending: bool,
    last: i64,
    many: Option<Box<Table>>,
}

impl Default for Keys {
    fn default() -> Self {
        Self { count: 0, few: [(0, 0); FEW], ints: [0; FEW], is_of_texts: false, is_ascending: true, last: 0, many: None }
    }
}

fn text(window: &[u8], (start, len): Place) -> &[u8] {
    window.get(start as usize..start as usize + len as usize).unwrap_or_default()
}

impl Keys {
    /// Adds a text of the window; whether it is new, and no key before it was of another kind.
    #[inline]
    pub(super) fn add_text(&mut self, window: &[u8], (start, len): (usize, usize)) -> bool {
        let key = (start as u32, len as u32);
        let Some(place) = self.few.get_mut(self.count) else { return self.add_to_table(window, key) };
        *place = key;
        let before = self.few.get(..self.count).unwrap_or_default();
        let is_same = |&other: &Place| other == key || (other.1 == key.1 && text(window, other) == text(window, key));
        if (self.count > 0 && !self.is_of_texts) || before.iter().any(is_same) {
            return false;
        }
        self.is_of_texts = true;
        self.count += 1;
        true
    }

    /// Adds an integer, likewise. Many are taken only in their order.
    #[inline]
    pub(super) fn add_int(&mut self, key: i64) -> bool {
        if self.is_of_texts {
            return false;
        }
        if self.count > 0 && key <= self.last {
            self.is_ascending = false;
        }
        if !self.is_ascending && (self.count >= FEW || self.ints.iter().take(self.count).any(|&other| other == key)) {
            return false;
        }
        if let Some(place) = self.ints.get_mut(self.count) {
            *place = key;
        }
        self.last = key;
        self.count += 1;
        true
    }

    #[inline(never)]
    fn add_to_table(&mut self, window: &[u8], key: Place) -> bool {
        if !self.is_of_texts {
            return false;
        }
        let few = &self.few;
        let table = match &mut self.many {
            Some(table) => table,
            many => {
                let mut table = Box::new(Table::new());
                if !few.iter().all(|&key| table.add(window, key)) {
                    return false;
                }
                many.insert(table)
            }
        };
        table.add(window, key)
    }
}

/// Many texts by their hashes.
#[derive(Debug)]
struct Table {
    texts: Vec<Place>,
    /// Numbers of texts, one more than they are; a power of two of them.
    places: Vec<u32>,
    seed: u64,
    factor: u64,
}

impl Table {
    fn new() -> Self {
        let random = RandomState::new();
        Self { texts: Vec::new(), places: vec![0; 4 * FEW], seed: random.hash_one(1_u8), factor: random.hash_one(2_u8) | 1 }
    }

    /// Adds a text; not if it is there, nor if texts make long rows, as chosen ones might.
    fn add(&mut self, window: &[u8], key: Place) -> bool {
        if self.places.len() < 2 * (self.texts.len() + 1) {
            let len = 4 * self.places.len();
            self.places.clear();
            self.places.resize(len, 0);
            let texts = std::mem::take(&mut self.texts);
            let fits = texts.iter().enumerate().all(|(number, &key)| self.place(window, key, number, &[]));
            self.texts = texts;
            if !fits {
                return false;
            }
        }
        let texts = std::mem::take(&mut self.texts);
        let is_new = self.place(window, key, texts.len(), &texts);
        self.texts = texts;
        self.texts.push(key);
        is_new
    }

    /// Gives a text a place, if none of the others is equal.
    fn place(&mut self, window: &[u8], key: Place, number: usize, others: &[Place]) -> bool {
        let hash = self.hash(text(window, key));
        let mask = self.places.len() - 1;
        for step in 0..LONGEST_ROW {
            let Some(place) = self.places.get_mut((hash as usize).wrapping_add(step) & mask) else { return false };
            if *place == 0 {
                *place = number as u32 + 1;
                return true;
            }
            let is_same = |&other: &Place| other.1 == key.1 && text(window, other) == text(window, key);
            if others.get(*place as usize - 1).is_some_and(is_same) {
                return false;
            }
        }
        false
    }

    /// Words folded into one by multiplications with a secret number.
    #[inline]
    fn hash(&self, text: &[u8]) -> u64 {
        let fold = |word: u64| {
            let product = u128::from(word) * u128::from(self.factor);
            (product as u64) ^ ((product >> 64) as u64)
        };
        let mut hash = self.seed ^ text.len() as u64;
        let (words, rest) = text.as_chunks::<8>();
        for word in words {
            hash = fold(hash ^ u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        fold(hash ^ u64::from_le_bytes(last))
    }
}
