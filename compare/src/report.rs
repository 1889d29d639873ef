//! What is printed: a table, and JSON lines.

use std::collections::BTreeMap;

use crate::clock::median;

/// The allocator's settings, the same for all: glibc would give memory back and fetch it again around 128 KiB, which decides rows of a thousand.
pub const ALLOCATOR: [(&str, &str); 2] = [("MALLOC_TRIM_THRESHOLD_", "4294967296"), ("MALLOC_MMAP_THRESHOLD_", "4294967296")];

/// Samples of a row by peer.
#[derive(Debug, Default)]
pub struct Samples {
    /// In the order of the rows: the peers and their samples of CPU time and of the clock.
    pub rows: Vec<(String, Vec<Peer>)>,
}

/// One peer's samples.
#[derive(Debug)]
pub struct Peer {
    /// Its name.
    pub name: String,
    /// CPU time of the thread.
    pub cpu: Vec<f64>,
    /// By the clock.
    pub wall: Vec<f64>,
}

/// A time with its unit.
#[must_use]
pub fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 1e6 => format!("{:.2} us", n / 1e3),
        n if n < 1e9 => format!("{:.2} ms", n / 1e6),
        n => format!("{:.2} s", n / 1e9),
    }
}

impl Samples {
    /// The table, and beside it the JSON lines.
    pub fn print(&mut self) -> (String, String) {
        let (mut table, mut json) = (String::new(), String::new());
        table += "| row | peer | CPU time | clock | against CPython | against serde-pickle |\n| --- | --- | --- | --- | --- | --- |\n";
        for (row, peers) in &mut self.rows {
            let medians: BTreeMap<String, (f64, f64)> =
                peers.iter_mut().map(|peer| (peer.name.clone(), (median(&mut peer.cpu), median(&mut peer.wall)))).collect();
            let python = medians.get("CPython").map(|times| times.0);
            let serde_pickle = medians.get("serde-pickle").map(|times| times.0);
            for peer in peers {
                let (cpu, wall) = medians[&peer.name];
                let against = |other: Option<f64>| other.filter(|_| peer.name.starts_with("Brinery")).map(|other| other / cpu);
                let shown = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}x"));
                let (python, serde_pickle) = (against(python), against(serde_pickle));
                table +=
                    &format!("| {row} | {} | {} | {} | {} | {} |\n", peer.name, time(cpu), time(wall), shown(python), shown(serde_pickle));
                let line = serde_json::json!({
                    "row": row, "peer": peer.name, "cpu_ns": cpu, "wall_ns": wall, "cpython": python, "serde_pickle": serde_pickle,
                });
                json += &format!("{line}\n");
            }
        }
        (table, json)
    }
}
