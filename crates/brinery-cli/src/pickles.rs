//! The pickles of a file, one after another.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use brinery::handler::Place;
use brinery::input::SliceInput;
use brinery::machine::{Machine, Rules};
use brinery::{Document, Error, ErrorKind, Item, Lexer, Opcode, Pickle};

use crate::args::Reading;
use crate::exit::Exit;
use crate::input::{Input, display};
use crate::sites::{Act, Trace, Tracer, Watch};
use crate::{container, output};

/// A file, opened, with the out-of-band buffers that go with it.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    bytes: Input,
    buffers: Vec<Input>,
}

/// One pickle of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<'d> {
    document: &'d Document<'d>,
    /// Which of the document's pickles it is.
    within: usize,
    /// Which of the file's pickles it is, from 0.
    pub(crate) nth: usize,
    pub(crate) pickle: Pickle,
    /// The file has others, which are looked at as well.
    pub(crate) among_others: bool,
    /// Why it ends too early.
    pub(crate) error: Option<&'d Error>,
}

impl<'d> Found<'d> {
    pub(crate) fn root(self) -> Item<'d> {
        self.document.roots().nth(self.within).unwrap_or_else(|| self.document.root())
    }

    /// The pickle, to be written anew.
    pub(crate) fn source(self) -> brinery::Source<'d> {
        brinery::Source::Pickle(self.document, self.within)
    }

    /// Values that were left on the stack; after an error, all that stood there.
    pub(crate) fn left(self) -> impl ExactSizeIterator<Item = Item<'d>> {
        self.document.left_on_stack(self.within)
    }

    pub(crate) fn dropped(self) -> impl ExactSizeIterator<Item = Item<'d>> {
        self.document.dropped(self.within)
    }
}

/// Where the tracing of a file is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stage {
    /// Pickle `nth` begins. It may be there only for what it puts into a shared memo.
    Begin { nth: usize, start: usize, wanted: bool },
    /// It is over; if it failed, at this offset.
    End { failed_at: Option<u64> },
}

/// How a file ends.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    /// How many pickles are whole.
    pub(crate) whole: usize,
    /// Where the last of them ends.
    pub(crate) end: u64,
    pub(crate) trailing: Option<Trailing>,
    pub(crate) failure: Option<Failure>,
    /// The file is not a raw pickle but this.
    pub(crate) container: Option<&'static str>,
}

/// Bytes behind the last pickle that are none.
#[derive(Debug)]
pub(crate) struct Trailing {
    pub(crate) offset: usize,
    pub(crate) len: usize,
    /// What happens if they are read as one.
    pub(crate) why: Error,
}

/// A pickle that could not be read to its end.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) nth: usize,
    pub(crate) start: u64,
    pub(crate) error: Error,
}

impl Trailing {
    /// What there is to say of them, without the file's name.
    pub(crate) fn message(&self) -> String {
        let bytes = output::counted(self.len as u64, "byte");
        let are = if self.len == 1 { "is" } else { "are" };
        format!("{bytes} after the last STOP at offset {} {are} not a pickle: {}{}", self.offset - 1, self.why, hint(&self.why, 1))
    }
}

impl Failure {
    pub(crate) fn message(&self) -> String {
        let at_first_byte = matches!(self.error.kind(), ErrorKind::UnknownOpcode(_)) && self.error.offset() == Some(0);
        let prefix = if at_first_byte { "not a pickle: " } else { "" };
        format!("{prefix}{}{}", self.error, hint(&self.error, self.nth))
    }
}

/// What may help against an error in pickle `nth`.
fn hint(error: &Error, nth: usize) -> &'static str {
    match error.kind() {
        ErrorKind::MemoMissing(_) if nth > 0 => " (perhaps an earlier pickle filled it: try --shared-memo)",
        ErrorKind::InvalidEncoding { .. } if error.opcode() != Some(Opcode::Reduce) => " (--encoding auto refuses nothing)",
        ErrorKind::FrameStraddled { .. } | ErrorKind::FrameNested { .. } | ErrorKind::FrameUnfinished { .. } => {
            " (--lax-frames reads it as CPython does)"
        }
        _ => "",
    }
}

impl Source {
    pub(crate) fn open(path: &Path, reading: &Reading) -> Result<Self> {
        let open = |path: &PathBuf| Input::open(path, !reading.no_mmap);
        let buffers = reading.buffers.iter().map(open).collect::<Result<_>>()?;
        Ok(Self { name: display(path), bytes: Input::open(path, !reading.no_mmap)?, buffers })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn with_buffers<'a>(&'a self, document: Document<'a>) -> Document<'a> {
        if self.buffers.is_empty() { document } else { document.with_buffers(self.buffers.iter().map(|buffer| &**buffer)) }
    }

    /// Calls `each` for every pickle that is to be looked at, the last perhaps with its error.
    pub(crate) fn visit(&self, reading: &Reading, mut each: impl FnMut(Found<'_>) -> Result<()>) -> Result<Ending> {
        if reading.nth.is_none()
            && let Some(container) = container::certain(&self.bytes)
        {
            return Ok(Ending { container: Some(container), ..Ending::default() });
        }
        if reading.shared_memo { self.visit_together(reading, &mut each) } else { self.visit_singly(reading, &mut each) }
    }

    /// Pickles with a memo each, of which no more than two are in memory at a time.
    fn visit_singly(&self, reading: &Reading, each: &mut impl FnMut(Found<'_>) -> Result<()>) -> Result<Ending> {
        let mut unpickler = reading.unpickler();
        let mut ending = Ending::default();
        let mut nth = reading.nth.unwrap_or(0);
        let start = self.skip(nth)?;
        let (mut document, mut error) = unpickler.load_partial(&self.bytes, start);
        if nth == 0 && reading.nth.is_none() {
            ending.container = self.container(&document, error.as_ref());
            if ending.container.is_some() {
                return Ok(ending);
            }
        }
        loop {
            document = self.with_buffers(document);
            let Some(pickle) = document.pickles().next() else { return Ok(ending) };
            let found = Found {
                document: &document,
                within: 0,
                nth,
                pickle,
                among_others: nth > 0 && reading.nth.is_none(),
                error: error.as_ref(),
            };
            if let Some(why) = found.error {
                each(Found { error: Some(why), ..found })?;
                ending.failure = error.map(|error| Failure { nth, start: pickle.start, error });
                return Ok(ending);
            }
            ending.whole += 1;
            ending.end = pickle.end;
            let next = usize::try_from(pickle.end).unwrap_or(usize::MAX);
            if reading.nth.is_some() || next >= self.bytes.len() {
                each(found)?;
                return Ok(ending);
            }
            // whether this pickle is alone is known when the next one has been tried
            let (following, failed) = unpickler.load_partial(&self.bytes, next);
            match failed {
                Some(why) if !self.promises_pickle(next) => {
                    each(found)?;
                    ending.trailing = Some(Trailing { offset: next, len: self.bytes.len() - next, why });
                    return Ok(ending);
                }
                _ => each(Found { among_others: true, ..found })?,
            }
            unpickler.recycle(std::mem::replace(&mut document, following));
            error = failed;
            nth += 1;
        }
    }

    /// Pickles that share a memo, and therefore a document.
    fn visit_together(&self, reading: &Reading, each: &mut impl FnMut(Found<'_>) -> Result<()>) -> Result<Ending> {
        let mut ending = Ending::default();
        let (document, mut error) = reading.unpickler().load_all_partial(&self.bytes);
        let mut pickles: Vec<_> = document.pickles().collect();
        if pickles.len() == 1 && reading.nth.is_none() {
            ending.container = self.container(&document, error.as_ref());
            if ending.container.is_some() {
                return Ok(ending);
            }
        }
        let document = self.with_buffers(document);
        let start = pickles.last().map_or(0, |pickle| pickle.start);
        let offset = usize::try_from(start).unwrap_or(usize::MAX);
        if pickles.len() > 1
            && !self.promises_pickle(offset)
            && let Some(why) = error.take()
        {
            pickles.pop();
            ending.trailing = Some(Trailing { offset, len: self.bytes.len() - offset, why });
        }
        if let Some(nth) = reading.nth.filter(|nth| *nth >= pickles.len()) {
            return Err(self.too_few(nth, pickles.len()));
        }
        ending.whole = pickles.len() - usize::from(error.is_some());
        for (nth, &pickle) in pickles.iter().enumerate() {
            let error = error.as_ref().filter(|_| nth + 1 == pickles.len());
            if error.is_none() {
                ending.end = pickle.end;
            }
            if reading.nth.is_none_or(|wanted| wanted == nth) {
                each(Found {
                    document: &document,
                    within: nth,
                    nth,
                    pickle,
                    among_others: pickles.len() > 1 && reading.nth.is_none(),
                    error,
                })?;
            }
        }
        ending.failure = error.map(|error| Failure { nth: pickles.len() - 1, start, error });
        Ok(ending)
    }

    /// Runs the machine over the pickles with a handler that builds no document; `each` is called before and after each of them.
    pub(crate) fn trace<W: Watch>(
        &self,
        reading: &Reading,
        tracer: &mut Tracer<W>,
        mut each: impl FnMut(&mut Tracer<W>, Stage) -> Result<()>,
    ) -> Result<Ending> {
        let mut ending = Ending { container: container::certain(&self.bytes).filter(|_| reading.nth.is_none()), ..Ending::default() };
        if ending.container.is_some() {
            return Ok(ending);
        }
        let rules = reading.rules();
        let mut machine = Machine::new();
        // with one memo for all, the pickles before are needed for what they put into it
        let (mut nth, wanted) = (if reading.shared_memo { 0 } else { reading.nth.unwrap_or(0) }, reading.nth);
        let mut start = self.skip(nth)?;
        loop {
            tracer.trace.restart(reading.shared_memo);
            each(tracer, Stage::Begin { nth, start, wanted: wanted.is_none_or(|wanted| wanted == nth) })?;
            if !reading.shared_memo {
                machine.forget();
            }
            let result = machine.run(&mut SliceInput::new(&self.bytes), start, tracer, &rules);
            // what the trace counts is what the machine has
            debug_assert!(result.is_err() || machine.stack().len() == tracer.trace.depth);
            each(tracer, Stage::End { failed_at: result.as_ref().err().and_then(Error::offset) })?;
            match result {
                Ok(end) => start = end.offset,
                Err(error) => {
                    if nth == 0 && wanted.is_none() {
                        ending.container = container::likely(&self.bytes, &error, None);
                    }
                    ending.failure = Some(Failure { nth, start: start as u64, error });
                    return Ok(ending);
                }
            }
            ending.whole += 1;
            ending.end = start as u64;
            if wanted == Some(nth) {
                return Ok(ending);
            }
            if start >= self.bytes.len() {
                return wanted.map_or(Ok(ending), |wanted| Err(self.too_few(wanted, nth + 1)));
            }
            // what is not even a pickle is not to be traced; one that says it is one is, up to its error
            if !self.promises_pickle(start)
                && let Err(why) = self.probe(start, reading, &rules)
            {
                ending.trailing = Some(Trailing { offset: start, len: self.bytes.len() - start, why });
                return Ok(ending);
            }
            nth += 1;
        }
    }

    /// Whether a pickle begins here and has an end.
    fn probe(&self, start: usize, reading: &Reading, rules: &Rules) -> Result<(), Error> {
        if reading.shared_memo {
            return Lexer::new_at(&self.bytes, start).find_map(Result::err).map_or(Ok(()), Err);
        }
        let mut tracer = Tracer::new(Unwatched);
        Machine::new().run(&mut SliceInput::new(&self.bytes), start, &mut tracer, rules).map(|_| ())
    }

    /// Tells on stderr how a file ends, and gives the exit code for it.
    pub(crate) fn report(&self, ending: &Ending) -> Exit {
        let name = &self.name;
        if let Some(container) = ending.container {
            output::complain(&format!("{name}: not a raw pickle: {container}"));
        } else if let Some(failure) = &ending.failure {
            output::complain(&format!("{name}: {}", failure.message()));
        }
        if let Some(trailing) = &ending.trailing {
            output::note(&format!("{name}: {}", trailing.message()));
        }
        if ending.container.is_none() && ending.failure.is_none() { Exit::Fine } else { Exit::CouldNot }
    }

    /// Whether what begins here says of itself that it is a pickle.
    fn promises_pickle(&self, at: usize) -> bool {
        matches!(self.bytes.get(at..), Some([0x80, 0..=5, ..]))
    }

    /// What the file is, if its first pickle shows that it is not a raw pickle.
    fn container(&self, document: &Document<'_>, error: Option<&Error>) -> Option<&'static str> {
        if let Some(error) = error {
            return container::likely(&self.bytes, error, Some(document));
        }
        if container::is_old_torch(&self.bytes, document.pickles().next()?, document.root()) {
            return Some("a file of PyTorch before 1.6: some pickles, then the tensors' data (--nth N shows one of the pickles)");
        }
        container::is_old_joblib(&self.bytes, document)
            .then_some("a file of joblib before 0.10, whose arrays are in files beside it (--nth 0 shows the pickle)")
    }

    /// Where pickle `nth` begins. The pickles before it need not be well-formed, only have their opcodes.
    pub(crate) fn skip(&self, nth: usize) -> Result<usize> {
        let mut at = 0;
        for before in 0..nth {
            let mut lexer = Lexer::new_at(&self.bytes, at);
            if let Some(Err(error)) = lexer.by_ref().find(Result::is_err) {
                return Err(error).with_context(|| format!("{}: {}", self.name, too_few(nth, before)));
            }
            at = lexer.offset();
            if at >= self.bytes.len() {
                return Err(self.too_few(nth, before + 1));
            }
        }
        Ok(at)
    }

    fn too_few(&self, nth: usize, there: usize) -> anyhow::Error {
        anyhow::anyhow!("{}: {}", self.name, too_few(nth, there))
    }
}

/// Watches nothing.
struct Unwatched;

impl Watch for Unwatched {
    fn begin(&mut self, _trace: &Trace, _opcode: Opcode, _at: Place<'_>) {}

    fn act(&mut self, _trace: &Trace, _act: Act, _at: Option<Place<'_>>) {}
}

fn too_few(nth: usize, there: usize) -> String {
    format!("no pickle {nth}: the file has {}, counted from 0", output::counted(there as u64, "pickle"))
}
