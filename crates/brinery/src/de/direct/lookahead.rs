//! What an empty list or dict is followed by: its own items, or what stands beside it.

use super::Direct;
use crate::error::Result;
use crate::input::Input;

/// How a container goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Items {
    /// It has no more.
    None,
    /// One, and then the opcode for one.
    Single,
    /// Any number above a mark.
    Marked,
}

/// Items of a full batch, behind which there may be another. Other batches are the last.
pub(super) const BATCH: usize = 1_000;
/// Opcodes looked at, at most. Behind so many values it is taken for empty, since what has one item has mostly a short one.
const FARTHEST: usize = 64;

impl<I: Input, L> Direct<'_, I, L> {
    /// How a list goes on, whose items come singly by `APPEND`.
    #[inline(always)]
    pub(super) fn list_items(&mut self) -> Result<Items> {
        self.items(b'a')
    }

    /// How a dict goes on, whose items come singly by `SETITEM`.
    #[inline(always)]
    pub(super) fn dict_items(&mut self) -> Result<Items> {
        self.items(b's')
    }

    #[inline(always)]
    fn items(&mut self, adder: u8) -> Result<Items> {
        match self.peek()? {
            b'(' => Ok(Items::Marked),
            // what can only be about this value and others before it
            b'e' | b'u' | b't' | b'.' | b's' | b'a' | 0x85..=0x87 | 0x90 => Ok(Items::None),
            _ => Ok(self.look(adder)),
        }
    }

    /// About how many doubles or booleans come next in the batch: what is to hold them need not grow on the way.
    pub(super) fn items_ahead(&self, at: usize) -> Option<usize> {
        let rest = self.input.window().get(at..)?;
        // each step ends where the next opcode stands, so that the count is that of values which are there
        match rest.first()? {
            b'G' => Some((1..BATCH).take_while(|&count| rest.get(9 * count) == Some(&b'G')).count() + 1),
            0x88 | 0x89 => Some(rest.iter().take(BATCH).take_while(|&&opcode| matches!(opcode, 0x88 | 0x89)).count()),
            _ => None,
        }
    }

    /// How many pairs of texts and numbers come next in the batch; where it is full, about how many in all that follow.
    pub(super) fn pairs_ahead(&self) -> usize {
        let window = self.input.window();
        let mut at = self.at;
        let mut values = 0;
        while values < 2 * BATCH {
            let Some(&opcode) = window.get(at) else { break };
            let byte = |at: usize| window.get(at).map_or(0, |&byte| usize::from(byte));
            let (length, is_value) = match opcode {
                b'N' | 0x88 | 0x89 => (1, true),
                b'K' | b'h' => (2, true),
                b'M' => (3, true),
                b'J' | b'j' => (5, true),
                b'G' => (9, true),
                0x8a | 0x8c | b'C' => (2 + byte(at + 1), true),
                b'X' => match window.get(at + 1..).and_then(|rest| rest.first_chunk::<4>()) {
                    Some(&length) => (5 + u32::from_le_bytes(length) as usize, true),
                    None => break,
                },
                0x94 => (1, false),
                b'q' => (2, false),
                b'r' => (5, false),
                0x95 => (9, false),
                _ => break,
            };
            at += length;
            values += usize::from(is_value);
        }
        let pairs = values / 2;
        if pairs < BATCH || self.depth > 1 {
            return pairs;
        }
        // as many more as there is room for, if they are like these
        pairs + pairs * window.len().saturating_sub(at) / (at - self.at).max(1)
    }

    /// Goes over the next opcodes, counting the values that they leave above the container, until one of them takes the container or adds to it.
    #[inline(never)]
    fn look(&self, adder: u8) -> Items {
        let window = self.input.window();
        let mut at = self.at;
        let mut height = 0_usize;
        // heights at which a mark stands
        let mut marks = [0_usize; FARTHEST];
        let mut marked = 0;
        for _ in 0..FARTHEST {
            let Some(&opcode) = window.get(at) else { return Items::None };
            let byte = |at: usize| window.get(at).map_or(0, |&byte| usize::from(byte));
            let four =
                |at: usize| window.get(at..).and_then(|rest| rest.first_chunk::<4>()).map_or(0, |&four| u32::from_le_bytes(four) as usize);
            let (length, pops, pushes) = match opcode {
                b'N' | 0x88 | 0x89 | b']' | b'}' | b')' | 0x8f => (1, 0, 1),
                b'K' | b'h' => (2, 0, 1),
                b'M' => (3, 0, 1),
                b'J' | b'j' => (5, 0, 1),
                b'G' => (9, 0, 1),
                0x8a | 0x8c | b'C' => (2 + byte(at + 1), 0, 1),
                b'X' | b'B' => (5 + four(at + 1), 0, 1),
                0x94 => (1, 0, 0),
                b'q' => (2, 0, 0),
                b'r' => (5, 0, 0),
                0x95 => (9, 0, 0),
                0x85 => (1, 1, 1),
                0x86 => (1, 2, 1),
                0x87 => (1, 3, 1),
                b'a' => {
                    if marked == 0 && height == 1 {
                        return if adder == b'a' { Items::Single } else { Items::None };
                    }
                    (1, 2, 1)
                }
                b's' => {
                    if marked == 0 && height == 2 {
                        return if adder == b's' { Items::Single } else { Items::None };
                    }
                    (1, 3, 1)
                }
                b'(' => {
                    if let Some(mark) = marks.get_mut(marked) {
                        *mark = height;
                    }
                    marked += 1;
                    at += 1;
                    continue;
                }
                b'e' | b'u' | b't' | 0x90 => {
                    let Some(mark) = marked.checked_sub(1).and_then(|last| marks.get(last)) else { return Items::None };
                    marked -= 1;
                    height = mark + usize::from(opcode == b't');
                    at += 1;
                    continue;
                }
                _ => return Items::None,
            };
            let floor = marked.checked_sub(1).and_then(|last| marks.get(last)).copied().unwrap_or(0);
            if height - floor < pops {
                return Items::None;
            }
            height = height - pops + pushes;
            at += length;
        }
        Items::None
    }
}
