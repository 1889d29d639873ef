//! Objects of classes that do not exist here.

use std::collections::{BTreeMap, HashMap};

use brinery::{Document, from_slice};
use serde::{Deserialize, Serialize};

use super::shown;

#[derive(Debug, PartialEq, Deserialize)]
struct Point {
    x: i64,
    y: i64,
}

const EXPECTED: Point = Point { x: 1, y: 2 };

/// An object's attributes, in every way in which they can come.
#[test]
fn structs_from_attributes_slots_items_and_arguments() {
    let forms: [(&str, &[u8]); 14] = [
        ("attributes", b"\x80\x04cm\nP\n)\x81}(\x8c\x01xK\x01\x8c\x01yK\x02ub."),
        ("slots", b"\x80\x04cm\nP\n)\x81N}(\x8c\x01xK\x01\x8c\x01yK\x02u\x86b."),
        ("both", b"\x80\x04cm\nP\n)\x81}\x8c\x01xK\x01s}\x8c\x01yK\x02s\x86b."),
        ("both with one name twice", b"\x80\x04cm\nP\n)\x81}(\x8c\x01xK\x09\x8c\x01yK\x02u}\x8c\x01xK\x01s\x86b."),
        ("two states", b"\x80\x04cm\nP\n)\x81}(\x8c\x01xK\x09\x8c\x01yK\x02ub}\x8c\x01xK\x01sb."),
        ("arguments", b"\x80\x04cm\nP\nK\x01K\x02\x86R."),
        ("arguments of __new__", b"\x80\x04cm\nP\nK\x01K\x02\x86\x81."),
        ("keyword arguments", b"\x80\x04cm\nP\n)}(\x8c\x01xK\x01\x8c\x01yK\x02u\x92."),
        ("items set", b"\x80\x04cm\nP\n)R(\x8c\x01xK\x01\x8c\x01yK\x02u."),
        ("one dict", b"\x80\x04cm\nP\n}(\x8c\x01xK\x01\x8c\x01yK\x02u\x85R."),
        ("one tuple", b"\x80\x04cm\nP\n)\x81K\x01K\x02\x86b."),
        ("an instance of Python 2", b"(im\nP\n(dS'x'\nI1\nsS'y'\nI2\nsb."),
        ("protocol 0", b"ccopy_reg\n_reconstructor\n(cm\nP\nc__builtin__\nobject\nNtR(dVx\nI1\nsVy\nI2\nsb."),
        ("a tuple's subclass at protocol 0", b"ccopy_reg\n_reconstructor\n(cm\nP\nc__builtin__\ntuple\n(I1\nI2\nttR."),
    ];
    for (name, bytes) in forms {
        let point = from_slice::<Point>(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(point, EXPECTED, "{name}");
    }
}

#[test]
fn maps_and_sequences_from_objects() {
    let map = HashMap::from([("a".to_owned(), 1_u8)]);
    for bytes in [
        &b"ccollections\nOrderedDict\n)R\x8c\x01aK\x01s."[..],
        b"ccollections\nCounter\n}\x8c\x01aK\x01s\x85R.",
        b"ccollections\ndefaultdict\nc__builtin__\nint\n\x85R\x8c\x01aK\x01s.",
        b"ccollections\nOrderedDict\n((l(lS'a'\naI1\naatR.",
        b"ctypes\nSimpleNamespace\n)R}\x8c\x01aK\x01sb.",
    ] {
        assert_eq!(from_slice::<HashMap<String, u8>>(bytes).unwrap(), map, "{}", bytes.escape_ascii());
    }
    for bytes in [
        &b"ccollections\ndeque\n)R(K\x01K\x02e."[..],
        b"cm\nMyList\n)\x81(K\x01K\x02e.",
        b"cm\nMySet\n](K\x01K\x02e\x85R.",
        b"cm\nMyTuple\nK\x01K\x02\x86\x85\x81.",
        b"cm\nNamed\nK\x01K\x02\x86\x81.",
        b"\x80\x04cm\nMySet\n)\x81(K\x01K\x02\x90.",
    ] {
        assert_eq!(from_slice::<Vec<u8>>(bytes).unwrap(), [1, 2], "{}", bytes.escape_ascii());
        assert_eq!(from_slice::<(u8, u8)>(bytes).unwrap(), (1, 2), "{}", bytes.escape_ascii());
    }
    assert_eq!(from_slice::<Vec<u8>>(b"ccollections\ndeque\n)\x85R.").unwrap(), [0; 0]);
    assert_eq!(from_slice::<(String,)>(b"cdecimal\nDecimal\n\x8c\x031.5\x85R.").unwrap().0, "1.5");
}

#[test]
fn scalars_from_objects() {
    assert_eq!(from_slice::<String>(b"cdecimal\nDecimal\n\x8c\x031.5\x85R.").unwrap(), "1.5");
    assert_eq!(from_slice::<i32>(b"cm\nLevel\nK\x03\x85R.").unwrap(), 3);
    assert_eq!(from_slice::<f64>(b"cm\nMyFloat\nG\x3f\xf8\0\0\0\0\0\0\x85\x81.").unwrap().to_bits(), 1.5_f64.to_bits());
    assert_eq!(from_slice::<HashMap<String, i32>>(b"}cm\nMyStr\n\x8c\x01a\x85\x81K\x01s.").unwrap()["a"], 1);
    // not where there is more to it
    let error = from_slice::<i32>(b"cm\nC\nK\x03\x85R}\x8c\x01aK\x01sb.").unwrap_err();
    assert_eq!(error.to_string(), "expected i32, which would lose what makes the object, found an object of m.C at offset 8");
}

/// What says nothing of what it wants loses the name of the class, and no more.
#[test]
fn objects_for_what_takes_anything() {
    let any = |bytes: &[u8]| {
        let document = Document::from_slice(bytes).unwrap();
        serde_json::to_string(&brinery::from_document::<serde_json::Value>(&document).map_err(|error| error.to_string())).unwrap()
    };
    assert_eq!(any(b"cm\nC\n)\x81}\x8c\x01aK\x01sb."), r#"{"Ok":{"a":1}}"#);
    assert_eq!(any(b"cm\nC\n)R."), r#"{"Ok":{}}"#);
    assert_eq!(any(b"cm\nC\nK\x01K\x02\x86R."), r#"{"Ok":[1,2]}"#);
    assert_eq!(any(b"cdecimal\nDecimal\n\x8c\x031.5\x85R."), r#"{"Ok":"1.5"}"#);
    assert_eq!(any(b"cm\nC\n)\x81K\x07b."), r#"{"Ok":7}"#);
    assert!(any(b"cm\nC\nK\x01\x85R}\x8c\x01aK\x01sb.").contains("which would lose what makes the object"));
    assert!(any(b"cm\nC\n)R(K\x01e\x8c\x01aK\x01s.").contains("which would lose what makes the object"));
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "shop.models.Order")]
struct Order {
    number: u32,
    price: Decimal,
    at: Place,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "decimal.Decimal")]
struct Decimal(String);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "shop.models.Place()")]
struct Place {
    shelf: u8,
    row: u8,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "shop.models:Order.Line()")]
struct Line(u8, String);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "shop.models.Empty")]
struct Empty;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "shop.models.Bare")]
struct Bare {}

fn order() -> Order {
    Order {
        number: 7,
        price: Decimal("4.50".into()),
        at: Place { shelf: 1, row: 2 },
        lines: vec![Line(1, "tea".into()), Line(2, "jam".into())],
    }
}

#[test]
fn structs_with_a_classes_name_are_objects_of_it() {
    assert_eq!(
        shown(&order()),
        "shop.models.Order(.number=7, .price=decimal.Decimal('4.50'), .at=shop.models.Place(1, 2), .lines=[shop.models.Order.Line(1, 'tea'), \
         shop.models.Order.Line(2, 'jam')])"
    );
    for protocol in 0..=5 {
        let bytes = brinery::Pickler::new().protocol(protocol).to_vec(&order()).unwrap();
        assert_eq!(from_slice::<Order>(&bytes).unwrap(), order(), "protocol {protocol}");
        for empty in [
            brinery::Pickler::new().protocol(protocol).to_vec(&Empty).unwrap(),
            brinery::Pickler::new().protocol(protocol).to_vec(&Bare {}).unwrap(),
        ] {
            let document = Document::from_reader(&*empty).unwrap();
            assert_eq!(document.root().class().unwrap().as_global().unwrap().0, "shop.models");
        }
    }
    assert_eq!(from_slice::<Bare>(&brinery::to_vec(&Bare {}).unwrap()).unwrap(), Bare {});
    assert_eq!(from_slice::<Empty>(&brinery::to_vec(&Empty).unwrap()).unwrap(), Empty);
}

#[test]
fn the_class_is_checked_where_it_is_named() {
    let other = b"cshop.models\nCustomer\n)\x81}\x8c\x06numberK\x01sb.";
    let error = from_slice::<Order>(other).unwrap_err();
    assert_eq!(error.to_string(), "expected an object of shop.models.Order, found an object of shop.models.Customer at offset 23");
    let error = from_slice::<Decimal>(b"cfractions\nFraction\n\x8c\x011\x85R.").unwrap_err();
    assert_eq!(error.to_string(), "expected an object of decimal.Decimal, found an object of fractions.Fraction at offset 24");
    let error = from_slice::<Line>(b"cm\nLine\nK\x01\x8c\x01a\x86R.").unwrap_err();
    assert_eq!(error.to_string(), "expected an object of shop.models.Order.Line, found an object of m.Line at offset 14");
    // a dict is taken as it is
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename = "m.P")]
    struct P {
        x: u8,
    }
    assert_eq!(from_slice::<P>(b"}\x8c\x01xK\x01s.").unwrap(), P { x: 1 });
    // names of Python 2 are those of Python 3
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename = "queue.Queue")]
    struct Queue {
        x: u8,
    }
    assert_eq!(from_slice::<Queue>(b"\x80\x02cQueue\nQueue\n)\x81}U\x01xK\x01sb.").unwrap(), Queue { x: 1 });
}

#[test]
fn attributes_in_order_of_any_number() {
    let attributes: BTreeMap<String, u16> = (0..2_500).map(|at| (format!("a{at:04}"), at)).collect();
    let mut builder = brinery::DocumentBuilder::new();
    let class = builder.global("m", "C").unwrap();
    let object = builder.new_object(class, []).unwrap();
    let pairs: Vec<_> =
        attributes.iter().map(|(name, value)| (builder.str(name).unwrap(), builder.int((*value).into()).unwrap())).collect();
    let state = builder.dict(pairs).unwrap();
    builder.set_state(object, state).unwrap();
    let bytes = brinery::Pickler::new().dump(&builder.finish(object).unwrap()).unwrap();
    assert_eq!(from_slice::<BTreeMap<String, u16>>(&bytes).unwrap(), attributes);
}
