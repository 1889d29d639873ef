//! Whether Brinery writes what CPython writes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use brinery::{Document, Pickler, Unpickler};
use serde_json::Value as Json;

use crate::agree::{encoding, json_lines, unhex};
use crate::differences::{Written, explain_written};
use crate::oracle::{Judge, Options, Pickled};

/// What a run found. An object that is read at one protocol and written at another is one pickle written.
#[derive(Debug, Default)]
pub struct WrittenReport {
    /// Objects.
    pub objects: usize,
    /// Pickles that are CPython's, byte for byte.
    pub identical: usize,
    /// Pickles that load as the original does.
    pub equal: usize,
    /// Pickles that neither writes.
    pub refused: usize,
    /// Differences with a rule, by its name.
    pub explained: BTreeMap<&'static str, usize>,
    /// Differences without.
    pub faults: Vec<String>,
}

impl WrittenReport {
    /// A line of counts.
    #[must_use]
    pub fn summary(&self) -> String {
        let explained: Vec<_> = self.explained.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let Self { objects, identical, equal, refused, faults, .. } = self;
        format!(
            "{objects} objects written: {identical} pickles identical, {equal} equal, {refused} refused by both, explained [{}], {} faults",
            explained.join(", "),
            faults.len()
        )
    }
}

/// Compares what Brinery writes of objects.
#[derive(Debug)]
pub struct Checker {
    /// CPython, where it is at hand.
    judge: Option<Judge>,
    /// Longer pickles are compared byte by byte only.
    judged: usize,
    pickler: Pickler,
    unpickler: Unpickler,
    /// What was found.
    pub report: WrittenReport,
}

/// How many faults are shown in full.
const SHOWN: usize = 200;

impl Checker {
    /// With a judge, pickles of up to `judged` bytes are loaded by CPython as well.
    #[must_use]
    pub fn new(judge: Option<Judge>, judged: usize) -> Self {
        Self { judge, judged, pickler: Pickler::new(), unpickler: Unpickler::new(), report: WrittenReport::default() }
    }

    /// Reads each pickle of an object, and writes it by each protocol.
    pub fn object(&mut self, object: &Pickled) -> Result<()> {
        self.report.objects += 1;
        self.unpickler.encoding(encoding(object.options.encoding.as_deref().unwrap_or("ASCII"))?);
        let extensions = extensions(object.options.extensions.as_ref())?;
        self.unpickler.extensions(extensions.clone());
        self.pickler.extensions(extensions);
        for (from, pickle) in object.pickles.iter().enumerate() {
            let Some(pickle) = pickle else { continue };
            let document = match self.unpickler.load(pickle) {
                Ok(document) => document,
                Err(error) => {
                    let error = error.to_string();
                    let result = Err(&*error);
                    self.differs(&Written { name: &object.name, from, to: from, original: pickle, expected: None, result }, &error);
                    continue;
                }
            };
            let buffers = object.options.buffers.as_deref().unwrap_or_default();
            let document = document.with_buffers(buffers.iter().map(|buffer| &**buffer));
            self.document(object, from, pickle, &document)?;
            self.unpickler.recycle(document);
        }
        Ok(())
    }

    fn document(&mut self, object: &Pickled, from: usize, pickle: &[u8], document: &Document<'_>) -> Result<()> {
        let mut asked = Vec::new();
        for to in 0..object.pickles.len() {
            let result = self.pickler.protocol(u8::try_from(to)?).dump(document).map_err(|error| error.to_string());
            self.stream(&object.name, document, &result);
            let expected = object.pickles[to].as_deref();
            let written =
                Written { name: &object.name, from, to, original: pickle, expected, result: result.as_deref().map_err(String::as_str) };
            let must_be_identical = object.by_cpython && (from == to || object.builtin && !object.lossy && from >= 4);
            match (&result, expected) {
                (Ok(result), Some(expected)) if result == expected => self.report.identical += 1,
                (Err(_), None) if object.by_cpython => self.report.refused += 1,
                (Ok(_), Some(_)) if must_be_identical => self.differs(&written, "other bytes"),
                (Ok(result), _) if self.judge.is_some() && result.len() <= self.judged => {
                    if let Some(judge) = &self.judge {
                        judge.ask(pickle, result, &object.options)?;
                    }
                    asked.push((to, result.clone()));
                }
                (Ok(_), _) => {}
                (Err(error), _) => self.differs(&written, &error.clone()),
            }
        }
        for (to, result) in asked {
            let Some(judge) = &mut self.judge else { continue };
            let verdict = judge.answer().with_context(|| format!("{} {from} to {to}", object.name))?;
            let word =
                [verdict.differs, verdict.dis.map(|word| format!("dis: {word}"))].into_iter().flatten().collect::<Vec<_>>().join("; ");
            if word.is_empty() {
                self.report.equal += 1;
            } else {
                let expected = object.pickles[to].as_deref();
                self.differs(&Written { name: &object.name, from, to, original: pickle, expected, result: Ok(&result) }, &word);
            }
        }
        Ok(())
    }

    /// What goes to a writer must be the same.
    fn stream(&mut self, name: &str, document: &Document<'_>, result: &Result<Vec<u8>, String>) {
        let mut streamed = Vec::new();
        let outcome = self.pickler.dump_to(document, &mut streamed);
        let is_same = match (&outcome, result) {
            (Ok(()), Ok(bytes)) => streamed == *bytes,
            (Err(error), Err(expected)) => error.to_string() == *expected,
            _ => false,
        };
        if !is_same {
            self.report.faults.push(format!("{name}: a writer gets something else: {outcome:?}"));
        }
    }

    fn differs(&mut self, written: &Written<'_>, word: &str) {
        if let Some(difference) = explain_written(written, word) {
            *self.report.explained.entry(difference.name).or_default() += 1;
            return;
        }
        let Written { name, from, to, original, expected, result } = written;
        let mut fault = format!("{name} read at protocol {from}, written at {to}: {word}");
        if self.report.faults.len() < SHOWN {
            let shown = |bytes: &[u8]| bytes.escape_ascii().to_string().chars().take(600).collect::<String>();
            let _ = write!(fault, "\n  read    {}", shown(original));
            let _ = write!(fault, "\n  CPython {}", expected.map_or("nothing".into(), shown));
            let _ = write!(fault, "\n  Brinery {}", result.map_or("nothing".into(), shown));
        }
        self.report.faults.push(fault);
    }
}

pub(crate) type Extensions = Vec<(u32, (String, String))>;

pub(crate) fn extensions(json: Option<&Json>) -> Result<Extensions> {
    let pairs = json.and_then(Json::as_object).into_iter().flatten();
    let pair = |(code, name): (&String, &Json)| Some((code.parse().ok()?, (name[0].as_str()?.to_owned(), name[1].as_str()?.to_owned())));
    pairs.map(pair).collect::<Option<_>>().context("extensions")
}

/// The objects of a corpus folder: its pickles by name, those that differ in their protocol alone together.
pub fn corpus(folder: &Path) -> Result<Vec<Pickled>> {
    let group = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut objects: BTreeMap<String, Pickled> = BTreeMap::new();
    for case in json_lines(&folder.join("expected.jsonl"))? {
        if case["loads"] != true || case["pickles"].as_u64() != Some(1) {
            continue;
        }
        let file = case["file"].as_str().context("file")?;
        let stem = file.strip_suffix(".pkl").context("a pickle")?;
        let protocol = stem.rsplit_once(".p").and_then(|(name, protocol)| Some((name, protocol.parse::<usize>().ok().filter(|&p| p < 6)?)));
        let (name, protocol) = match protocol {
            Some((name, protocol)) => (name.to_owned(), protocol),
            None => (stem.to_owned(), usize::try_from(case["protocol"].as_u64().unwrap_or(0))?),
        };
        let object = objects.entry(name.clone()).or_insert_with(|| Pickled { name: format!("{group}/{name}"), ..Pickled::default() });
        object.by_cpython = protocol_suffix(stem);
        object.builtin = case["builtin"] == true;
        object.options = options(&case)?;
        object.pickles[protocol] = Some(fs::read(folder.join(file))?);
    }
    Ok(objects.into_values().collect())
}

/// Whether a case is what `pickle.dumps` gave, as its name says.
fn protocol_suffix(stem: &str) -> bool {
    stem.rsplit_once(".p").is_some_and(|(_, protocol)| protocol.parse::<u8>().is_ok())
}

fn options(case: &Json) -> Result<Options> {
    let buffers = case["buffers"].as_array().map(|buffers| buffers.iter().map(|hex| unhex(hex.as_str().unwrap_or_default())).collect());
    Ok(Options {
        encoding: case["encoding"].as_str().map(str::to_owned),
        extensions: case.get("extensions").cloned(),
        buffers: buffers.transpose()?,
        persid: case["persid"] == true,
    })
}
