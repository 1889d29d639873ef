//! `cargo xtask agree --razorvine JAR`: whether Razorvine's reader reads what the profile for it writes as the same value.

pub mod form;
mod objects;
mod reader;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use brinery::{Document, Pickler, Unpickler};

use crate::agree::encoding;
use crate::oracle::{Objects, Options, Pickled, hex};
use crate::written::{corpus, extensions};

/// The folders of the corpus whose values are written.
pub const FOLDERS: [&str; 4] = ["builtins", "classes", "odd", "opcodes"];

/// Longest pickle of a record.
const RECORDED: usize = 1_000;

/// A pickle of which the profile writes another.
#[derive(Debug)]
pub struct Case {
    /// Its file below `corpus/cases`, or what else it is called.
    pub name: String,
    /// Its bytes.
    pub pickle: Vec<u8>,
    /// How it is read.
    pub options: Options,
    /// It is that of protocol 4, or the only one of its value.
    pub is_recorded: bool,
}

/// A file for each pickle of these objects.
fn cases(objects: Vec<Pickled>) -> Vec<Case> {
    let mut cases = Vec::new();
    for object in objects {
        let count = object.pickles.iter().flatten().count();
        for (protocol, pickle) in object.pickles.into_iter().enumerate() {
            let Some(pickle) = pickle else { continue };
            let suffix = if object.by_cpython { format!(".p{protocol}.pkl") } else { ".pkl".to_owned() };
            let (name, options) = (object.name.clone() + &suffix, object.options.clone());
            cases.push(Case { name, pickle, options, is_recorded: protocol == 4 || count == 1 });
        }
    }
    cases
}

/// The pickles of the corpus that CPython loads.
pub fn corpus_cases(root: &Path) -> Result<Vec<Case>> {
    folder_cases(FOLDERS.map(|folder| root.join("corpus/cases").join(folder)))
}

/// Those of these folders, each with an `expected.jsonl`.
pub fn folder_cases(folders: impl IntoIterator<Item = PathBuf>) -> Result<Vec<Case>> {
    let mut all = Vec::new();
    for folder in folders {
        all.extend(cases(corpus(&folder)?));
    }
    Ok(all)
}

/// Random objects, by these arguments of `oracle.py objects`, each by its pickle of protocol 4.
pub fn random_cases(root: &Path, args: &[&str]) -> Result<Vec<Case>> {
    let mut all = Vec::new();
    for object in Objects::new(root, args)? {
        let mut object = object?;
        let pickle = object.pickles[4].take().with_context(|| format!("{}: no protocol 4", object.name))?;
        all.push(Case { name: object.name, pickle, options: Options::default(), is_recorded: false });
    }
    Ok(all)
}

impl Case {
    /// Reads the pickle and gives its document to a function.
    pub fn read<T>(&self, then: impl FnOnce(&Document<'_>) -> T) -> Result<T> {
        let mut unpickler = Unpickler::new();
        unpickler.encoding(encoding(self.options.encoding.as_deref().unwrap_or("ASCII"))?);
        unpickler.extensions(extensions(self.options.extensions.as_ref())?);
        let document = unpickler.load(&self.pickle).with_context(|| self.name.clone())?;
        let buffers = self.options.buffers.as_deref().unwrap_or_default();
        Ok(then(&document.with_buffers(buffers.iter().map(|buffer| &**buffer))))
    }
}

/// What a run found.
#[derive(Debug, Default)]
pub struct Report {
    /// Pickles that Brinery does not read, as `differences.rs` explains.
    pub unread: usize,
    /// Pickles written.
    pub written: usize,
    /// What the profile refuses, by the reason.
    pub refused: BTreeMap<String, usize>,
    /// What the reader refuses, by the exception's class.
    pub refused_there: BTreeMap<String, usize>,
    /// What it reads and cannot print.
    pub unprinted: usize,
    /// What it reads as the same value.
    pub same: usize,
    /// What it reads as another.
    pub faults: Vec<String>,
    /// The pickles that are read as the same value, by the case's name.
    pub recorded: BTreeMap<String, Vec<u8>>,
}

impl Report {
    /// Some lines of counts.
    #[must_use]
    pub fn summary(&self) -> String {
        let Self { unread, written, refused, refused_there, unprinted, same, faults, .. } = self;
        let counts = |counts: &BTreeMap<String, usize>| {
            counts.iter().fold(String::new(), |mut lines, (name, count)| {
                let _ = write!(lines, "\n  {count:5} {name}");
                lines
            })
        };
        format!(
            "not read {unread}\nwritten {written}\nrefused by the profile {}{}\nrefused by the reader {}{}\nread and not printed {unprinted}\nsame {same}\nfaults {}",
            refused.values().sum::<usize>(),
            counts(refused),
            refused_there.values().sum::<usize>(),
            counts(refused_there),
            faults.len()
        )
    }
}

/// Writes each case, has it read, and compares what was read with the document.
pub fn compare(root: &Path, jar: &Path, cases: &[Case]) -> Result<Report> {
    let mut report = Report::default();
    let mut pickler = Pickler::razorvine();
    let mut asked = Vec::new();
    let mut questions = Vec::new();
    for case in cases {
        let Ok((written, expected)) = case.read(|document| (pickler.dump(document), form::form(document.root()))) else {
            report.unread += 1;
            continue;
        };
        match written {
            Ok(written) => {
                report.written += 1;
                questions.push(written);
                asked.push((case, expected));
            }
            Err(error) => *report.refused.entry(error.kind().to_string()).or_default() += 1,
        }
    }
    let (answers, questions) = reader::read(root, jar, questions)?;
    for (((case, expected), pickle), line) in asked.into_iter().zip(questions).zip(answers) {
        if let Some(error) = line.strip_prefix("err ") {
            let class = error.split(':').next().unwrap_or_default();
            *report.refused_there.entry(class.to_owned()).or_default() += 1;
        } else if let Some(found) = line.strip_prefix("ok ") {
            if expected.as_deref() == Ok(found) {
                report.same += 1;
                if case.is_recorded && pickle.len() < RECORDED {
                    report.recorded.insert(case.name.clone(), pickle);
                }
            } else {
                let shown = |text: &str| text.chars().take(600).collect::<String>();
                let expected = expected.unwrap_or_else(|error| format!("no form: {error}"));
                report.faults.push(format!(
                    "{}:\n  written   {}\n  Brinery   {}\n  Razorvine {}",
                    case.name,
                    shown(&pickle.escape_ascii().to_string()),
                    shown(&expected),
                    shown(found)
                ));
            }
        } else {
            report.unprinted += 1;
        }
    }
    Ok(report)
}

/// Writes what was read as the same value to a file of vectors.
pub fn record(report: &Report, path: &Path) -> Result<()> {
    let line = |(file, pickle): (&String, &Vec<u8>)| format!("{{\"file\": \"{file}\", \"pickle_hex\": \"{}\"}}\n", hex(pickle));
    let lines: String = report.recorded.iter().map(line).collect();
    fs::write(path, lines).with_context(|| path.display().to_string())
}
