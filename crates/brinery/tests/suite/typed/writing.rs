//! serde's data model as Python's values.

use std::collections::BTreeMap;
use std::io::{self, Write};

use brinery::{Document, ErrorKind, MemoPolicy, Pickler, from_slice, to_vec};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::shown;

#[test]
fn plain_values() {
    assert_eq!(shown(&(1_u8, -1_i64, u64::MAX, i128::MIN, u128::MAX)), format!("(1, -1, {}, {}, {})", u64::MAX, i128::MIN, u128::MAX));
    assert_eq!(shown(&(true, 'é', "a", 1.5_f32, 0.1_f64)), "(True, 'é', 'a', 1.5, 0.1)");
    assert_eq!(shown(&((), None::<u8>, Some(1), [1, 2], vec![1])), "(None, None, 1, (1, 2), [1])");
    assert_eq!(shown(&BTreeMap::from([((1, 2), "x")])), "{(1, 2): 'x'}");
    assert_eq!(shown(&f64::NAN), "nan");
    assert_eq!(shown("ip: ::1"), "'ip: ::1'");
    assert_eq!(shown(&"127.0.0.1".parse::<std::net::IpAddr>().unwrap()), "'127.0.0.1'");
}

#[derive(Serialize)]
struct Record {
    name: &'static str,
    age: u8,
}

#[test]
fn names_and_keys_are_written_once() {
    let records = [Record { name: "Ada", age: 1 }, Record { name: "Ada", age: 2 }];
    // pickle.dumps(json.loads('[{"name": "Ada", "age": 1}, {"name": "Ada", "age": 2}]')), but for the tuple
    let expected = b"\x80\x04\x95,\0\0\0\0\0\0\0}\x94(\x8c\x04name\x94\x8c\x03Ada\x94\x8c\x03age\x94K\x01u}\x94(h\x01\x8c\x03Ada\x94h\x03K\x02u\x86\x94.";
    assert_eq!(to_vec(&records).unwrap().escape_ascii().to_string(), expected.escape_ascii().to_string());
    let count = |memo| {
        let bytes = Pickler::new().memo(memo).to_vec(&records).unwrap();
        let count = |part: &[u8]| bytes.windows(part.len()).filter(|window| *window == part).count();
        (count(b"name"), count(b"Ada"), count(b"\x94"))
    };
    assert_eq!(count(MemoPolicy::Identity), (1, 2, 7));
    assert_eq!(count(MemoPolicy::EqualText), (1, 1, 6));
    assert_eq!(count(MemoPolicy::Off), (2, 2, 0));
}

/// A sequence and a map that do not say how long they are.
struct Unsized(usize);

impl Serialize for Unsized {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for at in 0..self.0 {
            seq.serialize_element(&at)?;
        }
        seq.end()
    }
}

struct UnsizedMap(usize);

impl Serialize for UnsizedMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for at in 0..self.0 {
            map.serialize_entry(&at, &at)?;
        }
        map.end()
    }
}

#[test]
fn lengths_that_are_not_known_make_no_difference() {
    use brinery::py::{Frozenset, Set, Tuple};
    for count in [0, 1, 2, 3, 4, 999, 1_000, 1_001, 1_002, 2_000, 2_001] {
        let list: Vec<usize> = (0..count).collect();
        let map: BTreeMap<usize, usize> = list.iter().map(|&at| (at, at)).collect();
        for protocol in 0..=5 {
            for dialect in [brinery::Dialect::Python, brinery::Dialect::Python315] {
                let mut pickler = Pickler::new();
                pickler.protocol(protocol).dialect(dialect);
                let name = format!("{count} items, protocol {protocol}, {dialect:?}");
                assert_eq!(pickler.to_vec(&Unsized(count)).unwrap(), pickler.to_vec(&list).unwrap(), "{name}");
                assert_eq!(pickler.to_vec(&UnsizedMap(count)).unwrap(), pickler.to_vec(&map).unwrap(), "{name}");
                assert_eq!(pickler.to_vec(&Set(Unsized(count))).unwrap(), pickler.to_vec(&Set(&list)).unwrap(), "{name}");
                assert_eq!(pickler.to_vec(&Frozenset(Unsized(count))).unwrap(), pickler.to_vec(&Frozenset(&list)).unwrap(), "{name}");
                assert_eq!(pickler.to_vec(&Tuple(Unsized(count))).unwrap(), pickler.to_vec(&Tuple(&list)).unwrap(), "{name}");
                // inside others, too
                let nested = pickler.to_vec(&vec![Tuple(Unsized(count)), Tuple(Unsized(count))]).unwrap();
                assert_eq!(nested, pickler.to_vec(&vec![Tuple(&list), Tuple(&list)]).unwrap(), "{name}");
            }
        }
    }
}

/// A first item that ends a frame: the mark before it is gone by then, and the long form as good.
#[test]
fn unknown_lengths_over_the_end_of_a_frame() {
    struct Long;
    impl Serialize for Long {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut seq = serializer.serialize_seq(None)?;
            seq.serialize_element(&vec!["x".repeat(1_000); 100])?;
            seq.end()
        }
    }
    for protocol in 0..=5 {
        let mut pickler = Pickler::new();
        let bytes = pickler.protocol(protocol).to_vec(&(brinery::py::Tuple(Long), Long)).unwrap();
        let (a, b): (Vec<Vec<String>>, Vec<Vec<String>>) = from_slice(&bytes).unwrap();
        assert!(a == b && a[0].len() == 100);
        let mut streamed = Vec::new();
        pickler.to_writer(&mut streamed, &(brinery::py::Tuple(Long), Long)).unwrap();
        assert_eq!(from_slice::<(Vec<Vec<String>>, Vec<Vec<String>>)>(&streamed).unwrap().1, b);
    }
}

#[test]
fn lengths_that_are_wrong() {
    struct Wrong(usize, usize);
    impl Serialize for Wrong {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut seq = serializer.serialize_seq(Some(self.0))?;
            (0..self.1).try_for_each(|at| seq.serialize_element(&at))?;
            seq.end()
        }
    }
    assert_eq!(to_vec(&Wrong(2, 3)).unwrap_err().to_string(), "there are more items than the 2 that were announced");
    assert_eq!(to_vec(&Wrong(3, 2)).unwrap_err().to_string(), "3 items were announced, and there are 2");
    assert_eq!(to_vec(&vec![Wrong(0, 1)]).unwrap_err().to_string(), "[0]: there are more items than the 0 that were announced");
    assert!(to_vec(&brinery::py::Tuple(Wrong(2, 3))).is_err());
    assert!(to_vec(&Wrong(1_000, 1_000)).is_ok() && to_vec(&Wrong(usize::MAX, 1)).is_err());
}

struct Refuses;

impl Serialize for Refuses {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("not this one"))
    }
}

#[test]
fn errors_say_where() {
    #[derive(Serialize)]
    struct Outer {
        parts: Vec<Inner>,
    }
    #[derive(Serialize)]
    struct Inner {
        map: BTreeMap<&'static str, Option<Refuses>>,
    }
    #[derive(Serialize)]
    enum Choice {
        One(Refuses),
        Two(u8, Refuses),
        Three { x: Refuses },
    }
    let inner = |refuses: bool| Inner { map: BTreeMap::from([("it's", refuses.then_some(Refuses))]) };
    let error = to_vec(&Outer { parts: vec![inner(false), inner(true)] }).unwrap_err();
    assert_eq!(error.to_string(), ".parts[1].map[\"it's\"]: not this one");
    assert_eq!(to_vec(&(1, (2, Refuses))).unwrap_err().to_string(), "[1][1]: not this one");
    assert_eq!(to_vec(&Choice::One(Refuses)).unwrap_err().to_string(), "['One']: not this one");
    assert_eq!(to_vec(&Choice::Two(1, Refuses)).unwrap_err().to_string(), "['Two'][1]: not this one");
    assert_eq!(to_vec(&Choice::Three { x: Refuses }).unwrap_err().to_string(), "['Three'].x: not this one");
}

/// A program that goes on after a part that failed gets no pickle of the rest.
#[test]
fn a_part_that_failed_is_not_left_out() {
    struct Lenient;
    impl Serialize for Lenient {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut seq = serializer.serialize_seq(Some(2))?;
            let _ = seq.serialize_element(&Refuses);
            seq.serialize_element(&1)?;
            seq.end()
        }
    }
    assert_eq!(to_vec(&Lenient).unwrap_err().to_string(), "a part of the value failed, and the rest was written nonetheless");
    struct LenientMap;
    impl Serialize for LenientMap {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(1))?;
            let _ = map.serialize_entry("a", &Refuses);
            map.end()
        }
    }
    assert!(to_vec(&vec![LenientMap]).is_err());
}

#[test]
fn vectors_are_reused_and_left_alone() {
    let mut pickler = Pickler::new();
    let mut bytes = b"before".to_vec();
    pickler.extend(&mut bytes, &[1, 2]).unwrap();
    assert_eq!(bytes, [&b"before"[..], &to_vec(&[1, 2]).unwrap()].concat());
    let length = bytes.len();
    assert!(pickler.extend(&mut bytes, &(1, Refuses)).is_err());
    assert_eq!(bytes.len(), length);
    // a pickle that failed leaves nothing for the next
    assert_eq!(pickler.to_vec(&Record { name: "a", age: 1 }).unwrap(), to_vec(&Record { name: "a", age: 1 }).unwrap());
}

struct Broken(usize);

impl Write for Broken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(1).ok_or_else(|| io::Error::other("full"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn writers() {
    let texts: Vec<String> = (0..20_000).map(|at| format!("text number {at}")).collect();
    let mut pickler = Pickler::new();
    for protocol in 0..=5 {
        let mut written = Vec::new();
        pickler.protocol(protocol).to_writer(&mut written, &texts).unwrap();
        assert_eq!(written, pickler.to_vec(&texts).unwrap());
        let error = pickler.to_writer(Broken(2), &texts).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Write(_)), "{error}");
    }
    brinery::to_writer(io::sink(), &1).unwrap();
    assert!(matches!(pickler.protocol(6).to_vec(&1).unwrap_err().kind(), ErrorKind::UnsupportedProtocol(6)));
}

#[test]
fn razorvine_and_persistent_ids_by_way_of_a_document() {
    let mut pickler = Pickler::razorvine();
    let bytes = pickler.to_vec(&(vec![1, 2], "a")).unwrap();
    let document = Document::from_slice(&bytes).unwrap();
    assert_eq!((document.root().repr().to_string(), document.pickles().next().unwrap().protocol), ("([1, 2], 'a')".into(), Some(2)));
    assert!(pickler.to_vec(&brinery::py::Frozenset(vec![1])).is_err());
    let mut pickler = Pickler::new();
    pickler.persistent_id(|item| item.as_str().filter(|text| text.starts_with("blob")).map(ToOwned::to_owned));
    let bytes = pickler.to_vec(&("blob 1", "other")).unwrap();
    assert_eq!(Document::from_slice(&bytes).unwrap().root().repr().to_string(), "(persistent_load('blob 1'), 'other')");
}
