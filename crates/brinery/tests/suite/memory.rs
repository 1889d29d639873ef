//! Memory in proportion: bounds in bytes for each opcode, beside the input.

use std::path::Path;

use brinery::{Document, Encoding, Unpickler};

use crate::allocations::{count, peak};

/// What an opcode may cost.
const PER_OPCODE: usize = 48;

/// The sizes that the bounds are promised at take a gigabyte and are for `BRINERY_LARGE=1`; a hundredth shows the same.
fn scale() -> usize {
    if std::env::var_os("BRINERY_LARGE").is_some() { 1 } else { 100 }
}

#[test]
fn many_opcodes() {
    let scale = scale();
    let fixed = 64 << 10;
    for (name, start, opcode, times, per_repetition, end) in [
        ("BININT1", &b"\x80\x04]("[..], &b"K\x01"[..], 50_000_000 / scale, 1, &b"e."[..]),
        ("lists", b"\x80\x04]", b"]\x94a", 33_000_000 / scale, 3, b"."),
        ("NONE", b"\x80\x04(", b"N", 100_000_000 / scale, 1, b"t."),
        ("dicts", b"\x80\x04]", b"}\x94a", 10_000_000 / scale, 3, b"."),
        ("floats", b"\x80\x04](", b"G\x3f\xf0\0\0\0\0\0\x01", 10_000_000 / scale, 1, b"e."),
        ("texts", b"\x80\x04](", b"\x8c\x01a\x94", 10_000_000 / scale, 2, b"e."),
        ("tuples", b"\x80\x04](", b"N\x85", 10_000_000 / scale, 2, b"e."),
        ("marks", b"\x80\x04", b"(", 10_000_000 / scale, 1, b"N."),
        ("gets", b"\x80\x04]\x94(", b"h\x00", 10_000_000 / scale, 1, b"l."),
        ("items set", b"\x80\x04}(", b"M\x01\x02N", 10_000_000 / scale, 2, b"u."),
        ("objects", b"\x80\x04cm\nC\n\x94(", b"h\x00)\x81", 10_000_000 / scale, 3, b"l."),
    ] {
        let bytes = [start, &opcode.repeat(times), end].concat();
        let (document, held) = peak(|| Document::from_slice(&bytes).unwrap());
        let opcodes = times * per_repetition;
        assert!(held < PER_OPCODE * opcodes + fixed, "{name}: {:.1} bytes an opcode", held as f64 / opcodes as f64);
        println!("{name}: {:.1} bytes an opcode", held as f64 / opcodes as f64);
        drop(document);
    }
}

#[test]
fn interleaved_appends_grow_without_waste() {
    // two lists that take turns: each append finds the other list's storage behind its own
    let times = 200_000;
    let bytes = [&b"]q\x00]q\x01"[..], &b"h\x00K\x01a0h\x01K\x02a0".repeat(times), b"\x86."].concat();
    let (document, held) = peak(|| Document::from_slice(&bytes).unwrap());
    assert!(held < PER_OPCODE * 8 * times, "{} bytes an item", held / (2 * times));
    assert!(document.root().items().all(|list| list.len() == Some(times)));
}

#[test]
fn a_reused_unpickler_allocates_next_to_nothing() {
    let records = b"}(\x8c\x04name\x8c\x03abc\x8c\x03ageK\x2a\x8c\x05scoreG?\xf0\0\0\0\0\0\0u".repeat(1_000);
    let bytes = [&b"\x80\x04]("[..], &records, b"e."].concat();
    let mut unpickler = Unpickler::new();
    for _ in 0..3 {
        let document = unpickler.load(&bytes).unwrap();
        unpickler.recycle(document);
    }
    let (document, allocations) = count(|| unpickler.load(&bytes).unwrap());
    assert_eq!(document.root().len(), Some(1_000));
    assert!(allocations < 10, "{allocations} allocations for 1,000 records");
}

#[test]
fn real_files_by_their_size() {
    // files of other people, where they are at hand
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/real");
    let Ok(manifest) = std::fs::read_to_string(folder.join("manifest.tsv")) else {
        println!("skipped: {} is not there", folder.display());
        return;
    };
    let mut ratios = Vec::new();
    for line in manifest.lines().skip(1) {
        let fields: Vec<_> = line.split('\t').collect();
        if fields[4] != "raw" {
            continue;
        }
        let bytes = std::fs::read(folder.join(fields[0])).unwrap();
        if bytes.len() <= 1_024 {
            continue;
        }
        let mut unpickler = Unpickler::new();
        unpickler.encoding(Encoding::Latin1);
        let (document, held) = peak(|| unpickler.load(&bytes));
        let taken = document.unwrap().pickles().next().unwrap().end;
        ratios.push(held as f64 / taken as f64);
    }
    ratios.sort_by(f64::total_cmp);
    println!("bytes held for each byte of input: {ratios:.2?}");
    assert!(ratios.len() > 10);
    assert!(ratios[ratios.len() / 2] < 6.0, "median {}", ratios[ratios.len() / 2]);
}
