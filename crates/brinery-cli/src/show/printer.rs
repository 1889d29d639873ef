//! Prints values, indented.
//!
//! A value goes on the rest of the line if it fits there; else what is inside goes on lines of its own. Whether it fits is found by trying,
//! which costs no more than a line's width. There is a stack of what is still to be printed, so that nothing recurses.

use std::collections::HashMap;
use std::fmt::{self, Write};

use brinery::{Id, Item};

use super::atoms::{atom, global, keyword};
use super::page::{Line, Page, Paper};
use super::plan::{Plan, can_close};
use super::shape::{Head, Node, Row, Rows, Shapes, closed};
use crate::output::{count, counted, style};

/// What was cut, and what is worth a note.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    /// Values whose inside was left out.
    pub(crate) closed: usize,
    /// Items left out.
    pub(crate) items: usize,
    /// Texts, bytes and numbers that were cut.
    pub(crate) texts: usize,
    /// Integers in hexadecimal, since they have too many digits.
    pub(crate) hexadecimal: usize,
}

impl Tally {
    /// What was cut, in words.
    pub(crate) fn cut(&self) -> Option<String> {
        let parts = [(self.closed, "container or object"), (self.items, "item"), (self.texts, "long text or number")];
        let parts: Vec<_> = parts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|&(number, noun)| match noun {
                "container or object" if number > 1 => format!("the inside of {} containers and objects", count(number as u64)),
                "container or object" => "the inside of a container or object".to_owned(),
                "item" => counted(number as u64, "item"),
                _ => format!("the rest of {}", counted(number as u64, "long value")),
            })
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn add(&mut self, other: Self) {
        self.closed += other.closed;
        self.items += other.items;
        self.texts += other.texts;
        self.hexadecimal += other.hexadecimal;
    }
}

/// What is still to be printed.
enum Task<'d> {
    /// A value, its depth, and the indentation of the line that it is on.
    Value(Item<'d>, usize, usize),
    Text(&'static str),
    /// Rows of this depth and indentation, each on a line; whether the last one was an atom that another may follow on its line.
    Rows(Rows<'d>, usize, usize, bool),
    /// A closing bracket on a line of its own.
    Close(&'static str, usize),
}

/// What is still to be put on the line.
enum Flat<'d> {
    Value(Item<'d>, usize),
    Text(&'static str),
    /// Rows of this depth; whether the first is still to come.
    Rows(Rows<'d>, usize, bool),
}

/// Prints the values of one pickle, which share their labels.
pub(crate) struct Printer<'d, 'p> {
    plan: &'p Plan,
    shapes: Shapes<'d>,
    labels: HashMap<Id, usize>,
    /// Values in the order in which they got their labels, to take labels back.
    labelled: Vec<Id>,
    pub(crate) tally: Tally,
}

const INDENT: usize = 2;
/// Atoms up to this wide are put side by side.
const NARROW: usize = 30;
/// So are short lists, pairs and the like.
const NARROW_NODE: usize = 16;
/// Tasks that are waiting for each node that is open on a line, at most.
const TASKS_A_NODE: usize = 5;

impl<'d, 'p> Printer<'d, 'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        Self { plan, shapes: Shapes::default(), labels: HashMap::new(), labelled: Vec::new(), tally: Tally::default() }
    }

    /// Prints a value and ends its line.
    pub(crate) fn print(&mut self, page: &mut Page<'_>, item: Item<'d>) -> fmt::Result {
        let mut line = Line::new(page.colored());
        let mut tasks = vec![Task::Value(item, 0, 0)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(text) => page.write_str(text)?,
                Task::Close(text, indent) => {
                    page.newline(indent)?;
                    page.write_str(text)?;
                }
                Task::Value(item, depth, indent) => {
                    line.begin(self.plan.width.saturating_sub(page.column() + 1));
                    if self.try_flat(&mut line, Flat::Value(item, depth)) {
                        page.append(&line)?;
                    } else if let Some(node) = self.enter(page, item, depth)? {
                        self.open(page, &mut tasks, node, depth, indent)?;
                    }
                }
                Task::Rows(rows, depth, indent, after_atom) => self.row(page, &mut line, &mut tasks, rows, (depth, indent, after_atom))?,
            }
        }
        page.newline(0)
    }

    /// The next of the rows that are a line each.
    fn row(
        &mut self,
        page: &mut Page<'_>,
        line: &mut Line,
        tasks: &mut Vec<Task<'d>>,
        mut rows: Rows<'d>,
        (depth, indent, after_atom): (usize, usize, bool),
    ) -> fmt::Result {
        let Some(row) = rows.next() else { return Ok(()) };
        if let Row::Value(item) = row {
            let narrow = if Shapes::is_atom(item) { NARROW } else { NARROW_NODE };
            line.begin(narrow.min(self.plan.width));
            if self.try_flat(line, Flat::Value(item, depth)) {
                if after_atom && page.column() + line.column() + 2 <= self.plan.width {
                    page.write_char(' ')?;
                } else {
                    page.newline(indent)?;
                }
                page.append(line)?;
                page.write_char(',')?;
                tasks.push(Task::Rows(rows, depth, indent, true));
                return Ok(());
            }
        }
        if after_atom && matches!(row, Row::Cut(..)) && page.column() + NARROW <= self.plan.width {
            page.write_char(' ')?;
        } else {
            page.newline(indent)?;
        }
        tasks.push(Task::Rows(rows, depth, indent, false));
        match row {
            Row::Cut(number, noun) => return self.cut(page, number, noun),
            Row::Value(value) => tasks.extend([Task::Text(","), Task::Value(value, depth, indent)]),
            Row::Pair(key, value) => {
                let [value, key] = [value, key].map(|item| Task::Value(item, depth, indent));
                tasks.extend([Task::Text(","), value, Task::Text(": "), key]);
            }
            Row::Named(dot, key, value) => {
                page.write_str(dot)?;
                keyword(page, key, &self.plan.cuts, &mut self.tally)?;
                page.write_char('=')?;
                tasks.extend([Task::Text(","), Task::Value(value, depth, indent)]);
            }
            Row::Wrapped(open, value, close) => {
                page.write_str(open)?;
                tasks.extend([Task::Text(","), Task::Text(close), Task::Value(value, depth, indent)]);
            }
            Row::Group(open, rows, close) => {
                tasks.push(Task::Text(","));
                line.begin(self.plan.width.saturating_sub(page.column() + 1));
                let node = Node { head: Head::Nothing, open, rows, close, single: false };
                self.group(page, line, tasks, node, (depth, indent))?;
            }
        }
        Ok(())
    }

    /// A group in brackets, on the line if it fits.
    fn group(
        &mut self,
        page: &mut Page<'_>,
        line: &mut Line,
        tasks: &mut Vec<Task<'d>>,
        node: Node<'d>,
        (depth, indent): (usize, usize),
    ) -> fmt::Result {
        // trying uses rows up
        let again = node.rows.clone();
        if node.rows.least_columns() <= line.room() && self.try_flat(line, Flat::Rows(node.rows, depth, true)) {
            page.write_str(node.open)?;
            page.append(line)?;
            return page.write_str(node.close);
        }
        // a group is on the level of what it is a part of
        self.open(page, tasks, Node { rows: again, ..node }, depth - 1, indent)
    }

    /// Writes what opens a node, and leaves the rest to tasks.
    fn open(&mut self, page: &mut Page<'_>, tasks: &mut Vec<Task<'d>>, node: Node<'d>, depth: usize, indent: usize) -> fmt::Result {
        if node.rows.is_empty() {
            tasks.extend([Task::Text(node.close), Task::Text(node.open)]);
        } else {
            // a line's beginning is never moved out of sight
            let inner = (indent + INDENT).min((self.plan.width / 2).next_multiple_of(INDENT));
            tasks.extend([Task::Close(node.close, indent), Task::Rows(node.rows, depth + 1, inner, false), Task::Text(node.open)]);
        }
        if let Some(value) = self.head(page, node.head)? {
            tasks.push(Task::Value(value, depth + 1, indent));
        }
        Ok(())
    }

    /// Tries to put something on a line; if it does not fit, nothing has happened.
    fn try_flat(&mut self, line: &mut Line, what: Flat<'d>) -> bool {
        let (labels, tally) = (self.labelled.len(), self.tally);
        if self.flat(line, what).is_ok() {
            return true;
        }
        for id in self.labelled.drain(labels..) {
            self.labels.remove(&id);
        }
        self.tally = tally;
        false
    }

    fn flat(&mut self, line: &mut Line, what: Flat<'d>) -> fmt::Result {
        let mut tasks = vec![what];
        while let Some(task) = tasks.pop() {
            match task {
                Flat::Text(text) => line.write_str(text)?,
                Flat::Value(item, depth) => {
                    let Some(node) = self.enter(line, item, depth)? else { continue };
                    // every open node has at least a bracket to come, even if nothing of it is written yet: callables may be nested, too
                    if node.rows.least_columns() > line.room() || tasks.len() / TASKS_A_NODE > line.room() {
                        return Err(fmt::Error);
                    }
                    tasks.push(Flat::Text(node.close));
                    if node.single {
                        tasks.push(Flat::Text(","));
                    }
                    tasks.extend([Flat::Rows(node.rows, depth + 1, true), Flat::Text(node.open)]);
                    if let Some(value) = self.head(line, node.head)? {
                        tasks.push(Flat::Value(value, depth + 1));
                    }
                }
                Flat::Rows(mut rows, depth, first) => {
                    let Some(row) = rows.next() else { continue };
                    if !first {
                        line.write_str(", ")?;
                    }
                    tasks.push(Flat::Rows(rows, depth, false));
                    match row {
                        Row::Cut(number, noun) => self.cut(line, number, noun)?,
                        Row::Value(value) => tasks.push(Flat::Value(value, depth)),
                        Row::Pair(key, value) => {
                            tasks.extend([Flat::Value(value, depth), Flat::Text(": "), Flat::Value(key, depth)]);
                        }
                        Row::Named(dot, key, value) => {
                            line.write_str(dot)?;
                            keyword(line, key, &self.plan.cuts, &mut self.tally)?;
                            line.write_char('=')?;
                            tasks.push(Flat::Value(value, depth));
                        }
                        Row::Wrapped(open, value, close) => {
                            line.write_str(open)?;
                            tasks.extend([Flat::Text(close), Flat::Value(value, depth)]);
                        }
                        Row::Group(open, rows, close) => {
                            line.write_str(open)?;
                            tasks.extend([Flat::Text(close), Flat::Rows(rows, depth, true)]);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Begins a value: writes it if it has nothing inside, or only its label if it was printed before; else gives what is inside.
    fn enter<P: Paper>(&mut self, out: &mut P, item: Item<'d>, depth: usize) -> Result<Option<Node<'d>>, fmt::Error> {
        let cuts = &self.plan.cuts;
        if let Some(label) = self.labels.get(&item.id()) {
            out.put_with(style::LABEL, |out| write!(out, "*{label}"))?;
            return Ok(None);
        }
        if depth >= cuts.depth && can_close(item) {
            self.closed(out, item)?;
            return Ok(None);
        }
        if self.plan.shared.contains(&item.id()) {
            let label = self.labelled.len() + 1;
            self.labels.insert(item.id(), label);
            self.labelled.push(item.id());
            out.put_with(style::LABEL, |out| write!(out, "&{label}"))?;
            out.write_char(' ')?;
        }
        let node = self.shapes.node(item, cuts);
        if node.is_none() {
            atom(out, item, cuts, &mut self.tally)?;
        }
        Ok(node)
    }

    /// Writes what stands before a bracket; a value is left to the caller.
    fn head<P: Paper>(&mut self, out: &mut P, head: Head<'d>) -> Result<Option<Item<'d>>, fmt::Error> {
        match head {
            Head::Nothing => {}
            Head::Text(text) => out.put(style::NAME, text)?,
            Head::Global(item) => global(out, item, &mut self.tally)?,
            Head::Value(item) => return Ok(Some(item)),
        }
        Ok(None)
    }

    /// Writes a value without its inside.
    fn closed<P: Paper>(&mut self, out: &mut P, item: Item<'d>) -> fmt::Result {
        let (head, open, len, close) = closed(item);
        if self.head(out, head)?.is_some() {
            out.put(style::CUT, "...")?;
        }
        out.write_str(open)?;
        self.tally.closed += 1;
        out.put_with(style::CUT, |out| match len {
            Some(len) => write!(out, "... {}", counted(len as u64, "item")),
            None => out.write_str("..."),
        })?;
        out.write_str(close)
    }

    fn cut<P: Paper>(&mut self, out: &mut P, number: usize, noun: &str) -> fmt::Result {
        self.tally.items += number;
        out.put_with(style::CUT, |out| write!(out, "... {} more {noun}{}", count(number as u64), if number == 1 { "" } else { "s" }))
    }
}

/// Adds what another printer counted.
impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.add(other);
    }
}
