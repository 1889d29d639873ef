//! CPython's side, in a child process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::clock::Sample;

/// The interpreter that is the yardstick: Debian's is built with PGO, others are up to twice slower on some rows.
pub const PYTHON: &str = "/usr/bin/python3";

/// The worker.
#[derive(Debug)]
pub struct Python {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Which Python it is.
    pub version: String,
}

fn worker() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("worker.py")
}

fn interpreter() -> String {
    std::env::var("COMPARE_PYTHON").unwrap_or_else(|_| if Path::new(PYTHON).exists() { PYTHON } else { "python3" }.to_owned())
}

/// Writes the inputs into a folder.
pub fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let status = Command::new(interpreter()).arg(worker()).arg("make").arg(folder).status().context("running python3")?;
    if !status.success() {
        bail!("worker.py make: {status}");
    }
    Ok(())
}

impl Python {
    /// Starts the worker.
    pub fn new(folder: &Path) -> Result<Self> {
        let mut child = Command::new(interpreter())
            .arg(worker())
            .arg("run")
            .arg(folder)
            .envs(crate::report::ALLOCATOR)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("running python3")?;
        let questions = child.stdin.take().context("stdin")?;
        let mut answers = BufReader::new(child.stdout.take().context("stdout")?);
        let mut version = String::new();
        answers.read_line(&mut version)?;
        Ok(Self { child, questions, answers, version: version.trim().to_owned() })
    }

    /// Times a row.
    pub fn sample(&mut self, row: &str, budget: Duration) -> Result<Sample> {
        writeln!(self.questions, "{row} {}", budget.as_nanos())?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let mut parts = line.split_whitespace().map(str::parse::<f64>);
        match (parts.next(), parts.next()) {
            (Some(cpu), Some(wall)) => Ok(Sample { cpu: cpu?, wall: wall? }),
            _ => bail!("worker.py on {row}: {line:?}"),
        }
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
