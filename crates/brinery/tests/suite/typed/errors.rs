//! Errors say where in the value, what was wanted and found, and at which byte.

use std::collections::HashMap;

use brinery::{ErrorKind, from_slice};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[allow(dead_code)]
struct User {
    name: String,
    email: String,
    age: u8,
    #[serde(default)]
    parents: Vec<User>,
    #[serde(default)]
    marks: HashMap<String, (u8, f64)>,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code)]
struct Team {
    users: Vec<User>,
}

fn error<T: for<'de> Deserialize<'de> + std::fmt::Debug>(bytes: &[u8]) -> String {
    let error = from_slice::<T>(bytes).unwrap_err().to_string();
    // a reader says the same
    assert_eq!(brinery::from_reader::<_, T>(bytes).unwrap_err().to_string(), error);
    error
}

fn text(text: &str) -> Vec<u8> {
    [&[0x8c, u8::try_from(text.len()).unwrap()], text.as_bytes()].concat()
}

fn dict(pairs: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let pairs = pairs.iter().flat_map(|(key, value)| [text(key), value.clone()]).collect::<Vec<_>>().concat();
    [b"}(", &*pairs, b"u"].concat()
}

fn pickle(parts: &[&[u8]]) -> Vec<u8> {
    [b"\x80\x04", &*parts.concat(), b"."].concat()
}

fn at(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).rposition(|window| window == what).unwrap()
}

#[test]
fn paths_and_offsets() {
    let ada = dict(&[("name", text("Ada")), ("email", text("a@b")), ("age", b"K\x05".to_vec())]);
    let wrong = dict(&[("name", text("Bob")), ("email", b"K\x63".to_vec()), ("age", b"K\x05".to_vec())]);
    let users = [&b"]("[..], &ada, &ada, &ada, &wrong, b"e"].concat();
    let bytes = pickle(&[&dict(&[("users", users)])]);
    assert_eq!(error::<Team>(&bytes), format!(".users[3].email: expected a string, found int 99 at offset {}", at(&bytes, b"K\x63")));
    let kind = from_slice::<Team>(&bytes).unwrap_err();
    assert!(matches!(kind.kind(), ErrorKind::Unexpected { expected, found } if expected == "a string" && found == "int 99"));
    assert_eq!((kind.path(), kind.offset()), (Some(".users[3].email"), Some(at(&bytes, b"K\x63") as u64)));

    let too_old = dict(&[("name", text("Bob")), ("email", text("")), ("age", b"M\x2c\x01".to_vec())]);
    let bytes = pickle(&[&too_old]);
    assert_eq!(error::<User>(&bytes), format!(".age: expected u8, found int 300 at offset {}", at(&bytes, b"M\x2c")));

    let missing = dict(&[("name", text("Bob")), ("age", b"K\x05".to_vec())]);
    let bytes = pickle(&[b"](", &missing, b"e"]);
    assert_eq!(error::<Vec<User>>(&bytes), "[0]: missing field `email` at offset 4");

    let marks = dict(&[("it's", [&b"K\x01"[..], &text("x"), b"\x86"].concat())]);
    let bytes = pickle(&[&dict(&[("name", text("B")), ("email", text("")), ("age", b"K\x05".to_vec()), ("marks", marks)])]);
    assert_eq!(error::<User>(&bytes), format!(".marks[\"it's\"][1]: expected f64, found str \"x\" at offset {}", at(&bytes, &text("x"))));

    let bytes = pickle(&[b"}K\x01K\x02s"]);
    assert_eq!(error::<HashMap<String, u8>>(&bytes), " key 1: expected a string, found int 1 at offset 3");
}

#[test]
fn offsets_of_values_of_every_kind() {
    // the wrong one is the last, and alone of its kind
    for (wrong, what) in [
        (&b"N"[..], "None"),
        (b"\x88", "True"),
        (b"K\x07", "int 7"),
        (b"G\x3f\xf8\0\0\0\0\0\0", "float 1.5"),
        (b"\x8c\x01x", "str \"x\""),
        (b"](K\x07e", "list"),
        (b")", "tuple"),
        (b"K\x07\x85", "tuple"),
        (b"}", "dict"),
        (b"\x8f", "set"),
        (b"(\x91", "frozenset"),
        (b"C\x01x", "bytes"),
        (b"cmath\nsin\n", "math.sin"),
        (b"cm\nC\n)R}\x8c\x01aNsb", "an object of m.C"),
        (b"\x8c\x01iQ", "persistent object"),
        (b"\x82\x07", "extension"),
    ] {
        let ok = b"\x8c\x01a\x94";
        for (before, after, path) in [
            (&b"]("[..], &b"e"[..], "[1]"),
            (b"(", b"t", "[1]"),
            (b"(", b"l", "[1]"),
            (b"]h\0a", b"a", "[1]"),
            (b"\x8f(", b"\x90", "[1]"),
            (b"}K\x01h\0s", b"", "[2]"),
        ] {
            let is_dict = path == "[2]";
            if before == b"\x8f(" && [&b"](K\x07e"[..], b"}", b"\x8f"].contains(&wrong) {
                continue;
            }
            let head = if before.starts_with(b"]h") || is_dict {
                [&b"\x80\x04\x8c\x01a\x940"[..], before].concat()
            } else {
                [&b"\x80\x04"[..], before, ok].concat()
            };
            let bytes = if is_dict { [&*head, b"K\x02", wrong, b"s."].concat() } else { [&*head, wrong, after, b"."].concat() };
            let offset = head.len() + if is_dict { 2 } else { 0 };
            // what an opcode makes of others is at that opcode
            let offset = offset
                + match what {
                    "tuple" if wrong.len() > 1 => 2,
                    "frozenset" => 1,
                    "an object of m.C" => 6,
                    "persistent object" => 3,
                    _ => 0,
                };
            let error = if is_dict { error::<HashMap<u8, Either>>(&bytes) } else { error::<Vec<Either>>(&bytes) };
            assert_eq!(error, format!("{path}: expected the text a, found {what} at offset {offset}"), "{}", bytes.escape_ascii());
        }
    }
}

/// The text `a`.
#[derive(Debug)]
struct Either;

impl<'de> Deserialize<'de> for Either {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Either;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the text a")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Either, E> {
                if text == "a" { Ok(Either) } else { Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)) }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[test]
fn offsets_behind_other_pickles() {
    let mut stream = brinery::StreamDeserializer::<_, Vec<u8>>::new(&b"](K\x01e.](K\x01M\x01\x01e."[..]);
    assert_eq!(stream.next().unwrap().unwrap(), [1]);
    assert_eq!(stream.next().unwrap().unwrap_err().to_string(), "[1]: expected u8, found int 257 at offset 10");
    assert!(stream.next().is_none());
}

#[test]
fn what_a_dict_holds_last_is_found() {
    // the same key twice: the first key, the second value
    let bytes = b"}(\x8c\x01aK\x01\x8c\x01aM\x01\x01u.";
    assert_eq!(error::<HashMap<String, u8>>(bytes), "['a']: expected u8, found int 257 at offset 10");
}

#[test]
fn long_and_deep_paths() {
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Node {
        next: Option<Box<Node>>,
    }
    let depth = 50;
    let bytes = [&b"}\x8c\x04next".repeat(depth)[..], b"K\x01", &b"s".repeat(depth), b"."].concat();
    let error = error::<Node>(&bytes);
    assert!(error.starts_with(&".next".repeat(depth)), "{error}");
    assert!(error.ends_with(&format!(": expected struct Node, found int 1 at offset {}", 7 * depth)), "{error}");
    let key = "k".repeat(1_000);
    let bytes = [&b"}X\xe8\x03\0\0"[..], key.as_bytes(), b"Ns."].concat();
    let error = from_slice::<HashMap<String, u8>>(&bytes).unwrap_err().to_string();
    assert!(error.len() < 120 && error.contains("kkk..."), "{error}");
}

#[test]
fn messages_of_ones_own() {
    #[derive(Debug)]
    struct Even;
    impl<'de> Deserialize<'de> for Even {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            match u8::deserialize(deserializer)? % 2 {
                0 => Ok(Self),
                _ => Err(serde::de::Error::custom("an odd number")),
            }
        }
    }
    assert_eq!(error::<Vec<Even>>(b"](K\x02K\x03e."), "[1]: an odd number at offset 4");
    assert_eq!(error::<(u8, u8)>(b"](K\x02K\x03K\x04e."), "expected 2 items, found 3 items at offset 0");
    assert_eq!(error::<(u8, u8)>(b"](K\x02e."), "expected a tuple of size 2, found 1 items at offset 0");
    assert_eq!(error::<[u8; 2]>(b")."), "expected an array of length 2, found 0 items at offset 0");
}
