//! `cargo xtask tidy`: what the compiler does not ask for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value as Json;

/// Which crate of the workspace may depend on which.
const ARROWS: [(&str, &str); 2] = [("brinery-cli", "brinery"), ("xtask", "brinery")];

/// Where `unsafe` is allowed.
const UNSAFE: [&str; 3] =
    ["crates/brinery/src/document/text.rs", "crates/brinery-cli/src/input.rs", "crates/brinery/tests/suite/allocations.rs"];

/// Lines that a file may have before it surely has two subjects.
const LONGEST_FILE: usize = 700;

/// Everything that is not in order.
pub fn tidy(root: &Path) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    arrows(root, &mut faults)?;
    reasons(root, &mut faults)?;
    for file in rust_files(&[root.join("crates"), root.join("xtask")])? {
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&file).with_context(|| name.clone())?;
        let lines = text.lines().count();
        if lines > LONGEST_FILE {
            faults.push(format!("{name}: {lines} lines, over {LONGEST_FILE}"));
        }
        let uses_unsafe = text.lines().any(|line| line.trim_start().starts_with("unsafe ") || line.contains("= unsafe {"));
        let allows = text.contains("allow(unsafe_code");
        if (uses_unsafe || allows) && !UNSAFE.contains(&&*name) && name != "xtask/src/tidy.rs" {
            faults.push(format!("{name}: unsafe code outside the places granted to it"));
        }
    }
    Ok(faults)
}

/// Crates of the workspace depend on each other only as the design says.
fn arrows(root: &Path, faults: &mut Vec<String>) -> Result<()> {
    let output = Command::new("cargo").args(["metadata", "--format-version=1", "--no-deps"]).current_dir(root).output()?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Json = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().context("packages")?;
    let names: Vec<_> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    for package in packages {
        let from = package["name"].as_str().context("name")?;
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let to = dependency["name"].as_str().unwrap_or_default();
            if names.contains(&to) && !ARROWS.contains(&(from, to)) {
                faults.push(format!("{from} depends on {to}: a new arrow"));
            }
        }
    }
    Ok(())
}

/// Every dependency has a line that says why.
fn reasons(root: &Path, faults: &mut Vec<String>) -> Result<()> {
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let table = manifest.split("[workspace.dependencies]").nth(1).context("[workspace.dependencies]")?;
    let mut reason = false;
    for line in table.lines().skip(1).take_while(|line| !line.starts_with('[')) {
        if line.is_empty() {
            reason = false;
        } else if line.starts_with('#') {
            reason = true;
        } else if !reason && !line.contains("path = ") {
            faults.push(format!("Cargo.toml: no line says why: {line}"));
        }
    }
    Ok(())
}

/// The Rust files in these folders.
pub(crate) fn rust_files(folders: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = folders.to_vec();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
