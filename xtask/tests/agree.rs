//! Agreement with CPython over everything the repository holds, and over more where it is at hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use brinery::{Encoding, Unpickler};
use xtask::agree::{self, Report};
use xtask::{cases, differences};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn vectors(name: &str) -> Report {
    let folder = root().join("corpus/vectors");
    agree::vectors(&folder.join(name), &folder.join("structure.jsonl")).unwrap()
}

fn all() -> Vec<(String, Report)> {
    let mut reports: Vec<_> = ["razorvine.jsonl", "malformed.jsonl"].iter().map(|&name| (name.to_owned(), vectors(name))).collect();
    for entry in fs::read_dir(root().join("corpus/cases")).unwrap() {
        let path = entry.unwrap().path();
        reports.push((path.display().to_string(), cases::group(&path).unwrap()));
    }
    reports
}

#[test]
fn every_pickle_of_the_repository_agrees() {
    let reports = all();
    for (name, report) in &reports {
        println!("{name}: {}", report.summary());
        assert!(report.faults.is_empty(), "{name}: {:#?}", report.faults);
    }
    let total = |count: fn(&Report) -> usize| reports.iter().map(|(_, report)| count(report)).sum::<usize>();
    assert!(total(|report| report.total) > 2_400, "some are missing");
    assert!(total(|report| report.values) > 1_900);
    // a rule that explains nothing is no longer true, or was never tested
    for difference in differences::DIFFERENCES {
        let used = reports.iter().any(|(_, report)| report.explained.contains_key(difference.name));
        assert!(used, "no pickle needs the rule {}", difference.name);
    }
}

#[test]
fn the_sizes_of_the_vector_files_are_known() {
    assert_eq!(vectors("razorvine.jsonl").total, 603);
    assert_eq!(vectors("malformed.jsonl").total, 135);
}

/// Pickles of many makers, where they are at hand: `manifest.tsv` says which of them CPython loads, and with which encoding.
#[test]
fn real_files_that_cpython_loads_are_read() {
    let folder = root().join("../shared/corpus/real");
    let Ok(manifest) = fs::read_to_string(folder.join("manifest.tsv")) else {
        println!("skipped: {} is not there", folder.display());
        return;
    };
    let (mut raw, mut loaded) = (0, 0);
    for line in manifest.lines().skip(1) {
        let fields: Vec<_> = line.split('\t').collect();
        let (file, container, cpython) = (fields[0], fields[4], fields[9]);
        if container != "raw" {
            continue;
        }
        raw += 1;
        let bytes = fs::read(folder.join(file)).unwrap();
        let mut unpickler = Unpickler::new();
        if cpython.contains("encoding=latin1") {
            unpickler.encoding(Encoding::Latin1);
        }
        let (document, error) = unpickler.load_partial(&bytes, 0);
        if cpython.starts_with("yes") {
            assert!(error.is_none(), "{file}: {error:?}");
            assert!(document.root().repr().limit(100 << 20).write_to(&mut String::new()).is_ok(), "{file}");
            loaded += 1;
        } else if cpython.contains("Error: ") && !cpython.contains("UnpicklingError") && !cpython.contains("ValueError") {
            // only classes are missing there
            assert!(error.is_none(), "{file}: {error:?}");
        }
    }
    assert!(raw > 50 && loaded > 20, "{raw} raw, {loaded} loaded");
}

/// A small random number generator (xorshift), so that a failure can be had again.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

/// One to three of: a byte changed, bytes cut out, bytes repeated, a piece of another file, the end cut off, a length changed.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.next(3) {
        if bytes.is_empty() {
            return;
        }
        let at = random.next(bytes.len());
        let end = (at + 1 + random.next(8)).min(bytes.len());
        match random.next(7) {
            0 => bytes[at] = random.next(256) as u8,
            1 => bytes[at] ^= 1 << random.next(8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            4 if !other.is_empty() => {
                let from = random.next(other.len());
                let to = (from + 1 + random.next(20)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            5 => bytes.truncate(at),
            _ => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'.', b'(', b'0'][random.next(8)],
        }
    }
}

#[test]
fn mutated_pickles_give_the_same_from_every_input() {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("corpus/cases")).unwrap() {
        for case in fs::read_dir(entry.unwrap().path()).unwrap() {
            let path = case.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "pkl") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut files: Vec<_> = files.iter().map(|path| fs::read(path).unwrap()).collect();
    files.retain(|bytes| bytes.len() < 2_000);
    // `MUTATIONS=1000000` for a long run
    let count = std::env::var("MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..count {
        let mut bytes = files[random.next(files.len())].clone();
        let other = files[random.next(files.len())].clone();
        mutate(&mut bytes, &other, &mut random);
        let start = std::time::Instant::now();
        let mut unpickler = Unpickler::new();
        let outcome = xtask::inputs::load_all_ways(&mut unpickler, &bytes, &[]);
        let outcome = outcome.unwrap_or_else(|error| panic!("{}: {error}", bytes.escape_ascii()));
        if outcome.value.is_ok() {
            read += 1;
        } else {
            refused += 1;
        }
        // what was read before an error is a document like any other
        let (document, _) = unpickler.load_partial(&bytes, 0);
        let (again, _) = Unpickler::new().load_partial(&bytes, 0);
        let mut text = String::new();
        let _ = document.root().repr().limit(10_000).write_to(&mut text);
        // NaN equals nothing, as in Python, and what holds one equals itself only
        let equal = document.root() == again.root();
        assert!(equal || text.contains("nan") || text.len() == 10_000, "{} does not equal itself", bytes.escape_ascii());
        assert!(document.root() == document.root());
        for item in document.left_on_stack(0).chain(document.dropped(0)) {
            let _ = item.repr().limit(10_000).write_to(&mut String::new());
        }
        if let Ok(value) = brinery::Value::try_from(document.root()) {
            assert!(value == value.clone());
        }
        assert!(start.elapsed().as_secs() < 5, "{} took {:?}", bytes.escape_ascii(), start.elapsed());
    }
    assert!(read > count / 20 && refused > count / 20, "{read} read, {refused} refused");
}
