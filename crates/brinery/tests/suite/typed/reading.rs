//! serde's data model from Python's values.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Debug;

use brinery::{Document, Encoding, Unpickler, from_slice};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[track_caller]
fn reads<T: DeserializeOwned + PartialEq + Debug>(bytes: &[u8], expected: T) {
    assert_eq!(from_slice::<T>(bytes).unwrap(), expected);
    // from a reader, from a document, and from a tree it is the same
    assert_eq!(brinery::from_reader::<_, T>(bytes).unwrap(), expected);
    let document = Document::from_slice(bytes).unwrap();
    assert_eq!(brinery::from_document::<T>(&document).unwrap(), expected);
    let mut deserializer = brinery::Deserializer::new(document.root());
    assert_eq!(T::deserialize(&mut deserializer).unwrap(), expected);
    let tree = brinery::Value::from_document(&document).unwrap();
    assert_eq!(brinery::from_value::<T>(&tree).unwrap(), expected);
}

#[test]
fn scalars() {
    reads(b"\x80\x02\x88.", true);
    reads(b"N.", ());
    reads(b"N.", None::<u8>);
    reads(b"K\x05.", Some(5_u8));
    reads(b"K\x05.", (5_i8, 5_i16).0);
    reads(b"J\xff\xff\xff\xff.", -1_i64);
    reads(b"J\xff\xff\xff\xff.", -1_i128);
    reads(b"K\x05.", 5_u128);
    reads(b"K\x05.", 5.0_f64);
    reads(b"G\x3f\xf8\0\0\0\0\0\0.", 1.5_f32);
    reads(b"\x8c\x01x.", 'x');
    reads(b"\x8c\x02\xc3\xa9.", 'é');
    reads(b"\x8c\x02ab.", "ab".to_owned());
    reads(b"I01\n.", true);
    reads(b"F1e3\n.", 1000.0);
    reads(b"V\\u00e9\n.", "é".to_owned());
    // 2**64 - 1, 2**64, -2**63 - 1, 2**127, 2**128 - 1
    reads(b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0.", u64::MAX);
    reads(b"\x8a\x09\0\0\0\0\0\0\0\0\x01.", 1_u128 << 64);
    reads(b"\x8a\x09\0\0\0\0\0\0\0\0\x01.", 2_f64.powi(64));
    reads(b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\x7f\xff.", i128::from(i64::MIN) - 1);
    reads(b"\x8a\x11\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\0.", 1_u128 << 127);
    reads(b"\x8a\x11\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0.", u128::MAX);
}

#[test]
fn containers() {
    reads(b"](K\x01K\x02e.", vec![1_u8, 2]);
    reads(b"](K\x01K\x02e.", (1_u8, 2_i64));
    reads(b"](K\x01K\x02e.", [1_u8, 2]);
    reads(b"K\x01K\x02\x86.", vec![1_u8, 2]);
    reads(b").", Vec::<u8>::new());
    reads(b"\x80\x04\x8f(K\x01K\x02\x90.", HashSet::from([1_u8, 2]));
    reads(b"\x80\x04(K\x01K\x02\x91.", HashSet::from([1_u8, 2]));
    reads(b"c__builtin__\nset\n((lp0\nI1\naI2\natR.", HashSet::from([1_u8, 2]));
    reads(b"}(\x8c\x01aK\x01\x8c\x01bK\x02u.", HashMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]));
    // keys of any kind that can be one
    reads(b"}(K\x01NK\x02Nu.", BTreeMap::from([(1_u64, ()), (2, ())]));
    reads(b"}K\x01K\x02\x86\x8c\x01as.", HashMap::from([((1_i8, 2_i8), "a".to_owned())]));
    reads(b"\x80\x02}\x88Ns.", HashMap::from([(true, ())]));
    reads(b"}NK\x01s.", HashMap::from([(None::<u8>, 1)]));
    reads(b"C\x02ab.", vec![97_u8, 98]);
    reads(b"]].", Vec::<u8>::new());
}

#[derive(Debug, PartialEq, Deserialize)]
struct Unit;
#[derive(Debug, PartialEq, Deserialize)]
struct Newtype(u8);
#[derive(Debug, PartialEq, Deserialize)]
struct Pair(u8, String);
#[derive(Debug, PartialEq, Deserialize)]
struct Record {
    id: u32,
    #[serde(rename = "eMail")]
    email: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
}
#[derive(Debug, PartialEq, Deserialize)]
struct Flat {
    id: u32,
    #[serde(flatten)]
    rest: HashMap<String, u8>,
}

#[test]
fn structs() {
    reads(b"N.", Unit);
    reads(b"K\x01.", Newtype(1));
    reads(b"K\x01\x8c\x01a\x86.", Pair(1, "a".into()));
    reads(b"}(\x8c\x02idK\x01\x8c\x05eMail\x8c\x01xu.", Record { id: 1, email: Some("x".into()), tags: vec![] });
    // by position, and with fields that the type does not have
    reads(b"K\x01N]\x87.", Record { id: 1, email: None, tags: vec![] });
    reads(b"}(\x8c\x02idK\x01\x8c\x04more](]]e\x8c\x05eMailNK\x07K\x08u.", Record { id: 1, email: None, tags: vec![] });
    // 8-bit keys of Python 2, and keys that are bytes
    reads(b"}(U\x02idK\x01U\x05eMailU\x01xu.", Record { id: 1, email: Some("x".into()), tags: vec![] });
    reads(b"}(C\x02idK\x01C\x05eMailNu.", Record { id: 1, email: None, tags: vec![] });
    reads(b"}(\x8c\x02idK\x01\x8c\x01aK\x02u.", Flat { id: 1, rest: HashMap::from([("a".into(), 2)]) });
}

#[derive(Deserialize)]
struct Borrowed<'a> {
    text: &'a str,
    #[serde(borrow)]
    cow: Cow<'a, str>,
    #[serde(borrow)]
    bytes: brinery::py::Bytes<&'a [u8]>,
}

#[test]
fn text_and_bytes_are_borrowed() {
    let bytes = b"}(\x8c\x04text\x8c\x03abc\x8c\x03cow\x8c\x03def\x8c\x05bytesC\x03\x01\x02\x03u.".to_vec();
    let value: Borrowed<'_> = from_slice(&bytes).unwrap();
    let range = bytes.as_ptr_range();
    assert!(range.contains(&value.text.as_ptr()) && range.contains(&value.bytes.0.as_ptr()));
    assert_eq!((value.text, &*value.cow, value.bytes.0), ("abc", "def", &[1, 2, 3][..]));
    // the keys are short, the values are not copied: nothing of the document is left
    let long = [&b"\x80\x04B\x00\x00\x10\x00"[..], &vec![7; 1 << 20], b"."].concat();
    let borrowed: brinery::py::Bytes<&[u8]> = from_slice(&long).unwrap();
    assert!(std::ptr::eq(borrowed.0.as_ptr(), &raw const long[7]) && borrowed.0.len() == 1 << 20);
    // what had to be decoded cannot be borrowed from the input, but from a document
    assert_eq!(from_slice::<&str>(b"Va\\u0062c\n.").unwrap_err().to_string(), "expected a borrowed string, found str \"abc\" at offset 0");
    let document = Document::from_slice(b"Va\\u0062c\n.").unwrap();
    assert_eq!(brinery::from_document::<&str>(&document).unwrap(), "abc");
    assert_eq!(brinery::from_item::<&str>(document.root()).unwrap(), "abc");
}

#[test]
fn strings_of_python_2() {
    let bytes = b"U\x02h\xe9.";
    let read = |encoding| Unpickler::new().encoding(encoding).from_slice::<String>(bytes);
    assert_eq!(read(Encoding::Latin1).unwrap(), "h\u{e9}");
    assert_eq!(read(Encoding::Auto).unwrap_err().to_string(), "expected a string, found 8-bit str that is not UTF-8 at offset 0");
    assert_eq!(from_slice::<String>(b"U\x03h\xc3\xa9.").unwrap(), "h\u{e9}");
    // as bytes whatever the encoding
    for encoding in [Encoding::Auto, Encoding::Latin1, Encoding::Bytes] {
        let bytes: brinery::py::Str8<Vec<u8>> = Unpickler::new().encoding(encoding).from_slice(bytes).unwrap();
        assert_eq!(bytes.0, b"h\xe9");
    }
}

#[test]
fn lone_surrogates_are_no_strings() {
    let bytes = b"\x8c\x03\xed\xa0\x80.";
    assert_eq!(from_slice::<String>(bytes).unwrap_err().to_string(), "expected a string, found str with a lone surrogate at offset 0");
    assert!(from_slice::<brinery::Value>(bytes).is_ok());
}

#[test]
fn what_is_shared_is_read_in_each_place() {
    // a = [1]; [a, a, a]
    reads(b"](]\x94K\x01ah\0h\0e.", vec![vec![1_u8]; 3]);
    reads(b"\x8c\x03abc\x94h\0\x86.", ("abc".to_owned(), "abc".to_owned()));
}

#[test]
fn what_is_ignored_is_not_looked_at() {
    // deep, and inside itself
    let deep =
        [&b"}(\x8c\x02idK\x01\x8c\x05eMailN\x8c\x01x"[..], &b"]".repeat(100_000), &b"a".repeat(99_999), b"\x8c\x01y]\x94h\0au."].concat();
    assert_eq!(from_slice::<Record>(&deep).unwrap().id, 1);
    assert!(from_slice::<serde::de::IgnoredAny>(&deep).is_ok());
}

#[test]
fn bytes_behind_a_pickle() {
    assert_eq!(from_slice::<u8>(b"K\x01.xyz").unwrap_err().to_string(), "offset 3: 3 bytes stand behind the pickle");
    assert_eq!(brinery::from_reader::<_, u8>(&b"K\x01.xyz"[..]).unwrap(), 1);
    assert!(from_slice::<u8>(b"").is_err());
}

#[test]
fn options_of_an_unpickler() {
    let globals = b"](cmath\nsin\ncmath\ncos\ne.";
    let mut unpickler = Unpickler::new();
    assert!(unpickler.from_slice::<Vec<Option<u8>>>(globals).is_err());
    unpickler.globals_as_none(true).cycles_as_none(true);
    assert_eq!(unpickler.from_slice::<Vec<Option<u8>>>(globals).unwrap(), [None, None]);
    assert_eq!(unpickler.from_slice::<Vec<()>>(globals).unwrap(), [(), ()]);
    // l = [1]; l.append(l)
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Nested {
        Number(u8),
        None(()),
        List(Vec<Nested>),
    }
    let list = unpickler.from_slice::<Nested>(b"]\x94(K\x01h\0e.").unwrap();
    assert_eq!(list, Nested::List(vec![Nested::Number(1), Nested::None(())]));
    // shared, and not inside itself
    assert_eq!(unpickler.from_slice::<Vec<Option<Vec<u8>>>>(b"](]\x94h\0e.").unwrap(), [Some(vec![]), Some(vec![])]);
}

#[test]
fn buffers() {
    let document = Document::from_slice(b"\x80\x05(\x97\x98\x97l.").unwrap().with_buffers([&b"ab"[..], b"cd"]);
    let read: Vec<brinery::py::Buffer<&[u8]>> = brinery::from_document(&document).unwrap();
    assert_eq!(read.iter().map(|buffer| buffer.0).collect::<Vec<_>>(), [b"ab", b"cd"]);
    assert_eq!(brinery::from_document::<Vec<Vec<u8>>>(&document).unwrap(), [b"ab", b"cd"]);
    let error = from_slice::<Vec<Vec<u8>>>(b"\x80\x05(\x97l.").unwrap_err();
    assert_eq!(error.to_string(), "[0]: the data of out-of-band buffer 0 is not there at offset 3");
}
