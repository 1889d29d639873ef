//! `check`: its words and its exit codes.

use super::{Dir, on};

#[test]
fn every_cause_has_its_exit_code() {
    let zip = b"PK\x03\x04\x14\0\0\0";
    let mut digits = b"I".to_vec();
    digits.extend([b'7'; 5_000]);
    digits.extend(b"\n.");
    let cases: [(i32, &[u8]); 34] = [
        (0, b"N."),
        (10, b""),
        (11, zip),
        (11, b"\x1f\x8b\x08\0\0\0"),
        (11, b"BZh91AY&SY"),
        (11, b"\xfd7zXZ\0\0"),
        (11, b"\x5d\0\0\x80\0\xff"),
        (11, b"x\x9cK\x03"),
        (11, b"\x28\xb5\x2f\xfd\x04"),
        (11, b"\x93NUMPY\x01\0"),
        (11, b"FS21\x01"),
        (11, b"<!DOCTYPE html><p>"),
        (11, b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."),
        (11, b"\0\0\0\x05\x80\x02K\x01."),
        (11, b"hello, world\n"),
        (12, b"\0\0\0"),
        (12, b"{\"a\": 1}"),
        (13, b"\x80\x04K"),
        (13, b"K\x01"),
        (13, b"\x80\x04\x95\x40\0\0\0\0\0\0\0K\x01."),
        (14, b"\x80\x04\xff"),
        (15, b"\x80\x06N."),
        (16, b"\x80\x04\x95\x01\0\0\0\0\0\0\0K\x01."),
        (17, b"\x80\x040."),
        (17, b"K\x01t."),
        (18, b"\x80\x04h\x07."),
        (19, b"Ix\n."),
        (19, b"X\x01\0\0\0\xff."),
        (20, b"K\x01K\x02a."),
        (20, b"K\x01)R."),
        (21, b"}]Ns."),
        (21, b"(K\x01d."),
        (22, &digits),
        (23, b"\x82\0."),
    ];
    for (code, bytes) in cases {
        let ran = on(bytes, &["check"]);
        assert_eq!(ran.code, code, "{} {ran:?}", bytes.escape_ascii());
        assert!(ran.out.starts_with("a.pkl: ") && ran.out.lines().count() == 1 && ran.err.is_empty(), "{ran:?}");
        let json: serde_json::Value = serde_json::from_str(&on(bytes, &["check", "--json"]).out).unwrap();
        assert_eq!(json["ok"], code == 0);
        if code != 0 {
            assert_eq!(json["exit"], code);
            let cause = json["cause"].as_str().unwrap();
            let help = Dir::new().run(&["check", "--help"]).out;
            assert!(help.contains(&format!("{code}  {cause}")), "{cause} is not in the help");
        }
    }
}

#[test]
fn it_says_where_and_why() {
    for (bytes, line) in [
        (&b"\x80\x04h\x07."[..], "a.pkl: offset 2: BINGET 7: memo slot 7 was never filled"),
        (b"\x80\x04K\x01.", "a.pkl: ok (1 pickle, 5 bytes, protocol 4)"),
        (b"K\x01.", "a.pkl: ok (1 pickle, 3 bytes, no protocol stated)"),
        (b"\x80\x04K\x01.\x80\x02N.", "a.pkl: ok (2 pickles, 9 bytes, protocols 2, 4)"),
        (
            b"\x80\x04K\x01.\x80\x04h\0.",
            "a.pkl: offset 7: BINGET 0: memo slot 0 was never filled (perhaps an earlier pickle filled it: try --shared-memo) \
             (after 1 whole pickle up to offset 5)",
        ),
        (
            b"\x80\x04K\x01.trailing",
            "a.pkl: ok (1 pickle, 5 bytes, protocol 4); 8 bytes after the last STOP at offset 4 are not a pickle: \
             offset 5: TUPLE: no mark is on the stack",
        ),
        (b"PK\x03\x04", "a.pkl: not a raw pickle: a zip file (torch, npz ...)"),
    ] {
        assert_eq!(on(bytes, &["check"]).out, format!("{line}\n"));
    }
}

#[test]
fn the_first_failing_file_decides() {
    let dir = Dir::with("good.pkl", b"N.");
    dir.file("memo.pkl", b"\x80\x04h\0.");
    dir.file("empty.pkl", b"");
    let ran = dir.run(&["check", "good.pkl", "memo.pkl", "empty.pkl"]);
    assert_eq!(ran.code, 18);
    assert_eq!(ran.out.lines().count(), 3);
    let quiet = dir.run(&["check", "--quiet", "good.pkl", "empty.pkl", "memo.pkl"]);
    assert_eq!(quiet.code, 10);
    assert_eq!(quiet.out.lines().count(), 2);
    assert_eq!(dir.run(&["check", "--quiet", "good.pkl"]).out, "");
    let absent = dir.run(&["check", "absent.pkl", "empty.pkl"]);
    assert_eq!(absent.code, 2);
    assert!(absent.err.starts_with("brinery: absent.pkl: cannot be opened: "), "{}", absent.err);
    assert_eq!(absent.out.lines().count(), 1, "the other file is still checked");
}

#[test]
fn json_has_it_all() {
    let ran = on(b"\x80\x04K\x01.K\x02.\x80\x04K", &["check", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((json["file"].as_str(), json["pickles"].as_u64(), json["bytes"].as_u64()), (Some("a.pkl"), Some(2), Some(8)));
    assert_eq!(json["protocols"], serde_json::json!([null, 4]));
    assert_eq!(json["cause"], "truncated");
    assert_eq!(json["error"]["offset"], 10);
    assert_eq!(json["error"]["pickle"], 2);
    assert_eq!(json["error"]["opcode"], "BININT1");
    let trailing: serde_json::Value = serde_json::from_str(&on(b"N.??", &["check", "--json"]).out).unwrap();
    assert_eq!((trailing["trailing"]["offset"].as_u64(), trailing["trailing"]["bytes"].as_u64()), (Some(2), Some(2)));
    assert_eq!(trailing["ok"], true);
}

#[test]
fn arrays_of_joblib_are_recognised_by_what_was_read() {
    let mut bytes = b"\x80\x04]cjoblib.numpy_pickle\nNumpyArrayWrapper\n)\x81}\x8c\x05shapeK\x03\x85sb".to_vec();
    bytes.extend(b"\xff\0\0\0\0\0\0\xf0?\0\0\0\0\0\0\0@a.");
    let ran = on(&bytes, &["check"]);
    assert_eq!((ran.out.as_str(), ran.code), ("a.pkl: not a raw pickle: joblib data with arrays between the opcodes\n", 11));
    assert_eq!(on(&bytes, &["show"]).err, "brinery: a.pkl: not a raw pickle: joblib data with arrays between the opcodes\n");
}

#[test]
fn pickles_that_begin_like_other_files_are_pickles() {
    for bytes in [&b"\x5d."[..], b"FS21\n.", b"\x5d\x94."] {
        let ran = on(bytes, &["check"]);
        let is_pickle = !bytes.starts_with(b"FS");
        assert_eq!(ran.code == 0, is_pickle, "{ran:?}");
    }
    // BZh as a length: 26,714 bytes
    let mut bytes = b"B\x5a\x68\0\0".to_vec();
    bytes.resize(5 + 0x685a, b'x');
    bytes.push(b'.');
    assert_eq!(on(&bytes, &["check"]).code, 0);
}

#[test]
fn options_change_the_verdict() {
    let latin = b"U\x01\xe9.";
    assert_eq!(on(latin, &["check"]).code, 0);
    assert_eq!(on(latin, &["check", "--encoding", "ascii"]).code, 19);
    assert_eq!(on(latin, &["show", "--encoding", "latin1"]).out, "'\u{e9}'\n");
    assert_eq!(on(latin, &["show", "--encoding", "bytes"]).out, "b'\\xe9'\n");
    let straddled = b"\x80\x04\x95\x01\0\0\0\0\0\0\0K\x01.";
    assert_eq!(on(straddled, &["check", "--lax-frames"]).code, 0);
}

#[test]
fn files_that_begin_like_pickles_are_named() {
    let one = b"\0\0\0\x05\x80\x02K\x01.";
    let wrapper = b"cjoblib.numpy_pickle\nNDArrayWrapper\n)\x81}U\x08filenameU\x0ca.pkl_01.npysb.";
    for (bytes, what) in [
        (&b"gASVBQAAAAAAAABLAS4="[..], "base64 text"),
        (one, "a message with its length in front, as Graphite and logging send them: the pickle begins at byte 4"),
        (&[&one[..], one].concat(), "a message with its length in front, as Graphite and logging send them: the pickle begins at byte 4"),
        (wrapper, "a file of joblib before 0.10, whose arrays are in files beside it (--nth 0 shows the pickle)"),
    ] {
        let ran = on(bytes, &["check"]);
        assert_eq!((ran.out.as_str(), ran.code), (&*format!("a.pkl: not a raw pickle: {what}\n"), 11));
    }
    assert_eq!(on(wrapper, &["show", "--nth", "0"]).code, 0);
    assert_eq!(on(b"\x01\x02", &["check"]).out, "a.pkl: not a pickle: offset 0: byte 0x01 is no opcode\n");
}
