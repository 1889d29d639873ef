//! Enums: serde's form, the other form of `serde-pickle`, and members of Python's.

use brinery::{Pickler, from_slice};
use serde::{Deserialize, Serialize};

use super::shown;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Shape {
    Empty,
    Circle(f64),
    Box(u8, u8),
    Named { name: String, at: (u8, u8) },
}

fn shapes() -> Vec<Shape> {
    vec![Shape::Empty, Shape::Circle(0.5), Shape::Box(1, 2), Shape::Named { name: "x".into(), at: (3, 4) }, Shape::Empty]
}

#[test]
fn both_forms() {
    assert_eq!(shown(&shapes()), "['Empty', {'Circle': 0.5}, {'Box': [1, 2]}, {'Named': {'name': 'x', 'at': (3, 4)}}, 'Empty']");
    for protocol in 0..=5 {
        for as_tuples in [false, true] {
            let bytes = Pickler::new().protocol(protocol).enums_as_tuples(as_tuples).to_vec(&shapes()).unwrap();
            assert_eq!(from_slice::<Vec<Shape>>(&bytes).unwrap(), shapes());
        }
    }
    // a tuple of the values is as good as a list
    assert_eq!(from_slice::<Shape>(b"}\x8c\x03BoxK\x01K\x02\x86s.").unwrap(), Shape::Box(1, 2));
    assert_eq!(from_slice::<Shape>(b"}\x8c\x05EmptyNs.").unwrap(), Shape::Empty);
}

#[test]
fn what_is_no_variant() {
    let error = |bytes: &[u8]| from_slice::<Shape>(bytes).unwrap_err().to_string();
    assert_eq!(error(b"\x8c\x01Z."), "unknown variant `Z`, expected one of `Empty`, `Circle`, `Box`, `Named` at offset 0");
    assert_eq!(error(b"}\x8c\x05EmptyK\x01s."), "['Empty']: expected a variant without a value, found int 1 at offset 8");
    assert_eq!(error(b"\x8c\x06Circle."), "expected a variant with a value, found unit variant at offset 0");
    assert_eq!(error(b"}\x8c\x06Circle\x8c\x01xs."), "['Circle']: expected f64, found str \"x\" at offset 9");
    assert_eq!(error(b"}\x8c\x03Box](K\x01\x8c\x01xes."), "['Box'][1]: expected u8, found str \"x\" at offset 10");
    assert_eq!(error(b"}(\x8c\x05EmptyN\x8c\x01ZNu."), "expected enum Shape, found dict at offset 0");
    assert_eq!(error(b"]."), "expected enum Shape, found list at offset 0");
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "paint.Colour", rename_all = "lowercase")]
enum Colour {
    Red,
    Green,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Level {
    #[serde(rename = "1", alias = "LOW")]
    Low,
    #[serde(rename = "2", alias = "HIGH")]
    High,
}

#[test]
fn members_of_enums_of_python() {
    let members = [Colour::Red, Colour::Green, Colour::Red];
    assert_eq!(shown(&members), "(paint.Colour('red'), paint.Colour('green'), paint.Colour('red'))");
    // a member is one object
    let document = brinery::Document::from_reader(&*brinery::to_vec(&members).unwrap()).unwrap();
    assert_eq!(document.root().at(0).unwrap().id(), document.root().at(2).unwrap().id());
    for protocol in 0..=5 {
        let bytes = Pickler::new().protocol(protocol).to_vec(&members).unwrap();
        assert_eq!(from_slice::<[Colour; 3]>(&bytes).unwrap(), members);
    }
    let error = from_slice::<Colour>(b"cpaint\nShade\n\x8c\x03red\x85R.").unwrap_err();
    assert_eq!(error.to_string(), "expected an object of paint.Colour, found an object of paint.Shade at offset 19");
    // by value, by name through getattr and as a name inside a class
    for bytes in [
        &b"cm\nLevel\nK\x02\x85R."[..],
        b"cbuiltins\ngetattr\ncm\nLevel\n\x8c\x04HIGH\x86R.",
        b"\x80\x04\x8c\x01m\x8c\x0aLevel.HIGH\x93.",
        b"K\x02.",
    ] {
        assert_eq!(from_slice::<Level>(bytes).unwrap(), Level::High, "{}", bytes.escape_ascii());
    }
    assert_eq!(from_slice::<std::collections::HashMap<Colour, u8>>(b"}cpaint\nColour\n\x8c\x03red\x85RK\x01s.").unwrap()[&Colour::Red], 1);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value")]
enum Tagged {
    One(u8),
    Two { x: u8 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Inside {
    One { x: u8 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
    Pair(u8, u8),
}

#[test]
fn serdes_other_forms() {
    assert_eq!(shown(&Tagged::Two { x: 1 }), "{'kind': 'Two', 'value': {'x': 1}}");
    assert_eq!(shown(&Inside::One { x: 1 }), "{'kind': 'One', 'x': 1}");
    assert_eq!(shown(&[Untagged::Number(1), Untagged::Pair(1, 2)]), "(1, (1, 2))");
    let round = |value: Tagged| assert_eq!(from_slice::<Tagged>(&brinery::to_vec(&value).unwrap()).unwrap(), value);
    round(Tagged::One(1));
    round(Tagged::Two { x: 2 });
    assert_eq!(from_slice::<Inside>(&brinery::to_vec(&Inside::One { x: 3 }).unwrap()).unwrap(), Inside::One { x: 3 });
    for value in [Untagged::Number(-1), Untagged::Text("a".into()), Untagged::Pair(1, 2)] {
        assert_eq!(from_slice::<Untagged>(&brinery::to_vec(&value).unwrap()).unwrap(), value);
    }
}
