//! The owned tree.

use std::collections::HashSet;

use brinery::value::Group;
use brinery::{Document, Limits, Value};

fn value(bytes: &[u8]) -> brinery::Result<Value> {
    Value::try_from(Document::from_slice(bytes)?.root())
}

#[test]
fn every_kind() {
    let bytes = b"(NI01\nK\x05\x8a\x09\0\0\0\0\0\0\0\0\x01G?\xf0\0\0\0\0\0\0X\x01\0\0\0aX\x03\0\0\0\xed\xa0\x80U\x01bC\x01c\
        \x96\x01\0\0\0\0\0\0\0d]K\x01a}K\x01K\x02s\x8f(K\x01\x90(K\x02\x91)cm\nC\nPid\n\x82\x05\x97t.";
    let value = value(bytes).unwrap();
    assert_eq!(
        format!("{value:?}"),
        "tuple[None, True, 5, 18446744073709551616, 1.0, 'a', '\\ud800', b'b', b'c', bytearray(b'd'), list[1], dict[1, 2], \
         set[1], frozenset[2], tuple[], global['m', 'C'], persistent['id'], extension 5, buffer 0]"
    );
    assert_eq!(value.children().len(), 19);
    assert!(value == value.clone());
    assert!(HashSet::from([value.clone()]).contains(&value));
}

#[test]
fn values_differ_by_kind_order_and_content() {
    let texts = [
        &b"K\x01."[..],
        b"G?\xf0\0\0\0\0\0\0.",
        b"\x88.",
        b"]K\x01a.",
        b"K\x01\x85.",
        b"](K\x01K\x02e.",
        b"](K\x02K\x01e.",
        b"U\x01a.",
        b"X\x01\0\0\0a.",
        b"C\x01a.",
    ];
    let values: Vec<_> = texts.iter().map(|bytes| value(bytes).unwrap()).collect();
    for (at, left) in values.iter().enumerate() {
        for (other, right) in values.iter().enumerate() {
            assert_eq!(left == right, at == other, "{left:?} {right:?}");
        }
    }
}

#[test]
fn objects_keep_all_their_parts() {
    let value = value(b"cm\nC\nK\x01\x85}U\x01kK\x02s\x92}U\x01aK\x03sb(K\x04e(K\x05K\x06u.").unwrap();
    let Value::Object(object) = &value else { panic!("{value:?}") };
    let groups: Vec<_> = object.groups().map(|(group, values)| (group, values.len())).collect();
    assert_eq!(
        groups,
        [(Group::Callable, 1), (Group::Arguments, 1), (Group::Keywords, 1), (Group::State, 1), (Group::Appended, 1), (Group::SetItems, 2)]
    );
    assert!(matches!(object.class(), Some(Value::Global(_))));
    let attributes: Vec<_> = object.attributes().map(|pair| format!("{pair:?}")).collect();
    assert_eq!(attributes, ["(b'a', 3)"]);
}

#[test]
fn what_is_done_to_names_and_codes_is_kept() {
    for (bytes, text) in
        [(&b"cm\nC\n(K\x01e."[..], "object['m', 'C', 1]"), (b"\x82\x05(K\x01e.", "object[5, 1]"), (b"Pid\n(K\x01e.", "persistent['id', 1]")]
    {
        assert_eq!(format!("{:?}", value(bytes).unwrap()), text);
    }
}

#[test]
fn a_cycle_cannot_be_a_tree() {
    for bytes in [&b"]q\x00h\x00a."[..], b"cm\nC\n)\x81q\x00}U\x01ah\x00sb.", b"(]q\x00(h\x00tq\x01a1h\x01."] {
        assert_eq!(
            value(bytes).unwrap_err().to_string(),
            "the value is inside itself, which neither a tree nor a pickle without a memo can be"
        );
    }
}

#[test]
fn shared_values_are_copied_within_a_limit() {
    let bytes = b"]q\x00K\x01ah\x00h\x00\x87.";
    let value = value(bytes).unwrap();
    assert_eq!(format!("{value:?}"), "tuple[list[1], list[1], list[1]]");
    let mut limits = Limits::default();
    limits.expansion = 2;
    let document = Document::from_slice(bytes).unwrap();
    assert!(Value::from_item(document.root(), &limits).is_err());
}
