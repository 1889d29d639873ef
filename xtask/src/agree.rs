//! `cargo xtask agree`: vector files, and whether Brinery and CPython agree on each.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use brinery::{Encoding, Unpickler};
use serde_json::Value as Json;

use crate::differences::explain;
use crate::inputs::{Outcome, load_all_ways};

/// What a run over vectors found.
#[derive(Debug, Default)]
pub struct Report {
    /// Pickles looked at.
    pub total: usize,
    /// Values that agree.
    pub values: usize,
    /// Refusals that agree.
    pub refusals: usize,
    /// Differences with a rule, by its name.
    pub explained: BTreeMap<&'static str, usize>,
    /// Differences without.
    pub faults: Vec<String>,
}

impl Report {
    /// Adds one outcome: what CPython gives (a canonical form or an error) and, where it is made of builtin values, prints.
    pub fn add(&mut self, name: &str, cpython: &Result<String, String>, repr: Option<&str>, brinery: &Result<Outcome>) {
        self.total += 1;
        let outcome = match brinery {
            Ok(outcome) => outcome,
            Err(error) => return self.faults.push(format!("{name}: {error:#}")),
        };
        match (cpython, &outcome.value) {
            (Ok(expected), Ok(found)) if expected == found => {
                self.values += 1;
                if let Some(repr) = repr.filter(|repr| *repr != outcome.repr) {
                    self.faults.push(format!("{name}: repr\n  CPython {repr}\n  Brinery {}", outcome.repr));
                }
            }
            (Err(_), Err(_)) => self.refusals += 1,
            (cpython, found) => match explain(cpython, found) {
                Some(difference) => *self.explained.entry(difference.name).or_default() += 1,
                None => self.faults.push(format!("{name}:\n  CPython {cpython:?}\n  Brinery {found:?}")),
            },
        }
    }

    /// A line of counts.
    #[must_use]
    pub fn summary(&self) -> String {
        let explained: Vec<_> = self.explained.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let Self { total, values, refusals, faults, .. } = self;
        format!(
            "{total} pickles: {values} values agree, {refusals} refusals agree, explained [{}], {} faults",
            explained.join(", "),
            faults.len()
        )
    }
}

/// The encoding of CPython's name.
pub fn encoding(name: &str) -> Result<Encoding> {
    Ok(match name {
        "ASCII" => Encoding::Ascii,
        "latin-1" | "latin1" => Encoding::Latin1,
        "utf-8" => Encoding::Utf8,
        "bytes" => Encoding::Bytes,
        _ => bail!("unknown encoding {name}"),
    })
}

/// The bytes of hexadecimal text.
pub fn unhex(text: &str) -> Result<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        bail!("odd number of hexadecimal digits");
    }
    (0..text.len()).step_by(2).map(|at| Ok(u8::from_str_radix(&text[at..at + 2], 16)?)).collect()
}

/// The lines of a file of JSON objects.
pub fn json_lines(path: &Path) -> Result<Vec<Json>> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    text.lines().map(|line| serde_json::from_str(line).with_context(|| format!("in {}", path.display()))).collect()
}

/// Compares every pickle of a vector file with CPython's outcome. The structure of values comes from `structure.jsonl` beside the file, or in
/// the repository's `corpus/vectors`.
pub fn vectors(path: &Path, structures: &Path) -> Result<Report> {
    let file = path.file_stem().and_then(|stem| stem.to_str()).context("a file name")?;
    let mut expected: HashMap<usize, Json> = HashMap::new();
    for line in json_lines(structures)? {
        if line["file"] == file {
            expected.insert(usize::try_from(line["line"].as_u64().context("line")?)?, line);
        }
    }
    let mut report = Report::default();
    for (at, vector) in json_lines(path)?.into_iter().enumerate() {
        let name = vector["name"].as_str().unwrap_or_default();
        let bytes = unhex(vector["pickle_hex"].as_str().context("pickle_hex")?)?;
        let structure = expected.get(&at).with_context(|| format!("{name}: no structure; run corpus/record.py"))?;
        let mut unpickler = Unpickler::new();
        unpickler.encoding(encoding(structure["encoding"].as_str().unwrap_or("ASCII"))?);
        let buffers = match vector["mode"].as_str() {
            Some("oob") => vec![b"bufferdata1".to_vec(), b"bufferdata2".to_vec()],
            _ => Vec::new(),
        };
        let outcome = load_all_ways(&mut unpickler, &bytes, &buffers);
        let canonical = structure["canonical"].as_str();
        let cpython = match canonical {
            Some(canonical) => Ok(canonical.to_owned()),
            None => Err(structure["error"].as_str().unwrap_or_default().to_owned()),
        };
        // CPython's own words on the value: `{"loads", "repr"}`, or a text that begins with `!` for an error
        let oracle = &vector["cpython311"];
        let repr = oracle["repr"].as_str().or_else(|| oracle.as_str().filter(|text| !text.starts_with('!')));
        // `<deep>` is the file's own mark for a text that is not in it
        let repr = repr.filter(|&repr| repr != "<deep>" && canonical.is_some_and(is_builtin));
        report.add(&format!("{file} {at} {name}"), &cpython, repr, &outcome);
    }
    Ok(report)
}

/// Whether a canonical form has no objects, and no set whose order could differ.
#[must_use]
pub fn is_builtin(canonical: &str) -> bool {
    let outside = without_texts(canonical);
    !(has_objects(canonical) || outside.contains("set{") && outside.contains(", "))
}

/// Whether a canonical form has objects, globals, persistent ids or buffers.
#[must_use]
pub fn has_objects(canonical: &str) -> bool {
    let outside = without_texts(canonical);
    ["call(", "new(", "pid(", "extension(", "buffer", "g\"\""].iter().any(|word| outside.contains(word))
}

/// Texts may contain anything, so they are cut out.
fn without_texts(canonical: &str) -> String {
    canonical.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}
