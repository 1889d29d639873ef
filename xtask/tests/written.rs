//! What Brinery writes against what CPython writes: of the corpus, and where CPython 3.11 is at hand, of objects that it makes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use brinery::{Document, Pickler};
use xtask::differences::WRITTEN;
use xtask::oracle::{self, Judge, Objects};
use xtask::written::{Checker, corpus};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn groups() -> Vec<PathBuf> {
    let mut groups: Vec<_> = fs::read_dir(root().join("corpus/cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    groups.sort();
    groups
}

fn assert_no_faults(checker: &Checker) {
    println!("{}", checker.report.summary());
    assert!(checker.report.faults.is_empty(), "{}", checker.report.faults.join("\n"));
}

fn is_there() -> bool {
    let there = oracle::is_there(&root());
    if !there {
        println!("skipped: python3 is not CPython 3.11");
    }
    there
}

#[test]
fn what_cpython_wrote_is_written_again() {
    let judge = is_there().then(|| Judge::new(&root()).unwrap());
    let is_judged = judge.is_some();
    let mut checker = Checker::new(judge, 1 << 16);
    for group in groups() {
        for object in corpus(&group).unwrap() {
            checker.object(&object).unwrap();
        }
    }
    assert_no_faults(&checker);
    let report = &checker.report;
    assert!(report.objects > 700 && report.identical > 3_800, "{}", report.summary());
    if is_judged {
        assert!(report.equal > 4_000, "{}", report.summary());
        let unused: Vec<_> = WRITTEN.iter().map(|rule| rule.name).filter(|name| !report.explained.contains_key(name)).collect();
        // only an object that is made for it has two classes of one name
        assert_eq!(unused, ["same-name"], "no pickle needs these rules");
    }
    assert!(WRITTEN.len() <= 12);
}

#[test]
fn objects_made_for_edges_are_written_as_cpython_writes_them() {
    if is_there() {
        check_objects(&["--fixed"], Some(Judge::new(&root()).unwrap()), 600);
    }
}

#[test]
fn random_objects_are_written_as_cpython_writes_them() {
    if is_there() {
        check_objects(&["--random", "400", "--seed", "3"], None, 400);
    }
}

fn check_objects(args: &[&str], judge: Option<Judge>, least: usize) {
    let mut checker = Checker::new(judge, 1 << 12);
    for object in Objects::new(&root(), args).unwrap() {
        let object = object.unwrap();
        checker.object(&object).unwrap();
    }
    assert_no_faults(&checker);
    assert!(checker.report.objects >= least);
}

#[test]
fn optimised_as_pickletools_does() {
    if !is_there() {
        return;
    }
    let mut pickles = Vec::new();
    for group in groups() {
        for object in corpus(&group).unwrap() {
            for pickle in object.pickles.into_iter().flatten() {
                // a list of lists without memo, so that frames end elsewhere
                if let Ok(document) = Document::from_slice(&pickle) {
                    pickles.extend((2..=4).filter_map(|protocol| Pickler::new().protocol(protocol).dump(&document).ok()));
                }
                pickles.push(pickle);
            }
        }
    }
    for object in Objects::new(&root(), &["--fixed"]).unwrap() {
        let object = object.unwrap();
        if object.name.starts_with("large/") {
            pickles.extend(object.pickles.into_iter().flatten().filter(|pickle| pickle.len() < 300_000));
        }
    }
    let expected = oracle::optimized(&root(), &pickles).unwrap();
    assert_eq!(expected.len(), pickles.len());
    let mut compared = 0;
    for (pickle, expected) in pickles.iter().zip(expected) {
        let found = brinery::optimize(pickle);
        match expected {
            Some(expected) => {
                assert!(found.unwrap() == expected, "{}", pickle.escape_ascii());
                compared += 1;
            }
            // Brinery has no trouble with some texts that pickletools takes for ASCII
            None => assert!(found.is_ok() || pickle.len() < 100, "{}", pickle.escape_ascii()),
        }
    }
    assert!(compared > 4_000, "{compared}");
}
