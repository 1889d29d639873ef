//! What Razorvine itself writes of the same values, and what its reader has been seen to read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::path::{Path, PathBuf};

use brinery::{Encoding, MemoPolicy, Opcode, Pickler, Unpickler};
use xtask::agree::{json_lines, unhex};
use xtask::razorvine::corpus_cases;

fn vectors(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/vectors").join(name)
}

const BIG: &str = "a BigInteger is LONG1 there even if it is small; a Python int has no such type";
const ZONE: &str = "the arguments of pytz's calls are TUPLE behind a mark there, whatever their number";
const INNER: &str = "what only spells a date or an array is no object there, and has no number";
const VALUE: &str = "its memo compares by value there, and keeps one of two values with one hash";
const REFUSED: &str = "its own reader reads it as something else";
const CUSTOM: &str = "a program's own pickler or deconstructor decides what has a number, and which tuples have a mark";
const MLLIB: &str = "Spark's own pickler has BININT for small integers, and BINSTRING, without a number, for short strings";

/// What differs from the library's own bytes, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("dump.BigInts.1", BIG),
    ("dump.bigint.0", BIG),
    ("dump.bigint.-1", BIG),
    ("dump.Dates.1", ZONE),
    ("dump.TimeZone.Amsterdam", ZONE),
    ("dump.TimeZone.UTC", ZONE),
    ("dump.calendar.UTC", ZONE),
    ("dump.calendar.gmt+1", ZONE),
    ("dump.memo.calendar", INNER),
    ("dump.memo.array", INNER),
    ("dump.memo.set.by_value", VALUE),
    ("dump.memo.hash_collision", VALUE),
    ("dump.persid.nonascii", "Python refuses an id line that is not ASCII"),
    ("dump.long[]", REFUSED),
    ("dump.deconstructor.noargs", REFUSED),
    ("dump.custom_pickler.memo", CUSTOM),
    ("dump.deconstructor", CUSTOM),
    ("spark.rows", CUSTOM),
    ("spark.row.single", CUSTOM),
    ("spark.row.nested", CUSTOM),
    ("spark.mllib.DenseVector", MLLIB),
    ("spark.mllib.SparseVector", MLLIB),
    ("spark.mllib.DenseMatrix", MLLIB),
    ("spark.mllib.SparseMatrix", MLLIB),
    ("spark.mllib.LabeledPoint", MLLIB),
    ("spark.mllib.Rating", CUSTOM),
];

#[test]
fn pickles_are_those_of_the_library() {
    let (mut identical, mut different) = (0, Vec::new());
    for vector in json_lines(&vectors("razorvine.jsonl")).unwrap() {
        let is_java = vector["langs"].as_array().is_some_and(|langs| langs.iter().any(|lang| lang == "java"));
        if !is_java || !["dumps", "spark"].iter().any(|kind| vector["kind"] == *kind) {
            continue;
        }
        let name = vector["name"].as_str().unwrap();
        let bytes = unhex(vector["pickle_hex"].as_str().unwrap()).unwrap();
        let mut unpickler = Unpickler::new();
        // an 8-bit string of the library is of Latin-1
        unpickler.encoding(Encoding::Latin1);
        let written = unpickler.load(&bytes).and_then(|document| {
            let is_memo = |opcode| matches!(opcode, Opcode::Binput | Opcode::LongBinput);
            let has_memo = brinery::Lexer::new(&bytes).any(|op| op.is_ok_and(|op| is_memo(op.op.opcode())));
            let mut pickler = Pickler::razorvine();
            pickler.memo(if has_memo { MemoPolicy::Identity } else { MemoPolicy::Off });
            pickler.dump(&document)
        });
        let rule = DIFFERENT.iter().find(|(different, _)| *different == name);
        if written.as_ref().is_ok_and(|written| *written == bytes) {
            identical += 1;
            assert!(rule.is_none(), "{name} is identical");
        } else if rule.is_none() {
            let written = written.map_or_else(|error| error.to_string(), |written| written.escape_ascii().to_string());
            different.push(format!("{name}:\n  {}\n  {written}", bytes.escape_ascii()));
        }
    }
    assert_eq!(identical, 95);
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}

/// `cargo xtask agree --razorvine JAR --record` makes the file: each of these pickles was read as the same value.
#[test]
fn what_the_reader_read_is_still_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cases = corpus_cases(&root).unwrap();
    let lines = json_lines(&vectors("razorvine_written.jsonl")).unwrap();
    assert!(lines.len() > 200, "{}", lines.len());
    for line in lines {
        let file = line["file"].as_str().unwrap();
        let case = cases.iter().find(|case| case.name == file).unwrap_or_else(|| panic!("{file} is not there"));
        let written = case.read(|document| Pickler::razorvine().dump(document)).unwrap().unwrap();
        let expected = unhex(line["pickle_hex"].as_str().unwrap()).unwrap();
        assert_eq!(written.escape_ascii().to_string(), expected.escape_ascii().to_string(), "{file}");
    }
}
