//! `cargo xtask`: the project's own checks.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use xtask::agree::Report;
use xtask::oracle::{self, Judge, Objects};
use xtask::written::{self, Checker};
use xtask::{agree, cases, check, cookbook, razorvine, tidy, typed};

const USAGE: &str = "\
cargo xtask test              everything: format, lints, tests, documentation, packages, tidiness, the corpus
cargo xtask cookbook          install the programs that the codec's cookbook is about, and have them make its files and read what is written for them
cargo xtask compare [--quick] [--only TEXT] [--json FILE]   time Brinery, CPython's C pickle and serde-pickle on the same work, in turns
cargo xtask tidy              what the compiler does not ask for: arrows between crates, reasons of dependencies, unsafe, long files
cargo xtask agree [PATH...]   compare with CPython: vector files (.jsonl) and corpus folders, what is read and what is written; by default all of
                              corpus/, and what is written of objects that CPython makes: those made for edges, and 1,000 random ones
cargo xtask agree [--fixed] [--random N] [--seed S]   compare what is written of such objects
cargo xtask agree --typed [--random N] [--seed S]     compare what is written of a program's own types: values made for edges, and N random ones
cargo xtask agree --razorvine JAR [--record | --random N [--seed S] | FOLDER...]   have Razorvine read what is written for it: the corpus,
                              random objects, or these folders; --record makes corpus/vectors/razorvine_written.jsonl
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.first().map(String::as_str) {
        Some("test") => check::test(&root()),
        Some("tidy") => tidy::tidy(&root()).map(|faults| {
            for fault in &faults {
                println!("{fault}");
            }
            faults.is_empty()
        }),
        Some("cookbook") => cookbook::cookbook(&root()).map(|is_well| {
            is_well.unwrap_or_else(|| {
                println!("the programs could not be installed");
                false
            })
        }),
        Some("compare") => check::compare(&root(), args.get(1..).unwrap_or_default()),
        Some("agree") => run_agree(args.get(1..).unwrap_or_default()),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Compares what is written of objects that CPython makes, by these arguments of `oracle.py objects`.
fn run_written(args: &[&str]) -> Result<bool> {
    let root = root();
    let mut checker = Checker::new(Some(Judge::new(&root)?), JUDGED);
    for object in Objects::new(&root, args)? {
        let object = object?;
        checker.object(&object)?;
    }
    Ok(print_written("objects", &checker))
}

/// Has Razorvine read what is written for it.
fn run_razorvine(jar: &Path, args: &[&str]) -> Result<bool> {
    let root = root();
    let is_recorded = args == ["--record"];
    let cases = match args {
        [] | ["--record"] => razorvine::corpus_cases(&root)?,
        [first, ..] if first.starts_with("--") => razorvine::random_cases(&root, args)?,
        folders => razorvine::folder_cases(folders.iter().map(PathBuf::from))?,
    };
    let report = razorvine::compare(&root, jar, &cases)?;
    for fault in &report.faults {
        println!("{fault}");
    }
    println!("{}", report.summary());
    if is_recorded {
        razorvine::record(&report, &root.join("corpus/vectors/razorvine_written.jsonl"))?;
    }
    Ok(report.faults.is_empty())
}

/// Compares what is written of a program's own types.
fn run_typed(count: usize, seed: u64) -> Result<bool> {
    let mut random = typed::Random::new(seed);
    let values = typed::edges().into_iter().chain((0..count).map(|_| random.value(0)));
    let report = typed::compare(&root(), values)?;
    for fault in &report.faults {
        println!("{fault}");
    }
    println!("{}", report.summary());
    Ok(report.faults.is_empty())
}

fn print_written(name: &str, checker: &Checker) -> bool {
    for fault in &checker.report.faults {
        println!("{fault}");
    }
    println!("{name}: {}", checker.report.summary());
    checker.report.faults.is_empty()
}

/// Longest pickle that CPython loads again, where it is not compared byte by byte.
const JUDGED: usize = 4 << 20;

fn run_agree(args: &[String]) -> Result<bool> {
    if let Some(at) = args.iter().position(|arg| arg == "--razorvine") {
        let jar = args.get(at + 1).context("--razorvine takes the jar's path")?;
        let others: Vec<&str> = args[..at].iter().chain(&args[at + 2..]).map(String::as_str).collect();
        return run_razorvine(Path::new(jar), &others);
    }
    let has_oracle = oracle::is_there(&root());
    if has_oracle {
        println!("oracle: {}", oracle::version(&root())?);
    } else {
        println!("oracle: none, since python3 is not CPython 3.11: only recorded pickles are compared");
    }
    if args.first().is_some_and(|arg| arg == "--typed") {
        let number = |name: &str, otherwise| match args.iter().position(|arg| arg == name) {
            Some(at) => args.get(at + 1).with_context(|| format!("{name} takes a number"))?.parse().with_context(|| name.to_owned()),
            None => Ok(otherwise),
        };
        return run_typed(usize::try_from(number("--random", 1_000)?)?, number("--seed", 0_u64)?);
    }
    if args.iter().any(|arg| arg.starts_with("--")) {
        return run_written(&args.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let structures = root().join("corpus/vectors/structure.jsonl");
    let is_everything = args.is_empty();
    let mut paths: Vec<PathBuf> = args.iter().map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.extend(["razorvine.jsonl", "malformed.jsonl"].map(|name| root().join("corpus/vectors").join(name)));
        let mut groups: Vec<_> = std::fs::read_dir(root().join("corpus/cases"))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        groups.sort();
        paths.extend(groups);
    }
    let mut agreed = true;
    for path in paths {
        let report: Report = if path.is_dir() {
            cases::group(&path)?
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            agree::vectors(&path, &structures)?
        } else {
            bail!("{} is neither a folder nor a .jsonl file", path.display());
        };
        for fault in &report.faults {
            println!("{fault}");
        }
        let name = path.file_name().context("a file name")?;
        println!("{}: {}", name.to_string_lossy(), report.summary());
        agreed &= report.faults.is_empty();
        if path.is_dir() {
            let judge = if has_oracle { Some(Judge::new(&root())?) } else { None };
            let mut checker = Checker::new(judge, JUDGED);
            for object in written::corpus(&path)? {
                checker.object(&object)?;
            }
            agreed &= print_written(&name.to_string_lossy(), &checker);
        }
    }
    if is_everything && has_oracle {
        agreed &= run_written(&["--fixed", "--random", "1000"])?;
        agreed &= run_typed(1_000, 0)?;
    }
    Ok(agreed)
}
