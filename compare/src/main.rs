//! `compare [--quick] [--only TEXT]... [--json FILE]`: times every row on every peer, in turns.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use compare::clock::sample;
use compare::python::{self, Python};
use compare::report::{ALLOCATOR, Peer, Samples};
use compare::rows::rows;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if ALLOCATOR.iter().any(|(name, value)| std::env::var(name).as_deref() != Ok(value)) {
        // glibc reads its settings when a process starts
        let error = Command::new(std::env::current_exe()?).args(&args).envs(ALLOCATOR).exec();
        return Err(error).context("starting again with the allocator's settings");
    }
    let mut only = Vec::new();
    let (mut quick, mut json) = (false, None);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--quick" => quick = true,
            "--only" => only.push(rest.next().context("--only takes a text")?.clone()),
            "--json" => json = Some(rest.next().context("--json takes a file")?.clone()),
            other => bail!("{other} is unknown: --quick, --only TEXT, --json FILE"),
        }
    }
    let folder = std::env::temp_dir().join(format!("brinery-compare-{}", std::process::id()));
    let result = run(&folder, &only, quick, json);
    fs::remove_dir_all(&folder).ok();
    result
}

fn run(folder: &std::path::Path, only: &[String], quick: bool, json: Option<String>) -> Result<()> {
    python::make(folder)?;
    let mut worker = Python::new(folder)?;
    let (rounds, budget) = if quick { (5, Duration::from_millis(2)) } else { (15, Duration::from_millis(10)) };
    println!(
        "{}; rustc {}; {rounds} rounds of {budget:?}; {}",
        worker.version,
        env!("COMPARE_RUSTC"),
        ALLOCATOR.map(|(name, value)| format!("{name}={value}")).join(" ")
    );
    let mut samples = Samples::default();
    for mut row in rows(folder)? {
        if !only.is_empty() && !only.iter().any(|text| row.name.contains(text.as_str())) {
            continue;
        }
        let mut peers: Vec<Peer> =
            row.calls.iter().map(|(name, _)| Peer { name: name.clone(), cpu: Vec::new(), wall: Vec::new() }).collect();
        let mut python = Peer { name: "CPython".to_owned(), cpu: Vec::new(), wall: Vec::new() };
        for _ in 0..rounds {
            for (peer, (_, call)) in peers.iter_mut().zip(&mut row.calls) {
                let one = sample(call, budget);
                peer.cpu.push(one.cpu);
                peer.wall.push(one.wall);
            }
            if let Some(name) = &row.python {
                let one = worker.sample(name, budget)?;
                python.cpu.push(one.cpu);
                python.wall.push(one.wall);
            }
        }
        if row.python.is_some() {
            peers.push(python);
        }
        samples.rows.push((row.name, peers));
    }
    let (table, lines) = samples.print();
    print!("{table}");
    if let Some(file) = json {
        fs::write(file, lines)?;
    }
    Ok(())
}
