//! What stands compressed in the cookbook's files; the other recipes are examples of the codec's documentation, which are tests themselves.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::path::Path;

use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize)]
struct User {
    id: u32,
    name: String,
    groups: Vec<String>,
}

#[test]
fn a_file_of_djangos_cache() {
    let file = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/brinery/docs/cookbook/django_cache.bin")).unwrap();
    let time = brinery::Document::from_slice(&file).unwrap();
    assert_eq!(brinery::from_document::<Option<f64>>(&time).unwrap(), None);
    let start = usize::try_from(time.pickles().next().unwrap().end).unwrap();
    let user: User = brinery::from_reader(flate2::read::ZlibDecoder::new(&file[start..])).unwrap();
    assert_eq!(user, User { id: 7, name: "Ada".into(), groups: vec!["staff".into(), "editors".into()] });
}
