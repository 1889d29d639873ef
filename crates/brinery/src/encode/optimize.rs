//! [`optimize`]: a pickle without the memo slots that nothing reads.

use std::collections::{HashMap, HashSet};

use super::memo::{self, Memo};
use super::out::{FRAME_TARGET, Out};
use crate::error::{Error, ErrorKind, Result};
use crate::lexer::{Lexer, Op, Token};
use crate::limits::Limits;
use crate::opcode::Opcode;
use crate::text;

/// What an opcode does with the memo.
enum Use {
    Put(u64),
    Get(u64),
}

/// Removes the opcodes that fill memo slots which nothing reads, and numbers the others anew: byte for byte what `pickletools.optimize` of
/// CPython gives. Bytes behind STOP are left out.
///
/// ```
/// let pickle = b"\x80\x04\x95\x0b\0\0\0\0\0\0\0]\x94(]\x94]\x94h\x02e.";
/// assert_eq!(brinery::optimize(pickle)?, b"\x80\x04\x95\x09\0\0\0\0\0\0\0](]]\x94h\0e.");
/// # Ok::<(), brinery::Error>(())
/// ```
pub fn optimize(pickle: &[u8]) -> Result<Vec<u8>> {
    let Uses { read, protocol } = Uses::of(pickle)?;
    let mut out = Out::new(Vec::with_capacity(pickle.len()), None);
    let mut slots: HashMap<u64, u32> = HashMap::new();
    let mut memo = Memo::default();
    let mut filled = Filled::default();
    for token in Lexer::new(pickle) {
        let token = token?;
        let bytes = pickle.get(token.offset..token.offset + token.size).unwrap_or_default();
        let opcode = token.op.opcode();
        if token.offset == 0 && opcode == Opcode::Proto {
            out.bytes(bytes);
        }
        // frames begin behind the header, if there is one
        if token.offset == 0 && protocol >= 4 {
            out.begin_frames();
        }
        if token.offset == 0 && opcode == Opcode::Proto || opcode == Opcode::Frame {
            continue;
        }
        match filled.look(&token.op).map_err(at(&token))? {
            Some(Use::Put(slot)) => {
                if read.contains(&slot) {
                    out.boundary()?;
                    slots.insert(slot, memo.put(&mut out, protocol)?);
                }
            }
            Some(Use::Get(slot)) => {
                out.boundary()?;
                let missing = || Error::at(ErrorKind::MemoMissing(slot), token.offset as u64, Some(opcode));
                memo::get(&mut out, protocol, *slots.get(&slot).ok_or_else(missing)?);
            }
            None if bytes.len() > FRAME_TARGET => out.alone(bytes),
            None => {
                out.boundary()?;
                out.bytes(bytes);
            }
        }
    }
    out.finish()?;
    Ok(out.into_buffer())
}

/// What a pickle reads from the memo, and the protocol that it needs.
struct Uses {
    read: HashSet<u64>,
    protocol: u8,
}

impl Uses {
    fn of(pickle: &[u8]) -> Result<Self> {
        let mut uses = Self { read: HashSet::new(), protocol: 0 };
        for token in Lexer::new(pickle) {
            let token = token?;
            match token.op {
                Op::Proto(protocol) => uses.protocol = uses.protocol.max(protocol),
                _ => {
                    if let Some(Use::Get(slot)) = memo_use(&token.op).map_err(at(&token))? {
                        uses.read.insert(slot);
                        uses.protocol = uses.protocol.max(token.op.opcode().protocol());
                    }
                }
            }
        }
        Ok(uses)
    }
}

fn memo_use(op: &Op<'_>) -> Result<Option<Use>> {
    let digits = Limits::default().digits;
    Ok(Some(match *op {
        Op::Put(slot) => Use::Put(text::memo_index(slot, digits)?),
        Op::Binput(slot) => Use::Put(slot.into()),
        Op::LongBinput(slot) => Use::Put(slot.into()),
        Op::Get(slot) => Use::Get(text::memo_index(slot, digits)?),
        Op::Binget(slot) => Use::Get(slot.into()),
        Op::LongBinget(slot) => Use::Get(slot.into()),
        _ => return Ok(None),
    }))
}

/// The slots that are filled so far.
#[derive(Default)]
struct Filled(HashSet<u64>);

impl Filled {
    /// What an opcode does; `MEMOIZE` fills the slot whose number is that of the slots filled.
    fn look(&mut self, op: &Op<'_>) -> Result<Option<Use>> {
        let found = if let Op::Memoize = op { Some(Use::Put(self.0.len() as u64)) } else { memo_use(op)? };
        if let Some(Use::Put(slot)) = found {
            self.0.insert(slot);
        }
        Ok(found)
    }
}

/// Says where an opcode is wrong.
fn at<'b>(token: &Token<'b>) -> impl FnOnce(Error) -> Error + use<'b> {
    let (offset, opcode) = (token.offset as u64, token.op.opcode());
    move |error| error.locate(offset, Some(opcode))
}
