//! A file that is there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::output;

/// Where a verb writes to. A file gets its name when everything has been written, so that what was there before is replaced at once, or stays:
/// it may even be the file that is read. Standard output, pipes and devices are written to as they are.
#[derive(Debug)]
pub(crate) struct Target {
    path: PathBuf,
    /// The path as it was given.
    shown: PathBuf,
    /// The file's name until it is whole.
    temporary: Option<PathBuf>,
    writer: Writer,
}

#[derive(Debug)]
enum Writer {
    File(File),
    Stdout(io::Stdout),
}

impl Target {
    /// A path, or `-`.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        let path = path.to_owned();
        if path.as_os_str() == "-" {
            return Ok(Self { shown: path.clone(), path, temporary: None, writer: Writer::Stdout(io::stdout()) });
        }
        let cannot = || format!("{}: cannot be written", path.display());
        // what a link leads to is replaced, not the link
        let is_link = fs::symlink_metadata(&path).is_ok_and(|there| there.is_symlink());
        let path_of_file = match fs::canonicalize(&path) {
            Err(error) if is_link => return Err(error).with_context(|| format!("{}: is a link that leads nowhere", path.display())),
            found => found.unwrap_or_else(|_| path.clone()),
        };
        let there = fs::metadata(&path_of_file).ok();
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            let file = OpenOptions::new().write(true).open(&path).with_context(cannot)?;
            return Ok(Self { shown: path.clone(), path, temporary: None, writer: Writer::File(file) });
        }
        if there.as_ref().is_some_and(|there| there.permissions().readonly()) {
            bail!("{}: cannot be written: it is read-only", path.display());
        }
        path_of_file.file_name().with_context(cannot)?;
        let (temporary, file) = new_file_beside(&path_of_file).with_context(cannot)?;
        if let Some(there) = there {
            // it keeps who may read it
            file.set_permissions(there.permissions()).with_context(cannot)?;
        }
        Ok(Self { path: path_of_file, shown: path, temporary: Some(temporary), writer: Writer::File(file) })
    }

    /// Everything has been written.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        if let Some(temporary) = self.temporary.take() {
            let renamed = fs::rename(&temporary, &self.path);
            if renamed.is_err() {
                let _ = fs::remove_file(&temporary);
            }
            renamed.with_context(|| format!("{}: cannot be written", self.shown.display()))?;
        }
        Ok(())
    }

    /// What was written is not wanted. Of a file, nothing was there to be seen.
    pub(crate) fn give_up(self) {
        if self.temporary.is_some() {
            let what = if self.path.exists() { "left as it was" } else { "not written" };
            output::note(&format!("{}: {what}", self.shown.display()));
        }
    }

    /// The error, saying what it is about.
    fn told(&self, error: io::Error) -> io::Error {
        match (error.kind(), &self.writer) {
            (io::ErrorKind::BrokenPipe, _) => error,
            (_, Writer::Stdout(_)) => io::Error::new(error.kind(), format!("standard output cannot be written: {error}")),
            (_, Writer::File(_)) => io::Error::new(error.kind(), format!("{}: cannot be written: {error}", self.shown.display())),
        }
    }
}

/// A new file in the folder of another, of a name that no other has.
fn new_file_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    const TRIES: u32 = 100;
    let mut tries = 0;
    loop {
        let temporary = path.with_file_name(format!(".brinery-{}-{tries}.part", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            // left behind by one that was killed
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => tries += 1,
            result => return result.map(|file| (temporary, file)),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.writer {
            Writer::File(file) => file.write(bytes),
            Writer::Stdout(stdout) => stdout.write(bytes),
        };
        written.map_err(|error| self.told(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match &mut self.writer {
            Writer::File(file) => file.flush(),
            Writer::Stdout(stdout) => stdout.flush(),
        };
        flushed.map_err(|error| self.told(error))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            let _ = fs::remove_file(temporary);
        }
    }
}
