//! Files that are not raw pickles, though pickles may be inside: what they are, by their first bytes.
//!
//! A pickle may begin with any of 68 bytes, many of them letters, so a file's magic number is looked at only after reading it as a pickle
//! has failed. The exceptions are formats in which a pickle could end by chance before anything looks wrong.

use std::collections::HashSet;

use brinery::{Document, Error, ErrorKind, Item, Kind, Part, Pickle};

/// A format: where its magic is, the magic, and its name.
type Row = (usize, &'static [u8], &'static str);

/// Formats whose magic is long enough to be believed before the file is read as a pickle.
const CERTAIN: [Row; 3] = [
    (0, b"PK\x03\x04", "a zip file (torch, npz ...)"),
    (257, b"ustar", "a tar archive"),
    (0, b"RENPY RPC2", "a compiled Ren'Py script (rpyc)"),
];

/// Formats that are named once the file turned out to be no pickle.
const LIKELY: [Row; 23] = [
    (0, b"\x1f\x8b", "gzip data (`gzip -dc` unpacks it)"),
    (0, b"BZh", "bzip2 data (`bzip2 -dc` unpacks it)"),
    (0, b"\xfd7zXZ\0", "xz data (`xz -dc` unpacks it)"),
    (0, b"\x5d\0\0", "lzma data (`xz -dc --format=lzma` unpacks it)"),
    (0, b"\x28\xb5\x2f\xfd", "zstd data (`zstd -dc` unpacks it)"),
    (0, b"\x04\x22\x4d\x18", "an lz4 frame (`lz4 -dc` unpacks it)"),
    (0, b"ZF0x", "a file of joblib before 0.10, compressed"),
    (0, b"\x93NUMPY", "a NumPy array file (npy)"),
    (0, b"version https://", "a Git LFS pointer: the file itself was not downloaded (`git lfs pull` does it)"),
    (0, b"PK\x05\x06", "an empty zip file"),
    (0, b"RPA-", "a Ren'Py archive (rpa)"),
    (0, b"FS21", "a ZODB storage (Data.fs)"),
    (0, b"FS30", "a ZODB storage (Data.fs)"),
    (0, b"ZEXP", "a ZODB export (zexp)"),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (0, b"PAR1", "a Parquet file"),
    (0, b"ARROW1", "an Arrow file"),
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, b"\x7fELF", "a program"),
    (0, b"%PDF", "a PDF document"),
    (0, b"\x89PNG", "a PNG image"),
    (0, b"# mnemosyne", "a text file"),
    (0, b"\xef\xbb\xbf", "text with a byte order mark"),
];

/// What a file is that cannot be a raw pickle, before it is read as one.
pub(crate) fn certain(bytes: &[u8]) -> Option<&'static str> {
    find(&CERTAIN, bytes)
}

/// What a file is that could not be read as a pickle, given what was read of it.
pub(crate) fn likely(bytes: &[u8], error: &Error, document: Option<&Document<'_>>) -> Option<&'static str> {
    if is_zlib(bytes) {
        return Some("zlib data");
    }
    if let Some(name) = find(&LIKELY, bytes) {
        return Some(name);
    }
    let start = bytes.trim_ascii_start();
    let begins = |text: &[u8]| start.get(..text.len()).is_some_and(|found| found.eq_ignore_ascii_case(text));
    if begins(b"<!doctype html") || begins(b"<html") {
        return Some("an HTML page");
    }
    if begins(b"<?xml") {
        return Some("an XML document");
    }
    if error.offset() == Some(0) && is_base64(bytes) {
        return Some("base64 text");
    }
    if error.offset() == Some(0) && is_text(bytes, error.kind()) {
        return Some("a text file");
    }
    if is_length_prefixed(bytes) {
        return Some("a message with its length in front, as Graphite and logging send them: the pickle begins at byte 4");
    }
    if document.is_some_and(has_joblib_array) {
        return Some("joblib data with arrays between the opcodes");
    }
    None
}

/// `PyTorch` before 1.6 wrote some pickles, of which this number is the first, and then the tensors' data. It did so by protocol 2; where
/// somebody chose a protocol with frames, the pickles are shown like any others.
pub(crate) fn is_old_torch(bytes: &[u8], pickle: Pickle, root: Item<'_>) -> bool {
    const MAGIC: [u8; 10] = *b"\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
    let more = (bytes.len() as u64) > pickle.end;
    more && pickle.protocol.is_none_or(|protocol| protocol < 4) && root.as_int_bytes().is_some_and(|bytes| *bytes == MAGIC)
}

fn find(rows: &[Row], bytes: &[u8]) -> Option<&'static str> {
    let is_there = |row: &&Row| bytes.get(row.0..).is_some_and(|rest| rest.starts_with(row.1));
    rows.iter().find(is_there).map(|row| row.2)
}

/// Method 8 with a window of 32 KiB, and a check that makes the header a multiple of 31.
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [0x78, flags @ (0x01 | 0x5e | 0x9c | 0xda), ..] if (0x7800 + u16::from(*flags)).is_multiple_of(31))
}

/// Text whose first letter happens to be an opcode, which could do nothing. Pickles of protocol 0 are text as well, but theirs can.
fn is_text(bytes: &[u8], kind: &ErrorKind) -> bool {
    const LOOKED_AT: usize = 4096;
    let is_printable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r' | 0x80..);
    matches!(kind, ErrorKind::MemoMissing(_) | ErrorKind::StackUnderflow | ErrorKind::MissingMark)
        && bytes.len() >= 4
        && !bytes.trim_ascii_end().ends_with(b".")
        && bytes.iter().take(LOOKED_AT).all(is_printable)
}

/// One message or several: each ends with STOP where its length says.
fn is_length_prefixed(bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk() else { return false };
    let message = rest.get(..u32::from_be_bytes(*length) as usize);
    message.is_some_and(|message| matches!(message, [0x80, 0..=5, .., b'.'] | [b'(' | b']' | b'}', .., b'.']))
}

/// One line of base64, whose first letter happens to be an opcode.
fn is_base64(bytes: &[u8]) -> bool {
    let line = bytes.trim_ascii_end();
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=');
    line.len() >= 16 && line.len().is_multiple_of(4) && line.iter().all(is_digit)
}

/// Whether an object of joblib's is there whose array's bytes follow it in the file. What came after it was no opcodes, so it may stand
/// anywhere on the stack, or in something that was made of it.
fn has_joblib_array(document: &Document<'_>) -> bool {
    has_object_of(document.left_on_stack(0).chain(document.dropped(0)).collect(), &["NumpyArrayWrapper"])
}

/// Whether joblib before 0.10 wrote the file: its arrays are in files of their own, and the pickle holds their names.
pub(crate) fn is_old_joblib(bytes: &[u8], document: &Document<'_>) -> bool {
    // looking for the name is much faster than looking at every object
    memchr::memmem::find(bytes, b"NDArrayWrapper").is_some() && has_object_of(vec![document.root()], &["NDArrayWrapper", "ZNDArrayWrapper"])
}

/// Whether an object of one of joblib's classes is in these values.
fn has_object_of<'d>(mut open: Vec<Item<'d>>, names: &[&str]) -> bool {
    // wrapped arrays are near the top of what a model is; a bound keeps a huge document from being walked in vain
    const LOOKED_AT: usize = 1 << 20;
    let mut seen = HashSet::new();
    while let Some(item) = open.pop() {
        if seen.len() > LOOKED_AT {
            break;
        }
        if !matches!(item.kind(), Kind::List | Kind::Tuple | Kind::Dict | Kind::Object) || !seen.insert(item.id()) {
            continue;
        }
        let class = item.class().and_then(Item::as_global);
        if class.is_some_and(|(module, name)| module.ends_with("joblib.numpy_pickle") && names.contains(&name)) {
            return true;
        }
        open.extend(item.items());
        open.extend(item.entries().flat_map(|(key, value)| [key, value]));
        for part in item.parts() {
            match part {
                Part::Arguments(items) => open.extend(items),
                Part::Attributes(entries) | Part::Keywords(entries) => open.extend(entries.map(|(_, value)| value)),
                Part::State(item) | Part::Call(item) => open.push(item),
                _ => {}
            }
        }
    }
    false
}
