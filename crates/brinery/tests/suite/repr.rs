//! What `repr` prints where Python has no say: limits, names, and values that are not builtin.

use brinery::{Document, ErrorKind};

use crate::repr;

#[test]
fn the_limit_cuts_at_a_character() {
    let bytes = b"X\x06\0\0\0\xc3\xa9\xc3\xa9\xc3\xa9.";
    let document = Document::from_slice(bytes).unwrap();
    let mut text = String::new();
    let error = document.root().repr().limit(4).write_to(&mut text).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "output", at: 4 }));
    assert_eq!(text, "'\u{e9}");
    let mut text = String::new();
    assert_eq!(document.root().repr().limit(8).write_to(&mut text).unwrap().bytes, 8);
}

#[test]
fn integers_beyond_pythons_limit_are_hexadecimal_and_counted() {
    let long = [&b"\x8b"[..], &2_000_u32.to_le_bytes(), &[1; 2_000], b"."].concat();
    let document = Document::from_slice(&long).unwrap();
    let mut text = String::new();
    let written = document.root().repr().write_to(&mut text).unwrap();
    assert_eq!(written.hexadecimal, 1);
    assert_eq!(text, format!("0x1{}", "01".repeat(1_999)));
    let mut text = String::new();
    let written = document.root().repr().digits(5_000).write_to(&mut text).unwrap();
    assert_eq!((written.hexadecimal, text.len()), (0, 4_815));
}

#[test]
fn names_that_are_no_names() {
    assert_eq!(repr(b"\x8c\x05foo\n2\x8c\x03bar\x93."), "foo\\n2.bar");
    assert_eq!(repr("cm\u{f6}dule\nKla\u{df}e\n.".as_bytes()), "m\u{f6}dule.Kla\u{df}e");
    assert_eq!(repr(b"X\x03\0\0\0\xed\xa0\x80X\x01\0\0\0n\x93."), "\\ud800.n");
}

#[test]
fn constants_print_as_python_prints_them() {
    assert_eq!(repr(b"cbuiltins\nEllipsis\n."), "Ellipsis");
    assert_eq!(repr(b"c__builtin__\nNotImplemented\n."), "NotImplemented");
}

#[test]
fn empty_and_single() {
    for (bytes, text) in [
        (&b")."[..], "()"),
        (b"N\x85.", "(None,)"),
        (b"].", "[]"),
        (b"}.", "{}"),
        (b"\x8f.", "set()"),
        (b"(\x91.", "frozenset()"),
        (b"(K\x01\x91.", "frozenset({1})"),
        (b"C\x00.", "b''"),
        (b"\x96\0\0\0\0\0\0\0\0.", "bytearray(b'')"),
        (b"cbuiltins\nset\n](K\x02K\x01e\x85R.", "{2, 1}"),
        (b"c_codecs\nencode\nX\x02\0\0\0\xc3\xa9X\x06\0\0\0latin1\x86R.", "b'\\xe9'"),
    ] {
        assert_eq!(repr(bytes), text);
    }
}
