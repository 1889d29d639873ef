//! Razorvine's reader: `xtask/razorvine/Load.java` in a process of its own.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// How long it may take: some sets take time in the square of their depth.
const TIME: Duration = Duration::from_secs(600);

/// A folder that goes when this does.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What it says of each pickle, a line each; and the pickles again.
pub(super) fn read(root: &Path, jar: &Path, pickles: Vec<Vec<u8>>) -> Result<(Vec<String>, Vec<Vec<u8>>)> {
    let folder = Folder(std::env::temp_dir().join(format!("brinery-razorvine-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0)?;
    let source = root.join("xtask/razorvine/Load.java");
    let status = Command::new("javac").arg("-cp").arg(jar).arg("-d").arg(&folder.0).arg(source).status().context("running javac")?;
    if !status.success() {
        bail!("javac: {status}");
    }
    let paths = std::env::join_paths([&folder.0, &jar.to_owned()])?;
    let mut child = Command::new("java")
        .args(["-Xmx2g", "-XX:+UseSerialGC", "-cp"])
        .arg(paths)
        .arg("Load")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("running java")?;
    let mut stdin = BufWriter::new(child.stdin.take().context("stdin")?);
    let stdout = BufReader::new(child.stdout.take().context("stdout")?);
    // it answers before it has read all
    let writer = std::thread::spawn(move || {
        for pickle in &pickles {
            let length = u32::try_from(pickle.len()).unwrap_or(u32::MAX).to_be_bytes();
            if stdin.write_all(&length).and_then(|()| stdin.write_all(pickle)).is_err() {
                break;
            }
        }
        drop(stdin);
        pickles
    });
    let (done, is_done) = channel::<()>();
    let watch = std::thread::spawn(move || {
        let is_late = is_done.recv_timeout(TIME) == Err(RecvTimeoutError::Timeout);
        if is_late {
            let _ = child.kill();
        }
        (is_late, child.wait())
    });
    let lines = stdout.lines().collect::<Result<Vec<_>, _>>();
    drop(done);
    let (is_late, status) = watch.join().ok().context("the clock")?;
    let pickles = writer.join().ok().context("writing to java")?;
    let (lines, status) = (lines?, status?);
    if is_late || !status.success() || lines.len() != pickles.len() {
        bail!("java: {status} after {} of {} pickles{}", lines.len(), pickles.len(), if is_late { ", out of time" } else { "" });
    }
    Ok((lines, pickles))
}
