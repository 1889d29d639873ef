//! `convert`: what is written, where it goes, and what is left alone if something fails.

use std::fs;

use super::{CYCLE, Dir, on};

/// `[1, 'ab', 'ab']` in protocol 4, the two texts apart.
const TEXTS: &[u8] = b"\x80\x04\x95\x11\0\0\0\0\0\0\0]\x94(K\x01\x8c\x02ab\x94\x8c\x02ab\x94e.";

fn converted(bytes: &[u8], args: &[&str]) -> Vec<u8> {
    let dir = Dir::with("a.pkl", bytes);
    let args: Vec<_> = ["convert", "a.pkl", "-o", "b.pkl"].iter().chain(args).copied().collect();
    let ran = dir.run(&args);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""), "{args:?}");
    fs::read(dir.0.join("b.pkl")).unwrap()
}

#[test]
fn options_choose_the_bytes() {
    for (args, expected) in [
        (&[][..], TEXTS),
        (&["--protocol", "0"], b"(lp0\nI1\naVab\np1\naVab\np2\na."),
        (&["-p2"], b"\x80\x02]q\0(K\x01X\x02\0\0\0abq\x01X\x02\0\0\0abq\x02e."),
        (&["-p2", "--share-strings"], b"\x80\x02]q\0(K\x01X\x02\0\0\0abq\x01h\x01e."),
        (&["-p2", "--optimize"], b"\x80\x02](K\x01X\x02\0\0\0abX\x02\0\0\0abe."),
        (&["-p2", "--no-memo"], b"\x80\x02](K\x01X\x02\0\0\0abX\x02\0\0\0abe."),
        (&["--razorvine"], b"\x80\x02]q\0(K\x01X\x02\0\0\0abq\x01X\x02\0\0\0abq\x02e."),
    ] {
        let bytes = converted(TEXTS, args);
        assert!(bytes == expected, "{args:?}: {}", bytes.escape_ascii());
    }
    let set = [&b"\x8f("[..], &(0..1_000_u16).flat_map(|n| [b'M', n.to_le_bytes()[0], n.to_le_bytes()[1]]).collect::<Vec<_>>(), b"\x90."]
        .concat();
    assert!(converted(&set, &["--python", "3.11"]).ends_with(b"\x90(\x90."));
    assert!(converted(&set, &["--python", "3.15"]).ends_with(b"M\xe7\x03\x90."));
    // without a stated protocol it is the one that the opcodes need
    assert_eq!(converted(b"]K\x01a.", &[]), b"]q\0K\x01a.");
    assert_eq!(converted(b"(lI1\na.", &[]), b"(lp0\nI1\na.");
    // who says how 8-bit strings read wants them so
    assert_eq!(converted(b"U\x01\xe9.", &[]), b"U\x01\xe9q\0.");
    assert_eq!(converted(b"U\x01\xe9.", &["--encoding", "latin1", "-p3"]), b"\x80\x03X\x02\0\0\0\xc3\xa9q\0.");
    assert_eq!(converted(b"c__builtin__\nset\n.", &["-p3"]), b"\x80\x03cbuiltins\nset\nq\0.");
    assert_eq!(converted(b"\x80\x03cbuiltins\nset\n.", &["-p2", "--no-fix-imports"]), b"\x80\x02cbuiltins\nset\nq\0.");
    assert_eq!(converted(b"c__main__\nC\n.", &["-p2", "--ext", "5=__main__.C"]), b"\x80\x02\x82\x05.");
}

#[test]
fn every_pickle_of_a_file_is_converted() {
    let three = b"K\x01.]K\x02a.K\x03.";
    assert_eq!(converted(three, &["-p2"]), b"\x80\x02K\x01.\x80\x02]q\0K\x02a.\x80\x02K\x03.");
    assert_eq!(converted(three, &["-p2", "--nth", "1"]), b"\x80\x02]q\0K\x02a.");
    // two pickles with one memo become two with one each
    assert_eq!(converted(b"]q\0.h\0.", &["-p1", "--shared-memo"]), b"]q\0.]q\0.");
}

#[test]
fn objects_come_out_as_they_are() {
    let bytes = converted(CYCLE, &["-p5"]);
    assert_eq!(on(&bytes, &["show", "--all"]).out, on(CYCLE, &["show", "--all"]).out);
}

#[test]
fn buffers_go_in_or_stay_out() {
    let dir = Dir::with("a.pkl", b"\x80\x05\x97.");
    dir.file("data", b"xyz");
    let run = |args: &[&str]| {
        let ran = dir.run(&[&["convert", "a.pkl", "-o", "b.pkl", "--buffer", "data"], args].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        fs::read(dir.0.join("b.pkl")).unwrap()
    };
    assert_eq!(run(&[]), b"\x80\x05\x97.");
    assert_eq!(run(&["--in-band"]), b"\x80\x05\x95\x0e\0\0\0\0\0\0\0\x96\x03\0\0\0\0\0\0\0xyz\x94.");
    let ran = dir.run(&["convert", "a.pkl", "-p4", "-o", "b.pkl"]);
    assert_eq!((ran.code, ran.err.as_str()), (2, "brinery: a.pkl: pickle 0: the data of out-of-band buffer 0 is not there\n"));
}

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let dir = Dir::with("a.pkl", TEXTS);
    dir.file("broken.pkl", b"]K\x01");
    dir.file("out.pkl", b"precious");
    let ran = dir.run(&["convert", "broken.pkl", "-o", "out.pkl"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.ends_with("brinery: out.pkl: left as it was\n"), "{}", ran.err);
    let ran = dir.run(&["convert", "a.pkl", "--no-memo", "-o", "missing/out.pkl"]);
    assert_eq!(ran.code, 2);
    // the second pickle cannot be written
    dir.file("half.pkl", b"K\x01.]q\0h\0a.");
    let ran = dir.run(&["convert", "half.pkl", "--no-memo", "-o", "out.pkl"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("half.pkl: pickle 1: [0], which is the whole value again"), "{}", ran.err);
    assert_eq!(fs::read(dir.0.join("out.pkl")).unwrap(), b"precious");
    // what is read may be what is replaced
    assert_eq!(dir.run(&["convert", "-p0", "a.pkl", "-o", "a.pkl"]).code, 0);
    assert_eq!(fs::read(dir.0.join("a.pkl")).unwrap(), b"(lp0\nI1\naVab\np1\naVab\np2\na.");
    let mut names: Vec<_> = fs::read_dir(&dir.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["a.pkl", "broken.pkl", "half.pkl", "out.pkl"], "nothing else is left behind");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = Dir::with("a.pkl", TEXTS);
    dir.file("real.pkl", b"old");
    fs::set_permissions(dir.0.join("real.pkl"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.pkl", dir.0.join("link.pkl")).unwrap();
    assert_eq!(dir.run(&["convert", "a.pkl", "-o", "link.pkl"]).code, 0);
    assert!(fs::symlink_metadata(dir.0.join("link.pkl")).unwrap().is_symlink());
    assert_eq!(fs::read(dir.0.join("real.pkl")).unwrap(), TEXTS);
    assert_eq!(fs::metadata(dir.0.join("real.pkl")).unwrap().permissions().mode() & 0o777, 0o640);
    fs::set_permissions(dir.0.join("real.pkl"), fs::Permissions::from_mode(0o440)).unwrap();
    let ran = dir.run(&["convert", "a.pkl", "-o", "link.pkl"]);
    assert_eq!((ran.code, ran.err.as_str()), (2, "brinery: link.pkl: cannot be written: it is read-only\n"));
    symlink("nowhere.pkl", dir.0.join("dangling.pkl")).unwrap();
    let ran = dir.run(&["convert", "a.pkl", "-o", "dangling.pkl"]);
    assert!(ran.code == 2 && ran.err.contains("dangling.pkl: is a link that leads nowhere"), "{}", ran.err);
    assert!(fs::symlink_metadata(dir.0.join("dangling.pkl")).unwrap().is_symlink());
}

#[test]
fn standard_input_and_output() {
    let dir = Dir::new();
    let ran = dir.run_with(&["convert", "-p0", "-", "-o", "-"], TEXTS);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "(lp0\nI1\naVab\np1\naVab\np2\na.", ""));
    let ran = dir.run_with(&["convert", "-", "-o", "-"], b"");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    if cfg!(target_os = "linux") {
        let ran = dir.run_with(&["convert", "-", "-o", "/dev/full"], TEXTS);
        assert_eq!(ran.err, "brinery: /dev/full: cannot be written: No space left on device (os error 28)\n");
        assert_eq!(ran.code, 2);
    }
}

#[test]
fn what_is_not_carried_over_is_told() {
    let dir = Dir::with("a.pkl", b"K\x01.junk");
    let ran = dir.run(&["convert", "a.pkl", "-o", "b.pkl"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("a.pkl: 4 bytes after the last STOP"), "{}", ran.err);
    assert!(
        ran.err.ends_with("brinery: a.pkl: they would be lost: --drop-trailing leaves them out\nbrinery: b.pkl: not written\n"),
        "{}",
        ran.err
    );
    assert!(!dir.0.join("b.pkl").exists());
    assert_eq!(dir.run(&["convert", "a.pkl", "-o", "b.pkl", "--drop-trailing"]).code, 0);
    assert_eq!(fs::read(dir.0.join("b.pkl")).unwrap(), b"K\x01.");
    dir.file("left.pkl", b"K\x01K\x02.");
    let ran = dir.run(&["convert", "left.pkl", "-o", "b.pkl"]);
    assert_eq!(ran.err, "brinery: left.pkl: pickle 0: 1 value left on the stack beside its own: only calls among them are written\n");
}
