//! The Razorvine profile: what its reader takes for another value is an error, and what is beside that is written.

use brinery::{Document, Encoding, ErrorKind, Pickler, Unpickler};

/// A text, as protocol 2 has it.
fn text(text: &str) -> Vec<u8> {
    [b"X", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

fn ints(ints: &[i32]) -> Vec<u8> {
    ints.iter().flat_map(|int| [b"J", &int.to_le_bytes()[..]].concat()).collect()
}

/// A call of a global.
fn call(name: &str, args: &[u8]) -> Vec<u8> {
    [format!("c{}\n", name.replacen(' ', "\n", 1)).as_bytes(), b"(", args, b"tR"].concat()
}

/// What the profile says of a pickle's value: the reason, and where.
fn refusal(pickle: &[u8]) -> Option<(String, String)> {
    let bytes = [b"\x80\x02", pickle, b"."].concat();
    let document = Document::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", bytes.escape_ascii()));
    match Pickler::razorvine().dump(&document) {
        Ok(written) => {
            let again = Document::from_slice(&written).unwrap();
            let shown = |document: &Document<'_>| {
                let mut text = String::new();
                let _ = document.root().repr().limit(10_000).write_to(&mut text);
                text
            };
            assert_eq!(shown(&again), shown(&document), "{}", written.escape_ascii());
            None
        }
        Err(error) => {
            let ErrorKind::Unwritable { what, reason } = error.kind() else { panic!("{error}") };
            Some((format!("{what}: {reason}"), error.path().unwrap_or_default().to_owned()))
        }
    }
}

fn assert_refused(pickle: &[u8], words: &str, path: &str) {
    let (text, found) = refusal(pickle).unwrap_or_else(|| panic!("{} is written", pickle.escape_ascii()));
    assert!(text.contains(words), "{}: {text}", pickle.escape_ascii());
    assert_eq!(found, path, "{}", pickle.escape_ascii());
}

fn assert_written(pickle: &[u8]) {
    assert_eq!(refusal(pickle), None, "{}", pickle.escape_ascii());
}

#[test]
fn classes_are_no_values() {
    let words = "keeps no name";
    assert_refused(b"cm\nC\n", words, "");
    assert_refused(b"](K\x01cm\nC\ne", words, "[1]");
    assert_refused(b"}X\x01\0\0\0kcm\nC\ns", words, "['k']");
    assert_refused(b"}cm\nC\nK\x01s", words, ".keys()[0]");
    assert_refused(b"cm\nf\ncm\nC\n\x85R", words, ".args[0]");
    // also one that has been written as what is called
    assert_refused(b"](cm\nC\nq\x00)Rh\x00e", words, "[1]");
    assert_refused(b"cm\nC\n)\x81}X\x01\0\0\0kcm\nD\nsb", words, ".__dict__['k']");
    assert_refused(b"cm\nC\nQ", words, "");
    // among these arguments the reader expects one
    let array = [&b"carray\n_array_reconstructor\n(carray\narray\n"[..], b"X\x01\0\0\0iK\x08C\x04\x01\0\0\0tR"].concat();
    assert_written(&array);
    assert_refused(&[&array[..], b"carray\narray\n\x86"].concat(), words, "[1]");
    assert_written(b"ccopyreg\n_reconstructor\ncdateutil.tz\ntzutc\nc__builtin__\nobject\nN\x87R");
    assert_written(b"](cm\nC\nq\x00)Rh\x00)Re");
}

#[test]
fn objects_are_dicts_with_one_state() {
    let new = b"cm\nC\n)\x81";
    let with = |rest: &[u8]| [new, rest].concat();
    assert_written(&with(b"}X\x01\0\0\0aK\x01sb"));
    assert_written(&with(b"(X\x01\0\0\0aK\x01X\x01\0\0\0bK\x02u"));
    assert_written(&with(b"}b}X\x01\0\0\0aK\x01sb"));
    assert_refused(&with(b"(X\x01\0\0\0aK\x01u}b"), "before it is given a state", "");
    assert_refused(&[b"]", &with(b"}X\x01\0\0\0aK\x01sb}b")[..], b"a"].concat(), "before it is given a state", "[0]");
    assert_refused(&with(b"}X\x01\0\0\0aK\x01sb(X\x01\0\0\0bK\x02u"), "in one dict", "");
    assert_refused(&with(b"}X\x09\0\0\0__class__K\x01sb"), "`__class__`", "");
    assert_refused(&with(b"(X\x09\0\0\0__class__K\x01u"), "`__class__`", "");
    assert_refused(&with(b"(X\x01\0\0\0aK\x01X\x01\0\0\0aK\x02u"), "two keys of its items", "");
    // a state that holds the object is read after it was copied only if it is the outer one
    assert_written(b"cm\nC\n)\x81q\x00}X\x01\0\0\0ah\x00sb");
    assert_refused(b"}q\x00X\x01\0\0\0acm\nC\n)\x81h\x00bs", "before that is filled", "['a'].__dict__");
}

#[test]
fn exceptions_have_one_text() {
    for name in ["exceptions ValueError", "__builtin__ OSError", "builtins StopIteration", "exceptions Other"] {
        assert_written(&call(name, b""));
        assert_written(&call(name, &text("a")));
        assert_refused(&call(name, b"K\x01"), "one text", "");
        assert_refused(&call(name, &[text("a"), text("b")].concat()), "one text", "");
    }
    let error = call("exceptions ValueError", &text("a"));
    assert_written(&[&error[..], b"}b"].concat());
    assert_written(&[&error[..], b"}X\x0e\0\0\0_pyroTracebackX\x01\0\0\0tsb"].concat());
    assert_refused(&[&error[..], b"}X\x01\0\0\0aK\x01sb"].concat(), "none of its attributes", "");
    assert_refused(b"(cexceptions\nValueError\nK\x01o", "one text", "");
    assert_written(b"(cexceptions\nValueError\no");
    // no exception to the reader, which refuses the second itself
    assert_written(&call("m MyError", b""));
    assert_written(&call("builtins ExceptionGroup", &[text("a"), b"]".to_vec()].concat()));
}

#[test]
fn decimals_have_no_negative_zero_and_no_nan() {
    for right in
        ["0", "0E-18", "-1", "-0.01", "-1E+5", "-0.0000000000000000000000000000000000000000000000000000000000000000001", "-NaN", "Infinity"]
    {
        assert_written(&call("decimal Decimal", &text(right)));
    }
    for zero in ["-0", "-0.00", "-0E+5", "-.0e9"] {
        assert_refused(&[b"]", &call("decimal Decimal", &text(zero))[..], b"a"].concat(), "negative zero", "[0]");
    }
    for nan in ["NaN", "nan"] {
        assert_refused(&call("decimal Decimal", &text(nan)), "NaN for a float", "");
    }
}

#[test]
fn arrays_have_the_numbers_that_they_had() {
    let array = |code: &str, items: &[u8]| call("array array", &[&text(code)[..], b"](", items, b"e"].concat());
    let number = "another number";
    assert_written(&array("i", &ints(&[1, -1])));
    assert_written(&array("d", b"K\x01G\x3f\xf8\0\0\0\0\0\0"));
    assert_written(&array("l", &ints(&[i32::MAX, i32::MIN])));
    assert_refused(&array("l", b"\x8a\x05\0\0\0\x80\0"), number, "");
    assert_written(&array("L", b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"));
    assert_refused(&array("L", b"\x8a\x09\0\0\0\0\0\0\0\x80\0"), number, "");
    assert_refused(&array("L", b"K\x01\x8a\x01\xff"), number, "");
    assert_refused(&array("h", b"G\x3f\xf8\0\0\0\0\0\0"), number, "");
    assert_refused(&array("b", b"K\x01"), "signed bytes", "");
    assert_written(&array("u", &text("\u{20ac}")));
    assert_refused(&array("u", &text("\u{1f44d}")), "UTF-16", "");
    assert_refused(&array("u", &text("ab")), "UTF-16", "");
    // the reader refuses the code itself
    assert_written(&array("q", b"\x8a\x05\0\0\0\x80\0"));
    assert_refused(b"carray\n_array_reconstructor\n(carray\narray\nX\x01\0\0\0bK\x01C\x01\x01tR", "signed bytes", "");
}

#[test]
fn dates_are_those_of_java() {
    let packed = |name: &str, bytes: &[u8]| call(name, &[b"C", &[bytes.len() as u8], bytes].concat());
    let datetime = "datetime datetime";
    assert_written(&call(datetime, &ints(&[2020, 1, 2, 3, 4, 5, 678_000])));
    assert_refused(&call(datetime, &ints(&[2020, 1, 2, 3, 4, 5, 678_001])), "no microseconds", "");
    assert_refused(&call(datetime, &ints(&[1582, 10, 14, 3, 4, 5, 0])), "Julian", "");
    assert_written(&call(datetime, &ints(&[1582, 10, 15, 3, 4, 5, 0])));
    assert_refused(&call(datetime, &ints(&[2021, 2, 29, 3, 4, 5, 0])), "none of these", "");
    assert_written(&packed(datetime, b"\x07\xe4\x01\x02\x03\x04\x05\x03\x0d\x40"));
    assert_refused(&packed(datetime, b"\x07\xe4\x81\x02\x03\x04\x05\x03\x0d\x40"), "fold", "");
    assert_refused(&packed(datetime, b"\x07\xe4\x01\x02\x03\x04\x05\x03\x0d\x41"), "no microseconds", "");
    // text whose Latin-1 is the state
    assert_refused(&call(datetime, &text("\x07\u{e4}\u{81}\x02\x03\x04\x05\x03\x0d\x40")), "fold", "");
    let aware = [ints(&[2020, 1, 2, 3, 4, 5, 6]), call("pytz _UTC", b"")].concat();
    assert_refused(&call(datetime, &aware), "no microseconds", "");
    assert_written(&call("datetime date", &ints(&[1582, 10, 15])));
    assert_refused(&packed("datetime date", b"\x06\x2e\x0a\x0e"), "Julian", "");
    assert_written(&packed("datetime time", b"\x01\x02\x03\x06\xf8\x55"));
    assert_refused(&packed("datetime time", b"\x81\x02\x03\x06\xf8\x55"), "fold", "");
    assert_refused(&call("datetime time", &ints(&[24, 0, 0, 0])), "none of these", "");
    assert_written(&call("datetime timedelta", &ints(&[1, 2, 3])));
    assert_refused(&call("datetime timedelta", b"G\x3f\xf8\0\0\0\0\0\0K\x02K\x03"), "32 bits", "");
    assert_refused(&call("datetime timedelta", b"K\x00\x8a\x05\0\0\0\x80\0K\x03"), "32 bits", "");
    assert_written(&call("pytz _p", &text("Asia/Tokyo")));
    let zone = [text("Europe/Amsterdam"), ints(&[1200, 0]), text("LMT")].concat();
    assert_refused(&call("pytz _p", &zone), "offset", "");
}

#[test]
fn empty_values_are_no_objects() {
    for name in ["dict", "list", "tuple", "int", "float", "str", "bool", "object"] {
        assert_refused(&call(&format!("builtins {name}"), b""), "empty value", "");
        assert_refused(&[format!("(c__builtin__\n{name}\n").as_bytes(), b"o"].concat(), "empty value", "");
    }
    assert_refused(b"ccopyreg\n__newobj__\ncbuiltins\ndict\n\x85R", "empty value", "");
    assert_written(&call("collections OrderedDict", b""));
    // the reader refuses it itself
    assert_written(&call("builtins list", b"](K\x01e"));
    let empty = Pickler::razorvine().dump(&Document::from_slice(b"C\0.").unwrap()).unwrap();
    assert_eq!(
        empty.escape_ascii().to_string(),
        "\\x80\\x02c_codecs\\nencode\\nX\\x00\\x00\\x00\\x00X\\x06\\x00\\x00\\x00latin1\\x86Rq\\x00."
    );
    assert_written(&call("_codecs encode", &[text("a"), text("utf-8")].concat()));
    assert_written(&call("_codecs encode", &[text("\u{e9}"), text("latin-1")].concat()));
    assert_refused(&call("_codecs encode", &[text("\u{20ac}"), text("latin-1")].concat()), "encoding", "");
    assert_refused(&call("_codecs encode", &[text("a"), text("utf-16")].concat()), "encoding", "");
}

#[test]
fn keys_that_are_one_to_the_reader() {
    let nan = b"G\x7f\xf8\0\0\0\0\0\0";
    let dict = |a: &[u8], b: &[u8]| [b"}(", a, b"K\x01", b, b"K\x02u"].concat();
    let set = |a: &[u8], b: &[u8]| [b"cbuiltins\nset\n](", a, b, b"e\x85R"].concat();
    let words = "two of its keys for one";
    assert_written(&dict(nan, b"K\x01"));
    assert_refused(&dict(nan, nan), words, "");
    assert_refused(&[b"]", &set(nan, nan)[..], b"a"].concat(), words, "[0]");
    let instance = |state: &[u8]| [b"cm\nC\n)\x81", state].concat();
    let (one, two) = (instance(b"}X\x01\0\0\0xK\x01sb"), instance(b"}X\x01\0\0\0xK\x02sb"));
    for container in [&dict as &dyn Fn(&[u8], &[u8]) -> Vec<u8>, &set] {
        assert_written(&container(&one, &two));
        assert_refused(&container(&one, &one), words, "");
        let decimal = |digits: &str| call("decimal Decimal", &text(digits));
        assert_written(&container(&decimal("1.0"), &decimal("1.00")));
        assert_refused(&container(&decimal("1E+1"), &decimal("+01e1")), words, "");
        let (date, midnight) = (ints(&[2020, 1, 2]), ints(&[2020, 1, 2, 0, 0, 0, 0]));
        let (date, midnight) = (call("datetime date", &date), call("datetime datetime", &midnight));
        assert_refused(&container(&date, &midnight), words, "");
        assert_refused(&container(&call("pytz _UTC", b""), &call("pytz timezone", &text("UTC"))), words, "");
        assert_written(&container(&call("pytz _UTC", b""), &call("pytz timezone", &text("Asia/Tokyo"))));
        // exceptions and tuples are compared by identity
        let error = call("exceptions ValueError", &text("a"));
        assert_written(&container(&error, &error));
        let (list, dict) = (instance(b"}X\x01\0\0\0x]K\x01asb"), instance(b"}X\x01\0\0\0x}K\x01K\x02ssb"));
        assert_written(&container(&list, &dict));
        assert_refused(&container(&list, &list), words, "");
        assert_refused(&container(&dict, &dict), words, "");
        // what is inside itself may be compared before it is complete
        let (one, two) =
            (b"cm\nC\n)\x81q\x01}(X\x01\0\0\0ah\x01X\x01\0\0\0bK\x01ub", b"cm\nC\n)\x81q\x02}(X\x01\0\0\0ah\x02X\x01\0\0\0bK\x02ub");
        assert_refused(&container(one, two), words, "");
        // be it by something that is compared by identity
        let by_tuple = b"cm\nC\n)\x81q\x01}X\x01\0\0\0ah\x01\x85sb";
        assert_refused(&container(by_tuple, two), words, "");
        // of any content
        let three = b"cm\nC\n)\x81";
        assert_refused(&container(three, two), words, "");
        assert_refused(&container(one, three), words, "");
        assert_refused(&container(by_tuple, three), words, "");
        assert_written(&container(one, b"cm\nD\n)\x81"));
    }
}

#[test]
fn strings_of_python2_are_latin1() {
    for (encoding, is_written) in [(Encoding::Latin1, true), (Encoding::Bytes, true), (Encoding::Utf8, false)] {
        let mut unpickler = Unpickler::new();
        let document = unpickler.encoding(encoding).load(b"U\x02\xc3\xa9.").unwrap();
        assert_eq!(Pickler::razorvine().dump(&document).is_ok(), is_written, "{encoding:?}");
    }
    let mut unpickler = Unpickler::new();
    let document = unpickler.encoding(Encoding::Bytes).load(b"}(U\x01\xe9K\x01X\x02\0\0\0\xc3\xa9K\x02u.").unwrap();
    assert!(Pickler::razorvine().dump(&document).is_err());
}

#[test]
fn checks_are_linear_whatever_is_shared() {
    let start = std::time::Instant::now();
    let many = 40_000;
    let with_many = |shared: &[u8], each: &[u8]| {
        let mut pickle = [b"](", shared, b"q\x00"].concat();
        for _ in 0..many {
            pickle.extend_from_slice(each);
        }
        pickle.push(b'e');
        pickle
    };
    let list = [b"](", &ints(&[1]).repeat(many)[..], b"e"].concat();
    assert_written(&with_many(&list, b"carray\narray\nX\x01\0\0\0ih\x00\x86R"));
    let zeros = text(&format!("-{}1", "0".repeat(many)));
    assert_written(&with_many(&zeros, b"cdecimal\nDecimal\nh\x00\x85R"));
    let pairs: Vec<u8> = (0..many as i32).flat_map(|at| [text(&at.to_string()), ints(&[at])].concat()).collect();
    let state = [b"}(", &pairs[..], b"u"].concat();
    assert_written(&with_many(&state, b"cm\nC\n)\x81h\x00b"));
    // keys with long shared arguments and states
    let args = [b"(", &ints(&[1]).repeat(many)[..], b"t"].concat();
    let keys = |shared: &[u8], key: &[u8]| {
        let mut pickle = [b"](", shared, b"q\x00}("].concat();
        for at in 0..many {
            pickle.extend([key, &ints(&[at as i32])[..]].concat());
        }
        pickle.extend_from_slice(b"ue");
        pickle
    };
    for pickle in [keys(&args, b"cm\nC\nh\x00R"), keys(&state, b"cm\nC\n)\x81h\x00b"), keys(&zeros, b"cdecimal\nDecimal\nh\x00\x85R")] {
        assert!(refusal(&pickle).is_some());
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
