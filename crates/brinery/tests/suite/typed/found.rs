//! What was found wrong in typed reading and writing, each as a test of its kind.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use brinery::py::{Frozenset, Set, Tuple};
use brinery::{Document, Value, from_slice, to_vec};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::allocations::peak;

/// An integer key is a field's name by its text, and never the number of a field.
#[test]
fn integer_keys_are_no_numbers_of_fields() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Renamed {
        #[serde(rename = "1")]
        one: u8,
        #[serde(rename = "0")]
        zero: u8,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Plain {
        x: u8,
        y: u8,
    }
    #[derive(Debug, PartialEq, Eq, Hash, Deserialize)]
    struct Id(u64);
    let bytes = b"\x80\x04}(K\x00K\x05K\x01K\x07u.";
    assert_eq!(from_slice::<Renamed>(bytes).unwrap(), Renamed { one: 7, zero: 5 });
    assert_eq!(brinery::from_reader::<_, Renamed>(&bytes[..]).unwrap(), Renamed { one: 7, zero: 5 });
    assert_eq!(from_slice::<Plain>(bytes).unwrap_err().to_string(), "missing field `x` at offset 2");
    assert_eq!(from_slice::<HashMap<Id, u8>>(bytes).unwrap()[&Id(1)], 7);
    assert_eq!(from_slice::<HashMap<Option<u64>, u8>>(bytes).unwrap()[&Some(0)], 5);
}

/// What a size is guessed from is what is there: a list of little announces little.
#[test]
fn memory_for_lists_is_that_of_their_items() {
    let doubles = [&b"]("[..], &b"G".repeat(27), b"e"].concat();
    let doubles = [&b"\x80\x04]("[..], &doubles.repeat(20_000), b"e."].concat();
    let (lists, held) = peak(|| from_slice::<Vec<Vec<f64>>>(&doubles).unwrap());
    assert_eq!(lists.len(), 20_000);
    assert!(held < 10 * doubles.len(), "{} bytes for {}", held, doubles.len());
    let booleans = [&b"](\x88X\xd4\x03\x00\x00"[..], &b"x".repeat(980), b"e"].concat();
    let booleans = [&b"\x80\x04]("[..], &booleans.repeat(2_000), b"e."].concat();
    let (lists, held) = peak(|| from_slice::<Vec<Vec<serde_json::Value>>>(&booleans).unwrap());
    assert_eq!(lists.len(), 2_000);
    assert!(held < 10 * booleans.len(), "{} bytes for {}", held, booleans.len());
}

/// A visitor that goes over errors comes to an end.
#[test]
fn a_tolerant_visitor_ends() {
    #[derive(Debug, PartialEq)]
    struct Good(Vec<u8>);
    impl<'de> Deserialize<'de> for Good {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Reader;
            impl<'de> Visitor<'de> for Reader {
                type Value = Good;
                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("numbers")
                }
                fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Good, A::Error> {
                    let mut good = Vec::new();
                    let mut errors = 0;
                    loop {
                        match seq.next_element() {
                            Ok(Some(number)) => good.push(number),
                            Ok(None) => return Ok(Good(good)),
                            Err(_) => errors += 1,
                        }
                        assert!(errors < 1_000, "no end");
                    }
                }
            }
            deserializer.deserialize_seq(Reader)
        }
    }
    for bytes in [&b"\x80\x04](K\x01\x8c\x01aK\x03e."[..], b"(K\x01\x8c\x01aK\x03t.", b"](K\x01)K\x03e.", b"K\x01\x8c\x01aK\x03\x87."] {
        assert_eq!(from_slice::<Good>(bytes).unwrap(), Good(vec![1, 3]), "{}", bytes.escape_ascii());
    }
}

/// A tree whose outermost dict becomes part of a struct keeps what is inside.
#[test]
fn trees_that_are_flattened_keep_their_values() {
    #[derive(Serialize)]
    struct Flat {
        id: u8,
        #[serde(flatten)]
        rest: Value,
    }
    let bytes = b"\x80\x05}(\x8c\x01s\x8f(K\x01\x90\x8c\x01b\x96\x01\0\0\0\0\0\0\0x\x8c\x01ocm\nC\n)\x81}\x8c\x01aK\x01sbu.";
    let rest: Value = from_slice(bytes).unwrap();
    let written = to_vec(&Flat { id: 7, rest }).unwrap();
    let shown = Document::from_slice(&written).unwrap().root().repr().to_string();
    assert_eq!(shown, "{'id': 7, 's': {1}, 'b': bytearray(b'x'), 'o': m.C(.a=1)}");
}

/// Python has no lists, dicts, sets or bytearrays as keys and elements: written so, nothing could read it.
#[test]
fn what_cannot_be_hashed_is_no_key() {
    let error = |result: brinery::Result<Vec<u8>>| result.unwrap_err().to_string();
    assert!(error(to_vec(&BTreeMap::from([(vec![1], 2)]))).contains("a list cannot be a key or an element of a set"));
    assert!(error(to_vec(&Set(vec![vec![1]]))).contains("a list cannot be a key or an element of a set"));
    assert!(error(to_vec(&Frozenset(vec![BTreeMap::from([(1, 2)])]))).contains("a dict cannot be a key or an element of a set"));
    assert!(error(to_vec(&Set(vec![(1, vec![2])]))).contains("a list cannot be a key or an element of a set"));
    assert!(error(to_vec(&Set(vec![Set(vec![1])]))).contains("a set cannot be a key or an element of a set"));
    // what can be one
    for bytes in [
        to_vec(&BTreeMap::from([(Tuple(vec![1, 2]), vec![3])])),
        to_vec(&BTreeMap::from([((1, Some("a")), BTreeMap::from([(1, vec![2])]))])),
        to_vec(&Set(vec![Frozenset(vec![1])])),
        to_vec(&vec![Set(vec![1])]),
    ] {
        Document::from_slice(&bytes.unwrap()).unwrap();
    }
}

/// Keys that are no text are no names, however they print.
#[test]
fn keys_that_are_no_text_do_not_fall_together() {
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Flat {
        a: u8,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }
    #[derive(Debug, Deserialize)]
    struct Plain {
        a: u8,
    }
    let long = [&b"\x8c\x3c"[..], &b"x".repeat(60)].concat();
    let bytes = [&b"}(\x8c\x01aK\x01"[..], &long, b"K\x01\x86K\x01", &long, b"K\x02\x86K\x02u."].concat();
    assert!(from_slice::<Flat>(&bytes).is_err());
    assert_eq!(from_slice::<Plain>(&bytes).unwrap().a, 1);
}

/// An object's arguments are not its items where it has a state beside them.
#[test]
fn arguments_beside_a_state_are_no_sequence() {
    // as numpy makes an array
    let bytes = b"cnumpy\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85C\x01btR(K\x01K\x02\x85C\x02abtb.";
    let error = from_slice::<Vec<Value>>(bytes).unwrap_err().to_string();
    assert!(error.contains("which would lose the object's state"), "{error}");
    assert!(from_slice::<Value>(bytes).is_ok());
}

/// No offset is better than a wrong one.
#[test]
fn offsets_are_of_the_pickle_as_it_was_read() {
    let bytes = b"\x80\x04(\x82\x01cm\nC\n](K\x01K\x02e](K\x03\x8c\x01xet.";
    type All = (Value, Value, Vec<u8>, Vec<u8>);
    let error = brinery::Unpickler::new().extensions([(1, ("m", "C"))]).from_slice::<All>(bytes).unwrap_err();
    assert_eq!((error.path(), error.offset()), (Some("[3][1]"), None));
    assert_eq!(from_slice::<All>(bytes).unwrap_err().offset(), Some(21));
    let all = brinery::Unpickler::new().load_all(b"K\x05.](K\x06e.K\x05.").unwrap();
    let last = all.roots().last().unwrap();
    assert_eq!(brinery::from_item::<String>(last).unwrap_err().to_string(), "expected a string, found int 5");
}

/// A container of `collections` is what is in it, and no less so when that is nothing.
#[test]
fn empty_collections_read_as_full_ones_do() {
    use std::collections::VecDeque;
    let show = |bytes: &[u8]| from_slice::<serde_json::Value>(bytes).unwrap().to_string();
    // deque([], maxlen=5), deque([1], maxlen=5), as Python 3 has them
    let (none, one) = (b"ccollections\ndeque\n)K\x05\x86R.", b"ccollections\ndeque\n)K\x05\x86R(K\x01e.");
    assert_eq!(from_slice::<Vec<Value>>(none).unwrap(), []);
    assert_eq!(from_slice::<VecDeque<u8>>(one).unwrap(), [1]);
    assert_eq!((show(none), show(one)), ("[]".into(), "[1]".into()));
    assert_eq!(show(b"ccollections\ndeque\n)R."), "[]");
    // as Python 2 has it: deque([1, 2], maxlen=5)
    let two = b"ccollections\ndeque\n](K\x01K\x02eK\x05\x86R.";
    assert_eq!((from_slice::<Vec<u8>>(two).unwrap(), show(two)), (vec![1, 2], "[1,2]".into()));
    // defaultdict(int), defaultdict(int, {'a': 1})
    #[derive(Debug, PartialEq, Deserialize)]
    struct Fields {
        a: Option<u8>,
    }
    let (none, one) =
        (b"ccollections\ndefaultdict\nc__builtin__\nint\n\x85R.", b"ccollections\ndefaultdict\nc__builtin__\nint\n\x85R\x8c\x01aK\x01s.");
    assert_eq!(from_slice::<BTreeMap<String, u8>>(none).unwrap(), BTreeMap::new());
    assert_eq!(from_slice::<BTreeMap<String, u8>>(one).unwrap(), BTreeMap::from([("a".into(), 1)]));
    assert_eq!((show(none), show(one)), ("{}".into(), r#"{"a":1}"#.into()));
    assert_eq!((from_slice::<Fields>(none).unwrap(), from_slice::<Fields>(one).unwrap()), (Fields { a: None }, Fields { a: Some(1) }));
    assert_eq!(show(b"ccollections\nOrderedDict\n)R."), "{}");
    assert_eq!(show(b"ccollections\nOrderedDict\n](](U\x01aK\x01ee\x85R."), r#"{"a":1}"#);
    assert_eq!(show(b"ccollections\nCounter\n}\x8c\x01aK\x02s\x85R."), r#"{"a":2}"#);
}

/// An integer key that is the digits of a text key beside it is another key.
#[test]
fn integer_keys_do_not_fall_together_with_text() {
    #[derive(Debug, Deserialize)]
    struct Flat {
        #[serde(flatten)]
        rest: BTreeMap<String, u8>,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct One {
        #[serde(rename = "1")]
        one: u8,
    }
    // {1: 3}, {1: 3, '1': 4}, {'1': 4, 1: 3}
    assert_eq!(from_slice::<Flat>(b"}K\x01K\x03s.").unwrap().rest["1"], 3);
    for bytes in [&b"}(K\x01K\x03\x8c\x011K\x04u."[..], b"}(\x8c\x011K\x04K\x01K\x03u."] {
        assert!(from_slice::<Flat>(bytes).is_err());
        assert_eq!(from_slice::<One>(bytes).unwrap(), One { one: 4 });
    }
    // as many as there are, in time
    let keys: Vec<u8> = (0..200_000u32).flat_map(|key| [&b"J"[..], &key.to_le_bytes(), b"N"].concat()).collect();
    let bytes = [&b"}("[..], &keys, b"\x8c\x011K\x04u."].concat();
    assert_eq!(from_slice::<One>(&bytes).unwrap(), One { one: 4 });
}

/// What a wrapper writes it reads, also in band.
#[test]
fn buffers_in_band_come_back() {
    use brinery::py::Buffer;
    for protocol in 0..=5 {
        let bytes = brinery::Pickler::new().protocol(protocol).to_vec(&Buffer(b"data")).unwrap();
        assert_eq!(from_slice::<Buffer<Vec<u8>>>(&bytes).unwrap().0, b"data", "protocol {protocol}");
    }
    assert_eq!(from_slice::<Buffer<&[u8]>>(b"\x80\x05\x96\x02\0\0\0\0\0\0\0hi.").unwrap().0, b"hi");
}

/// A tree is a persistent id by every protocol, as text is.
#[test]
fn trees_as_persistent_ids() {
    use brinery::py::Persistent;
    for protocol in 0..=5 {
        let write = |id: Value| brinery::Pickler::new().protocol(protocol).to_vec(&Persistent(id));
        let bytes = write(Value::Str("key 7".into())).unwrap();
        assert_eq!(from_slice::<Persistent<String>>(&bytes).unwrap().0, "key 7", "protocol {protocol}");
        assert_eq!(write(Value::Int(7)).is_err(), protocol == 0);
    }
}

/// Names that no class can have, and variants that no member can be, are refused and not taken for something else.
#[test]
fn classes_that_cannot_be() {
    macro_rules! named {
        ($($name:literal)*) => {$({
            #[derive(Debug, Default, Serialize, Deserialize)]
            #[serde(rename = $name)]
            struct Order {
                number: u8,
            }
            let error = to_vec(&Order { number: 1 }).unwrap_err().to_string();
            assert!(error.contains("no class of Python can be called"), "{error}");
            let error = from_slice::<Order>(b"cm\nC\n)\x81}\x8c\x06numberK\x01sb.").map(|order| order.number).unwrap_err().to_string();
            assert!(error.contains("no class of Python can be called"), "{error}");
        })*};
    }
    named!(".Order" "Order." "shop::Order" "shop..Order" ":" "shop:");
    #[derive(Serialize)]
    #[serde(rename = "shop.Colour")]
    enum Colour {
        Red,
        Grey(u8),
        Mix(u8, u8),
        Rgb { r: u8 },
    }
    assert!(to_vec(&Colour::Red).is_ok());
    for colour in [Colour::Grey(1), Colour::Mix(1, 2), Colour::Rgb { r: 1 }] {
        assert!(to_vec(&colour).unwrap_err().to_string().contains("has values, and a member of an Enum"));
    }
}

/// Floats from integers of any size, as `float(value)` rounds them.
#[test]
fn floats_from_wide_integers() {
    let read = |value: &str| {
        let int: brinery::py::Int = value.parse().unwrap();
        from_slice::<f64>(&to_vec(&int).unwrap())
    };
    // halfway to even, just beyond halfway, and what Python calls too large
    for (value, float) in [
        ("9007199254740993", 9_007_199_254_740_992.0f64),
        ("9007199254740995", 9_007_199_254_740_996.0),
        ("36893488147419107328", 36_893_488_147_419_103_232.0),
        ("36893488147419107329", 36_893_488_147_419_111_424.0),
        ("-36893488147419107329", -36_893_488_147_419_111_424.0),
        ("18446744073709551615", 18_446_744_073_709_551_616.0),
    ] {
        assert_eq!(read(value).unwrap().to_bits(), float.to_bits(), "{value}");
    }
    let huge = format!("1{}", "0".repeat(308));
    assert_eq!(read(&huge).unwrap().to_bits(), 1e308f64.to_bits());
    assert!(read(&format!("{huge}0")).is_err());
}

/// A deserializer over a value has the options of its unpickler, and its errors say where.
#[test]
fn deserializers_with_options() {
    let document = Document::from_slice(b"\x80\x04](K\x01cm\nf\n\x8c\x01xe.").unwrap();
    let unpickler = {
        let mut unpickler = brinery::Unpickler::new();
        unpickler.globals_as_none(true);
        unpickler
    };
    let error = Vec::<Option<u8>>::deserialize(&mut unpickler.deserializer(document.root())).unwrap_err();
    assert_eq!(error.to_string(), "[2]: expected u8, found str \"x\" at offset 11");
    let error = Vec::<Option<u8>>::deserialize(&mut brinery::Deserializer::new(document.root())).unwrap_err();
    assert_eq!(error.to_string(), "[1]: expected u8, found m.f at offset 6");
}
