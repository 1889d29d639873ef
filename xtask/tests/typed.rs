//! What is written of a program's own types against what CPython 3.11 writes, where it is at hand.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::{Path, PathBuf};

use xtask::oracle;
use xtask::typed::{Random, compare, edges};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn own_types_are_written_as_cpython_writes_plain_values() {
    if !oracle::is_there(&root()) {
        println!("skipped: python3 is not CPython 3.11");
        return;
    }
    let mut random = Random::new(11);
    let values = edges().into_iter().chain((0..500).map(|_| random.value(0)));
    let report = compare(&root(), values).unwrap();
    println!("{}", report.summary());
    assert!(report.faults.is_empty(), "{}", report.faults.join("\n"));
    assert!(report.values > 600 && report.identical > 5 * report.values, "{}", report.summary());
}
