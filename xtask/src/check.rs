//! `cargo xtask test`: everything that must hold before a change lands.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{cookbook, tidy};

/// Runs every check, one after another; whether all of them passed. It goes on after a failure, so that one run shows everything.
pub fn test(root: &Path) -> Result<bool> {
    let packages = packages_folder(root)?;
    let deny = ("RUSTDOCFLAGS", "-D warnings");
    let checks: &[(&str, &[&str])] = &[
        ("format", &["fmt", "--all", "--check"]),
        ("lints", &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        ("lints without features", &["clippy", "--quiet", "-p", "brinery", "--no-default-features", "--", "-D", "warnings"]),
        ("tests", &["test", "--workspace"]),
        ("documentation", &["doc", "--quiet", "--workspace", "--no-deps"]),
        ("comparison", &["check", "--quiet", "--manifest-path", "compare/Cargo.toml", "--target-dir", "target/compare"]),
        ("packages", &["package", "--quiet", "--allow-dirty", "-p", "brinery", "-p", "brinery-cli", "--target-dir", &packages]),
    ];
    let mut failed = Vec::new();
    for (name, args) in checks {
        println!("== {name}: cargo {}", args.join(" "));
        let status = Command::new("cargo").args(*args).env(deny.0, deny.1).current_dir(root).status().context("running cargo")?;
        if !status.success() {
            failed.push(*name);
        }
    }
    println!("== tidy");
    for fault in tidy::tidy(root)? {
        println!("{fault}");
        if failed.last() != Some(&"tidy") {
            failed.push("tidy");
        }
    }
    if python_is_3_11(root) {
        for (name, script) in [("corpus", "corpus/make.py"), ("names", "corpus/python2.py")] {
            println!("== {name}: python3 {script} --check");
            let status = Command::new("python3").args([script, "--check"]).current_dir(root).status()?;
            if !status.success() {
                failed.push(name);
            }
        }
    } else {
        println!("== corpus: skipped, since making it again needs CPython 3.11 as python3");
    }
    println!("== cookbook");
    match cookbook::cookbook(root)? {
        Some(true) => {}
        Some(false) => failed.push("cookbook"),
        None => println!("skipped: the programs that it is about could not be installed"),
    }
    match &*failed {
        [] => println!("== everything passed"),
        failed => println!("== failed: {}", failed.join(", ")),
    }
    Ok(failed.is_empty())
}

/// Builds and runs the comparison with peers, which is a workspace of its own.
pub fn compare(root: &Path, args: &[String]) -> Result<bool> {
    let folder = root.join("compare");
    let mut command = Command::new("cargo");
    command.args(["run", "--quiet", "--release", "--target-dir"]).arg(root.join("target/compare")).arg("--").args(args);
    Ok(command.current_dir(folder).status().context("running cargo")?.success())
}

/// Where packages are tried. cargo unpacks `brinery` for `brinery-cli` once for each folder and version, so other sources need another folder.
fn packages_folder(root: &Path) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for file in tidy::rust_files(&[root.join("crates/brinery")])? {
        fs::read(file)?.hash(&mut hasher);
    }
    let name = format!("packages-{:016x}", hasher.finish());
    let target = root.join("target");
    fs::create_dir_all(&target)?;
    for entry in fs::read_dir(&target)? {
        let entry = entry?;
        let old = entry.file_name().to_string_lossy().into_owned();
        if old.starts_with("packages-") && old != name {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(target.join(name).to_string_lossy().into_owned())
}

fn python_is_3_11(root: &Path) -> bool {
    let program = "import sys; sys.exit(sys.version_info[:2] != (3, 11) or sys.implementation.name != 'cpython')";
    Command::new("python3").args(["-c", program]).current_dir(root).status().is_ok_and(|status| status.success())
}
