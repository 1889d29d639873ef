//! Dates and times. Java's have milliseconds, no fold, and the Julian calendar before 1582-10-15.

use super::calls::Number;
use super::refused;
use crate::document::{DataKind, Ref, utf8_to_latin1};
use crate::encode::walk::Walk;
use crate::error::Result;
use crate::names::razorvine::Razorvine;

/// Year, month, day, hour, minute, second, microsecond. Of a time, the first three are a day that is one.
pub(super) type Fields = [i64; 7];

/// The first day that both calendars have in common.
const GREGORIAN: [i64; 3] = [1582, 10, 15];

/// The date of a time.
const ANY_DAY: [i64; 3] = [2000, 1, 1];

/// What the arguments of a date, datetime or time say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) fields: Fields,
    /// The second of two equal times where clocks are put back.
    has_fold: bool,
    pub(super) zone: Option<Ref>,
}

impl Walk<'_, '_, '_> {
    pub(super) fn check_date(&self, meaning: Razorvine, args: &[Ref]) -> Result<()> {
        let what = match meaning {
            Razorvine::Date => "a date",
            Razorvine::Datetime => "a datetime",
            _ => "a time",
        };
        let Some(Moment { fields, has_fold, .. }) = self.moment(meaning, args) else { return Ok(()) };
        let [year, month, day, .., microsecond] = fields;
        if has_fold {
            return Err(refused(what, "Razorvine's reader takes its fold for a part of the number before it"));
        }
        if !exists(fields) {
            return Err(refused(what, "there is none of these numbers"));
        }
        if [year, month, day] < GREGORIAN {
            return Err(refused(what, "Razorvine's reader has the Julian calendar before 1582-10-15"));
        }
        if meaning == Razorvine::Datetime && microsecond % 1_000 != 0 {
            return Err(refused(what, "Razorvine's reader has no microseconds"));
        }
        Ok(())
    }

    /// What arguments say that the reader takes; `None` for others.
    pub(super) fn moment(&self, meaning: Razorvine, args: &[Ref]) -> Option<Moment> {
        let (len, count) = match meaning {
            Razorvine::Date => (4, 3),
            Razorvine::Datetime => (10, 7),
            _ => (6, 4),
        };
        let (packed, zone) = match *args {
            [packed] => (self.packed(packed), None),
            [packed, zone] if meaning == Razorvine::Datetime => (self.packed(packed), Some(zone)),
            _ => (None, None),
        };
        if let Some(packed) = packed.filter(|packed| packed.len() == len) {
            return Some(unpack(meaning, &packed, zone));
        }
        let zone = args.get(count).copied();
        if zone.is_some() && meaning != Razorvine::Datetime || args.len() > count + 1 {
            return None;
        }
        let int = |arg: &Ref| match self.number_of(*arg) {
            Some(Number::Int(int)) => Some(int),
            _ => None,
        };
        let ints: Vec<i64> = args.get(..count)?.iter().map(int).collect::<Option<_>>()?;
        let mut fields = [0; 7];
        let start = if meaning == Razorvine::Time { 3 } else { 0 };
        for (field, int) in fields.iter_mut().skip(start).zip(ints) {
            *field = int;
        }
        Some(Moment { fields: on_any_day(meaning, fields), has_fold: false, zone: zone.filter(|&zone| zone != Ref::NONE) })
    }

    /// The bytes of a date's state, which Python 2 has as an 8-bit string.
    fn packed(&self, value: Ref) -> Option<Vec<u8>> {
        /// More than any text of ten Latin-1 characters.
        const LONGEST: usize = 20;
        let (kind, bytes) = self.store.bytes_of(&self.document.source, value)?;
        match kind {
            _ if bytes.len() > LONGEST => None,
            DataKind::Str | DataKind::Str8Latin1 => utf8_to_latin1(bytes).ok(),
            DataKind::Bytes | DataKind::Bytearray | DataKind::Str8Bytes | DataKind::Str8Text => Some(bytes.to_vec()),
            DataKind::Int | DataKind::StrSurrogates => None,
        }
    }
}

fn unpack(meaning: Razorvine, packed: &[u8], zone: Option<Ref>) -> Moment {
    let byte = |at: usize| packed.get(at).copied().map_or(0, i64::from);
    let time = |at: usize| [byte(at), byte(at + 1), byte(at + 2), byte(at + 3) << 16 | byte(at + 4) << 8 | byte(at + 5)];
    let ([year, month, day], [hour, minute, second, microsecond]) = match meaning {
        Razorvine::Time => ([0; 3], time(0)),
        Razorvine::Datetime => ([byte(0) << 8 | byte(1), byte(2), byte(3)], time(4)),
        _ => ([byte(0) << 8 | byte(1), byte(2), byte(3)], [0; 4]),
    };
    let has_fold = match meaning {
        Razorvine::Time => hour & 0x80 != 0,
        Razorvine::Datetime => month & 0x80 != 0,
        _ => false,
    };
    let fields = on_any_day(meaning, [year, month, day, hour, minute, second, microsecond]);
    Moment { fields, has_fold, zone }
}

fn on_any_day(meaning: Razorvine, fields: Fields) -> Fields {
    let [_, _, _, hour, minute, second, microsecond] = fields;
    let [year, month, day] = ANY_DAY;
    if meaning == Razorvine::Time { [year, month, day, hour, minute, second, microsecond] } else { fields }
}

/// Whether there is such a day and time.
fn exists([year, month, day, hour, minute, second, microsecond]: Fields) -> bool {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=9_999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..60).contains(&second)
        && (0..1_000_000).contains(&microsecond)
}
