//! Everything that walks a document, at a depth of a million: nothing recurses, and each takes about a second at most.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::{Duration, Instant};

use brinery::{Document, Limits, MemoPolicy, Pickler, Unpickler, Value};

use crate::pickle;

const DEPTH: usize = 1_000_000;
/// What is said to take "about a second", with room for a build without optimisation on a busy machine.
const SOON: Duration = Duration::from_secs(20);

/// Shapes, and how many characters a level adds to the text at least.
fn shapes() -> Vec<(&'static str, Vec<u8>, usize)> {
    let lists = pickle(&[&b"]".repeat(DEPTH), &b"a".repeat(DEPTH - 1), b"."]);
    let marked_lists = pickle(&[&b"(".repeat(DEPTH), &b"l".repeat(DEPTH), b"."]);
    let tuples = pickle(&[b"N", &b"\x85".repeat(DEPTH), b"."]);
    let dicts = pickle(&[&b"}N".repeat(DEPTH), b"N", &b"s".repeat(DEPTH), b"."]);
    // each level is the callable, the level inside as its one argument, and the call
    let reduces = pickle(&[b"cm\nf\nq\x000", &b"h\x00".repeat(DEPTH), b"N", &b"\x85R".repeat(DEPTH), b"."]);
    let builds = pickle(&[b"cm\nC\nq\x000", &b"h\x00)\x81".repeat(DEPTH), &b"b".repeat(DEPTH - 1), b"."]);
    let keys = pickle(&[b"}N", &b"\x85".repeat(DEPTH), b"Ns."]);
    let frozensets = pickle(&[&b"(".repeat(DEPTH), b"N", &b"\x91".repeat(DEPTH), b"."]);
    vec![
        ("lists", lists, 2),
        ("lists by marks", marked_lists, 2),
        ("tuples", tuples, 3),
        ("dicts", dicts, 8),
        ("reduces", reduces, 5),
        ("builds", builds, 5),
        ("keys", keys, 3),
        ("frozensets", frozensets, 13),
    ]
}

fn timed<T>(name: &str, what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    let taken = start.elapsed();
    println!("{name}: {what}: {taken:?}");
    assert!(taken < SOON, "{name}: {what} took {taken:?}");
    result
}

#[test]
fn a_million_levels() {
    for (name, bytes, width) in shapes() {
        let document = timed(name, "load", || Document::from_slice(&bytes).unwrap());
        let again = Document::from_slice(&bytes).unwrap();
        let text = timed(name, "repr", || document.root().repr().to_string());
        assert!(text.len() >= DEPTH * width, "{name}: {}", text.len());
        assert!(timed(name, "compare", || document.root() == again.root()), "{name} is not equal to itself");
        let depth = timed(name, "walk", || {
            let (mut depth, mut item) = (0, Some(document.root()));
            while let Some(inner) = item {
                depth += 1;
                item = inner
                    .items()
                    .next()
                    .or_else(|| inner.entries().next().map(|(key, value)| if key.is_none() { value } else { key }))
                    .or_else(|| inner.args().and_then(|args| args.at(0)))
                    .or_else(|| inner.state());
            }
            depth
        });
        assert!(depth + 1 >= DEPTH, "{name}: {depth}");
        timed(name, "drop", || drop(again));

        let limits = Limits::default();
        let value = timed(name, "to a tree", || Value::from_item(document.root(), &limits).unwrap());
        let clone = timed(name, "clone", || value.clone());
        assert!(timed(name, "compare trees", || value == clone), "{name}");
        let hash = |value: &Value| {
            let mut hasher = DefaultHasher::new();
            value.hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(timed(name, "hash", || hash(&value)), hash(&clone));
        assert!(timed(name, "debug", || format!("{value:?}")).len() > DEPTH, "{name}");
        timed(name, "drop tree", || drop(clone));

        let from_reader = timed(name, "load from a reader", || Document::from_reader(&*bytes).unwrap());
        assert!(from_reader.root() == document.root());
    }
}

#[test]
fn a_million_levels_are_written() {
    for (name, bytes, _) in shapes() {
        let document = Document::from_slice(&bytes).unwrap();
        let expected = Pickler::new().dump(&document).unwrap();
        for protocol in 0..=5 {
            let written = timed(name, &format!("write at {protocol}"), || Pickler::new().protocol(protocol).dump(&document).unwrap());
            if [0, 2, 5].contains(&protocol) {
                let again = Document::from_slice(&written).unwrap();
                assert!(Pickler::new().dump(&again).unwrap() == expected, "{name} at {protocol}");
            }
        }
        let unmemoised = timed(name, "write without memo", || Pickler::new().memo(MemoPolicy::Off).dump(&document).unwrap());
        let again = Document::from_slice(&unmemoised).unwrap();
        assert!(again.root() == document.root(), "{name}");
        let value = Value::from_document(&document).unwrap();
        let of_tree = timed(name, "write a tree", || Pickler::new().dump(&value).unwrap());
        assert!(Document::from_slice(&of_tree).unwrap().root() == document.root(), "{name}");
    }
}

#[test]
fn a_failure_at_depth_leaves_what_was_read() {
    let bytes = pickle(&[&b"]".repeat(DEPTH), b"\xff"]);
    let (document, error) = Unpickler::new().load_partial(&bytes, 0);
    assert_eq!(error.unwrap().offset(), Some(DEPTH as u64));
    assert_eq!(document.left_on_stack(0).len(), DEPTH);
    assert_eq!(document.root().repr().to_string(), "[]");
}

#[test]
fn depth_can_be_limited() {
    let mut limits = Limits::default();
    limits.depth = 100;
    let mut unpickler = Unpickler::new();
    unpickler.limits(limits);
    assert!(unpickler.load(&pickle(&[&b"(".repeat(100), b"N"])).is_err());
    let bytes = pickle(&[&b"(".repeat(200), b"N."]);
    let error = unpickler.load(&bytes).unwrap_err();
    assert_eq!(error.to_string(), "offset 100: MARK: the limit on depth (100) is exceeded");
}
