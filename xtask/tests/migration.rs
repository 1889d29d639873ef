//! What the page for those who come from `serde-pickle` says, against that crate.
#![allow(clippy::unwrap_used, clippy::panic, clippy::needless_pass_by_value, clippy::zero_sized_map_values, missing_docs)]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;

use brinery::{Document, Pickler};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_pickle::{DeOptions, SerOptions};

/// Both read the same value.
#[track_caller]
fn both<T: DeserializeOwned + PartialEq + Debug>(bytes: &[u8], expected: T) {
    assert_eq!(serde_pickle::from_slice::<T>(bytes, DeOptions::new()).unwrap(), expected, "serde-pickle");
    assert_eq!(brinery::from_slice::<T>(bytes).unwrap(), expected);
}

/// Both refuse it.
#[track_caller]
fn neither<T: DeserializeOwned + Debug>(bytes: &[u8]) {
    assert!(serde_pickle::from_slice::<T>(bytes, DeOptions::new()).is_err(), "serde-pickle");
    assert!(brinery::from_slice::<T>(bytes).is_err());
}

/// Only Brinery reads it.
#[track_caller]
fn ours<T: DeserializeOwned + PartialEq + Debug>(bytes: &[u8], expected: T) {
    let theirs = serde_pickle::from_slice::<T>(bytes, DeOptions::new());
    assert!(theirs.is_err(), "serde-pickle reads {theirs:?}");
    assert_eq!(brinery::from_slice::<T>(bytes).unwrap(), expected);
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Choice {
    Unit,
    One(u8),
    Two(u8, String),
    Fields { a: u8, b: Option<bool> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Record {
    id: u32,
    name: String,
    score: f64,
    tags: Vec<String>,
    pair: (i8, i64),
    array: [u8; 3],
    choice: Choice,
    choices: Vec<Choice>,
    map: BTreeMap<String, u8>,
    by_number: BTreeMap<i64, ()>,
    set: BTreeSet<u8>,
    unit: (),
    newtype: Newtype,
    tuple: Pair,
    char: char,
    none: Option<u8>,
    some: Option<u8>,
    bytes: serde_bytes::ByteBuf,
    wide: u64,
    address: std::net::IpAddr,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Newtype(u8);
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Pair(u8, String);

fn record() -> Record {
    Record {
        id: 70_000,
        name: "näme".into(),
        score: -0.5,
        tags: vec!["a".into(), "b".into()],
        pair: (-1, i64::MIN),
        array: [1, 2, 3],
        choice: Choice::Two(1, "x".into()),
        choices: vec![Choice::Unit, Choice::One(2), Choice::Fields { a: 3, b: Some(true) }],
        map: BTreeMap::from([("k".into(), 1)]),
        by_number: BTreeMap::from([(-5, ()), (5, ())]),
        set: BTreeSet::from([1, 2]),
        unit: (),
        newtype: Newtype(9),
        tuple: Pair(1, "p".into()),
        char: 'ß',
        none: None,
        some: Some(1),
        bytes: serde_bytes::ByteBuf::from(vec![0, 255]),
        wide: 1 << 62,
        address: "127.0.0.1".parse().unwrap(),
    }
}

fn shown(bytes: &[u8]) -> String {
    Document::from_slice(bytes).unwrap().root().repr().to_string()
}

/// Each reads what the other writes, and Python gets the same value from both.
#[test]
fn the_same_form() {
    for (protocol, options) in [(3, SerOptions::new()), (2, SerOptions::new().proto_v2())] {
        let ours = Pickler::new().protocol(protocol).to_vec(&record()).unwrap();
        let theirs = serde_pickle::to_vec(&record(), options).unwrap();
        assert_eq!(shown(&ours), shown(&theirs));
        assert_eq!(brinery::from_slice::<Record>(&theirs).unwrap(), record());
        if protocol == 3 {
            assert_eq!(serde_pickle::from_slice::<Record>(&ours, DeOptions::new()).unwrap(), record());
        }
        // names are written once
        let records = vec![record(); 100];
        let ours = Pickler::new().protocol(protocol).to_vec(&records).unwrap();
        let theirs = serde_pickle::to_vec(&records, SerOptions::new()).unwrap();
        assert!(ours.len() < theirs.len() * 9 / 10, "{} {}", ours.len(), theirs.len());
    }
    for protocol in [4, 5] {
        let ours = Pickler::new().protocol(protocol).to_vec(&record()).unwrap();
        assert_eq!(serde_pickle::from_slice::<Record>(&ours, DeOptions::new()).unwrap(), record());
    }
    let ours = Pickler::new().enums_as_tuples(true).to_vec(&record().choices).unwrap();
    let theirs = serde_pickle::to_vec(&record().choices, SerOptions::new().compat_enum_repr()).unwrap();
    assert_eq!(shown(&ours), shown(&theirs));
    both(&theirs, record().choices);
    both(&ours, record().choices);
}

#[test]
fn what_both_read() {
    both(b"N.", ());
    both(b"N.", None::<u8>);
    both(b"\x80\x02\x88.", true);
    both(b"I01\n.", true);
    both(b"I5\n.", 5_u8);
    both(b"L5L\n.", 5_i64);
    both(b"K\x05.", 5.0);
    both(b"J\xff\xff\xff\xff.", -1_i64);
    both(b"\x8a\x08\0\0\0\0\0\0\0\x80.", i64::MIN);
    both(b"F1.5\n.", 1.5);
    both(b"G\x3f\xf8\0\0\0\0\0\0.", 1.5);
    both(b"S'ab'\np0\n.", "ab".to_owned());
    both(b"U\x02ab.", "ab".to_owned());
    both(b"U\x02ab.", serde_bytes::ByteBuf::from(b"ab".to_vec()));
    both(b"V\\u00e9\n.", "é".to_owned());
    both(b"\x80\x04\x8c\x02\xc3\xa9\x94.", "é".to_owned());
    both(b"C\x02ab.", serde_bytes::ByteBuf::from(b"ab".to_vec()));
    both(b"C\x02ab.", "ab".to_owned());
    both(b"](K\x01K\x02e.", vec![1, 2]);
    both(b"](K\x01K\x02e.", (1, 2));
    both(b"K\x01K\x02\x86.", vec![1, 2]);
    both(b"\x80\x04\x8f(K\x01K\x02\x90.", BTreeSet::from([1, 2]));
    both(b"\x80\x04(K\x01\x91.", vec![1]);
    both(b"c__builtin__\nset\n((lI1\natR.", vec![1]);
    both(b"}(K\x01NK\x02Nu.", BTreeMap::from([(1, ()), (2, ())]));
    both(b"}\x8c\x01aK\x01s.", HashMap::from([("a".to_owned(), 1)]));
    both(b"c_codecs\nencode\n(X\x02\0\0\0\xc3\xa9X\x06\0\0\0latin1tR.", serde_bytes::ByteBuf::from(vec![0xe9]));
    // an object is its attributes
    let object = b"ccopy_reg\n_reconstructor\n(c__main__\nC\nc__builtin__\nobject\nNtR(dVa\nI1\nsb.";
    both(object, HashMap::from([("a".to_owned(), 1)]));
    for bytes in [&b"\x8c\x04Unit."[..], b"\x8c\x04Unit\x85."] {
        both(bytes, Choice::Unit);
    }
    for bytes in [&b"}\x8c\x03OneK\x05s."[..], b"\x8c\x03OneK\x05\x86."] {
        both(bytes, Choice::One(5));
    }
}

#[test]
fn what_both_refuse() {
    neither::<u8>(b"");
    neither::<u8>(b"J\x01");
    neither::<u8>(b"K\x01.K\x02.");
    neither::<u8>(b"M\x2c\x01.");
    neither::<u8>(b"\x80\x02\x88.");
    neither::<u8>(b"G\x3f\xf0\0\0\0\0\0\0.");
    neither::<u8>(b"\x8c\x011.");
    neither::<()>(b").");
    neither::<i64>(b"cmath\nsin\n.");
    neither::<i64>(b"\x8a\x0a\0\0\0\0\0\0\0\0\0\x01.");
    neither::<Choice>(b"\x8c\x01Z.");
    neither::<Record>(b"}.");
    neither::<(u8, u8)>(b"K\x01\x85.");
}

#[test]
fn what_only_brinery_reads() {
    // d = {'k': 1}; [d, d]
    ours(b"\x80\x04](}\x94\x8c\x01k\x94K\x01sh\0e.", vec![HashMap::from([("k".to_owned(), 1)]); 2]);
    ours(b"ccollections\nOrderedDict\n)R(\x8c\x01aK\x01u.", HashMap::from([("a".to_owned(), 1)]));
    ours(b"cdecimal\nDecimal\n\x8c\x031.5\x85R.", "1.5".to_owned());
    ours(b"C\x02ab.", vec![97_u8, 98]);
    ours(b"\x8a\x0a\0\0\0\0\0\0\0\0\0\x01.", 1_u128 << 72);
    assert!(serde_pickle::to_vec(&(1_i128 << 80), SerOptions::new()).is_err());
    // and what it does not take: there, the third is dropped
    let three = b"K\x01K\x02K\x03\x87.";
    assert_eq!(serde_pickle::from_slice::<(u8, u8)>(three, DeOptions::new()).unwrap(), (1, 2));
    assert!(brinery::from_slice::<(u8, u8)>(three).is_err());
}

#[test]
fn options() {
    let globals = b"](cmath\nsin\nK\x01e.";
    assert_eq!(serde_pickle::from_slice::<((), u8)>(globals, DeOptions::new().replace_unresolved_globals()).unwrap(), ((), 1));
    assert_eq!(brinery::Unpickler::new().globals_as_none(true).from_slice::<((), u8)>(globals).unwrap(), ((), 1));
    let cycle = b"]q\0(h\0K\x01e.";
    assert_eq!(serde_pickle::from_slice::<((), u8)>(cycle, DeOptions::new().replace_recursive_structures()).unwrap(), ((), 1));
    assert_eq!(brinery::Unpickler::new().cycles_as_none(true).from_slice::<((), u8)>(cycle).unwrap(), ((), 1));
    let string = b"U\x02\xc3\xa9.";
    assert_eq!(serde_pickle::from_slice::<String>(string, DeOptions::new().decode_strings()).unwrap(), "é");
    assert_eq!(brinery::from_slice::<String>(string).unwrap(), "é");
}

#[test]
fn values() {
    let value = serde_pickle::Value::Dict(BTreeMap::from([
        (serde_pickle::HashableValue::String("a".into()), serde_pickle::Value::List(vec![serde_pickle::Value::I64(1)])),
        (serde_pickle::HashableValue::I64(2), serde_pickle::Value::Tuple(vec![serde_pickle::Value::None, serde_pickle::Value::F64(0.5)])),
    ]));
    let bytes = serde_pickle::value_to_vec(&value, SerOptions::new()).unwrap();
    let tree: brinery::Value = brinery::from_slice(&bytes).unwrap();
    let back = brinery::to_vec(&tree).unwrap();
    assert_eq!(serde_pickle::value_from_slice(&back, DeOptions::new()).unwrap(), value);
}
