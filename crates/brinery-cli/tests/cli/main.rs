//! Runs the command and looks at what it does.
//!
//! Whole outputs are compared with files in `tests/golden`; `BLESS=1 cargo test -p brinery-cli` writes them anew.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod check;
mod convert;
mod dis;
mod help;
mod huge;
mod input;
mod show;
mod stats;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A directory of its own for a test, gone at its end.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("brinery-cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A directory with one file.
    fn with(name: &str, bytes: &[u8]) -> Self {
        let dir = Self::new();
        dir.file(name, bytes);
        dir
    }

    fn file(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brinery"));
        command.args(args).current_dir(&self.0).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("COLUMNS");
        command
    }

    /// Runs the command in the directory, so that files go by their names alone.
    fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    fn run_with(&self, args: &[&str], stdin: &[u8]) -> Ran {
        let mut command = self.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // the command may end without reading all
        let _ = pipe.write_all(stdin);
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Ran { code: output.status.code().expect("no signal"), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What the command did.
#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    /// Everything, for a golden file.
    fn all(&self) -> String {
        format!("{}--- stderr\n{}--- exit code {}\n", self.out, self.err, self.code)
    }

    /// Compares everything with a golden file.
    #[track_caller]
    fn is_golden(&self, name: &str) {
        golden(name, &self.all());
    }
}

/// Runs the command on one file, `a.pkl`, that is named after these arguments.
fn on(bytes: &[u8], args: &[&str]) -> Ran {
    let args: Vec<_> = args.iter().copied().chain(["a.pkl"]).collect();
    Dir::with("a.pkl", bytes).run(&args)
}

#[track_caller]
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, text).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|_| panic!("no {name}: BLESS=1 makes it"));
    assert!(text == expected, "{name} differs (BLESS=1 accepts it)\n--- expected\n{expected}\n--- found\n{text}");
}

/// The corpus of the workspace; not there in a published crate.
fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    path.is_dir().then_some(path)
}

/// A list of lists that doubles at each of 64 levels: two references to one list.
fn dag() -> Vec<u8> {
    let mut bytes = b"\x80\x04]\x94".to_vec();
    for level in 0..64u8 {
        bytes.extend([b'0', b'(', b'h', level, b'h', level, b'l', 0x94]);
    }
    bytes.push(b'.');
    bytes
}

/// An object with an attribute that is the object itself, a list of pairs, and another that it shares.
const CYCLE: &[u8] = b"\x80\x04c__main__\nNode\n\x94)\x81\x94}\x94(\x8c\x04name\x94\x8c\x01x\x94\x8c\x02me\x94h\x01\
    \x8c\x03pts\x94]\x94(K\x01K\x01\x86K\x02K\x04\x86e\x8c\x05again\x94h\x07\x8c\x06nested\x94ccollections\nOrderedDict\n)R\x94\
    \x8c\x01k\x94h\x01sub.";
