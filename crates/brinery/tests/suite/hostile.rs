//! Malformed and hostile pickles: each gives its error at once, at its place, and takes no memory beyond its size.

use std::time::{Duration, Instant};

use brinery::{Category, Document, ErrorKind, Limits, Unpickler};

use crate::allocations::peak;
use crate::{error, repr};

/// The error's text, which must come at once and without memory for what is only claimed.
fn at_once(bytes: &[u8]) -> String {
    let start = Instant::now();
    let (error, held) = peak(|| error(bytes));
    assert!(start.elapsed() < Duration::from_secs(1), "took {:?}", start.elapsed());
    assert!(held < 64 << 10, "held {held} bytes");
    error.to_string()
}

#[test]
fn claims_of_what_is_not_there() {
    let huge = (1_u64 << 62).to_le_bytes();
    assert_eq!(
        at_once(&[b"\x80\x04\x8e", &huge[..]].concat()),
        "offset 2: BINBYTES8: the input ends inside the argument: expected 4611686018427387913 bytes from here, found 9"
    );
    assert_eq!(
        at_once(&[b"\x80\x04\x95", &huge[..], b"N."].concat()),
        "offset 2: FRAME: the frame promises 4611686018427387904 bytes, the input holds 2 more"
    );
    assert_eq!(
        at_once(b"X\xff\xff\xff\xffabc."),
        "offset 0: BINUNICODE: the input ends inside the argument: expected 4294967300 bytes from here, found 9"
    );
    assert_eq!(
        at_once(b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff."),
        "offset 0: BINUNICODE8: the length 18446744073709551615 is over 2^63 - 1"
    );
    assert_eq!(at_once(b"T\xff\xff\xff\xff."), "offset 0: BINSTRING: the length -1 is negative");
    assert_eq!(at_once(b"\x8b\xff\xff\xff\xff."), "offset 0: LONG4: the length -1 is negative");
    assert_eq!(
        at_once(b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xffN."),
        "offset 2: FRAME: the frame's length 18446744073709551615 is over 2^63 - 1"
    );
}

#[test]
fn claims_from_a_reader() {
    let huge = (1_u64 << 62).to_le_bytes();
    for start in [&b"\x80\x04\x8e"[..], b"\x80\x04\x95"] {
        let bytes = [start, &huge[..], b"abc"].concat();
        let (error, held) = peak(|| Document::from_reader(&*bytes).unwrap_err());
        assert_eq!(error.to_string(), Document::from_slice(&bytes).unwrap_err().to_string());
        assert!(held < 512 << 10, "held {held} bytes");
    }
}

#[test]
fn a_million_digits() {
    let digits = b"1".repeat(1_000_000);
    let int = at_once(&[b"I", &digits[..], b"\n."].concat());
    assert_eq!(int, "offset 0: INT: the limit on digits (4300) is exceeded");
    let long = at_once(&[b"L", &digits[..], b"L\n."].concat());
    assert_eq!(long, "offset 0: LONG: the limit on digits (4300) is exceeded");
    assert_eq!(at_once(&[b"Ng", &digits[..], b"\n."].concat()), "offset 1: GET: the limit on digits (4300) is exceeded");
    // as many binary digits are fine
    let long4 = [b"\x8b", &1_000_000_u32.to_le_bytes()[..], &[0x7f; 1_000_000], b"."].concat();
    let (document, held) = peak(|| Document::from_slice(&long4).unwrap());
    assert!(held < 64 << 10);
    assert!(document.root().repr().to_string().starts_with("0x7f7f"));
}

#[test]
fn huge_memo_slots_are_sparse() {
    for put in [&b"r\xff\xff\xff\xff"[..], b"p9223372036854775807\n", b"p4611686018427387904\n"] {
        let bytes = [b"K\x01", put, b"."].concat();
        let (document, held) = peak(|| Document::from_slice(&bytes).unwrap());
        assert_eq!(document.root().as_i64(), Some(1));
        assert!(held < 64 << 10, "held {held} bytes");
    }
    assert_eq!(repr(b"K\x01r\xff\xff\xff\xff0j\xff\xff\xff\xff."), "1");
    assert_eq!(at_once(b"h\x07."), "offset 0: BINGET 7: memo slot 7 was never filled");
    assert_eq!(at_once(b"g9223372036854775807\n."), "offset 0: GET 9223372036854775807: memo slot 9223372036854775807 was never filled");
}

#[test]
fn a_doubling_of_64_levels() {
    let bytes = [&b"\x80\x02)q\x00"[..], &b"0h\x00h\x00\x86q\x00".repeat(64), b"."].concat();
    let start = Instant::now();
    let (document, held) = peak(|| Document::from_slice(&bytes).unwrap());
    assert!(document.node_count() < 100 && held < 64 << 10);
    assert!(document.root() == document.root());
    let again = Document::from_slice(&bytes).unwrap();
    assert!(document.root() == again.root(), "compared by pairs of nodes, not by paths");
    let mut text = String::new();
    let error = document.root().repr().limit(1_000).write_to(&mut text).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "output", at: 1_000 }));
    assert_eq!(text.len(), 1_000);
    let error = brinery::Value::try_from(document.root()).unwrap_err();
    assert_eq!(error.to_string(), "the limit on expansion (1048576) is exceeded");
    assert!(start.elapsed() < Duration::from_secs(10));
    // as a key it is hashed by nodes, too
    let key =
        [&b"}\x80\x02)q\x00"[..], &b"0h\x00h\x00\x86q\x00".repeat(64), b"N)q\x000)q\x01", &b"0h\x01h\x01\x86q\x01".repeat(64), b"Ns."]
            .concat();
    assert!(Document::from_slice(&key).is_err() || start.elapsed() < Duration::from_secs(10));
    let twice =
        [&b"}("[..], b")q\x00", &b"0h\x00h\x00\x86q\x00".repeat(64), b"K\x01)q\x01", &b"0h\x01h\x01\x86q\x01".repeat(64), b"K\x02u."]
            .concat();
    let document = Document::from_slice(&twice).unwrap();
    assert_eq!(document.root().len(), Some(1), "two equal keys are one");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn frames() {
    let frame = |length: u64, rest: &[u8]| [b"\x80\x04\x95", &length.to_le_bytes()[..], rest].concat();
    assert_eq!(repr(&frame(2, b"N.")), "None");
    assert_eq!(repr(&frame(0, b"N.")), "None");
    assert_eq!(repr(&[&frame(1, b"N")[..], &frame(2, b"0N.")[2..]].concat()), "None");
    let text = |bytes: &[u8]| error(bytes).to_string();
    // the frame ends inside the text's length and data
    assert_eq!(text(&frame(3, b"\x8c\x05hello.")), "offset 11: SHORT_BINUNICODE: the opcode stands across the frame's end at offset 14");
    assert_eq!(text(&frame(3, b"N..")), "offset 12: STOP: the pickle ends inside the frame that ends at offset 14");
    assert_eq!(
        text(&frame(20, &[&frame(2, b"0N.")[2..], &[b'0'; 20]].concat())),
        "offset 11: FRAME: a frame begins inside the one that ends at offset 31"
    );
    assert_eq!(text(&frame(5, b"N.")), "offset 2: FRAME: the frame promises 5 bytes, the input holds 2 more");
    let mut lax = Unpickler::new();
    lax.lax_frames(true);
    assert_eq!(lax.load(&frame(3, b"\x8c\x05hello.")).unwrap().root().as_str(), Some("hello"));
    assert!(lax.load(&frame(50, b"\x8c\x05hello.")).is_err(), "its bytes must be there all the same");
}

#[test]
fn what_there_is_of_a_cut_frame_is_read() {
    // dumps([1, 'ab', 3], 4), cut at every byte of its frame
    let bytes = b"\x80\x04\x95\x0e\0\0\0\0\0\0\0]\x94(K\x01\x8c\x02ab\x94K\x03e.";
    let stacks =
        ["", "[]", "[]", "[]", "[]", "[] 1", "[] 1", "[] 1", "[] 1", "[] 1 'ab'", "[] 1 'ab'", "[] 1 'ab'", "[] 1 'ab' 3", "[1, 'ab', 3]"];
    for lax in [false, true] {
        let mut unpickler = Unpickler::new();
        unpickler.lax_frames(lax);
        for (kept, expected) in stacks.iter().enumerate() {
            let cut = &bytes[..11 + kept];
            let (document, error) = unpickler.load_partial(cut, 0);
            let stack: Vec<_> = document.left_on_stack(0).map(|item| item.repr().to_string()).collect();
            assert_eq!(stack.join(" "), *expected, "{kept} bytes of the frame");
            let text = error.unwrap().to_string();
            assert_eq!(text, format!("offset 2: FRAME: the frame promises 14 bytes, the input holds {kept} more"));
            assert_eq!(unpickler.load_reader(cut).unwrap_err().to_string(), text);
            assert_eq!(unpickler.load_buf_reader(cut).unwrap_err().to_string(), text);
        }
        // nor is it hidden by another error inside, or by STOP
        for inside in [&b"N\xff"[..], b"N.", b"h\x07"] {
            let cut = [&b"\x80\x04\x95\x64\0\0\0\0\0\0\0"[..], inside].concat();
            let error = unpickler.load(&cut).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::FrameTruncated { promised: 100, found: 2 }), "{error}");
        }
    }
    assert_eq!(repr(bytes), "[1, 'ab', 3]", "whole, it is read");
}

#[test]
fn wrong_kinds() {
    for (bytes, text) in [
        (&b"K\x01K\x02a."[..], "offset 4: APPEND: expected a list, found int"),
        (b")(K\x01e.", "offset 4: APPENDS: expected a list, found tuple"),
        (b"]K\x01K\x02s.", "offset 5: SETITEM: the list has no such item"),
        (b"](K\x01\x90.", "offset 4: ADDITEMS: expected a set, found list"),
        (b"}}K\x01K\x02sb.", "offset 7: BUILD: expected an object, found dict"),
        (b"K\x01)R.", "offset 3: REDUCE: expected a callable, found int"),
        (b"cm\nf\n]R.", "offset 6: REDUCE: expected a tuple of arguments, found list"),
        (b"cm\nC\n)N\x92.", "offset 7: NEWOBJ_EX: expected a dict of keyword arguments, found None"),
        (b"K\x01K\x02\x93.", "offset 4: STACK_GLOBAL: expected the name of a module and of a global as str, found int"),
        (b"(K\x01o.", "offset 3: OBJ: expected a callable, found int"),
        (b"K\x01\x98.", "offset 2: READONLY_BUFFER: expected a buffer, found int"),
        (b"}]K\x01s.", "offset 4: SETITEM: a list cannot be a key or an element of a set"),
        (b"(]K\x01\x86\x91.", "offset 5: FROZENSET: a list cannot be a key or an element of a set"),
        (b"}(K\x01u.", "offset 4: SETITEMS: expected keys and values, found 1 items"),
        (b"(K\x01d.", "offset 3: DICT: expected keys and values, found 1 items"),
        (b"0.", "offset 0: POP: the stack holds too few values"),
        (b"(.", "offset 1: STOP: found a mark where a value is needed"),
        (b"K\x01t.", "offset 2: TUPLE: no mark is on the stack"),
        (b"(o.", "offset 1: OBJ: the stack holds too few values"),
        (b"\x80\x06N.", "offset 0: PROTO: protocol 6 is unknown: expected 0 to 5"),
        (b"\x84\xff\xff\xff\xff.", "offset 0: EXT4: extension code -1 is below 1"),
        (b"\x82\x00.", "offset 0: EXT1: extension code 0 is below 1"),
        (b"X\x02\0\0\0a\xff.", "offset 0: BINUNICODE: the text is not UTF-8: byte 1 of it is wrong"),
        (b"S'a\n.", "offset 0: STRING: expected a quoted string, found \"\\'a\""),
        (b"Fx\n.", "offset 0: FLOAT: expected a float, found \"x\""),
        (b"\xff", "offset 0: byte 0xff is no opcode"),
        (b"%", "offset 0: byte 0x25 ('%') is no opcode"),
        (b"", "offset 0: the input is empty: expected a pickle"),
        (b"K\x01", "offset 2: the input ends without STOP: expected an opcode"),
        (b"cos\nsys", "offset 0: GLOBAL: the input ends inside the argument: expected a newline, found none in 7 bytes"),
    ] {
        assert_eq!(error(bytes).to_string(), text, "{}", bytes.escape_ascii());
    }
}

#[test]
fn categories() {
    assert_eq!(error(b"").classify(), Category::Eof);
    assert_eq!(error(b"\xff").classify(), Category::Syntax);
    assert_eq!(error(b"h\x01.").classify(), Category::Data);
    assert_eq!(std::io::Error::from(error(b"K")).kind(), std::io::ErrorKind::UnexpectedEof);
    assert_eq!(std::io::Error::from(error(b"\xff")).kind(), std::io::ErrorKind::InvalidData);
}

#[test]
fn every_truncation_and_every_flipped_byte_is_survived() {
    let bytes = [
        &b"\x80\x04\x95\x45\0\0\0\0\0\0\0}\x94(\x8c\x01a\x94]\x94(K\x01M\x00\x02J\xff\xff\xff\xff\x8a\x09\0\0\0\0\0\0\0\0\x01G?\xf0\0\0\0\0\0\0e"[..],
        b"\x8c\x01b\x94\x8c\x01m\x8c\x01C\x93)\x81}\x8c\x01xNsb\x8c\x01c\x8f(K\x01\x90u.",
    ]
    .concat();
    let fixed = bytes.len() as u64 - 11;
    let mut bytes = bytes;
    bytes[3..11].copy_from_slice(&fixed.to_le_bytes());
    assert!(repr(&bytes).starts_with("{'a': [1, 512, -1, 18446744073709551616, 1.0], 'b': m.C(.x=None)"));
    let mut unpickler = Unpickler::new();
    for end in 0..bytes.len() {
        assert!(unpickler.load(&bytes[..end]).is_err());
    }
    for at in 0..bytes.len() {
        for value in 0..=255 {
            let mut changed = bytes.clone();
            changed[at] = value;
            let (document, _) = unpickler.load_partial(&changed, 0);
            let _ = document.root().repr().limit(10_000).write_to(&mut String::new());
            unpickler.recycle(document);
        }
    }
}

#[test]
fn copies_are_paid_for() {
    // a list of 1,000 items and a call of set on it, over and over: 4 KB copied for 5 bytes
    let calls = 2_000;
    let bytes = [&b"cbuiltins\nset\nq\x000]q\x01("[..], &b"K\x01".repeat(1_000), b"e0", &b"h\x00h\x01\x85R0".repeat(calls), b"N."].concat();
    assert!(Document::from_slice(&bytes).is_ok());
    let mut limits = Limits::default();
    limits.copied = 1 << 20;
    let mut unpickler = Unpickler::new();
    let error = unpickler.limits(limits).load(&bytes).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "copied", .. }), "{error}");
}

#[test]
fn nodes_can_be_limited() {
    let mut limits = Limits::default();
    limits.nodes = 10;
    let mut unpickler = Unpickler::new();
    let error = unpickler.limits(limits).load(&[&b"]"[..], &b"]a".repeat(20), b"."].concat()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "nodes", at: 10 }), "{error}");
}

#[test]
fn one_long_key_in_many_dicts_is_hashed_once() {
    // 1 MB of text as a key of 20,000 dicts, with another key beside it
    let text = [&b"X"[..], &1_000_000_u32.to_le_bytes(), &[b'k'; 1_000_000], b"q\x00"].concat();
    let other = [&b"X"[..], &1_000_000_u32.to_le_bytes(), &[b'k'; 1_000_000], b"q\x01"].concat();
    let bytes = [&text[..], b"0", &other, b"0](", &b"}(h\x00Nh\x01NK\x01Nu".repeat(20_000), b"e."].concat();
    let start = Instant::now();
    let document = Document::from_slice(&bytes).unwrap();
    assert!(document.root().items().all(|dict| dict.len() == Some(2)));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

/// Work that grows with the square of the input would take hours for these.
#[test]
fn one_long_value_used_over_and_over() {
    let long_text = [&b"X"[..], &1_000_000_u32.to_le_bytes(), &[b'k'; 1_000_000]].concat();
    let long_list = [&b"]("[..], &b"K\x01".repeat(999_999), b"Ne"].concat();
    let long_dict: Vec<u8> = [
        b"}(".to_vec(),
        (0..100_000_u32).flat_map(|at| [&b"X\x05\0\0\0"[..], format!("{at:05}").as_bytes(), b"N"].concat()).collect(),
        b"u".to_vec(),
    ]
    .concat();
    let shapes = [
        // a call that does not fold, and one that does
        [&b"cbuiltins\nbytes\nq\x000"[..], &long_list, b"q\x010", &b"h\x00h\x01\x85R0".repeat(100_000), b"N."].concat(),
        [&b"c_codecs\nencode\nq\x000"[..], &long_text, b"q\x010X\x06\0\0\0latin1q\x020", &b"h\x00h\x01h\x02\x86R0".repeat(100_000), b"N."]
            .concat(),
        // keyword arguments
        [&b"cm\nC\nq\x000"[..], &long_dict, b"q\x010", &b"h\x00)h\x01\x920".repeat(100_000), b"N."].concat(),
        // names
        [&long_text[..], b"q\x000", &b"h\x00h\x00\x930".repeat(100_000), b"N."].concat(),
        // the arguments of a repeated call
        [&b"cm\nf\nq\x000("[..], &b"N".repeat(1_000_000), b"tq\x010h\x00h\x01Rq\x020", &b"h\x00h\x01R0h\x020".repeat(100_000), b"N."]
            .concat(),
        // a tuple as key
        [&b"("[..], &b"N".repeat(1_000_000), b"tq\x010", &b"}h\x01Ns0".repeat(100_000), b"N."].concat(),
    ];
    for (at, bytes) in shapes.iter().enumerate() {
        let start = Instant::now();
        let (document, error) = Unpickler::new().load_partial(bytes, 0);
        let kind = error.as_ref().map(brinery::Error::kind);
        assert!(matches!(kind, None | Some(ErrorKind::LimitExceeded { limit: "copied", .. })), "{at}: {error:?}");
        drop(document);
        assert!(start.elapsed() < Duration::from_secs(20), "{at}: {:?}", start.elapsed());
    }
}

#[test]
fn cycles_of_different_lengths_are_compared_in_proportion() {
    let cycle = |length: usize| [&b"]q\x00"[..], &b"]".repeat(length - 1), b"h\x00", &b"a".repeat(length), b"."].concat();
    let (left, right) = (cycle(10_007), cycle(10_009));
    let (left, right) = (Document::from_slice(&left).unwrap(), Document::from_slice(&right).unwrap());
    let start = Instant::now();
    assert!(left.root() == right.root(), "both are a list that holds itself, whichever way it is walked");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// A shape of so many pieces takes no more than in proportion: the time for four times as many is looked at.
fn in_proportion(name: &str, shape: impl Fn(usize) -> Vec<u8>, work: impl Fn(&[u8])) {
    let timed = |pieces| {
        let bytes = shape(pieces);
        let start = Instant::now();
        work(&bytes);
        start.elapsed()
    };
    let (small, large) = (timed(2_000), timed(32_000));
    // sixteen times as much; with the square it would be 256 times, and far over a second
    assert!(large < small * 100 + Duration::from_secs(1), "{name}: {small:?}, then {large:?}");
}

#[test]
fn work_is_in_proportion() {
    let load = |bytes: &[u8]| drop(Unpickler::new().load_partial(bytes, 0));
    let load_shared = |bytes: &[u8]| drop(Unpickler::new().shared_memo(true).load_all_partial(bytes));
    let walk = |bytes: &[u8]| {
        let (document, again) = (Document::from_slice(bytes).unwrap(), Document::from_slice(bytes).unwrap());
        assert!(document.root() == again.root());
        let _ = brinery::Value::try_from(document.root());
        let _ = document.root().repr().limit(1 << 20).write_to(&mut String::new());
    };
    let keys = |count: usize| (0..count as u32).flat_map(|key| [&b"J"[..], &key.to_le_bytes(), b"N"].concat()).collect::<Vec<u8>>();
    let text = |length: usize, last: u8| [&b"X"[..], &(length as u32 + 1).to_le_bytes(), &vec![b'k'; length], &[last]].concat();
    in_proportion("settled again", |n| [&b"}q\x01("[..], &keys(n), b"u.", &b"h\x01NNs.".repeat(n)].concat(), load_shared);
    in_proportion("dropped again", |n| [&b"]q\x01("[..], &b"]".repeat(n), b"e.", &b"]0h\x01.".repeat(n)].concat(), load_shared);
    in_proportion("long key again", |n| [&text(n * 10, b'a')[..], b"q\x010}q\x02.", &b"h\x02h\x01Ns.".repeat(n)].concat(), load_shared);
    in_proportion(
        "unequal arguments",
        |n| {
            let (first, second) =
                ([&b"("[..], &b"N".repeat(n), b"tq\x01"].concat(), [&b"("[..], &b"N".repeat(n - 1), b"K\x01tq\x02"].concat());
            [&b"cm\nf\nq\x000"[..], &first, b"0", &second, b"0h\x00h\x01Rq\x030", &b"h\x00h\x02R0h\x030".repeat(n), b"N."].concat()
        },
        load,
    );
    let words = |count: usize| {
        (0..count).flat_map(|word| [&b"X\x06\0\0\0"[..], format!("{word:06}").as_bytes(), b"N"].concat()).collect::<Vec<u8>>()
    };
    in_proportion(
        "keywords",
        |n| [&b"cm\nC\nq\x000}q\x01("[..], &words(n), b"uX\x01\0\0\0kq\x020", &b"h\x01h\x02Ns0h\x00)h\x01\x920".repeat(n), b"N."].concat(),
        load,
    );
    in_proportion("long text", |n| [&b"("[..], &text(n * 100, b'a'), b"q\x01", &b"h\x01".repeat(n), b"l."].concat(), walk);
    in_proportion(
        "long bytes",
        |n| [&b"(B"[..], &(n as u32 * 100).to_le_bytes(), &vec![7; n * 100], b"q\x01", &b"h\x01".repeat(n), b"l."].concat(),
        walk,
    );
    in_proportion(
        "long integer",
        |n| [&b"(\x8b"[..], &(n as u32).to_le_bytes(), &vec![7; n], b"q\x01", &b"h\x01".repeat(n), b"l."].concat(),
        walk,
    );
    in_proportion(
        "one state of many objects",
        |n| {
            let objects = b"h\x00)\x81h\x01b".repeat(n);
            [&b"}q\x01("[..], &words(n), b"NNu0cm\nC\nq\x000h\x01X\x01\0\0\0l(", &objects, b"lsh\x01."].concat()
        },
        |bytes| {
            let document = Document::from_slice(bytes).unwrap();
            let _ = document.root().repr().write_to(&mut String::new());
        },
    );
    in_proportion("empty states", |n| [&b"(cm\nf\n)Rq\x01"[..], &b"}b".repeat(n), &b"h\x01".repeat(n / 2), b"l."].concat(), walk);
}

#[test]
fn trees_pay_for_what_they_copy() {
    let text = [&b"X"[..], &1_000_000_u32.to_le_bytes(), &[b'k'; 1_000_000]].concat();
    let bytes = [&b"("[..], &text, b"q\x01", &b"h\x01".repeat(10_000), b"l."].concat();
    let document = Document::from_slice(&bytes).unwrap();
    let (tree, held) = peak(|| brinery::Value::try_from(document.root()));
    assert_eq!(tree.unwrap_err().to_string(), "the limit on expansion (1048576) is exceeded");
    assert!(held < 100 << 20, "{held}");
    // what is there once costs nothing, however much it is
    let bytes = [&b"("[..], &b"K\x01".repeat(1_200_000), b"l."].concat();
    assert!(brinery::Value::try_from(Document::from_slice(&bytes).unwrap().root()).is_ok());
    let mut limits = Limits::default();
    limits.expansion = u64::MAX;
    assert!(brinery::Value::from_item(Document::from_slice(b"cm\nf\n.").unwrap().root(), &limits).is_ok());
}

#[test]
fn what_may_be_copied_does_not_depend_on_the_input() {
    let bytes = b"cbuiltins\nset\n(K\x01K\x01K\x01K\x01K\x01K\x01K\x01K\x01K\x01K\x01l\x85R0(NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNt.";
    for copied in [0, 1, 10, 100] {
        let mut limits = Limits::default();
        limits.copied = copied;
        let mut unpickler = Unpickler::new();
        unpickler.limits(limits);
        let text = |result: brinery::Result<Document<'_>>| result.map(|_| ()).map_err(|error| error.to_string());
        let expected = text(unpickler.load(bytes));
        for size in [1, 5, 1_000] {
            assert_eq!(text(unpickler.load_buf_reader(std::io::BufReader::with_capacity(size, &bytes[..]))), expected);
        }
    }
}
