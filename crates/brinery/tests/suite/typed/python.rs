//! The wrappers of `py`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Debug;

use brinery::py::{Buffer, Bytearray, Bytes, Complex, Frozenset, Global, Int, List, Object, Persistent, Set, Str8, Tuple};
use brinery::{Document, MemoPolicy, Pickler, Placement, from_slice};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::shown;

#[track_caller]
fn round<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, expected: &str) {
    assert_eq!(shown(&value), expected);
    for protocol in 0..=5 {
        for memo in [MemoPolicy::Identity, MemoPolicy::EqualText, MemoPolicy::Off] {
            let bytes = Pickler::new().protocol(protocol).memo(memo).to_vec(&value).unwrap();
            assert_eq!(from_slice::<T>(&bytes).unwrap(), value, "protocol {protocol}");
        }
    }
    // in another format each is what it wraps
    let json = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
}

#[test]
fn containers() {
    round(Tuple(vec![1, 2, 3, 4]), "(1, 2, 3, 4)");
    round(Tuple(Vec::<u8>::new()), "()");
    round(List((1, "a".to_owned())), "[1, 'a']");
    round(Set(vec![1, 2]), "{1, 2}");
    round(Set(BTreeSet::from(["a".to_owned()])), "{'a'}");
    round(Set(HashSet::<u8>::new()), "set()");
    round(Frozenset((1, 2)), "frozenset({1, 2})");
    round(vec![Set(vec![Tuple(vec![Frozenset(vec![1])])])], "[{(frozenset({1}),)}]");
    round(HashMap::from([(1, Tuple(vec![Some(1), None]))]), "{1: (1, None)}");
}

#[test]
fn bytes_of_all_kinds() {
    round(Bytes(b"a\xff".to_vec()), r"b'a\xff'");
    round(Bytes(Vec::new()), "b''");
    round(Bytearray(b"ab".to_vec()), "bytearray(b'ab')");
    round(Str8(b"a\xff".to_vec()), r"b'a\xff'");
    round(vec![Bytes(vec![7]), Bytes(vec![7]), Bytes(vec![])], r"[b'\x07', b'\x07', b'']");
    let short = Document::from_reader(&*brinery::to_vec(&[Bytes([7]), Bytes([7])]).unwrap()).unwrap();
    assert_eq!(short.root().at(0).unwrap().id(), short.root().at(1).unwrap().id());
    assert_eq!(Document::from_reader(&*brinery::to_vec(&Str8(b"ab".to_vec())).unwrap()).unwrap().root().kind(), brinery::Kind::Str8);
}

#[test]
fn numbers() {
    round(Complex { re: 1.5, im: -2.0 }, "builtins.complex(1.5, -2.0)");
    assert_eq!(from_slice::<Complex>(b"K\x03.").unwrap(), Complex { re: 3.0, im: 0.0 });
    round(Int::from(5), "5");
    round(Int::from(-1_i128 << 90), "-1237940039285380274899124224");
    let long: Int = "9".repeat(4_300).parse().unwrap();
    assert_eq!(from_slice::<Int>(&brinery::to_vec(&long).unwrap()).unwrap().to_string(), "9".repeat(4_300));
    for wrong in ["", "x", "1L", "1.5", "0x10"] {
        assert!(wrong.parse::<Int>().is_err(), "{wrong}");
    }
    assert_eq!((Int::from(u64::MAX).to_string(), Int::from(u128::MAX).to_string()), (u64::MAX.to_string(), u128::MAX.to_string()));
}

#[test]
fn classes_objects_and_ids() {
    round(Global::new("collections", "OrderedDict"), "collections.OrderedDict");
    round(vec![Global::new("m", "A.B"), Global::new("m", "A.B")], "[m.A.B, m.A.B]");
    let called = Object::call(Global::new("decimal", "Decimal"), ("1.5".to_owned(),));
    let state = Object::with_state(Global::new("m", "C"), HashMap::from([("a".to_owned(), 1)]));
    let both = Object { called: false, class: Global::new("m", "C"), args: Tuple(vec![1, 2, 3, 4]), state: Some((1, 2)) };
    let nothing = Object { called: true, class: Global::new("m", "C"), args: (), state: None::<u8> };
    round(called, "decimal.Decimal('1.5')");
    round(state, "m.C(.a=1)");
    round(both, "m.C(1, 2, 3, 4, .__setstate__((1, 2)))");
    round(nothing, "m.C()");
    round(Persistent("id".to_owned()), "persistent_load('id')");
    // an id that is no line of text
    let bytes = brinery::to_vec(&Persistent((1, 2))).unwrap();
    assert_eq!(from_slice::<Persistent<(u8, u8)>>(&bytes).unwrap().0, (1, 2));
    assert!(Pickler::new().protocol(0).to_vec(&Persistent((1, 2))).is_err());
}

#[test]
fn wrappers_read_their_own_kind_alone() {
    fn error<T: DeserializeOwned + Debug>(bytes: &[u8]) -> String {
        from_slice::<T>(bytes).unwrap_err().to_string()
    }
    assert_eq!(error::<Tuple<Vec<u8>>>(b"]."), "expected a tuple, found list at offset 0");
    assert_eq!(error::<List<Vec<u8>>>(b")."), "expected a list, found tuple at offset 0");
    assert_eq!(error::<Set<Vec<u8>>>(b"]."), "expected a set, found list at offset 0");
    assert_eq!(error::<Frozenset<Vec<u8>>>(b"\x8f."), "expected a frozenset, found set at offset 0");
    assert_eq!(error::<Bytes<Vec<u8>>>(b"\x8c\x01a."), "expected bytes, found str 'a' at offset 0");
    assert_eq!(error::<Bytearray<Vec<u8>>>(b"C\x01a."), "expected a bytearray, found bytes at offset 0");
    assert_eq!(error::<Str8<Vec<u8>>>(b"C\x01a."), "expected an 8-bit str, found bytes at offset 0");
    assert_eq!(error::<Int>(b"G\0\0\0\0\0\0\0\0."), "expected an int, found float 0.0 at offset 0");
    assert_eq!(error::<Complex>(b"\x8c\x01a."), "expected a complex number, found str 'a' at offset 0");
    assert_eq!(error::<Global>(b"K\x01."), "expected a class or function, found int 1 at offset 0");
    assert_eq!(error::<Persistent<String>>(b"K\x01."), "expected a persistent object, found int 1 at offset 0");
    assert_eq!(error::<Object>(b"K\x01."), "expected an object of a class, found int 1 at offset 0");
    // what an object has beyond the type is not lost
    assert_eq!(
        error::<Object<(), ()>>(b"cm\nC\n)R(K\x01e."),
        "expected an object without items, which `Value` holds, found an object of m.C at offset 6"
    );
    assert_eq!(error::<Object<(), ()>>(b"cm\nC\nK\x01\x85R."), ".args: expected no arguments, found 1 items at offset 8");
    assert!(error::<Object<(), ()>>(b"cm\nC\n)RK\x01b.").starts_with(".state: expected unit, found int 1"));
}

#[test]
fn wrappers_of_the_wrong_thing_are_refused() {
    assert_eq!(brinery::to_vec(&Tuple(5)).unwrap_err().to_string(), "what is wrapped cannot be a tuple");
    assert_eq!(brinery::to_vec(&Set("a")).unwrap_err().to_string(), "what is wrapped cannot be a set");
    let object = Object::call(Global::new("m", "C"), vec![1]);
    assert_eq!(shown(&object), "m.C(1)");
    let object = Object::call(Global::new("m", "C"), 1);
    assert!(brinery::to_vec(&object).unwrap_err().to_string().starts_with(".args: the arguments of an object are a tuple"));
    // and what comes next is as it would be
    let mut pickler = Pickler::new();
    assert!(pickler.to_vec(&Tuple(5)).is_err());
    assert_eq!(pickler.to_vec(&5).unwrap(), b"\x80\x04K\x05.");
}

#[test]
fn buffers_out_of_band() {
    let value = (Buffer(b"abc".to_vec()), Buffer(b"de".to_vec()));
    assert_eq!(shown(&value), "(b'abc', b'de')");
    let taken = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut pickler = Pickler::new();
    let sink = std::sync::Arc::clone(&taken);
    pickler.protocol(5).on_buffer(move |item| {
        sink.lock().unwrap().push(item.as_bytes().unwrap().to_vec());
        Placement::OutOfBand
    });
    let bytes = pickler.to_vec(&value).unwrap();
    assert_eq!(*taken.lock().unwrap(), [b"abc".to_vec(), b"de".to_vec()]);
    let document = Document::from_slice(&bytes).unwrap().with_buffers(taken.lock().unwrap().clone());
    assert_eq!(brinery::from_document::<(Buffer<Vec<u8>>, Buffer<&[u8]>)>(&document).unwrap().0, value.0);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wide {
    tuple: Tuple<Vec<u8>>,
    set: Set<Vec<String>>,
    frozen: Frozenset<Vec<u8>>,
    bytes: Bytes<Vec<u8>>,
    array: Bytearray<Vec<u8>>,
    old: Str8<Vec<u8>>,
    int: Int,
    complex: Option<Complex>,
    class: Global,
    id: Persistent<String>,
    object: Object<(u8,), HashMap<String, u8>>,
}

#[test]
fn all_in_one_struct() {
    let value = Wide {
        tuple: Tuple(vec![1]),
        set: Set(vec!["a".into()]),
        frozen: Frozenset(vec![]),
        bytes: Bytes(vec![1, 2]),
        array: Bytearray(vec![3]),
        old: Str8(vec![0xff]),
        int: Int::from(1_i128 << 100),
        complex: Some(Complex { re: 0.0, im: 1.0 }),
        class: Global::new("os", "getcwd"),
        id: Persistent("x".into()),
        object: Object { called: false, class: Global::new("m", "C"), args: (1,), state: HashMap::from([("s".into(), 1)]) },
    };
    round(
        value,
        r"{'tuple': (1,), 'set': {'a'}, 'frozen': frozenset(), 'bytes': b'\x01\x02', 'array': bytearray(b'\x03'), 'old': b'\xff', 'int': 1267650600228229401496703205376, 'complex': builtins.complex(0.0, 1.0), 'class': os.getcwd, 'id': persistent_load('x'), 'object': m.C(1, .s=1)}",
    );
}
