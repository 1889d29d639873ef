//! Depth, cycles and expansion: quick and clear.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use brinery::{ErrorKind, Limits, Pickler, Unpickler, Value, from_slice};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Nest(Vec<Nest>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Chain(Option<Box<Chain>>);

fn lists(depth: usize) -> Vec<u8> {
    [&b"]".repeat(depth)[..], &b"a".repeat(depth - 1), b"."].concat()
}

fn nest(depth: usize) -> Nest {
    (1..depth).fold(Nest::default(), |inner, _| Nest(vec![inner]))
}

#[test]
fn depth_of_reading() {
    // a newtype and a list are two levels
    let read = |depth| from_slice::<Nest>(&lists(depth));
    assert_eq!(read(64).unwrap(), nest(64));
    let error = read(65).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "serde_depth", at: 128 }), "{error}");
    assert!(error.to_string().ends_with("[0][0][0]: the limit on serde_depth (128) is exceeded"), "{error}");
    for depth in [1_000, 1_000_000] {
        assert!(matches!(read(depth).unwrap_err().kind(), ErrorKind::LimitExceeded { limit: "serde_depth", .. }));
    }
    let mut limits = Limits::default();
    limits.serde_depth = 1_000;
    assert_eq!(Unpickler::new().limits(limits).from_slice::<Nest>(&lists(500)).unwrap(), nest(500));
    // a tree and what is ignored have no limit
    assert!(from_slice::<Value>(&lists(1_000_000)).is_ok());
    assert!(from_slice::<IgnoredAny>(&lists(1_000_000)).is_ok());
}

/// A type that is inside itself with nothing of the pickle between.
#[test]
fn types_without_an_end() {
    let error = from_slice::<Chain>(b"K\x01.").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "serde_depth", .. }), "{error}");
    assert_eq!(from_slice::<Chain>(b"N.").unwrap(), Chain(None));
}

#[test]
fn depth_of_writing() {
    assert_eq!(from_slice::<Nest>(&brinery::to_vec(&nest(64)).unwrap()).unwrap(), nest(64));
    let error = brinery::to_vec(&nest(65)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "serde_depth", at: 128 }));
    assert!(error.to_string().starts_with("[0][0][0]"), "{error}");
    let mut limits = Limits::default();
    limits.serde_depth = 1_000;
    assert!(Pickler::new().limits(limits).to_vec(&nest(500)).is_ok());
    let chain = (0..200).fold(Chain(None), |inner, _| Chain(Some(Box::new(inner))));
    assert!(matches!(brinery::to_vec(&chain).unwrap_err().kind(), ErrorKind::LimitExceeded { limit: "serde_depth", .. }));
    // trees have no limit
    let tree = from_slice::<Value>(&lists(1_000_000)).unwrap();
    let bytes = brinery::to_vec(&tree).unwrap();
    assert!(bytes.len() > 2_000_000);
}

#[test]
fn cycles() {
    // l = []; l.append(l), and one through a dict and a tuple
    for (bytes, path) in [(&b"]\x94h\0a."[..], "[0][0]"), (b"]\x94](h\0ea.", "[0][0]"), (b"]\x94h\0\x85a.", "[0][0]")] {
        let error = from_slice::<Nest>(bytes).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Cyclic), "{error}");
        assert!(error.path().unwrap().starts_with(path), "{error}");
        assert!(error.offset().is_some(), "{error}");
        assert!(from_slice::<Value>(bytes).is_err());
    }
    // as wide as it is deep
    let wide = [&b"]\x94("[..], &b"h\0".repeat(1_000), b"e."].concat();
    let start = Instant::now();
    assert!(matches!(from_slice::<Nest>(&wide).unwrap_err().kind(), ErrorKind::Cyclic));
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn billion_laughs() {
    // each list holds the one before ten times
    let mut bytes = b"]\x940".to_vec();
    for level in 0..60_u8 {
        bytes.extend_from_slice(b"](");
        bytes.extend_from_slice(&[b'h', level].repeat(10));
        bytes.extend_from_slice(b"e\x940");
    }
    bytes.extend_from_slice(b"h\x3c.");
    let start = Instant::now();
    let error = from_slice::<Nest>(&bytes).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "expansion", at: 1_048_576 }), "{error}");
    assert!(from_slice::<Value>(&bytes).is_err());
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    // the same with one long text, and with bytes
    let text = [&b"\x80\x04X\x00\x00\x10\x00"[..], &vec![b'x'; 1 << 20], b"\x940](", &b"h\0".repeat(10_000), b"e."].concat();
    let start = Instant::now();
    let error = from_slice::<Vec<String>>(&text).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "expansion", .. }), "{error}");
    let buffer = [&b"\x80\x04B\x00\x00\x10\x00"[..], &vec![b'x'; 1 << 20], b"\x940](", &b"h\0".repeat(10_000), b"e."].concat();
    assert!(from_slice::<Vec<Vec<u8>>>(&buffer).is_err());
    assert!(from_slice::<Vec<HashMap<String, u8>>>(&buffer).is_err());
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// Trees are paid for as well, one after another.
#[test]
fn many_trees_of_one_list() {
    let list = [&b"]("[..], &b"K\x01".repeat(100_000), b"e\x940"].concat();
    let bytes = [&list[..], b"](", &b"h\0".repeat(100_000), b"e."].concat();
    let start = Instant::now();
    let error = from_slice::<Vec<Value>>(&bytes).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "expansion", .. }), "{error}");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    // an honest one is not
    let rows = [&b"]("[..], &b"](K\x01K\x02e".repeat(500_000), b"e."].concat();
    assert_eq!(from_slice::<Vec<Value>>(&rows).unwrap().len(), 500_000);
    let mut builder = brinery::DocumentBuilder::new();
    let class = builder.global("m", "C").unwrap();
    let objects: Vec<_> = (0..100_000)
        .map(|at| {
            let (one, name) = (builder.int(at).unwrap(), builder.str("name").unwrap());
            let object = builder.call(class, [one, name]).unwrap();
            let state = builder.dict([(name, one)]).unwrap();
            builder.set_state(object, state).unwrap();
            object
        })
        .collect();
    let all = builder.list(objects).unwrap();
    let bytes = Pickler::new().dump(&builder.finish(all).unwrap()).unwrap();
    assert_eq!(from_slice::<Vec<Value>>(&bytes).unwrap().len(), 100_000);
}

/// What makes an object is looked at each time that it is read, and paid for.
#[test]
fn objects_with_much_in_them_are_paid_for() {
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Wanted {
        x: u8,
    }
    /// Goes on whatever was wrong, so that the next one is looked at.
    #[derive(Debug)]
    struct Lenient;
    impl<'de> Deserialize<'de> for Lenient {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let _ = Wanted::deserialize(deserializer);
            Ok(Self)
        }
    }
    #[derive(Debug)]
    struct Number;
    impl<'de> Deserialize<'de> for Number {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let _ = u8::deserialize(deserializer);
            Ok(Self)
        }
    }
    let many = b"h\0".repeat(50_000);
    let states = [&b"cm\nC\n)\x81q\x00"[..], &b"Nb".repeat(50_000), b"0](", &many, b"e."].concat();
    let items = [&b"cm\nC\n)\x81q\x00("[..], &b"NN".repeat(50_000), b"u0](", &many, b"e."].concat();
    let args = [&b"cm\nC\n("[..], &b"N".repeat(50_000), b"tRq\x000](", &many, b"e."].concat();
    let attributes = [&b"cm\nC\n)\x81}("[..], &b"\x8c\x01yN".repeat(50_000), b"ub}\x8c\x01zNsbq\x000](", &many, b"e."].concat();
    let chain = [
        &b"K\x01"[..],
        &b"cm\nC\n"[..0],
        b"0",
        &b"cm\nC\nq\x01"[..],
        &b"h\x01".repeat(50_000),
        b"K\x01",
        &b"\x85R".repeat(50_000),
        b"q\x000](",
        &many,
        b"e.",
    ]
    .concat();
    for (name, bytes) in [("states", states), ("items", items), ("args", args), ("attributes", attributes), ("chain", chain)] {
        let start = Instant::now();
        let results = [
            from_slice::<Vec<Lenient>>(&bytes).map(|all| all.len()),
            from_slice::<Vec<Number>>(&bytes).map(|all| all.len()),
            from_slice::<Vec<HashMap<String, Number>>>(&bytes).map(|all| all.len()),
            from_slice::<Vec<Option<Vec<Number>>>>(&bytes).map(|all| all.len()),
            from_slice::<Vec<serde_json::Value>>(&bytes).map(|all| all.len()),
        ];
        assert!(start.elapsed() < Duration::from_secs(10), "{name}: {:?} {results:?}", start.elapsed());
    }
}

/// What a type reads more than once of an honest document is no more than it has.
#[test]
fn wide_documents_are_no_expansion() {
    let bytes = [&b"\x80\x04]("[..], &b"K\x01".repeat(3_000_000), b"e."].concat();
    assert_eq!(from_slice::<Vec<u8>>(&bytes).unwrap().len(), 3_000_000);
    let texts: Vec<u8> = (0..300_000_u32).flat_map(|at| [&b"\x8c\x08"[..], format!("{at:08}").as_bytes()].concat()).collect();
    let bytes = [&b"\x80\x04]("[..], &texts, b"e."].concat();
    assert_eq!(from_slice::<Vec<&str>>(&bytes).unwrap().len(), 300_000);
    let strict = || {
        let mut limits = Limits::default();
        limits.expansion = 0;
        let mut unpickler = Unpickler::new();
        unpickler.limits(limits);
        unpickler
    };
    assert_eq!(strict().from_slice::<Vec<&str>>(&bytes).unwrap().len(), 300_000);
    let shared = [&b"](]\x94("[..], &b"K\x01".repeat(300), b"e", &b"h\0".repeat(1_000), b"e."].concat();
    assert!(strict().from_slice::<Vec<Vec<u8>>>(&shared).is_err());
}
