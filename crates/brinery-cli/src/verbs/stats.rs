//! `brinery stats`: opcodes, classes, sharing.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use brinery::handler::Place;
use brinery::{Argument, Opcode, StackItem};
use serde_json::{Value, json};

use crate::args::Reading;
use crate::exit::Exit;
use crate::output::{Output, count, counted};
use crate::pickles::{Ending, Source, Stage};
use crate::sites::{Act, Trace, Tracer, Watch};

/// Count what pickles are made of: opcodes, bytes, classes, protocols, sharing
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  brinery stats model.pkl                       tables of opcodes and classes
  brinery stats --json model.pkl | jq .globals  which classes, and how often each is named
  brinery stats --nth 0 rows.pkl                of the first pickle only
  brinery stats --json rows.pkl | jq '.opcodes.MEMOIZE.count'
  gzip -dc model.pkl.gz | brinery stats -

What the tables say:
  protocol   what PROTO states, and the least protocol that has every opcode used
  memo       how often a value is stored and read again: many reads a store are much sharing,
             many stores without a read can be saved (pickletools.optimize does it)
  structure  bytes of opcodes that hold no text, bytes or number of their own

Exit codes:
  0  everything was counted
  2  the file could not be read, is not a pickle, or breaks off with an error; what came before is counted")]
pub(crate) struct Stats {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// One JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reading: Reading,
}

/// What an opcode's bytes are mostly for.
const KINDS: [&str; 4] = ["text", "bytes", "numbers", "structure"];

/// Counts of one opcode.
#[derive(Debug, Clone, Copy, Default)]
struct Used {
    count: u64,
    bytes: u64,
}

/// Counts over all pickles of a file.
#[derive(Debug)]
struct Counts<'r> {
    reading: &'r Reading,
    opcodes: [Used; 256],
    frames_bytes: u64,
    puts: u64,
    gets: u64,
    /// Slots of this pickle that were read.
    read: HashSet<u64>,
    slots_read: u64,
    stack: usize,
    marks: usize,
    globals: HashMap<String, u64>,
    longest_text: usize,
    longest_bytes: usize,
    protocols: Vec<u8>,
    opcode: Opcode,
    /// The pickle is not one of those to be counted.
    unwanted: bool,
}

impl Watch for Counts<'_> {
    fn begin(&mut self, trace: &Trace, opcode: Opcode, at: Place<'_>) {
        if self.unwanted {
            return;
        }
        self.note_depth(trace);
        self.opcode = opcode;
        if let Some(used) = self.opcodes.get_mut(usize::from(opcode.byte())) {
            used.count += 1;
            used.bytes += (at.next - at.offset) as u64;
        }
        let argument = || at.window.get(at.offset + 1..at.next).unwrap_or_default();
        match opcode {
            Opcode::Proto => self.protocols.extend(argument().first().filter(|protocol| !self.protocols.contains(protocol))),
            Opcode::Frame => self.frames_bytes = self.frames_bytes.saturating_add(argument().try_into().map_or(0, u64::from_le_bytes)),
            Opcode::Ext1 | Opcode::Ext2 | Opcode::Ext4 => {
                let code = argument().iter().rev().fold(0, |code, &byte| code << 8 | u32::from(byte));
                let registered = self.reading.extensions.iter().find(|(known, _)| *known == code);
                let name = registered.map_or_else(|| format!("extension({code})"), |(_, (module, name))| format!("{module}.{name}"));
                *self.globals.entry(name).or_default() += 1;
            }
            _ => {}
        }
    }

    fn act(&mut self, trace: &Trace, act: Act, at: Option<Place<'_>>) {
        if self.unwanted {
            return;
        }
        match act {
            Act::Data(len) => match kind(self.opcode) {
                0 => self.longest_text = self.longest_text.max(len),
                _ => self.longest_bytes = self.longest_bytes.max(len),
            },
            Act::Put(..) => self.puts += 1,
            Act::Get(index, _) => {
                self.gets += 1;
                self.slots_read += u64::from(self.read.insert(index));
            }
            Act::Global(site) => {
                let name = at.and_then(|at| trace.global(site, at.window)).unwrap_or_else(|| "(no text)".to_owned());
                *self.globals.entry(name).or_default() += 1;
            }
            _ => {}
        }
    }
}

/// Which of [`KINDS`] an opcode's bytes are.
fn kind(opcode: Opcode) -> usize {
    match (opcode.stack_after().last(), opcode.argument()) {
        (_, Argument::StringnlNoescape | Argument::StringnlNoescapePair) => 0,
        // GET, PUT, PROTO and their like have numbers, but make none
        (_, Argument::None) | (None | Some(StackItem::Any | StackItem::Mark), _) => 3,
        (Some(StackItem::Str | StackItem::BytesOrStr), _) => 0,
        (Some(StackItem::Bytes | StackItem::Bytearray), _) => 1,
        _ => 2,
    }
}

impl<'r> Counts<'r> {
    fn new(reading: &'r Reading) -> Self {
        Self {
            reading,
            opcodes: [Used::default(); 256],
            frames_bytes: 0,
            puts: 0,
            gets: 0,
            read: HashSet::new(),
            slots_read: 0,
            stack: 0,
            marks: 0,
            globals: HashMap::new(),
            longest_text: 0,
            longest_bytes: 0,
            protocols: Vec::new(),
            opcode: Opcode::Stop,
            unwanted: false,
        }
    }

    fn note_depth(&mut self, trace: &Trace) {
        if !self.unwanted {
            self.stack = self.stack.max(trace.depth);
            self.marks = self.marks.max(trace.marks.len());
        }
    }

    fn used(&self, opcode: Opcode) -> Used {
        self.opcodes.get(usize::from(opcode.byte())).copied().unwrap_or_default()
    }

    /// Opcodes that occur, the most frequent first.
    fn opcodes(&self) -> Vec<(Opcode, Used)> {
        let mut opcodes: Vec<_> =
            Opcode::ALL.iter().map(|&opcode| (opcode, self.used(opcode))).filter(|(_, used)| used.count > 0).collect();
        opcodes.sort_by_key(|(opcode, used)| (std::cmp::Reverse(used.count), opcode.name()));
        opcodes
    }

    /// Globals, the most frequent first.
    fn globals(&self) -> Vec<(&str, u64)> {
        let mut globals: Vec<_> = self.globals.iter().map(|(name, &count)| (&**name, count)).collect();
        globals.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
        globals
    }

    /// The opcode of the newest protocol.
    fn newest(&self) -> Option<Opcode> {
        self.opcodes().into_iter().map(|(opcode, _)| opcode).max_by_key(|opcode| opcode.protocol())
    }

    fn bytes_by_kind(&self) -> [u64; 4] {
        let mut bytes = [0; 4];
        for (opcode, used) in self.opcodes() {
            if let Some(sum) = bytes.get_mut(kind(opcode)) {
                *sum += used.bytes;
            }
        }
        bytes
    }
}

/// Opcodes that make objects or change them.
const CALLS: [Opcode; 6] = [Opcode::Reduce, Opcode::Newobj, Opcode::NewobjEx, Opcode::Inst, Opcode::Obj, Opcode::Build];

impl Stats {
    pub(crate) fn run(&self) -> Result<Exit> {
        let source = Source::open(&self.file, &self.reading)?;
        let mut tracer = Tracer::new(Counts::new(&self.reading));
        let ending = source.trace(&self.reading, &mut tracer, |Tracer { trace, watch }, stage| {
            match stage {
                Stage::Begin { wanted, .. } => {
                    watch.unwanted = !wanted;
                    if !self.reading.shared_memo {
                        watch.read.clear();
                    }
                }
                Stage::End { .. } => watch.note_depth(trace),
            }
            Ok(())
        })?;
        let mut out = Output::new();
        if ending.container.is_none() || ending.end > 0 {
            if self.json {
                serde_json::to_writer_pretty(&mut out, &json_of(&source, &tracer.watch, &ending))?;
                writeln!(out)?;
            } else {
                print(&mut out, &source, &tracer.watch, &ending)?;
            }
        }
        out.flush()?;
        Ok(source.report(&ending))
    }
}

#[expect(clippy::cast_precision_loss, reason = "two or three digits of it are shown")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn print(out: &mut Output, source: &Source, counts: &Counts<'_>, ending: &Ending) -> Result<()> {
    let bytes_by_kind = counts.bytes_by_kind();
    let all: u64 = bytes_by_kind.iter().sum();
    let share = |bytes: u64| format!("{:.1} %", 100.0 * ratio(bytes, all));
    let mut protocols = counts.protocols.clone();
    protocols.sort_unstable();
    let stated = match &*protocols {
        [] => "none stated".to_owned(),
        some => format!("{} stated", some.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")),
    };
    let needed = counts.newest().map_or(String::new(), |opcode| format!(", {} needed (for {opcode})", opcode.protocol()));
    let frames = counts.used(Opcode::Frame).count;
    let calls: Vec<_> = CALLS
        .iter()
        .map(|&opcode| (opcode, counts.used(opcode).count))
        .filter(|(_, number)| *number > 0)
        .map(|(opcode, number)| format!("{} {opcode}", count(number)))
        .collect();
    let reads = if counts.puts > 0 { format!(", {:.2} a store", ratio(counts.gets, counts.puts)) } else { String::new() };
    let rows = [
        ("file", source.name.clone()),
        ("pickles", format!("{} in {}", count(ending.whole as u64), counted(all, "byte"))),
        ("protocol", format!("{stated}{needed}")),
        (
            "frames",
            if frames > 0 { format!("{}, {} in them", count(frames), counted(counts.frames_bytes, "byte")) } else { "none".to_owned() },
        ),
        ("stack", format!("{} deep at most, {} at most", count(counts.stack as u64), counted(counts.marks as u64, "mark"))),
        (
            "memo",
            format!(
                "{}, {}{reads}; {} read",
                counted(counts.puts, "store"),
                counted(counts.gets, "read"),
                counted(counts.slots_read, "slot")
            ),
        ),
        ("calls", if calls.is_empty() { "none".to_owned() } else { calls.join(", ") }),
        ("longest", format!("text {}, bytes {}", count(counts.longest_text as u64), count(counts.longest_bytes as u64))),
    ];
    for (name, text) in rows {
        writeln!(out, "{name:<10} {text}")?;
    }
    writeln!(out, "\n{:<18} {:>14}", "content", "bytes")?;
    for (name, bytes) in KINDS.iter().zip(bytes_by_kind) {
        writeln!(out, "  {name:<16} {:>14} {:>8}", count(bytes), share(bytes))?;
    }
    writeln!(out, "\n{:<18} {:>14} {:>14}", "opcodes", "count", "bytes")?;
    for (opcode, used) in counts.opcodes() {
        writeln!(out, "  {:<16} {:>14} {:>14} {:>8}", opcode.name(), count(used.count), count(used.bytes), share(used.bytes))?;
    }
    let globals = counts.globals();
    if !globals.is_empty() {
        let width = globals.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).clamp(16, 60);
        writeln!(out, "\n{:<1$} {2:>14}", "globals", width + 2, "named")?;
        for (name, number) in globals {
            writeln!(out, "  {name:<width$} {:>14}", count(number))?;
        }
    }
    Ok(())
}

fn json_of(source: &Source, counts: &Counts<'_>, ending: &Ending) -> Value {
    let [text, bytes, numbers, structure] = counts.bytes_by_kind();
    let opcodes: serde_json::Map<_, _> = counts
        .opcodes()
        .into_iter()
        .map(|(opcode, used)| (opcode.name().to_owned(), json!({ "count": used.count, "bytes": used.bytes })))
        .collect();
    let globals: serde_json::Map<_, _> = counts.globals().into_iter().map(|(name, count)| (name.to_owned(), count.into())).collect();
    let calls: serde_json::Map<_, _> = CALLS.iter().map(|&opcode| (opcode.name().to_owned(), counts.used(opcode).count.into())).collect();
    json!({
        "file": source.name,
        "pickles": ending.whole,
        "bytes": text + bytes + numbers + structure,
        "protocols_stated": counts.protocols,
        "protocol_needed": counts.newest().map(Opcode::protocol),
        "frames": { "count": counts.used(Opcode::Frame).count, "bytes": counts.frames_bytes },
        "stack_depth": counts.stack,
        "mark_depth": counts.marks,
        "memo": { "stores": counts.puts, "reads": counts.gets, "slots_read": counts.slots_read },
        "calls": calls,
        "longest": { "text": counts.longest_text, "bytes": counts.longest_bytes },
        "content": { "text": text, "bytes": bytes, "numbers": numbers, "structure": structure },
        "opcodes": opcodes,
        "globals": globals,
        "error": ending.failure.as_ref().map(|failure| failure.error.to_string()),
        "trailing_bytes": ending.trailing.as_ref().map_or(0, |trailing| trailing.len),
    })
}
