//! Files, standard input, buffers, pipes.

use std::io::Read;
use std::process::Stdio;

use super::{Dir, on};

#[test]
fn a_dash_is_standard_input() {
    let dir = Dir::new();
    assert_eq!(dir.run_with(&["show", "-"], b"\x80\x04K\x01.").out, "1\n");
    assert_eq!(dir.run_with(&["check", "-"], b"\x80\x04h\0.").out, "<stdin>: offset 2: BINGET 0: memo slot 0 was never filled\n");
    assert!(dir.run_with(&["dis", "-"], b"N.").out.contains("NONE"));
    assert!(dir.run_with(&["stats", "-"], b"N.").out.contains("<stdin>"));
}

#[test]
fn files_are_the_same_mapped_and_read() {
    let mut bytes = b"\x80\x04(".to_vec();
    for _ in 0..100_000 {
        bytes.extend(b"\x8c\x03abc");
    }
    bytes.extend(b"t.");
    let dir = Dir::with("a.pkl", &bytes);
    for args in [&["show", "a.pkl"][..], &["check", "a.pkl"], &["stats", "a.pkl"], &["dis", "a.pkl"]] {
        let mapped = dir.run(args);
        let read = dir.run(&[args, &["--no-mmap"]].concat());
        assert_eq!((mapped.code, &mapped.out), (read.code, &read.out));
        assert_eq!(mapped.code, 0);
    }
}

#[test]
fn what_cannot_be_opened_is_named() {
    let dir = Dir::new();
    for verb in ["show", "check", "dis", "stats"] {
        let absent = dir.run(&[verb, "absent.pkl"]);
        assert_eq!((absent.code, absent.out.as_str()), (2, ""));
        assert!(absent.err.starts_with("brinery: absent.pkl: cannot be opened: "), "{}", absent.err);
    }
    let directory = dir.run(&["show", "."]);
    assert_eq!(directory.code, 2);
    assert!(directory.err.starts_with("brinery: .: "), "{}", directory.err);
}

#[test]
fn trailing_bytes_are_a_note() {
    let ran = on(b"\x80\x04K\x01.\0\0\0", &["show"]);
    assert_eq!((ran.out.as_str(), ran.code), ("1\n", 0));
    assert_eq!(ran.err, "brinery: a.pkl: 3 bytes after the last STOP at offset 4 are not a pickle: offset 5: byte 0x00 is no opcode\n");
    // what says of itself that it is a pickle is a broken one
    let broken = on(b"\x80\x04K\x01.\x80\x04K", &["show"]);
    assert_eq!(broken.code, 2);
    assert!(broken.out.starts_with("# pickle 0: offset 0 to 5, protocol 4\n1\n"), "{}", broken.out);
}

#[test]
fn two_pickles_of_one_pickler() {
    let bytes = b"\x80\x04]\x94K\x07a.\x80\x04h\0\x85.";
    let alone = on(bytes, &["show"]);
    assert_eq!(alone.code, 2);
    assert!(alone.err.contains("try --shared-memo"), "{}", alone.err);
    let shared = on(bytes, &["show", "--shared-memo", "--repr"]);
    assert_eq!((shared.out.as_str(), shared.err.as_str(), shared.code), ("[7]\n([7],)\n", "", 0));
    assert_eq!(on(bytes, &["show", "--shared-memo", "--repr", "--nth", "1"]).out, "([7],)\n");
    assert_eq!(on(bytes, &["check", "--shared-memo"]).code, 0);
    assert_eq!(on(bytes, &["show", "--shared-memo", "--nth", "2"]).code, 2);
}

#[test]
fn buffers_and_extensions() {
    let dir = Dir::with("a.pkl", b"\x80\x05\x97\x97\x98\x82\x05\x87.");
    dir.file("one.bin", b"first");
    dir.file("two.bin", b"second");
    assert_eq!(dir.run(&["show", "a.pkl"]).out, "(buffer(0), buffer(1, readonly=True), extension(5))\n");
    let given = dir.run(&["show", "--buffer", "one.bin", "--buffer", "two.bin", "--ext", "5=shapes.Point", "a.pkl"]);
    assert_eq!(given.out, "(b'first', b'second', shapes.Point)\n");
    let wrong = dir.run(&["show", "--ext", "0=shapes.Point", "a.pkl"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("a code from 1 to 2147483647"), "{}", wrong.err);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let dir = Dir::with("a.pkl", b"N.");
    for args in [&["show", "a.pkl"][..], &["dis", "a.pkl"], &["check", "a.pkl"], &["stats", "a.pkl"], &["man"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = dir.command(args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(err.starts_with("brinery: standard output cannot be written: ") && err.lines().count() == 1, "{err}");
    }
}

/// Gigabytes of output and a reader that leaves after a few bytes.
#[test]
fn a_closed_pipe_is_no_error() {
    let mut bytes = b"\x80\x04(".to_vec();
    for _ in 0..300_000 {
        bytes.extend(b"\x8c\x03abcK\x01]");
    }
    bytes.extend(b"t.");
    let dir = Dir::with("a.pkl", &bytes);
    for args in [
        &["show", "--all", "a.pkl"][..],
        &["show", "--repr", "--all", "a.pkl"],
        &["dis", "a.pkl"],
        &["dis", "--json", "a.pkl"],
        &["stats", "a.pkl"],
        &["check", "a.pkl"],
        &["completions", "zsh"],
        &["man"],
        &["--help"],
    ] {
        let mut child = dir.command(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 1];
        let mut pipe = child.stdout.take().unwrap();
        pipe.read_exact(&mut first).unwrap();
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}
