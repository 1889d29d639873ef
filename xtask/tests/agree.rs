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
