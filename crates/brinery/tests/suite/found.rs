//! What was found wrong in writing, each as a test of its kind. Classes are `m.C` and functions `m.f`, which exist nowhere.

use brinery::{Document, DocumentBuilder, EightBit, Encoding, ErrorKind, MemoPolicy, Pickler, Source, Unpickler, Value};

use crate::pickle;

fn written(protocol: u8, bytes: &[u8]) -> Vec<u8> {
    Pickler::new().protocol(protocol).dump(&Document::from_slice(bytes).unwrap()).unwrap()
}

fn refused(protocol: u8, bytes: &[u8]) -> String {
    Pickler::new().protocol(protocol).dump(&Document::from_slice(bytes).unwrap()).unwrap_err().to_string()
}

/// How often a pickle calls something, and its value.
fn calls(bytes: &[u8]) -> (usize, String) {
    let tokens = brinery::Lexer::new(bytes).map(|token| token.unwrap().op.opcode().name());
    let calls = tokens.filter(|name| ["REDUCE", "NEWOBJ", "NEWOBJ_EX", "OBJ", "INST"].contains(name)).count();
    (calls, Document::from_slice(bytes).unwrap().root().repr().to_string())
}

#[test]
fn trees_have_the_names_of_python_3() {
    for (bytes, expected) in [
        (&b"\x80\x02cexceptions\nValueError\nK\x01\x85R."[..], &b"\x80\x02cexceptions\nValueError\nq\0K\x01\x85q\x01Rq\x02."[..]),
        (b"c__builtin__\nxrange\n(I0\nI3\nI1\ntR.", b"\x80\x02c__builtin__\nxrange\nq\0K\0K\x03K\x01\x87q\x01Rq\x02."),
        (b"\x80\x04\x8c\x0b__builtin__\x8c\x01x\x93.", b"\x80\x02c__builtin__\nx\nq\0."),
    ] {
        let value = Value::from_document(&Document::from_slice(bytes).unwrap()).unwrap();
        assert_eq!(Pickler::new().protocol(2).dump(&value).unwrap(), expected);
        let at_4 = Pickler::new().dump(&value).unwrap();
        assert!(Document::from_slice(&at_4).unwrap().root().repr().to_string().starts_with("builtins.") || bytes[1] == 4, "{value:?}");
    }
}

#[test]
fn trees_keep_how_8_bit_strings_read() {
    let mut unpickler = Unpickler::new();
    for (encoding, expected) in [(Encoding::Latin1, &b"\x80\x03X\x03\0\0\0h\xc3\xa9q\0."[..]), (Encoding::Bytes, b"\x80\x03C\x02h\xe9q\0.")]
    {
        let document = unpickler.encoding(encoding).load(b"U\x02h\xe9.").unwrap();
        let value = Value::from_document(&document).unwrap();
        let mut pickler = Pickler::new();
        assert_eq!(pickler.protocol(3).eight_bit(EightBit::AsRead).dump(&value).unwrap(), expected);
        assert_eq!(pickler.eight_bit(EightBit::Keep).dump(&value).unwrap(), b"\x80\x03U\x02h\xe9q\0.");
    }
}

fn builds(bytes: &[u8]) -> usize {
    brinery::Lexer::new(bytes).filter(|token| token.as_ref().unwrap().op.opcode() == brinery::Opcode::Build).count()
}

#[test]
fn what_is_done_to_a_class_is_done_once() {
    // in a tree, where the class is twice
    let twice = b"\x80\x04](cm\nC\nq\0}X\x01\0\0\0aK\x01sbh\0e.";
    let value = Value::from_document(&Document::from_slice(twice).unwrap()).unwrap();
    let bytes = Pickler::new().dump(&value).unwrap();
    assert_eq!(Document::from_slice(&bytes).unwrap().root().repr().to_string(), "[m.C(.a=1), m.C(.a=1)]");
    assert_eq!(builds(&bytes), 1);
    // without a memo
    let bytes = Pickler::new().memo(MemoPolicy::Off).dump(&Document::from_slice(twice).unwrap()).unwrap();
    assert_eq!(builds(&bytes), 1);
    // in one pickle of two
    let document = Unpickler::new().load_all(b"\x80\x04cm\nC\nN}X\x01\0\0\0aK\x01s\x86b.\x80\x04cm\nC\n.").unwrap();
    assert_eq!(Pickler::new().protocol(2).dump(Source::Pickle(&document, 1)).unwrap(), b"\x80\x02cm\nC\nq\0.");
}

#[test]
fn what_is_done_to_a_class_that_the_writer_needs_first() {
    let nested = b"\x80\x04(X\x01\0\0\0mX\x04\0\0\0C.In\x93cm\nC\nN}X\x01\0\0\0aK\x01s\x86bt.";
    let newobj = b"\x80\x04(cm\nR\n)\x81ccopyreg\n__newobj__\n}X\x01\0\0\0aK\x01sbt.";
    for (bytes, last) in [(&nested[..], 2), (newobj, 1)] {
        for protocol in 0..=last + 1 {
            let bytes = written(protocol, bytes);
            let text = Document::from_slice(&bytes).unwrap().root().repr().to_string();
            assert!(text.contains("(.a=1)"), "{protocol}: {text}");
        }
    }
}

#[test]
fn dropped_calls_are_made_as_often_and_in_order() {
    for bytes in [
        // a state setter of an object that is dropped
        &b"\x80\x02cm\ng\ncm\nC\n)\x81K\x01\x86R0N."[..],
        // before the value's own call, and behind it
        b"\x80\x02cm\ng\nK\x01\x85R0cm\nf\n)R.",
        b"\x80\x02cm\nf\n)Rcm\ng\nK\x01\x85R0.",
        // what is done to a class that is dropped
        b"\x80\x02cm\nC\n}X\x01\0\0\0aK\x01sb0N.",
        // the same call twice is no repetition of a recursive one
        b"\x80\x02cm\nf\nq\0)Rq\x02h\0)R0h\x02.",
        b"\x80\x02cm\nf\nq\0K\x01\x85Rq\x02h\0K\x01\x85R0h\x02.",
    ] {
        for protocol in 2..=5 {
            let again = written(protocol, bytes);
            assert_eq!(calls(&again), calls(bytes), "{}", bytes.escape_ascii());
            assert_eq!(builds(&again), builds(bytes), "{}", bytes.escape_ascii());
        }
    }
    let order = written(2, b"\x80\x02cm\ng\nK\x01\x85R0cm\nf\n)R.");
    assert_eq!(order, b"\x80\x02cm\ng\nq\0K\x01\x85q\x01Rq\x020cm\nf\nq\x03)Rq\x04.");
}

#[test]
fn what_a_repeated_call_shares_stays_shared() {
    // the list in slot 3 is an argument of the call that is written inside itself, and also a value of its own
    let bytes = b"\x80\x04cm\nf\nq\0]q\x01]q\x02h\0]q\x03h\x02\x86q\x04Rq\x05a\x86q\x06R0h\x05h\x03\x86.";
    let document = Document::from_slice(bytes).unwrap();
    for protocol in 0..=5 {
        let bytes = Pickler::new().protocol(protocol).dump(&document).unwrap();
        let again = Document::from_slice(&bytes).unwrap();
        let (call, list) = (again.root().at(0).unwrap(), again.root().at(1).unwrap());
        assert_eq!(call.args().unwrap().at(0).unwrap().id(), list.id(), "{protocol}");
    }
}

#[test]
fn functions_of_copyreg_with_other_arguments_stay_calls() {
    for bytes in [
        &b"\x80\x04ccopyreg\n__newobj__\nK\x01\x85R."[..],
        b"\x80\x04ccopyreg\n__newobj_ex__\nK\x01)}\x87R.",
        b"\x80\x04ccopyreg\n__newobj_ex__\ncm\nC\nK\x01}\x87R.",
        b"\x80\x04ccopyreg\n__newobj_ex__\ncm\nC\n)K\x01\x87R.",
        b"\x80\x04ccopyreg\n__newobj_ex__\ncm\nC\n)}K\x01K\x02s\x87R.",
    ] {
        for protocol in 0..=5 {
            assert!(Document::from_slice(&written(protocol, bytes)).is_ok(), "{} at {protocol}", bytes.escape_ascii());
        }
    }
}

#[test]
fn names_that_no_line_holds_are_refused() {
    for bytes in [&b"\x80\x04\x8c\x00\x8c\x00\x93."[..], b"\x80\x04\x8c\x01m\x8c\x03..a\x93.", b"\x80\x04\x8c\x01m\x8c\x00\x93."] {
        for protocol in 0..=3 {
            assert!(refused(protocol, bytes).contains("it is empty, which needs protocol 4"), "{}", bytes.escape_ascii());
        }
        assert!(Document::from_slice(&written(4, bytes)).is_ok());
    }
}

#[test]
fn extension_codes_are_those_that_can_be() {
    let mut builder = DocumentBuilder::new();
    for code in [0, 0x8000_0000, u32::MAX] {
        assert!(matches!(builder.extension(code).unwrap_err().kind(), ErrorKind::InvalidExtension(_)));
        let mut pickler = Pickler::new();
        pickler.extensions([(code, ("m", "C"))]);
        let error = pickler.dump(&Document::from_slice(b"cm\nC\n.").unwrap()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidExtension(_)));
    }
    // what the writer itself names has its code as well
    let mut pickler = Pickler::new();
    pickler.extensions([(7, ("builtins", "bytearray"))]);
    assert_eq!(
        pickler.dump(&Document::from_slice(b"\x96\x01\0\0\0\0\0\0\0a.").unwrap()).unwrap(),
        b"\x80\x04\x95\x0b\0\0\0\0\0\0\0\x82\x07C\x01a\x94\x85\x94R\x94."
    );
}

#[test]
fn a_persistent_object_in_its_own_id_is_one() {
    let mut builder = DocumentBuilder::new();
    let list = builder.list([]).unwrap();
    let object = builder.persistent(list).unwrap();
    builder.append(list, object).unwrap();
    builder.append(list, object).unwrap();
    let bytes = Pickler::new().protocol(2).dump(&builder.finish(object).unwrap()).unwrap();
    let document = Document::from_slice(&bytes).unwrap();
    let id = document.root().persistent_id().unwrap();
    assert_eq!(id.at(0).unwrap().id(), document.root().id());
    assert_eq!(id.at(1).unwrap().id(), document.root().id());
}

/// Output, time and memory are in proportion to the input, or a limit says no: for what is long and referred to over and over.
#[test]
fn long_values_referred_to_over_and_over() {
    let long = |count: usize| [&b"X"[..], &u32::to_le_bytes(count.try_into().unwrap()), &vec![b'm'; count]].concat();
    let dots = [&b"X"[..], &100_001_u32.to_le_bytes(), &b"a.".repeat(50_000), b"a"].concat();
    let shapes = [
        ("a name", pickle(&[b"\x80\x04", &long(100_000), b"q\0](", &b"h\0h\0\x93".repeat(20_000), b"e."]), 2),
        ("a name", pickle(&[b"\x80\x04", &long(100_000), b"q\0](", &b"h\0h\0\x93".repeat(20_000), b"e."]), 4),
        ("an id", pickle(&[b"\x80\x04", &long(100_000), b"q\0](", &b"h\0Q".repeat(30_000), b"e."]), 0),
        ("a class", pickle(&[b"\x80\x04", &long(100_000), b"q\0X\x01\0\0\0c\x93q\x01](", &b"(h\x01o".repeat(25_000), b"e."]), 0),
        ("a nested name", pickle(&[b"\x80\x04X\x01\0\0\0m", &dots, b"\x93."]), 2),
    ];
    for (name, bytes, protocol) in shapes {
        let document = Document::from_slice(&bytes).unwrap();
        let start = std::time::Instant::now();
        let error = Pickler::new().protocol(protocol).dump_to(&document, std::io::sink()).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::LimitExceeded { limit: "expansion", .. } | ErrorKind::Unwritable { .. }),
            "{name}: {error}"
        );
        assert!(start.elapsed() < std::time::Duration::from_secs(5), "{name}: {:?}", start.elapsed());
    }
    // an object with a long chain of states, in a set in its own arguments
    let states = pickle(&[b"\x80\x04\x8fq\0(cm\nR\nh\0\x85Rq\x01\x90h\x01", &b"Nb".repeat(50_000), b"."]);
    let start = std::time::Instant::now();
    assert!(refused(2, &states).contains("it is inside its own arguments"));
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
}

/// The opcodes of a pickle that call something, in their order.
fn order(bytes: &[u8]) -> Vec<&'static str> {
    let tokens = brinery::Lexer::new(bytes).map(|token| token.unwrap().op.opcode().name());
    tokens.filter(|name| matches!(*name, "REDUCE" | "BUILD" | "BINPERSID" | "PERSID")).collect()
}

/// Steps that were done after a call of which the object is an argument, and that refer to what the call made, are written after the call.
#[test]
fn steps_that_come_after_a_call_are_never_written_before_it() {
    let made = b"\x80\x04cm\nmk\n(\x8c\x01C}(\x8c\x04cellcm\nCell\n)R\x94\x8c\x01zK\x01utR\x94";
    let steps: [&[u8]; 2] = [b"cm\nsetc\nh\0h\x01\x86R0.", b"h\0}\x8c\x01ch\x01sb0."];
    let appended = b"\x80\x04cm\nmk\n(\x8c\x01C}(\x8c\x04cell]\x94\x8c\x01zK\x01utR\x94h\0h\x01a0.";
    let expected = [&["REDUCE", "REDUCE", "REDUCE"][..], &["REDUCE", "REDUCE", "BUILD"], &["REDUCE"]];
    for (bytes, expected) in [pickle(&[made, steps[0]]), pickle(&[made, steps[1]]), appended.to_vec()].into_iter().zip(expected) {
        let document = Document::from_slice(&bytes).unwrap();
        for protocol in 0..=5 {
            let written = written(protocol, &bytes);
            assert_eq!(order(&written), expected, "{}", written.escape_ascii());
            assert!(Document::from_slice(&written).unwrap().root() == document.root(), "{}", written.escape_ascii());
            // and once written, it stays as it is
            assert_eq!(self::written(protocol, &written), written);
        }
    }
    // the set function, its cell and the class it made, in this order
    let at_2 = written(2, &pickle(&[made, steps[0]]));
    let end = b"h\x05cm\nsetc\nq\x09h\x05h\x08\x86R00.";
    assert!(at_2.ends_with(end), "{}", at_2.escape_ascii());
}

/// The same for a document that a program builds.
#[test]
fn what_a_program_does_after_a_call_is_written_after_it() {
    let mut builder = DocumentBuilder::new();
    let (one, two, three) = (builder.int(1).unwrap(), builder.int(2).unwrap(), builder.int(3).unwrap());
    let list = builder.list([one, two]).unwrap();
    let class = builder.global("m", "C").unwrap();
    let object = builder.call(class, [list]).unwrap();
    builder.append(list, object).unwrap();
    builder.append(list, three).unwrap();
    let document = builder.finish(object).unwrap();
    let bytes = Pickler::new().protocol(2).dump(&document).unwrap();
    assert_eq!(bytes, b"\x80\x02cm\nC\nq\0]q\x01(K\x01K\x02e\x85q\x02Rq\x03h\x01(h\x03K\x03e0.", "{}", bytes.escape_ascii());
}

/// Calls in one another, each with a list that gets its own call's object, and then those of all around it.
#[test]
fn many_later_steps_are_linear() {
    let mut builder = DocumentBuilder::new();
    let class = builder.global("m", "C").unwrap();
    let mut levels = Vec::new();
    let mut inner = builder.none();
    for _ in 0..50_000 {
        let list = builder.list([inner]).unwrap();
        inner = builder.call(class, [list]).unwrap();
        levels.push((list, inner));
    }
    for at in 0..levels.len() {
        let others = [at, at / 2 + levels.len() / 2, levels.len() - 1];
        builder.extend(levels[at].0, others.map(|other| levels[other].1)).unwrap();
    }
    let document = builder.finish(inner).unwrap();
    let start = std::time::Instant::now();
    let bytes = Pickler::new().dump(&document).unwrap();
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(Document::from_slice(&bytes).unwrap().root() == document.root());
}

#[test]
fn own_types_inside_themselves_are_refused() {
    use std::sync::{Arc, Mutex};
    struct Node(Mutex<Vec<Arc<Node>>>);
    let mut pickler = Pickler::new();
    pickler.register(|node: &Node, builder| {
        let inside: Vec<_> = node.0.lock().map_err(brinery::Error::custom)?.clone();
        let inside = inside.iter().map(|node| builder.save_shared(node)).collect::<Result<Vec<_>, _>>()?;
        builder.list(inside)
    });
    let node = Arc::new(Node(Mutex::default()));
    let mut builder = pickler.builder();
    assert!(builder.save_shared(&node).is_ok());
    let cyclic = Arc::new(Node(Mutex::default()));
    cyclic.0.lock().unwrap().push(Arc::clone(&cyclic));
    assert!(matches!(builder.save_shared(&cyclic).unwrap_err().kind(), ErrorKind::Cyclic));
    cyclic.0.lock().unwrap().clear();
}

/// `pickle.dumps([zoo.NewArgsEx(1, key=2), zoo.NewArgsEx(3, key=4)])` of CPython 3.11 by protocols 4 and 2: `__new__` is one object for both.
#[test]
fn the_method_of_a_class_is_got_once() {
    let at_4 = b"\x80\x04\x95W\x00\x00\x00\x00\x00\x00\x00]\x94(\x8c\x03zoo\x94\x8c\x09NewArgsEx\x94\x93\x94K\x01\x85\x94}\x94\x8c\x03key\x94K\x02s\x92\x94}\x94\x8c\x05given\x94h\x04h\x05\x86\x94sbh\x03K\x03\x85\x94}\x94h\x06K\x04s\x92\x94}\x94h\x09h\x0bh\x0c\x86\x94sbe.";
    let at_2 = b"\x80\x02]q\x00(cfunctools\npartial\nq\x01c__builtin__\ngetattr\nq\x02czoo\nNewArgsEx\nq\x03X\x07\x00\x00\x00__new__q\x04\x86q\x05Rq\x06\x85q\x07Rq\x08(h\x06h\x03K\x01\x86q\x09}q\nX\x03\x00\x00\x00keyq\x0bK\x02sNtq\x0cb)Rq\x0d}q\x0eX\x05\x00\x00\x00givenq\x0fK\x01\x85q\x10}q\x11h\x0bK\x02s\x86q\x12sbh\x01h\x06\x85q\x13Rq\x14(h\x06h\x03K\x03\x86q\x15}q\x16h\x0bK\x04sNtq\x17b)Rq\x18}q\x19h\x0fK\x03\x85q\x1a}q\x1bh\x0bK\x04s\x86q\x1csbe.";
    assert_eq!(written(2, at_4), at_2);
}
