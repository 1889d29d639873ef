//! The corpus: files made by CPython, with what CPython says of each beside them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use brinery::Unpickler;
use serde_json::Value as Json;

use crate::agree::{Report, encoding, has_objects, json_lines, unhex};
use crate::canonical::canonical;
use crate::inputs::{LIMIT, load_all_ways};

/// Compares every file of a corpus folder with its `expected.jsonl`.
pub fn group(folder: &Path) -> Result<Report> {
    let mut report = Report::default();
    let group = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    for case in json_lines(&folder.join("expected.jsonl"))? {
        let file = case["file"].as_str().context("file")?;
        let name = format!("{group}/{file}");
        let bytes = fs::read(folder.join(file)).with_context(|| name.clone())?;
        one(&mut report, &name, &case, &bytes)?;
    }
    Ok(report)
}

fn one(report: &mut Report, name: &str, case: &Json, bytes: &[u8]) -> Result<()> {
    let mut unpickler = Unpickler::new();
    unpickler.encoding(encoding(case["encoding"].as_str().unwrap_or("ASCII"))?);
    if let Some(extensions) = case["extensions"].as_object() {
        let extensions: Option<Vec<_>> = extensions
            .iter()
            .map(|(code, name)| Some((code.parse().ok()?, (name[0].as_str()?.to_owned(), name[1].as_str()?.to_owned()))))
            .collect();
        unpickler.extensions(extensions.context("extensions")?);
    }
    let buffers: Result<Vec<_>> =
        case["buffers"].as_array().into_iter().flatten().map(|buffer| unhex(buffer.as_str().unwrap_or_default())).collect();
    let outcome = load_all_ways(&mut unpickler, bytes, &buffers?);
    let loads = case["loads"] == true;
    let cpython = match (case["canonical"].as_str(), case["canonical_error"].as_str(), case["error"].as_str()) {
        (Some(canonical), ..) => Ok(canonical.to_owned()),
        (None, Some(error), _) | (None, None, Some(error)) if !loads || case["canonical_error"].is_string() => Err(error.to_owned()),
        // too long to be in the file: the load's success is all that is compared
        _ => Ok(outcome.as_ref().map_or(String::new(), |outcome| outcome.value.clone().unwrap_or_default())),
    };
    // a value that is builtin only because Python made a call is compared by its structure, like one of any class
    let is_builtin = case["builtin"] == true && case["canonical"].as_str().is_none_or(|canonical| !has_objects(canonical));
    let repr = case["repr"].as_str().filter(|_| is_builtin && case["has_set"] != true);
    report.add(name, &cpython, repr, &outcome);

    if let (Ok(outcome), Some(consumed)) = (&outcome, case["consumed"].as_u64())
        && outcome.value.is_ok()
        && outcome.consumed != consumed
    {
        report.faults.push(format!("{name}: {} bytes consumed, CPython {consumed}", outcome.consumed));
    }
    if let Some(all) = case["all"].as_array() {
        unpickler.shared_memo(case["memo"] == "shared");
        let (document, error) = unpickler.load_all_partial(bytes);
        let mut found: Vec<_> = document.roots().map(|root| canonical(root, LIMIT)).collect();
        if error.is_some() {
            found.pop();
        }
        let expected: Vec<_> = all.iter().map(|text| text.as_str().map(str::to_owned)).collect();
        if found != expected {
            report.faults.push(format!("{name}: all pickles\n  CPython {expected:?}\n  Brinery {found:?}"));
        }
    }
    Ok(())
}
