//! What a document keeps: identity, order, classes of every kind, and Python's equality of keys.

use brinery::{Document, Encoding, Kind, Part, Unpickler};

use crate::repr;

#[test]
fn shared_values_are_one() {
    // x = [1]; (x, x, [1])
    let document = Document::from_slice(b"\x80\x04]\x94K\x01ah\x00]K\x01a\x87.").unwrap();
    let root = document.root();
    let [first, second, third] = [0, 1, 2].map(|at| root.at(at).unwrap());
    assert_eq!(first.id(), second.id());
    assert_ne!(first.id(), third.id());
    assert!(first == third, "equal all the same");
}

#[test]
fn what_is_appended_later_is_seen_through_every_reference() {
    // the list is memoised and referred to while it is empty
    assert_eq!(repr(b"]q\x00h\x00K\x05a\x86."), "([5], [5])");
}

#[test]
fn second_references_to_instances_are_whole() {
    // the incumbent Rust crate shows `{}` for the second reference
    let bytes = b"\x80\x02]q\x00(cm\nC\nq\x01)\x81q\x02}q\x03U\x01aK\x01sbh\x02h\x02e.";
    assert_eq!(repr(bytes), "[m.C(.a=1), m.C(.a=1), m.C(.a=1)]");
    let document = Document::from_slice(bytes).unwrap();
    let ids: Vec<_> = document.root().items().map(brinery::Item::id).collect();
    assert!(ids.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn objects_that_point_at_each_other() {
    // a.other = b; b.other = a
    let bytes = b"\x80\x02cm\nC\nq\x00)\x81q\x01}U\x05otherh\x00)\x81q\x02}U\x05otherh\x01sbsb.";
    let document = Document::from_slice(bytes).unwrap();
    let first = document.root();
    let second = first.attr("other").unwrap();
    assert_ne!(first.id(), second.id());
    assert_eq!(second.attr("other").unwrap().id(), first.id());
    assert_eq!(first.repr().to_string(), "m.C(.other=m.C(.other=m.C(...)))");
    let again = Document::from_slice(bytes).unwrap();
    assert!(first == again.root(), "a cycle equals itself read again");
}

#[test]
fn values_inside_themselves() {
    assert_eq!(repr(b"]q\x00h\x00a."), "[[...]]");
    assert_eq!(repr(b"}q\x00K\x01h\x00s."), "{1: {...}}");
    // t = ([t],)
    assert_eq!(repr(b"(]q\x00(h\x00tq\x01a1h\x01."), "([(...)],)");
}

#[test]
fn routes_to_an_object() {
    for (bytes, text) in [
        (&b"cm\nf\n(K\x01K\x02tR."[..], "m.f(1, 2)"),
        (b"cm\nC\nK\x01\x85\x81.", "m.C(1)"),
        (b"cm\nC\nK\x01\x85}U\x01kK\x02s\x92.", "m.C(1, k=2)"),
        (b"(im\nC\n.", "m.C()"),
        (b"(K\x01im\nC\n.", "m.C(1)"),
        (b"(cm\nC\nK\x01o.", "m.C(1)"),
        (b"ccopy_reg\n_reconstructor\n(cm\nC\nc__builtin__\nobject\nNtR}U\x01aK\x01sb.", "m.C(.a=1)"),
        (b"ccopyreg\n_reconstructor\n(cm\nL\ncbuiltins\nlist\n]K\x01atR.", "m.L([1])"),
        (b"ccopyreg\n__newobj__\n(cm\nC\nK\x01tR.", "m.C(1)"),
        (b"ccopyreg\n__newobj_ex__\n(cm\nC\nK\x01\x85}U\x01kK\x02stR.", "m.C(1, k=2)"),
        (b"\x8c\x01m\x8c\x07Out.Inn\x93)\x81.", "m.Out.Inn()"),
        (b"cm\nf\n)R)R.", "m.f()()"),
        (b"Pid\n.", "persistent_load('id')"),
        (b"(K\x01K\x02tQ.", "persistent_load((1, 2))"),
        (b"\x82\x05)\x81.", "extension(5)()"),
        (b"\x97\x98.", "buffer(0, readonly=True)"),
        // what is done to what has no call
        (b"cm\nC\n}U\x01aK\x01sb.", "m.C(.a=1)"),
        (b"\x82\x05(K\x01K\x02e.", "extension(5, *[1, 2])"),
        (b"\x82\x05q\x00h\x00a.", "extension(5, *[extension(5, ...)])"),
        (b"Pid\n(K\x01K\x02u.", "persistent_load('id', **{1: 2})"),
    ] {
        assert_eq!(repr(bytes), text, "{}", bytes.escape_ascii());
    }
}

#[test]
fn what_is_done_to_an_object_stays_in_order() {
    let bytes = b"cm\nC\n)\x81q\x00(K\x01K\x02eK\x03aU\x01kK\x04s(K\x05\x90K\x06bN\x8f(K\x07\x900b.";
    let document = Document::from_slice(bytes).unwrap();
    let kinds: Vec<_> = document
        .root()
        .parts()
        .iter()
        .map(|part| match part {
            Part::Appended(items) => format!("append {}", items.clone().count()),
            Part::SetItems(entries) => format!("set {}", entries.clone().count()),
            Part::Added(items) => format!("add {}", items.clone().count()),
            Part::State(state) => format!("state {}", state.repr()),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["append 3", "set 1", "add 1", "state 6", "state None"]);
}

#[test]
fn states_of_every_form() {
    for (state, text) in [
        (&b"}U\x01aK\x01s"[..], "m.C(.a=1)"),
        (b"N}U\x01sK\x02s\x86", "m.C(.s=2)"),
        (b"}U\x01aK\x01s}U\x01sK\x02s\x86", "m.C(.a=1, .s=2)"),
        (b"}U\x03a bK\x01s", "m.C(.'a b'=1)"),
        (b"}K\x01K\x02s", "m.C(.__setstate__({1: 2}))"),
        (b"K\x01K\x02\x86", "m.C(.__setstate__((1, 2)))"),
        (b"N", "m.C(.__setstate__(None))"),
        (b"}", "m.C()"),
    ] {
        let bytes = [&b"cm\nC\n)\x81"[..], state, b"b."].concat();
        assert_eq!(repr(&bytes), text);
    }
}

#[test]
fn state_setters_and_repeated_calls() {
    // obj; setter(obj, state); POP
    let setter = b"cm\nC\n)Rq\x00cm\nset\nh\x00K\x05\x86R0.";
    assert_eq!(repr(setter), "m.C(m.set(m.C(...), 5))");
    // a call written twice because its argument refers to its result: f(l) with l = [f(l)]
    let repeated = b"cm\nf\nq\x00]q\x01h\x00h\x01\x85Rq\x02a\x85R0h\x02.";
    assert_eq!(repr(repeated), "m.f([m.f(...)])");
    let document = Document::from_slice(repeated).unwrap();
    assert_eq!(document.dropped(0).len(), 0, "the repetition is not shown again");
}

#[test]
fn calls_for_their_side_effect_are_not_lost() {
    let document = Document::from_slice(b"cos\nsystem\n(S'id'\ntR0K\x01.").unwrap();
    assert_eq!(document.root().as_i64(), Some(1));
    let dropped: Vec<_> = document.dropped(0).map(|item| item.repr().to_string()).collect();
    assert_eq!(dropped, ["os.system('id')"]);
    let document = Document::from_slice(b"K\x01]K\x02.").unwrap();
    let left: Vec<_> = document.left_on_stack(0).map(|item| item.repr().to_string()).collect();
    assert_eq!(left, ["1", "[]"]);
}

#[test]
fn equal_keys_are_one() {
    for (bytes, text) in [
        (&b"}(K\x01U\x01aG\x3f\xf0\0\0\0\0\0\0U\x01b\x88U\x01cu."[..], "{1: 'c'}"),
        (b"}(K\x00U\x01aG\x80\0\0\0\0\0\0\0U\x01b\x89U\x01cu.", "{0: 'c'}"),
        (b"}(U\x01aK\x01X\x01\0\0\0aK\x02U\x01bK\x03u.", "{'a': 2, 'b': 3}"),
        (b"}(C\x01aK\x01X\x01\0\0\0aK\x02u.", "{b'a': 1, 'a': 2}"),
        (b"}(K\x01K\x02\x86K\x01G\x3f\xf0\0\0\0\0\0\0K\x02\x86K\x02u.", "{(1, 2): 2}"),
        // 2**64 as an integer and as a float
        (b"}(\x8a\x09\0\0\0\0\0\0\0\0\x01K\x01G\x43\xf0\0\0\0\0\0\0K\x02u.", "{18446744073709551616: 2}"),
        (b"}(NK\x01)K\x02NK\x03u.", "{None: 3, (): 2}"),
        // frozensets in any order, with an element twice
        (b"}((K\x01K\x02\x91K\x01(K\x02K\x01K\x02\x91K\x02u.", "{frozenset({1, 2}): 2}"),
        // a class named twice is one object
        (b"}(cm\nC\nK\x01cm\nC\nK\x02u.", "{m.C: 2}"),
        (b"\x8f(K\x01\x88K\x02K\x01\x90.", "{1, 2}"),
    ] {
        assert_eq!(repr(bytes), text, "{}", bytes.escape_ascii());
    }
}

#[test]
fn nan_equals_only_itself() {
    let nan = b"G\x7f\xf8\0\0\0\0\0\0";
    let two = [&b"}("[..], nan, b"K\x01", nan, b"K\x02u."].concat();
    assert_eq!(repr(&two), "{nan: 1, nan: 2}");
    let one = [&b"}("[..], nan, b"q\x00K\x01h\x00K\x02u."].concat();
    assert_eq!(repr(&one), "{nan: 2}");
}

#[test]
fn objects_are_keys_by_identity() {
    let bytes = b"}(cm\nC\nq\x00)\x81q\x01K\x01h\x00)\x81K\x02h\x01K\x03u.";
    assert_eq!(repr(bytes), "{m.C(): 3, m.C(): 2}");
}

#[test]
fn many_keys_equal_or_not() {
    // past the length from which a table is used, in batches, with every key twice
    let mut bytes = b"}".to_vec();
    for batch in 0..2_u32 {
        bytes.push(b'(');
        for key in 0..5_000_u32 {
            bytes.extend([b"J", &key.to_le_bytes()[..], b"J", &(key + batch).to_le_bytes()].concat());
        }
        bytes.push(b'u');
    }
    bytes.push(b'.');
    let document = Document::from_slice(&bytes).unwrap();
    assert_eq!(document.root().len(), Some(5_000));
    assert!(document.root().entries().zip(0..).all(|((key, value), at)| key.as_i64() == Some(at) && value.as_i64() == Some(at + 1)));
}

#[test]
fn long_keys_equal_or_not() {
    let long = |last: u8| [&b"X\xc8\0\0\0"[..], &[b'a'; 199], &[last]].concat();
    let bytes = [&b"}("[..], &long(b'x'), b"K\x01", &long(b'y'), b"K\x02", &long(b'x'), b"K\x03u."].concat();
    let document = Document::from_slice(&bytes).unwrap();
    let values: Vec<_> = document.root().entries().map(|(_, value)| value.as_i64().unwrap()).collect();
    assert_eq!(values, [3, 2]);
}

#[test]
fn eight_bit_strings_by_encoding() {
    let ascii = b"U\x02hi.";
    let latin = b"U\x02h\xe9.";
    let utf8 = b"U\x03h\xc3\xa9.";
    let read = |encoding, bytes: &[u8]| {
        let mut unpickler = Unpickler::new();
        unpickler.encoding(encoding);
        unpickler.load(bytes).map(|document| document.root().repr().to_string()).map_err(|error| error.to_string())
    };
    let ok = |text: &str| Ok(text.to_owned());
    assert_eq!(read(Encoding::Auto, ascii), ok("'hi'"));
    assert_eq!(read(Encoding::Auto, latin), ok("b'h\\xe9'"));
    assert_eq!(read(Encoding::Auto, utf8), ok("b'h\\xc3\\xa9'"));
    assert_eq!(read(Encoding::Latin1, latin), ok("'h\u{e9}'"));
    assert_eq!(read(Encoding::Utf8, utf8), ok("'h\u{e9}'"));
    assert_eq!(read(Encoding::Bytes, ascii), ok("b'hi'"));
    assert_eq!(read(Encoding::Ascii, latin), Err("offset 0: SHORT_BINSTRING: the 8-bit string is not ASCII: byte 1 of it is wrong".into()));
    assert!(read(Encoding::Utf8, latin).is_err());
    // the bytes themselves are never lost
    let mut unpickler = Unpickler::new();
    let document = unpickler.encoding(Encoding::Latin1).load(latin).unwrap();
    assert_eq!(document.root().kind(), Kind::Str8);
    assert_eq!(document.root().as_str8().as_deref(), Some(&b"h\xe9"[..]));
}

#[test]
fn extension_codes_by_registry() {
    let mut unpickler = Unpickler::new();
    unpickler.extensions([(5, ("m", "C")), (70_000, ("n", "D"))]);
    let document = unpickler.load(b"\x82\x05)\x81\x84\x70\x11\x01\x00\x86.").unwrap();
    assert_eq!(document.root().repr().to_string(), "(m.C(), n.D)");
}

#[test]
fn buffers_with_and_without_their_data() {
    let bytes = b"\x80\x05\x97\x97\x98\x86.";
    let document = Document::from_slice(bytes).unwrap();
    assert_eq!(document.buffers_needed(), 2);
    let error = document.root().at(0).unwrap().buffer_data().unwrap_err();
    assert_eq!(error.to_string(), "the data of out-of-band buffer 0 is not there");
    let document = document.with_buffers([&b"one"[..], b"two"]);
    assert_eq!(document.root().repr().to_string(), "(b'one', b'two')");
    assert_eq!(document.root().at(1).unwrap().as_buffer(), Some((1, true)));
    assert_eq!(document.root().at(1).unwrap().buffer_data().unwrap(), b"two");
}

#[test]
fn an_unpickler_remembers_nothing() {
    let mut unpickler = Unpickler::new();
    unpickler.load(b"K\x01q\x05.").unwrap();
    assert!(unpickler.load(b"h\x05.").is_err(), "the memo of the load before is gone");
    assert!(unpickler.load(b"K\x01q\x05\xff").is_err());
    assert!(unpickler.load(b"h\x05.").is_err(), "that of a failed load, too");
    let document = unpickler.load(b"]K\x01a.").unwrap();
    unpickler.recycle(document);
    let document = unpickler.load(b"]K\x02a.").unwrap();
    assert_eq!(document.root().repr().to_string(), "[2]");
}

#[test]
fn numbers_of_every_width() {
    for (bytes, text) in [
        (&b"J\xff\xff\xff\xff."[..], "-1"),
        (b"J\x00\x00\x00\x80.", "-2147483648"),
        (b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.", "9223372036854775807"),
        (b"\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.", "-9223372036854775808"),
        (b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.", "18446744073709551615"),
        (b"\x8a\x00.", "0"),
        (b"\x8a\x0a\x05\0\0\0\0\0\0\0\0\0.", "5"),
    ] {
        assert_eq!(repr(bytes), text);
    }
    let document = Document::from_slice(b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.").unwrap();
    assert_eq!((document.root().as_i64(), document.root().as_u64()), (None, Some(u64::MAX)));
    let document = Document::from_slice(b"J\xff\xff\xff\xff.").unwrap();
    assert_eq!((document.root().as_i64(), document.root().as_u64(), document.root().as_f64()), (Some(-1), None, Some(-1.0)));
    assert_eq!(document.root().as_int_bytes().as_deref(), Some(&[0xff][..]));
}

#[test]
fn surrogates_stand_alone() {
    let document = Document::from_slice(b"X\x05\0\0\0a\xed\xa0\x80b.").unwrap();
    assert_eq!(document.root().repr().to_string(), "'a\\ud800b'");
    assert_eq!(document.root().as_str(), None);
    assert_eq!(document.root().as_text_bytes(), Some(&b"a\xed\xa0\x80b"[..]));
    assert_eq!(repr(b"V\\ud83d\\udc55\n."), "'\\ud83d\\udc55'");
}

#[test]
fn several_pickles() {
    let bytes = b"K\x01.\x80\x04K\x02.N.";
    let document = Unpickler::new().load_all(bytes).unwrap();
    let values: Vec<_> = document.roots().map(|root| root.repr().to_string()).collect();
    assert_eq!(values, ["1", "2", "None"]);
    let places: Vec<_> = document.pickles().map(|pickle| (pickle.start, pickle.end, pickle.protocol)).collect();
    assert_eq!(places, [(0, 3, None), (3, 8, Some(4)), (8, 10, None)]);
    assert_eq!(Unpickler::new().load_at(bytes, 3).unwrap().root().as_i64(), Some(2));
}

#[test]
fn two_pickles_of_one_memo() {
    // as ZODB writes a record: the class, then the state, by one pickler
    let bytes = b"cm\nC\nq\x01.h\x01)\x81.";
    let mut unpickler = Unpickler::new();
    let error = unpickler.load_all(bytes).unwrap_err();
    assert_eq!(error.to_string(), "offset 8: BINGET 1: memo slot 1 was never filled");
    let document = unpickler.shared_memo(true).load_all(bytes).unwrap();
    let values: Vec<_> = document.roots().map(|root| root.repr().to_string()).collect();
    assert_eq!(values, ["m.C", "m.C()"]);
}

#[test]
fn documents_are_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Document<'_>>();
    is_shared::<brinery::Item<'_>>();
    is_shared::<brinery::Error>();
    is_shared::<brinery::Value>();
    is_shared::<Unpickler>();
}

#[test]
fn arguments_that_are_no_tuple_are_shown() {
    assert_eq!(repr(b"cm\nf\ncm\nARGS\nR."), "m.f(m.ARGS)");
    assert_eq!(repr(b"cm\nf\nPid\nR."), "m.f(persistent_load('id'))");
    assert_eq!(repr(b"cm\nf\n\x82\x05R."), "m.f(extension(5))");
}

#[test]
fn a_call_with_a_class_is_no_state_setter() {
    let document = Document::from_slice(b"cm\nreg\ncm\nC\nq\x00\x85R0h\x00)\x81.").unwrap();
    assert_eq!(document.root().repr().to_string(), "m.C()");
    let dropped: Vec<_> = document.dropped(0).map(|item| item.repr().to_string()).collect();
    assert_eq!(dropped, ["m.reg(m.C)"]);
}

#[test]
fn a_repeated_call_may_have_its_numbers_and_texts_anew() {
    // f(l, 1.5, 5000000000, ('x',)) with l = [itself], as a pickler writes it
    let args = b"h\x01G?\xf8\0\0\0\0\0\0\x8a\x05\0\xf2\x05\x2a\x01U\x01x\x85t";
    let bytes = [&b"cm\nf\nq\x00]q\x0100h\x00("[..], args, b"Rq\x02h\x01h\x02a00h\x00(", args, b"R0h\x02."].concat();
    let document = Document::from_slice(&bytes).unwrap();
    assert_eq!(document.root().repr().to_string(), "m.f([m.f(...)], 1.5, 5000000000, ('x',))");
    assert_eq!(document.dropped(0).len(), 0);
}

#[test]
fn items_set_one_by_one_are_as_those_set_at_once() {
    // OrderedDict([(1, (1, 2)), (2, (3, 4))]) by protocols 0 and 1: the tuples come between
    let one_by_one = b"cm\nD\n)RK\x01K\x01K\x02\x86sK\x02K\x03K\x04\x86s.";
    let at_once = b"cm\nD\n)R(K\x01K\x01K\x02\x86K\x02K\x03K\x04\x86u.";
    assert_eq!(repr(one_by_one), "m.D(**{1: (1, 2), 2: (3, 4)})");
    assert_eq!(repr(at_once), repr(one_by_one));
    assert!(Document::from_slice(one_by_one).unwrap().root() == Document::from_slice(at_once).unwrap().root());
}

#[test]
fn text_arguments_end_at_a_nul() {
    for (bytes, text) in [(&b"I1\0\n."[..], "True"), (b"I010\0\n.", "8"), (b"I\0\n.", "0"), (b"Finf\x005\n.", "inf"), (b"L7\x00x\n.", "7")]
    {
        assert_eq!(repr(bytes), text, "{}", bytes.escape_ascii());
    }
}
