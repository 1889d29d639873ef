//! What a pickler writes beside what CPython does: policies, hooks, limits and failures. Bytes are compared with CPython's in `xtask`.

use std::io::{self, Write};

use brinery::{
    Dialect, Document, DocumentBuilder, EightBit, Encoding, ErrorKind, Limits, MemoPolicy, Pickler, Placement, Unpickler, Value,
};

use crate::allocations::peak;
use crate::pickle;

fn read(bytes: &[u8]) -> Document<'_> {
    Document::from_slice(bytes).unwrap()
}

fn written(pickler: &mut Pickler, bytes: &[u8]) -> Vec<u8> {
    pickler.dump(&read(bytes)).unwrap()
}

fn refused(pickler: &mut Pickler, bytes: &[u8]) -> String {
    pickler.dump(&read(bytes)).unwrap_err().to_string()
}

#[test]
fn appends_to_a_vector_that_is_used_again() {
    let mut bytes = b"before".to_vec();
    let mut pickler = Pickler::new();
    pickler.dump_into(&read(b"K\x01."), &mut bytes).unwrap();
    pickler.dump_into(&read(b"]K\x02a."), &mut bytes).unwrap();
    assert_eq!(bytes, b"before\x80\x04K\x01.\x80\x04\x95\x06\0\0\0\0\0\0\0]\x94K\x02a.");
    let error = pickler.memo(MemoPolicy::Off).dump_into(&read(b"]q\0h\0a."), &mut bytes).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cyclic));
    assert_eq!(bytes.len(), 28, "what was written of a failure stays");
    bytes.clear();
    let capacity = bytes.capacity();
    pickler.dump_into(&read(b"K\x01."), &mut bytes).unwrap();
    assert_eq!(bytes.capacity(), capacity);
}

#[test]
fn protocols_that_do_not_exist_are_refused() {
    assert_eq!(refused(Pickler::new().protocol(6), b"N."), "protocol 6 is unknown: expected 0 to 5");
}

#[test]
fn equal_texts_are_written_once_if_asked() {
    let bytes = b"(X\x03\0\0\0abcX\x03\0\0\0abcX\x01\0\0\0dC\x03abctq\0.";
    assert_eq!(
        written(Pickler::new().memo(MemoPolicy::EqualText).protocol(3), bytes),
        b"\x80\x03(X\x03\0\0\0abcq\0h\0X\x01\0\0\0dq\x01C\x03abcq\x02tq\x03."
    );
}

#[test]
fn without_memo_a_value_is_written_wherever_it_is() {
    let mut pickler = Pickler::new();
    pickler.memo(MemoPolicy::Off).protocol(2);
    assert_eq!(written(&mut pickler, b"]q\0K\x01ah\0\x86."), b"\x80\x02]K\x01a]K\x01a\x86.");
    assert_eq!(written(&mut pickler, b"X\x02\0\0\0abq\0h\0\x86."), b"\x80\x02X\x02\0\0\0abX\x02\0\0\0ab\x86.");
    assert_eq!(written(&mut pickler, b"cm\nC\nq\0)\x81h\0\x86."), b"\x80\x02cm\nC\n)\x81cm\nC\n\x86.");
}

#[test]
fn a_cycle_without_memo_is_shown() {
    let mut pickler = Pickler::new();
    pickler.memo(MemoPolicy::Off);
    let because = "the value is inside itself, which neither a tree nor a pickle without a memo can be";
    assert_eq!(refused(&mut pickler, b"]q\0h\0a."), format!("[0], which is the whole value again: {because}"));
    assert_eq!(
        refused(&mut pickler, b"}X\x01\0\0\0k]q\0(N}X\x01\0\0\0lh\0ses."),
        format!("['k'][1]['l'], which is ['k'] again: {because}")
    );
    assert_eq!(
        refused(&mut pickler, b"cm\nC\n)\x81q\0}X\x01\0\0\0ah\0sb."),
        format!(".__dict__['a'], which is the whole value again: {because}")
    );
}

#[test]
fn what_sharing_multiplies_is_bounded() {
    // thirty tuples, each of two times the one before
    let laughs = pickle(&[b"N", &b"\x85q\0h\0\x86".repeat(30), b"."]);
    let mut pickler = Pickler::new();
    assert!(written(&mut pickler, &laughs).len() < 500);
    assert_eq!(refused(pickler.memo(MemoPolicy::Off), &laughs).rsplit(": ").next(), Some("the limit on expansion (1048576) is exceeded"));
    // a long text referred to over and over
    let text = vec![b'x'; 1 << 20];
    let copies = pickle(&[b"(X\0\0\x10\0", &text, b"q\0", &b"h\0".repeat(1_000), b"t."]);
    assert!(refused(&mut pickler, &copies).ends_with("the limit on expansion (1048576) is exceeded"));
}

/// A tuple of many lists that it is in: it is written inside itself for each of them.
#[test]
fn what_tuples_in_themselves_multiply_is_bounded() {
    let lists = 20_000;
    let mut bytes = b"(".to_vec();
    for list in 0..lists {
        bytes.extend([&b"]r"[..], &u32::to_le_bytes(list)].concat());
    }
    bytes.extend(b"tr\xff\xff\xff\0");
    for list in 0..lists {
        bytes.extend([&b"j"[..], &u32::to_le_bytes(list), b"j\xff\xff\xff\0a0"].concat());
    }
    bytes.extend(b".");
    let document = read(&bytes);
    let (result, held) = peak(|| Pickler::new().dump(document.root()));
    assert!(result.unwrap_err().to_string().ends_with("the limit on expansion (1048576) is exceeded"));
    assert!(held < 64 << 20, "{held}");
}

#[test]
fn depth_can_be_limited() {
    let mut limits = Limits::default();
    limits.depth = 3;
    let mut pickler = Pickler::new();
    pickler.limits(limits);
    assert_eq!(written(&mut pickler, b"]]]aa."), b"\x80\x04\x95\x09\0\0\0\0\0\0\0]\x94]\x94]\x94aa.");
    assert_eq!(refused(&mut pickler, b"]]]N\x85aaa."), "[0][0][0]: the limit on depth (3) is exceeded");
}

#[test]
fn what_a_protocol_lacks_is_refused_with_its_place() {
    let mut pickler = Pickler::new();
    pickler.protocol(1);
    assert_eq!(refused(&mut pickler, b"}K\x01\x82\x05s."), "[1]: an extension code cannot be written: it needs protocol 2");
    pickler.protocol(0);
    assert_eq!(refused(&mut pickler, b"]K\x01Qa."), "[0]: a persistent id cannot be written: protocol 0 has them as a line of ASCII text");
    let name = b"\x8c\x01m\x8c\x02\xc3\xa9\x93.";
    assert_eq!(
        refused(pickler.protocol(2), name),
        "the name of a class or function cannot be written: it is not ASCII, which needs protocol 3"
    );
    assert_eq!(written(pickler.protocol(3), name), b"\x80\x03cm\n\xc3\xa9\nq\0.");
    assert!(refused(&mut pickler, b"\x8c\x01m\x8c\x03a\nb\x93.").contains("newline"));
}

#[test]
fn eight_bit_strings_stay_or_become_what_they_read_as() {
    let bytes = b"S'caf\\xe9'\n.";
    assert_eq!(written(Pickler::new().protocol(0), bytes), b"S'caf\\xe9'\np0\n.");
    assert_eq!(written(Pickler::new().protocol(2), bytes), b"\x80\x02U\x04caf\xe9q\0.");
    let mut unpickler = Unpickler::new();
    let mut pickler = Pickler::new();
    pickler.protocol(3).eight_bit(EightBit::AsRead);
    for (encoding, expected) in [
        (Encoding::Auto, &b"\x80\x03C\x04caf\xe9q\0."[..]),
        (Encoding::Bytes, b"\x80\x03C\x04caf\xe9q\0."),
        (Encoding::Latin1, b"\x80\x03X\x05\0\0\0caf\xc3\xa9q\0."),
    ] {
        let document = unpickler.encoding(encoding).load(bytes).unwrap();
        assert_eq!(pickler.dump(&document).unwrap(), expected, "{encoding:?}");
    }
    let latin1 = unpickler.encoding(Encoding::Latin1).load(bytes).unwrap();
    assert_eq!(Pickler::new().protocol(2).dump(&latin1).unwrap(), b"\x80\x02U\x04caf\xe9q\0.");
}

#[test]
fn names_of_python_2_and_3() {
    let old = b"\x80\x02c__builtin__\nunicode\n)R.";
    assert_eq!(written(Pickler::new().protocol(2), old), b"\x80\x02c__builtin__\nunicode\nq\0)Rq\x01.");
    assert_eq!(written(Pickler::new().protocol(3), old), b"\x80\x03cbuiltins\nstr\nq\0)Rq\x01.");
    assert_eq!(written(Pickler::new().protocol(2).fix_imports(false), old), b"\x80\x02cbuiltins\nstr\nq\0)Rq\x01.");
    // a module that happens to be called so in Python 3 is another
    let new = b"\x80\x03cQueue\nThing\n.";
    assert_eq!(written(Pickler::new().protocol(3), new), b"\x80\x03cQueue\nThing\nq\0.");
    assert_eq!(written(Pickler::new().protocol(3), b"\x80\x02cQueue\nThing\n."), b"\x80\x03cqueue\nThing\nq\0.");
}

#[test]
fn extension_codes() {
    let mut pickler = Pickler::new();
    pickler.extensions([(5, ("shapes", "Point")), (300, ("shapes", "Line")), (70_000, ("shapes", "Area"))]).protocol(2);
    let named = |name: &str| [b"cshapes\n", name.as_bytes(), b"\n."].concat();
    assert_eq!(written(&mut pickler, &named("Point")), b"\x80\x02\x82\x05.");
    assert_eq!(written(&mut pickler, &named("Line")), b"\x80\x02\x83\x2c\x01.");
    assert_eq!(written(&mut pickler, &named("Area")), b"\x80\x02\x84\x70\x11\x01\0.");
    assert_eq!(written(&mut pickler, b"\x82\x09q\0h\0\x86."), b"\x80\x02\x82\x09\x82\x09\x86q\0.");
    assert_eq!(written(pickler.protocol(1), &named("Point")), b"cshapes\nPoint\nq\0.");
}

#[test]
fn buffers_in_and_out_of_band() {
    let bytes = b"\x80\x05\x97\x97\x98\x86.";
    let document = || read(bytes).with_buffers([&b"one"[..], b"two"]);
    assert_eq!(Pickler::new().protocol(5).dump(&document()).unwrap(), b"\x80\x05\x95\x06\0\0\0\0\0\0\0\x97\x97\x98\x86\x94.");
    let in_band = |_: brinery::Item<'_>| Placement::InBand;
    assert_eq!(
        Pickler::new().protocol(5).on_buffer(in_band).dump(&document()).unwrap(),
        b"\x80\x05\x95\x16\0\0\0\0\0\0\0\x96\x03\0\0\0\0\0\0\0one\x94C\x03two\x94\x86\x94."
    );
    assert_eq!(
        Pickler::new().protocol(3).dump(&document()).unwrap(),
        b"\x80\x03cbuiltins\nbytearray\nq\0C\x03oneq\x01\x85q\x02Rq\x03C\x03twoq\x04\x86q\x05."
    );
    // without their data they stay out of band, or cannot be written
    assert_eq!(written(Pickler::new().protocol(5), bytes), b"\x80\x05\x95\x06\0\0\0\0\0\0\0\x97\x97\x98\x86\x94.");
    assert_eq!(refused(Pickler::new().protocol(4), bytes), "[0]: the data of out-of-band buffer 0 is not there");
    // the second alone would get the first one's data
    let document = read(bytes);
    let error = Pickler::new().protocol(5).dump(document.root().at(1).unwrap()).unwrap_err();
    assert!(error.to_string().contains("not the next one"), "{error}");
    // one that is referred to twice is one
    assert_eq!(written(Pickler::new().protocol(5), b"\x97q\0h\0\x86."), b"\x80\x05\x95\x07\0\0\0\0\0\0\0\x97\x94h\0\x86\x94.");
}

#[test]
fn a_hook_takes_buffers() {
    use std::sync::{Arc, Mutex};
    let taken = Arc::new(Mutex::new(Vec::new()));
    let mut builder = DocumentBuilder::new();
    let both = [builder.buffer(vec![1; 3], true).unwrap(), builder.buffer(vec![2; 9], false).unwrap()];
    let tuple = builder.tuple([both[1], both[0]]).unwrap();
    let document = builder.finish(tuple).unwrap();
    let mut pickler = Pickler::new();
    let sink = Arc::clone(&taken);
    pickler.protocol(5).on_buffer(move |buffer| {
        let data = buffer.as_bytes().unwrap_or_default();
        if data.len() < 5 {
            return Placement::InBand;
        }
        sink.lock().unwrap().push(data.to_vec());
        Placement::OutOfBand
    });
    let bytes = pickler.dump(&document).unwrap();
    let document = read(&bytes).with_buffers(taken.lock().unwrap().clone());
    assert_eq!(document.root().at(0).unwrap().as_bytes(), Some(&[2; 9][..]));
    assert_eq!(document.root().at(1).unwrap().repr().to_string(), "b'\\x01\\x01\\x01'");
}

#[test]
fn persistent_ids_by_a_hook() {
    let bytes = b"\x80\x04](\x8c\x03big\x94K\x01h\0}K\x02h\0se.";
    let mut pickler = Pickler::new();
    pickler.persistent_id(|item| (item.as_str() == Some("big")).then(|| "id".to_owned()));
    assert_eq!(written(pickler.protocol(0), bytes), b"(lp0\nPid\naI1\naPid\na(dp1\nI2\nPid\nsa.");
    assert_eq!(written(pickler.protocol(1), b"\x80\x04\x8c\x03big."), b"X\x02\0\0\0idq\0Q.");
}

#[test]
fn calls_that_a_pickle_drops_are_written() {
    let bytes = b"cm\nregister\nK\x01\x85R0]q\0K\x02a.";
    assert_eq!(written(Pickler::new().protocol(2), bytes), b"\x80\x02]q\0K\x02acm\nregister\nq\x01K\x01\x85q\x02Rq\x030.");
    // values alone do nothing
    assert_eq!(written(Pickler::new().protocol(2), b"X\x01\0\0\0x0N."), b"\x80\x02N.");
    // an item is written without
    assert_eq!(Pickler::new().protocol(2).dump(read(bytes).root()).unwrap(), b"\x80\x02]q\0K\x02a.");
}

/// `builtins.getattr` of a class of a class, as `save_global` of `pickle.py` in CPython 3.11 and 3.13.
#[test]
fn nested_names_of_later_pythons() {
    let nested = b"\x80\x04\x8c\x01m\x8c\x05A.B.C\x93.";
    let mut pickler = Pickler::new();
    assert_eq!(
        written(pickler.protocol(2), nested),
        b"\x80\x02c__builtin__\ngetattr\nq\0h\0cm\nA\nq\x01X\x01\0\0\0Bq\x02\x86q\x03Rq\x04X\x01\0\0\0Cq\x05\x86q\x06Rq\x07."
    );
    pickler.dialect(Dialect::Python313);
    assert_eq!(
        written(&mut pickler, nested),
        b"\x80\x02c__builtin__\ngetattr\nq\0h\0cm\nA\nX\x01\0\0\0Bq\x01\x86RX\x01\0\0\0Cq\x02\x86Rq\x03."
    );
    // the outermost name is the one that Python 2 has another for
    let method = b"\x80\x04\x8c\x08builtins\x8c\x08str.join\x93.";
    assert_eq!(written(&mut pickler, method), b"\x80\x02c__builtin__\ngetattr\nq\0c__builtin__\nunicode\nX\x04\0\0\0joinq\x01\x86Rq\x02.");
}

#[test]
fn batches_of_later_pythons() {
    let list = pickle(&[b"](", &b"N".repeat(1_001), b"e."]);
    let set = pickle(&[
        b"\x8f(",
        &(0..1_000_u16).flat_map(|n| [[b'M'].to_vec(), n.to_le_bytes().to_vec()].concat()).collect::<Vec<_>>(),
        b"\x90.",
    ]);
    let mut pickler = Pickler::new();
    assert!(written(&mut pickler, &list).ends_with(b"e(Ne."));
    assert!(written(&mut pickler, &set).ends_with(b"\x90(\x90."));
    pickler.dialect(Dialect::Python315);
    assert!(written(&mut pickler, &list).ends_with(b"eNa."));
    assert!(written(&mut pickler, &set).ends_with(b"M\xe7\x03\x90."));
}

/// A writer that takes so many bytes and then fails.
struct Failing(usize);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::Error::other("no more"));
        }
        let taken = bytes.len().min(self.0).min(1_000);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_fails_midway_loses_no_error() {
    let rows = pickle(&[b"](", &b"X\x14\0\0\0twenty characters!!!q\0".repeat(10_000), b"e."]);
    let document = read(&rows);
    let mut pickler = Pickler::new();
    for protocol in [0, 2, 4] {
        let whole = pickler.protocol(protocol).dump(&document).unwrap();
        for room in [0, 1, 70_000, whole.len() - 1] {
            let error = pickler.dump_to(&document, Failing(room)).unwrap_err();
            assert_eq!(error.to_string(), "writing failed: no more", "{protocol} {room}");
            assert_eq!(pickler.dump(&document).unwrap(), whole, "a failure is remembered");
        }
        let mut streamed = Vec::new();
        pickler.dump_to(&document, &mut streamed).unwrap();
        assert_eq!(streamed, whole);
    }
}

/// Counts writes.
#[derive(Default)]
struct Counting {
    writes: usize,
    bytes: usize,
}

impl Write for Counting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        self.bytes += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Memory for a stream is that of the memo: four bytes a value that has storage, and what is held of a frame.
#[test]
fn a_stream_is_not_held() {
    let count = 1_000_000;
    let floats = pickle(&[b"](", &b"G\x3f\xf8\0\0\0\0\0\0".repeat(count), b"e."]);
    let lists = pickle(&[b"](", &b"](K\x01K\x02e".repeat(count), b"e."]);
    for bytes in [floats, lists] {
        let document = read(&bytes);
        for protocol in [2, 4] {
            let mut writer = Counting::default();
            let (result, held) = peak(|| Pickler::new().protocol(protocol).dump_to(&document, &mut writer));
            result.unwrap();
            assert!(held < 4 * document.node_count() + (256 << 10), "{held} bytes held for {} nodes", document.node_count());
            assert!(writer.bytes > 7_000_000);
            assert!(writer.writes < writer.bytes / 50_000, "{} writes of {} bytes", writer.writes, writer.bytes);
        }
    }
    let large = pickle(&[b"C\x01xB\0\0\0\x04", &vec![7; 64 << 20], b"\x86."]);
    let document = read(&large);
    let (result, held) = peak(|| Pickler::new().dump_to(&document, io::sink()));
    result.unwrap();
    assert!(held < 1 << 16, "{held} bytes held beside those of the document");
}

#[test]
fn trees_are_written_as_documents_are() {
    for bytes in [
        &b"](K\x01G\x3f\xf8\0\0\0\0\0\0X\x01\0\0\0xN\x88)e."[..],
        b"}(K\x01]K\x02\x8f(K\x03\x90u.",
        b"cm\nC\nK\x01\x85}X\x01\0\0\0kK\x02s\x92N}X\x01\0\0\0aK\x03s\x86b(K\x04e(K\x05K\x06u.",
        b"cm\nC\n)\x81q\0cm\nset\nh\0K\x01\x86R0.",
        b"cm\nC\n}K\x01\x88sb.",
        b"(cm\nC\nK\x01o.",
        b"Pid\n.",
        b"\x82\x05.",
        b"\x8a\x09\0\0\0\0\0\0\0\0\x01.",
    ] {
        let document = read(bytes);
        let value = Value::from_document(&document).unwrap();
        for protocol in 2..=5 {
            let tree = Pickler::new().protocol(protocol).memo(MemoPolicy::Off).dump(&value);
            let graph = Pickler::new().protocol(protocol).memo(MemoPolicy::Off).dump(&document);
            match (tree, graph) {
                (Ok(tree), Ok(graph)) => assert_eq!(tree, graph, "{value:?}"),
                (tree, graph) => assert_eq!(tree.is_err(), graph.is_err(), "{value:?}"),
            }
        }
        let again = Pickler::new().dump(&value).unwrap();
        assert_eq!(Value::from_document(&read(&again)).unwrap(), value);
    }
}

#[test]
fn picklers_can_be_sent() {
    fn is_send<T: Send>(_: &T) {}
    is_send(&Pickler::new());
    is_send(&DocumentBuilder::new());
}
