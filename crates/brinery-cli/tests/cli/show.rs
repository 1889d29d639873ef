//! `show`: what it prints.

use super::{CYCLE, Dir, corpus, dag, on};

#[test]
fn builtin_values_print_as_python_prints_them() {
    for (bytes, text) in [
        (&b"N."[..], "None"),
        (b"\x88.", "True"),
        (b"I-7\n.", "-7"),
        (b"G?\xb9\x99\x99\x99\x99\x99\x9a.", "0.1"),
        (b"\x8a\x0a\0\0\0\0\0\0\0\0\0\x01.", "4722366482869645213696"),
        (b"X\x05\0\0\0it's\n.", "\"it's\\n\""),
        (b"\x8c\x03\xed\xa0\x80.", "'\\ud800'"),
        (b"U\x02h\xe9.", "b'h\\xe9'"),
        (b"C\x03\0'\".", "b'\\x00\\'\"'"),
        (b").", "()"),
        (b"K\x01\x85.", "(1,)"),
        (b"\x8f.", "set()"),
        (b"\x8f(K\x01K\x02\x90.", "{1, 2}"),
        (b"(K\x01\x91.", "frozenset({1})"),
        (b"}K\x01]s.", "{1: []}"),
        (b"\x96\x02\0\0\0\0\0\0\0ab.", "bytearray(b'ab')"),
        (b"cos\nsystem\n.", "os.system"),
        (b"\x97.", "buffer(0)"),
        (b"\x82\x05.", "extension(5)"),
        (b"P5\n.", "persistent_load('5')"),
        (b"cos\nsystem\n\x8c\x02ls\x85R.", "os.system('ls')"),
    ] {
        let ran = on(bytes, &["show"]);
        assert_eq!((ran.out.as_str(), ran.err.as_str(), ran.code), (format!("{text}\n").as_str(), "", 0), "{bytes:?}");
        let repr = on(bytes, &["show", "--repr"]);
        assert_eq!(repr.out, ran.out, "{bytes:?}");
    }
}

#[test]
fn a_cycle_of_instances_is_shown_whole() {
    on(CYCLE, &["show"]).is_golden("show-cycle.txt");
    on(CYCLE, &["show", "--width", "40"]).is_golden("show-cycle-narrow.txt");
    on(CYCLE, &["show", "--repr"]).is_golden("show-cycle-repr.txt");
}

#[test]
fn a_doubling_graph_prints_each_node_once() {
    let ran = on(&dag(), &["show", "--all"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    for label in 1..=64 {
        assert_eq!(ran.out.matches(&format!("&{label} [")).count(), 1, "{label}");
        assert_eq!(ran.out.lines().filter(|line| line.trim() == format!("*{label},") || line.contains(&format!(" *{label}]"))).count(), 1);
    }
    assert!(!ran.out.contains("&65"));
    ran.is_golden("show-dag-all.txt");
    on(&dag(), &["show"]).is_golden("show-dag.txt");
}

#[test]
fn a_label_that_did_not_fit_on_the_line_is_taken_back() {
    // the pair [x, x] is tried on one line first, with x as &1, and does not fit
    let mut bytes = b"\x80\x04(]\x94(".to_vec();
    for _ in 0..8 {
        bytes.extend(b"\x8c\x0caaaaaaaaaaaa");
    }
    bytes.extend(b"eh\0l.");
    let ran = on(&bytes, &["show", "--width", "60"]);
    assert!(ran.out.starts_with("[\n  &1 [\n"), "{}", ran.out);
    assert!(ran.out.ends_with("  ],\n  *1,\n]\n"), "{}", ran.out);
}

#[test]
fn long_things_are_cut_in_their_place_and_noted() {
    let mut bytes = b"\x80\x04(]\x94(".to_vec();
    for value in 0..10_000u16 {
        bytes.push(b'M');
        bytes.extend(value.to_le_bytes());
    }
    bytes.push(b'e');
    for (opcode, len) in [(b'X', 5_000u32), (b'B', 6_000)] {
        bytes.push(opcode);
        bytes.extend(len.to_le_bytes());
        bytes.extend(std::iter::repeat_n(b'z', len as usize));
    }
    bytes.extend(b"\x8a\xff");
    bytes.extend([1; 255]);
    bytes.extend(b"t.");
    let ran = on(&bytes, &["show"]);
    assert!(ran.out.contains("... 9,900 more items"), "{}", ran.out);
    assert!(ran.out.contains("'... 4,800 more characters,"), "{}", ran.out);
    assert!(ran.out.contains("'... 5,900 more bytes,"), "{}", ran.out);
    assert!(ran.out.contains(" more digits,"), "{}", ran.out);
    assert_eq!(ran.err, "brinery: left out: 9,900 items, the rest of 3 long values (--all shows everything)\n");
    assert_eq!(ran.code, 0);
    let few = on(&bytes, &["show", "--items", "7"]);
    assert!(few.out.contains("[0, 1, 2, 3, 4, 5, 6, ... 9,993 more items]"), "{}", few.out);
    let all = on(&bytes, &["show", "--all"]);
    assert!(all.out.contains(" 9999,\n") && all.out.contains(&"z".repeat(6_000)) && !all.out.contains("more"));
    assert_eq!(all.err, "");
}

#[test]
fn depth_is_cut_where_asked() {
    let bytes = b"\x80\x04(](K\x01}\x8c\x01k(](NNNNNeK\x02tsecm\nC\n)\x81}\x8c\x01a]sbt.";
    on(bytes, &["show", "--depth", "1"]).is_golden("show-depth-1.txt");
    on(bytes, &["show", "--depth", "3"]).is_golden("show-depth-3.txt");
    on(bytes, &["show"]).is_golden("show-depth.txt");
}

#[test]
fn objects_show_all_that_made_them() {
    // NEWOBJ_EX with keywords, state of dict and slots, items appended, items set, another state
    let bytes = b"\x80\x04cm\nC\nK\x01\x85}(\x8c\x01kK\x02\x8c\x03a bK\x03u\x92(K\x04K\x05e(K\x06K\x07u}\x8c\x01xK\x08s}\x8c\x01yK\x09s\x86bK\x0ab.";
    let ran = on(bytes, &["show"]);
    assert_eq!(ran.out, "m.C(1, k=2, 'a b'=3, *[4, 5], **{6: 7}, .x=8, .y=9, .__setstate__(10))\n");
    on(bytes, &["show", "--width", "40"]).is_golden("show-object-narrow.txt");
}

#[test]
fn what_is_left_or_dropped_is_not_lost() {
    let ran = on(b"\x80\x04K\x01cos\nsystem\n\x8c\x02ls\x85R0K\x02.", &["show"]);
    ran.is_golden("show-left-dropped.txt");
    let repr = on(b"\x80\x04K\x01K\x02.", &["show", "--repr"]);
    assert_eq!(repr.out, "2\n");
    assert_eq!(repr.err, "brinery: a.pkl: pickle 0 left or dropped 1 value besides its own (show without --repr prints them)\n");
}

#[test]
fn a_broken_pickle_shows_what_was_read() {
    // the end of a dict of lists is missing
    let ran = on(b"\x80\x04}\x94(\x8c\x01a](K\x01K\x02e\x8c\x01b](K\x03", &["show"]);
    assert_eq!(ran.code, 2);
    ran.is_golden("show-truncated.txt");
    let repr = on(b"\x80\x04}\x94(\x8c\x01a", &["show", "--repr"]);
    assert_eq!((repr.out.as_str(), repr.code), ("", 2));
    assert_eq!(on(b"\x80\x04\x8c", &["show"]).out, "# nothing was read before the error\n");
}

#[test]
fn several_pickles_have_headings_and_one_has_none() {
    let bytes = b"\x80\x04K\x01.]\x80\x02K\x02a.N.";
    on(bytes, &["show"]).is_golden("show-several.txt");
    let second = on(bytes, &["show", "--nth", "1"]);
    assert_eq!(second.out, "[2]\n");
    assert_eq!(on(bytes, &["show", "--nth", "0"]).out, "1\n");
    let repr = on(bytes, &["show", "--repr"]);
    assert_eq!((repr.out.as_str(), repr.err.as_str()), ("1\n[2]\nNone\n", ""));
    let missing = on(bytes, &["show", "--nth", "3"]);
    assert_eq!(missing.code, 2);
    assert_eq!(missing.err, "brinery: a.pkl: no pickle 3: the file has 3 pickles, counted from 0\n");
}

#[test]
fn no_number_is_too_large() {
    let most = usize::MAX.to_string();
    for option in ["--width", "--depth", "--items"] {
        assert_eq!(on(b"\x80\x04](K\x01}K\x02X\x01\0\0\0ase.", &["show", option, &most]).out, "[1, {2: 'a'}]\n");
        assert_eq!(on(b"\x80\x04](K\x01}K\x02X\x01\0\0\0ase.", &["show", option, "0"]).code, 0);
    }
}

#[test]
fn several_files_have_headings() {
    let dir = Dir::with("a.pkl", b"K\x01.");
    dir.file("b.pkl", b"K\x02.K\x03.");
    dir.file("broken.pkl", b"K\x02");
    let ran = dir.run(&["show", "a.pkl", "absent.pkl", "b.pkl", "broken.pkl"]);
    // what the system says of absent files differs
    assert!(ran.err.starts_with("brinery: absent.pkl: cannot be opened: "), "{}", ran.err);
    assert!(ran.err.ends_with("brinery: broken.pkl: offset 2: the input ends without STOP: expected an opcode\n"), "{}", ran.err);
    assert_eq!(ran.code, 2);
    super::golden("show-files.txt", &ran.out);
}

#[test]
fn colours_only_where_asked() {
    let ran = on(b"(K\x01\x8c\x01at.", &["--color", "always", "show"]);
    assert_eq!(ran.out, "(\u{1b}[36m1\u{1b}[0m, \u{1b}[32m'a'\u{1b}[0m)\n");
    for never in [&["show"][..], &["--color", "never", "show"]] {
        assert_eq!(on(b"(K\x01\x8c\x01at.", never).out, "(1, 'a')\n");
    }
}

#[test]
fn repr_is_bounded_and_notes_hexadecimal() {
    let mut bytes = b"\x80\x04\x8b".to_vec();
    bytes.extend(2_000u32.to_le_bytes());
    bytes.extend([1; 2_000]);
    bytes.push(b'.');
    let ran = on(&bytes, &["show", "--repr"]);
    assert!(ran.out.starts_with("0x1010101"), "{}", ran.out);
    assert_eq!(ran.err, "brinery: 1 integer of more digits than Python prints (4,300) in hexadecimal\n");
    // a graph of 64 levels has 2^64 leaves
    let long = on(&dag(), &["show", "--repr"]);
    assert_eq!(long.out.len(), (64 << 20) + 1);
    assert_eq!(long.err, "brinery: a.pkl: pickle 0: cut after 67,108,864 bytes of output (--all lifts the limit)\n");
    assert_eq!(long.code, 2);
}

#[test]
fn every_case_of_the_corpus_is_shown_or_refused() {
    let Some(corpus) = corpus() else { return };
    let dir = Dir::new();
    let mut shown = 0;
    for group in ["builtins", "classes", "odd", "opcodes"] {
        for entry in std::fs::read_dir(corpus.join("cases").join(group)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "pkl") {
                continue;
            }
            let path = path.to_str().unwrap();
            let check = dir.run(&["check", path]);
            for args in [&["show", path][..], &["show", "--all", path], &["show", "--width", "20", "--depth", "2", path]] {
                let ran = dir.run(args);
                assert!(ran.code == 0 || ran.code == 2, "{path}: {ran:?}");
                assert_eq!(ran.code == 0, check.code == 0, "{path}: {ran:?} {check:?}");
                assert!(!ran.out.is_empty(), "{path}");
                shown += 1;
            }
        }
    }
    assert!(shown > 500, "{shown}");
}

#[test]
fn what_is_done_to_names_and_codes_is_shown() {
    for (bytes, text) in [
        (&b"cm\nC\n}U\x01aK\x01sb."[..], "m.C(.a=1)\n"),
        (b"\x82\x05q\x00(K\x01h\x00e.", "&1 extension(5, *[1, *1])\n"),
        (b"(\x82\x05q\x00(K\x01eh\x00h\x00)Rl.", "[&1 extension(5, *[1]), *1, *1()]\n"),
        (b"Pid\n(K\x01K\x02u.", "persistent_load('id', **{1: 2})\n"),
    ] {
        assert_eq!(on(bytes, &["show"]).out, text);
    }
}
