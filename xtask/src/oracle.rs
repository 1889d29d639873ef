//! CPython as the oracle of what is written: `corpus/oracle.py` in child processes.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use anyhow::{Context, Result, bail};
use serde_json::{Value as Json, json};

use crate::agree::unhex;

/// An object, as CPython pickles it by each protocol.
#[derive(Debug, Default)]
pub struct Pickled {
    /// Its name, for messages.
    pub name: String,
    /// Only builtin types are inside.
    pub builtin: bool,
    /// A pickle does not show all that another protocol writes.
    pub lossy: bool,
    /// CPython's pickler made the pickles, so that they can be made again.
    pub by_cpython: bool,
    /// The pickles by protocol.
    pub pickles: [Option<Vec<u8>>; 6],
    /// How they are read.
    pub options: Options,
}

/// How a pickle is read, beyond its bytes.
#[derive(Debug, Default, Clone)]
pub struct Options {
    /// The encoding of 8-bit strings; ASCII if it is not there.
    pub encoding: Option<String>,
    /// Extension codes: `{"5": ["module", "name"]}`.
    pub extensions: Option<Json>,
    /// Out-of-band buffers.
    pub buffers: Option<Vec<Vec<u8>>>,
    /// Persistent ids are there.
    pub persid: bool,
}

fn oracle(root: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command.arg(root.join("corpus/oracle.py")).args(args).stdout(Stdio::piped());
    command
}

/// Whether `python3` is CPython 3.11.
#[must_use]
pub fn is_there(root: &Path) -> bool {
    version(root).is_ok_and(|version| version.starts_with("CPython 3.11."))
}

/// The oracle's name and version.
pub fn version(root: &Path) -> Result<String> {
    let output = oracle(root, &["version"]).stderr(Stdio::null()).output().context("running python3")?;
    if !output.status.success() {
        bail!("python3 corpus/oracle.py version: {}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Objects that CPython makes and pickles.
#[derive(Debug)]
pub struct Objects {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Objects {
    /// Those that `oracle.py objects` makes with these arguments.
    pub fn new(root: &Path, args: &[&str]) -> Result<Self> {
        let mut child = oracle(root, &[&["objects"], args].concat()).spawn().context("running python3")?;
        let stdout = BufReader::new(child.stdout.take().context("stdout")?);
        Ok(Self { child, stdout })
    }

    fn read(&mut self) -> Result<Option<Pickled>> {
        let mut length = [0; 4];
        match self.stdout.read_exact(&mut length) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                let status = self.child.wait()?;
                if !status.success() {
                    bail!("corpus/oracle.py objects: {status}");
                }
                return Ok(None);
            }
            result => result?,
        }
        let header = self.bytes(u32::from_le_bytes(length) as usize)?;
        let header: Json = serde_json::from_slice(&header)?;
        let mut pickles = <[Option<Vec<u8>>; 6]>::default();
        for (pickle, size) in pickles.iter_mut().zip(header["sizes"].as_array().context("sizes")?) {
            if let Some(size) = size.as_u64() {
                *pickle = Some(self.bytes(usize::try_from(size)?)?);
            }
        }
        Ok(Some(Pickled {
            name: header["name"].as_str().unwrap_or_default().to_owned(),
            builtin: header["builtin"] == true,
            lossy: header["lossy"] == true,
            by_cpython: true,
            pickles,
            options: Options::default(),
        }))
    }

    fn bytes(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stdout.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// What `pickletools.optimize` makes of pickles; nothing where it fails.
pub fn optimized(root: &Path, pickles: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>> {
    let questions: String = pickles.iter().map(|pickle| hex(pickle) + "\n").collect();
    let mut child = oracle(root, &["optimize"]).stdin(Stdio::piped()).spawn().context("running python3")?;
    let mut stdin = child.stdin.take().context("stdin")?;
    let writer = std::thread::spawn(move || stdin.write_all(questions.as_bytes()));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| anyhow::anyhow!("the writer failed"))??;
    let answers = String::from_utf8(output.stdout)?;
    answers.lines().map(|line| if line.starts_with('!') { Ok(None) } else { unhex(line).map(Some) }).collect()
}

impl Iterator for Objects {
    type Item = Result<Pickled>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// A child process that answers questions a line at a time.
#[derive(Debug)]
struct Lines {
    child: Child,
    questions: Option<Sender<String>>,
    writer: Option<JoinHandle<()>>,
    answers: BufReader<ChildStdout>,
}

impl Lines {
    fn new(root: &Path, verb: &str) -> Result<Self> {
        let mut child = oracle(root, &[verb]).stdin(Stdio::piped()).spawn().context("running python3")?;
        let mut stdin: ChildStdin = child.stdin.take().context("stdin")?;
        let answers = BufReader::new(child.stdout.take().context("stdout")?);
        let (questions, received) = channel::<String>();
        // another thread, since the process answers before it has read every question
        let writer = std::thread::spawn(move || {
            for question in received {
                if stdin.write_all(question.as_bytes()).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, questions: Some(questions), writer: Some(writer), answers })
    }

    fn ask(&self, question: &Json) -> Result<()> {
        let questions = self.questions.as_ref().context("the process has ended")?;
        questions.send(format!("{question}\n")).context("the process has ended")
    }

    fn answer(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line)
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.questions = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// A process that pickles values by their descriptions (`corpus/objects/typed.py`).
#[derive(Debug)]
pub struct Typed(Lines);

impl Typed {
    /// Starts one.
    pub fn new(root: &Path) -> Result<Self> {
        Lines::new(root, "typed").map(Self)
    }

    /// Asks for the pickles of a value. They come by [`answer`](Self::answer).
    pub fn ask(&self, description: &Json) -> Result<()> {
        self.0.ask(description)
    }

    /// The pickles of the next value, by protocol.
    pub fn answer(&mut self) -> Result<Vec<Vec<u8>>> {
        let line = self.0.answer()?;
        let pickles = line.split_whitespace().map(unhex).collect::<Result<Vec<_>>>()?;
        if pickles.len() != 6 {
            bail!("corpus/oracle.py typed has ended");
        }
        Ok(pickles)
    }
}

/// CPython's word on two pickles.
#[derive(Debug)]
pub struct Verdict {
    /// They do not load alike, and why.
    pub differs: Option<String>,
    /// `pickletools.dis` refuses the second, and why.
    pub dis: Option<String>,
}

/// A process that loads pickles and compares what comes of them.
#[derive(Debug)]
pub struct Judge(Lines);

impl Judge {
    /// Starts one.
    pub fn new(root: &Path) -> Result<Self> {
        Lines::new(root, "judge").map(Self)
    }

    /// Asks whether `output` is what `original` is. The answer comes by [`answer`](Self::answer).
    pub fn ask(&self, original: &[u8], output: &[u8], options: &Options) -> Result<()> {
        let buffers: Option<Vec<String>> = options.buffers.as_ref().map(|buffers| buffers.iter().map(|buffer| hex(buffer)).collect());
        let mut question = json!({
            "original": hex(original), "output": hex(output), "persid": options.persid,
            "encoding": options.encoding.as_deref().unwrap_or("ASCII"),
        });
        if let Some(buffers) = buffers {
            question["buffers"] = json!(buffers);
            question["output_buffers"] = json!(buffers);
        }
        if let Some(extensions) = &options.extensions {
            question["extensions"] = extensions.clone();
        }
        self.0.ask(&question)
    }

    /// The next answer.
    pub fn answer(&mut self) -> Result<Verdict> {
        let answer: Json = serde_json::from_str(&self.0.answer()?).context("the judge's answer")?;
        let word = |flag: &str, why: &str| (answer[flag] != true).then(|| answer[why].as_str().unwrap_or("without a word").to_owned());
        Ok(Verdict { differs: word("same", "why"), dis: word("dis", "dis_error") })
    }
}

/// Bytes as hexadecimal text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
