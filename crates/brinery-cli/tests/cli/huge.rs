//! Depth and size: nothing recurses, and what is shown is what is paid for.

use std::time::{Duration, Instant};

use super::{Dir, dag};

const DEEP: usize = 1_000_000;

/// Debug builds and busy machines are slow; what is quadratic is slower by far.
const PATIENCE: Duration = Duration::from_secs(60);

fn deep(open: &[u8], close: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x80\x04".to_vec();
    bytes.extend(open.repeat(DEEP));
    bytes.push(b'N');
    bytes.extend(close.repeat(DEEP));
    bytes.push(b'.');
    bytes
}

#[test]
fn a_million_levels() {
    for (name, open, close) in [
        ("lists", &b"]"[..], &b"a"[..]),
        ("tuples", b"", b"\x85"),
        ("dicts", b"}N", b"s"),
        ("reduces", b"cm\nC\n", b"\x85R"),
        ("states", b"cm\nC\n)\x81", b"b"),
    ] {
        let dir = Dir::with("a.pkl", &deep(open, close));
        let start = Instant::now();
        let check = dir.run(&["check", "a.pkl"]);
        assert_eq!(check.code, 0, "{name}: {}", check.out);
        let show = dir.run(&["show", "a.pkl"]);
        assert_eq!(show.code, 0, "{name}");
        assert!(show.out.len() < 4_000 && show.out.contains("..."), "{name}: {}", show.out);
        let repr = dir.run(&["show", "--repr", "a.pkl"]);
        assert_eq!(repr.code, 0, "{name}");
        assert!(repr.out.contains("None") && repr.out.len() > 2 * DEEP, "{name}");
        let all = dir.run(&["show", "--all", "a.pkl"]);
        assert_eq!(all.code, 0, "{name}");
        assert!(all.out.contains("None") && !all.out.contains("..."), "{name}");
        assert!(all.out.len() < 200 * DEEP, "{name}: {}", all.out.len());
        let stats = dir.run(&["stats", "a.pkl"]);
        assert_eq!(stats.code, 0, "{name}");
        assert!(start.elapsed() < PATIENCE, "{name}: {:?}", start.elapsed());
    }
}

#[test]
fn a_million_levels_are_listed() {
    let dir = Dir::with("a.pkl", &deep(b"](", b"e"));
    let start = Instant::now();
    let ran = dir.run(&["dis", "a.pkl"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.out.lines().count(), 3 * DEEP + 4);
    assert!(
        ran.out.ends_with(&format!("1 item to list from 2\n {:>7}  .       0        STOP\n", 3 * DEEP + 3)),
        "{}",
        ran.out.get(ran.out.len() - 200..).unwrap()
    );
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

#[test]
fn a_chain_of_callables() {
    // what is called is itself the result of a call, a million times
    let mut bytes = b"\x80\x04cm\nC\n".to_vec();
    bytes.extend(b")R".repeat(DEEP));
    bytes.push(b'.');
    let dir = Dir::with("a.pkl", &bytes);
    for args in [&["show", "a.pkl"][..], &["show", "--all", "a.pkl"], &["check", "a.pkl"], &["dis", "a.pkl"]] {
        assert_eq!(dir.run(args).code, 0, "{args:?}");
    }
    assert!(dir.run(&["show", "a.pkl"]).out.len() < 1_000);
}

#[test]
fn a_long_list_is_shown_by_its_head() {
    let mut bytes = b"\x80\x04](".to_vec();
    bytes.extend(b"K\x07".repeat(3_000_000));
    bytes.extend(b"e.");
    let ran = Dir::with("a.pkl", &bytes).run(&["show", "a.pkl"]);
    assert!(ran.out.contains("... 2,999,900 more items"), "{}", ran.out);
    assert!(ran.out.len() < 1_000);
}

#[test]
fn graphs_take_time_in_proportion_to_their_nodes() {
    let dir = Dir::with("a.pkl", &dag());
    let start = Instant::now();
    for args in [&["show", "a.pkl"][..], &["show", "--all", "a.pkl"], &["check", "a.pkl"], &["dis", "a.pkl"], &["stats", "a.pkl"]] {
        assert_eq!(dir.run(args).code, 0, "{args:?}");
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn lengths_that_lie_cost_nothing() {
    let dir = Dir::with("a.pkl", b"\x80\x04\x8e\0\0\0\0\0\0\0\x40");
    let ran = dir.run(&["check", "a.pkl"]);
    assert_eq!(ran.code, 13);
    // a slot of the memo far beyond all others, filled and read
    let sparse = Dir::with("a.pkl", b"\x80\x04]r\xff\xff\xff\xffj\xff\xff\xff\xff\x86.");
    assert_eq!(sparse.run(&["show", "a.pkl"]).out, "(&1 [], *1)\n");
}
