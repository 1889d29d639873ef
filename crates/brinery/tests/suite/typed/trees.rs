//! Trees, items and documents as values of serde.

use brinery::{Document, DocumentBuilder, Value, from_slice};
use serde::{Deserialize, Serialize};

/// An object with everything, sharing included.
fn everything() -> Vec<u8> {
    let mut builder = DocumentBuilder::new();
    let class = builder.global("m", "C").unwrap();
    let (one, text, half) = (builder.int(1).unwrap(), builder.str("text").unwrap(), builder.float(0.5).unwrap());
    let big = builder.int_bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 1]).unwrap();
    let (bytes, array, old) = (builder.bytes(b"ab").unwrap(), builder.bytearray(b"cd").unwrap(), builder.str8(b"e\xff").unwrap());
    let surrogate = builder.str_surrogates(b"\xed\xa0\x80").unwrap();
    let list = builder.list([one, text, half, big]).unwrap();
    let tuple = builder.tuple([bytes, array, old, surrogate]).unwrap();
    let set = builder.set([one, text]).unwrap();
    let frozen = builder.frozenset([one]).unwrap();
    let (none, yes) = (builder.none(), builder.bool(true));
    let dict = builder.dict([(one, list), (text, tuple), (none, set)]).unwrap();
    let object = builder.call(class, [frozen, yes]).unwrap();
    builder.append(object, one).unwrap();
    builder.set_item(object, text, half).unwrap();
    builder.set_state(object, dict).unwrap();
    builder.set_state_by(class, object, one).unwrap();
    let other = builder.new_object_ex(class, [one], [(text, one)]).unwrap();
    let persistent = builder.persistent(tuple).unwrap();
    let extension = builder.extension(7).unwrap();
    let all = builder.list([object, other, persistent, extension, class]).unwrap();
    brinery::Pickler::new().protocol(5).dump(&builder.finish(all).unwrap()).unwrap()
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Envelope {
    id: u8,
    payload: Value,
    more: Vec<Value>,
}

#[test]
fn trees_keep_everything() {
    let bytes = everything();
    let document = Document::from_slice(&bytes).unwrap();
    let tree: Value = from_slice(&bytes).unwrap();
    assert_eq!(tree, Value::from_document(&document).unwrap());
    for protocol in 2..=5 {
        let mut pickler = brinery::Pickler::new();
        pickler.protocol(protocol);
        let envelope = Envelope { id: 1, payload: tree.clone(), more: vec![tree.clone(), Value::None, Value::Int(5)] };
        let back: Envelope = from_slice(&pickler.to_vec(&envelope).unwrap()).unwrap();
        assert_eq!(back.more[1..], [Value::None, Value::Int(5)]);
        if protocol == 5 {
            assert_eq!(back, envelope);
        }
        // by itself a tree is written as by `dump`
        assert_eq!(pickler.to_vec(&tree).unwrap(), pickler.dump(&tree).unwrap());
    }
}

#[test]
fn items_and_documents() {
    let bytes = everything();
    let document = Document::from_slice(&bytes).unwrap();
    let tree: Value = from_slice(&bytes).unwrap();
    assert_eq!(brinery::to_vec(&document).unwrap(), brinery::to_vec(&tree).unwrap());
    assert_eq!(brinery::to_value(&document.root()).unwrap(), tree);
    // one inside itself is an error
    let cyclic = Document::from_slice(b"]\x94h\0a.").unwrap();
    assert!(matches!(brinery::to_vec(&cyclic).unwrap_err().kind(), brinery::ErrorKind::Cyclic | brinery::ErrorKind::Custom(_)));
}

#[test]
fn other_formats() {
    let json = r#"{"id":1,"payload":{"a":[1,-2,0.5,null,true,"x"],"b":18446744073709551615},"more":[]}"#;
    let envelope: Envelope = serde_json::from_str(json).unwrap();
    let pickled = brinery::to_vec(&envelope).unwrap();
    let shown = Document::from_slice(&pickled).unwrap().root().repr().to_string();
    assert_eq!(shown, "{'id': 1, 'payload': {'a': [1, -2, 0.5, None, True, 'x'], 'b': 18446744073709551615}, 'more': []}");
    assert_eq!(serde_json::to_string(&from_slice::<Envelope>(&pickled).unwrap()).unwrap(), json);
    // an object is what makes it, by name
    let document = Document::from_slice(b"\x80\x04cm\nC\nK\x01K\x02\x86R}\x8c\x01aK\x03sb.").unwrap();
    assert_eq!(serde_json::to_string(&document).unwrap(), r#"{"callable":["m","C"],"args":[1,2],"state":{"a":3}}"#);
    let set = Document::from_slice(b"\x80\x04\x8f(K\x01\x90\x8c\x01xQ\x86.").unwrap();
    assert_eq!(serde_json::to_string(&set.root()).unwrap(), r#"[[1],{"persistent_id":"x"}]"#);
    let twice = Document::from_slice(b"cm\nC\n)\x81K\x01bK\x02b.").unwrap();
    assert_eq!(serde_json::to_string(&twice).unwrap(), r#"{"callable":["m","C"],"args":[],"state":1,"state 2":2}"#);
    let surrogate = Document::from_slice(b"\x8c\x03\xed\xa0\x80.").unwrap();
    assert_eq!(serde_json::to_string(&surrogate).unwrap_err().to_string(), "a text with a lone surrogate is no Unicode text");
}

/// A tree on its way through serde is nobody else's.
#[test]
fn trees_do_not_stay_behind() {
    // not after a panic either, in the middle of a type's own code
    struct Panics;
    impl Serialize for Panics {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            struct Inside;
            impl Serialize for Inside {
                fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                    std::panic::resume_unwind(Box::new(()));
                }
            }
            serializer.serialize_newtype_struct("$brinery::Value", &Inside)
        }
    }
    assert!(std::panic::catch_unwind(|| brinery::to_vec(&Panics)).is_err());
    assert_eq!(serde_json::to_string(&Value::Int(5)).unwrap(), "5");
    assert_eq!(serde_json::to_string(&brinery::py::Int::from(5)).unwrap(), "5");
    assert!(std::panic::catch_unwind(|| brinery::to_vec(&Panics)).is_err());
    assert_eq!(serde_json::from_str::<Value>("null").unwrap(), Value::None);
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename = "$brinery::Value")]
    struct Impostor(());
    assert!(from_slice::<Impostor>(b"K\x05.").is_err());
    assert_eq!(serde_json::from_str::<Value>("null").unwrap(), Value::None);
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Impostor(Impostor),
        Tree(Value),
    }
    assert_eq!(from_slice::<Vec<Either>>(b"](K\x05Ne.").unwrap(), [Either::Tree(Value::Int(5)), Either::Impostor(Impostor(()))]);
}
