//! How much of a value is shown, and what in it is shared.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use brinery::{Id, Item, Kind};

use super::shape::{Cuts, Head, Row, Rows, Shapes};

/// What the options say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) all: bool,
    pub(crate) depth: Option<usize>,
    pub(crate) items: Option<usize>,
    pub(crate) width: usize,
}

/// What will be shown.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) cuts: Cuts,
    pub(super) shared: HashSet<Id>,
    pub(super) width: usize,
}

/// How many values make a useful screenful or two. Many of them share a line.
const VALUES: usize = 600;
/// Depths and numbers of items to try, the most generous first.
const DEPTH: usize = 12;
const ITEMS: [usize; 6] = [100, 50, 20, 10, 5, 3];
/// Dicts and objects are cut later than lists: what they hold differs more.
const FIELDS: usize = 30;
/// So many numbers are shown at any depth.
const FEW: usize = 4;

impl Plan {
    /// Finds the cuts under which these values are of a useful size. Items go first, then depth: the beginning of everything says more
    /// than all of the outside.
    pub(crate) fn new(values: &[Item<'_>], asked: Asked) -> Self {
        let cuts =
            |depth, items: usize| Cuts { depth, items, fields: items.max(FIELDS), text: asked.width.saturating_mul(2), bytes: asked.width };
        let shapes = Shapes::default();
        let plan = |cuts: Cuts, budget| walk(values, &shapes, &cuts, budget).map(|shared| Self { cuts, shared, width: asked.width });
        if asked.all {
            return plan(Cuts::NONE, usize::MAX).unwrap_or_else(|| Self::empty(asked.width));
        }
        let depths: Vec<_> = asked.depth.map_or_else(|| (1..=DEPTH).rev().collect(), |depth| vec![depth]);
        let items: Vec<_> = asked.items.map_or_else(|| ITEMS.to_vec(), |items| vec![items]);
        let budget = VALUES.max(asked.items.unwrap_or(0).saturating_mul(2));
        let (deepest, fewest) = (depths.first().copied().unwrap_or(DEPTH), items.last().copied().unwrap_or(1));
        let mut tries: Vec<_> = items.iter().map(|&items| cuts(deepest, items)).collect();
        tries.extend(depths.iter().skip(1).map(|&depth| cuts(depth, fewest)));
        let last = tries.last().copied();
        let found = tries.into_iter().find_map(|cuts| plan(cuts, budget));
        found.or_else(|| plan(last?, usize::MAX)).unwrap_or_else(|| Self::empty(asked.width))
    }

    fn empty(width: usize) -> Self {
        Self { cuts: Cuts::NONE, shared: HashSet::new(), width }
    }
}

/// Hashes ids, of which there may be many millions. They are numbers that follow one another as the pickle makes values, so nobody can choose
/// them to collide.
#[derive(Debug, Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u32(&mut self, number: u32) {
        // the set finds a place by the lower bits, so that neighbours stay neighbours in memory, and tells entries apart by the upper ones
        let mixed = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = u64::from(number) | (mixed & 0xfe00_0000_0000_0000);
    }
}

/// What is still to be walked.
enum Task<'d> {
    Value(Item<'d>, usize),
    Rows(Rows<'d>, usize),
}

/// Walks what would be shown, in the order in which it would be printed, and finds what is met more than once; nothing if there are more
/// values than the budget.
fn walk<'d>(values: &[Item<'d>], shapes: &Shapes<'d>, cuts: &Cuts, budget: usize) -> Option<HashSet<Id>> {
    let mut seen = HashSet::<Id, BuildHasherDefault<IdHasher>>::default();
    let mut shared = HashSet::new();
    let mut count = 0;
    let mut open: Vec<_> = values.iter().rev().map(|&value| Task::Value(value, 0)).collect();
    while let Some(task) = open.pop() {
        match task {
            Task::Value(item, depth) => {
                count += 1;
                if count > budget {
                    return None;
                }
                if is_plain(item) {
                    continue;
                }
                let has_identity = Shapes::has_identity(item);
                if has_identity && seen.contains(&item.id()) {
                    shared.insert(item.id());
                } else if depth < cuts.depth || !can_close(item) {
                    if has_identity {
                        seen.insert(item.id());
                    }
                    let Some(node) = shapes.node(item, cuts) else { continue };
                    open.push(Task::Rows(node.rows, depth + 1));
                    if let Head::Value(class) = node.head {
                        open.push(Task::Value(class, depth + 1));
                    }
                }
            }
            Task::Rows(mut rows, depth) => {
                let Some(row) = rows.next() else { continue };
                open.push(Task::Rows(rows, depth));
                match row {
                    Row::Value(value) | Row::Named(_, _, value) | Row::Wrapped(_, value, _) => open.push(Task::Value(value, depth)),
                    Row::Pair(key, value) => open.extend([Task::Value(value, depth), Task::Value(key, depth)]),
                    Row::Group(_, rows, _) => open.push(Task::Rows(rows, depth)),
                    Row::Cut(..) => {}
                }
            }
        }
    }
    Some(shared)
}

/// Whether a value has nothing inside and no identity worth telling.
fn is_plain(item: Item<'_>) -> bool {
    matches!(item.kind(), Kind::None | Kind::Bool | Kind::Int | Kind::Float | Kind::Str | Kind::Str8 | Kind::Bytes)
}

/// Whether something is saved by leaving out what is inside a value.
pub(super) fn can_close(item: Item<'_>) -> bool {
    match item.kind() {
        Kind::Dict => item.is_empty() == Some(false),
        // a few numbers take no more room than the note that they are left out
        Kind::List | Kind::Tuple | Kind::Set | Kind::Frozenset => {
            item.len() > Some(FEW) || item.items().any(|item| !matches!(item.kind(), Kind::None | Kind::Bool | Kind::Int | Kind::Float))
        }
        Kind::Object | Kind::Persistent => true,
        Kind::Global | Kind::Extension => item.actions().next().is_some(),
        _ => false,
    }
}
