//! The bytes of a file.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

use anyhow::{Context, Result};
use memmap2::Mmap;

/// A whole input in memory.
#[derive(Debug)]
pub(crate) enum Input {
    Read(Vec<u8>),
    Mapped(Mmap),
}

/// Files under this are read: mapping costs more than copying them.
const MAP_FROM: u64 = 64 << 10;

impl Input {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path, may_map: bool) -> Result<Self> {
        let name = display(path);
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).with_context(|| format!("{name}: cannot be read"))?;
            return Ok(Self::Read(bytes));
        }
        let mut file = File::open(path).with_context(|| format!("{name}: cannot be opened"))?;
        let metadata = file.metadata().with_context(|| format!("{name}: cannot be read"))?;
        if metadata.is_dir() {
            anyhow::bail!("{name}: is a directory");
        }
        if may_map
            && metadata.is_file()
            && metadata.len() >= MAP_FROM
            && let Ok(mapped) = map(&file)
        {
            return Ok(Self::Mapped(mapped));
        }
        let mut bytes = Vec::new();
        // a length that the system makes up is not worth failing for
        let _ = bytes.try_reserve_exact(usize::try_from(metadata.len()).unwrap_or_default());
        file.read_to_end(&mut bytes).with_context(|| format!("{name}: cannot be read"))?;
        Ok(Self::Read(bytes))
    }
}

/// How messages name a file.
pub(crate) fn display(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Maps a file into memory.
#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is only read. What cannot be had is a promise that no other program changes the file meanwhile. If it is cut
    // short, reading behind its new end raises SIGBUS, which ends the process; if it is written to, text that was checked may no longer be
    // UTF-8 when it is printed. Ranges are checked at each access, so nothing outside the map is ever reached. Both are told in `--help`, and
    // `--no-mmap` excludes them.
    let mapped = unsafe { Mmap::map(file)? };
    #[cfg(unix)]
    // only advice: to refuse it changes nothing
    let _ = mapped.advise(memmap2::Advice::Sequential);
    Ok(mapped)
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Mapped(mapped) => mapped,
        }
    }
}
