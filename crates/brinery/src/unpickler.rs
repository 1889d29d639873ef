//! [`Unpickler`]: options, and buffers that are used again.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, Read};
use std::sync::Arc;

use crate::document::{Builder, Document, Encoding, Loaded, Pickle, Ref, Store};
use crate::error::{Error, Result};
use crate::input::{BufSource, Input, ReadSource, ReaderInput, SliceInput, Source};
use crate::limits::Limits;
use crate::machine::{Machine, Rules};

/// Reads pickles into [`Document`]s, with options, and with buffers that serve one load after another.
///
/// Options are set once and stay; each load starts afresh, also after a failure.
///
/// ```
/// use brinery::{Encoding, Unpickler};
/// let mut unpickler = Unpickler::new();
/// unpickler.encoding(Encoding::Latin1);
/// let document = unpickler.load(b"U\x02h\xe9.")?;
/// assert_eq!(document.root().as_str(), Some("h\u{e9}"));
/// unpickler.recycle(document);
/// # Ok::<(), brinery::Error>(())
/// ```
#[derive(Debug)]
pub struct Unpickler {
    machine: Machine<Ref>,
    builder: Builder,
    rules: Rules,
    shared_memo: bool,
    #[cfg(feature = "serde")]
    choices: crate::de::Choices,
    #[cfg(feature = "serde")]
    spare_memo: crate::de::Spare,
    spare_store: Store,
    spare_buffer: Vec<u8>,
}

impl Default for Unpickler {
    fn default() -> Self {
        Self::new()
    }
}

impl Unpickler {
    /// An unpickler with default options.
    #[must_use]
    pub fn new() -> Self {
        let mut unpickler = Self {
            machine: Machine::new(),
            builder: Builder::new(),
            rules: Rules::default(),
            shared_memo: false,
            #[cfg(feature = "serde")]
            choices: crate::de::Choices::default(),
            #[cfg(feature = "serde")]
            spare_memo: crate::de::Spare::default(),
            spare_store: Store::default(),
            spare_buffer: Vec::new(),
        };
        unpickler.limits(Limits::default());
        unpickler
    }

    /// Sets every limit.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        self.builder.set_limits(&limits);
        self.rules.limits = limits;
        self
    }

    /// The limits that were set.
    #[cfg(feature = "serde")]
    pub(crate) fn limits_set(&self) -> &Limits {
        &self.rules.limits
    }

    /// What typed reading without a document needs: the limits, and a memo that is used again.
    #[cfg(feature = "serde")]
    pub(crate) fn direct_parts(&mut self) -> (&Limits, &mut crate::de::Spare) {
        (&self.rules.limits, &mut self.spare_memo)
    }

    /// Whether frames are as PEP 3154 has them.
    #[cfg(feature = "serde")]
    pub(crate) fn has_strict_frames(&self) -> bool {
        !self.rules.lax_frames
    }

    #[cfg(feature = "serde")]
    pub(crate) fn keep_buffer(&mut self, buffer: Vec<u8>) {
        self.spare_buffer = buffer;
    }

    #[cfg(feature = "serde")]
    pub(crate) fn choices(&self) -> crate::de::Choices {
        self.choices
    }

    #[cfg(feature = "serde")]
    pub(crate) fn choices_mut(&mut self) -> &mut crate::de::Choices {
        &mut self.choices
    }

    /// Sets how 8-bit strings of Python 2 read.
    pub fn encoding(&mut self, encoding: Encoding) -> &mut Self {
        self.builder.set_encoding(encoding);
        self
    }

    /// Sets what the extension codes of `copyreg.add_extension` stand for: codes with module and name. A code that is not
    /// there is kept as what it is.
    pub fn extensions<M: Into<String>, N: Into<String>>(&mut self, extensions: impl IntoIterator<Item = (u32, (M, N))>) -> &mut Self {
        let extensions: HashMap<_, _> = extensions.into_iter().map(|(code, (module, name))| (code, (module.into(), name.into()))).collect();
        self.builder.set_extensions(Arc::new(extensions));
        self
    }

    /// Sets whether frames are read as CPython 3.11's C unpickler reads them, which only asks that their bytes are all there; opcodes may
    /// then stand across a frame's end, frames inside each other, and a pickle may end before its frame does, in which case a buffered
    /// reader is left behind the frame. By default frames are as PEP 3154 has them.
    pub fn lax_frames(&mut self, lax: bool) -> &mut Self {
        self.rules.lax_frames = lax;
        self
    }

    /// Sets whether the pickles that one call of [`load_all`](Self::load_all) reads share a memo, as those do that one `pickle.Pickler`
    /// wrote (ZODB records are two such pickles).
    pub fn shared_memo(&mut self, shared: bool) -> &mut Self {
        self.shared_memo = shared;
        self
    }

    /// Reads the first pickle of a slice. Bytes behind it are not looked at; [`Document::pickles`] says where it ends.
    pub fn load<'a>(&mut self, input: &'a [u8]) -> Result<Document<'a>> {
        self.load_at(input, 0)
    }

    /// Reads the pickle that begins at byte `start` of a slice, such as the one behind another.
    pub fn load_at<'a>(&mut self, input: &'a [u8], start: usize) -> Result<Document<'a>> {
        let (document, error) = self.load_partial(input, start);
        error.map_or(Ok(document), Err)
    }

    /// Reads the pickle that begins at byte `start` of a slice, and on a failure gives what was read until then as well.
    ///
    /// ```
    /// let (document, error) = brinery::Unpickler::new().load_partial(b"](K\x01K\x02\xff", 0);
    /// assert_eq!(error.unwrap().to_string(), "offset 6: byte 0xff is no opcode");
    /// let stack: Vec<_> = document.left_on_stack(0).map(|item| item.repr().to_string()).collect();
    /// assert_eq!(stack, ["[]", "1", "2"]);
    /// ```
    pub fn load_partial<'a>(&mut self, input: &'a [u8], start: usize) -> (Document<'a>, Option<Error>) {
        self.start();
        let (loaded, error) = self.run(&mut SliceInput::new(input), start);
        (self.document(Cow::Borrowed(input), vec![loaded]), error)
    }

    /// Reads all pickles of a slice, one after another, into one document with several roots. Anything behind the last that is not a
    /// pickle is an error.
    pub fn load_all<'a>(&mut self, input: &'a [u8]) -> Result<Document<'a>> {
        let (document, error) = self.load_all_partial(input);
        error.map_or(Ok(document), Err)
    }

    /// As [`load_all`](Self::load_all); on a failure the last pickle of the document is the one that failed, as far as it was read.
    pub fn load_all_partial<'a>(&mut self, input: &'a [u8]) -> (Document<'a>, Option<Error>) {
        self.start();
        let mut pickles = Vec::new();
        let mut start = 0;
        let error = loop {
            if !self.shared_memo {
                self.machine.forget();
            }
            let (loaded, error) = self.run(&mut SliceInput::new(input), start);
            start = loaded.pickle.end as usize;
            pickles.push(loaded);
            if error.is_some() || start >= input.len() {
                break error;
            }
        };
        (self.document(Cow::Borrowed(input), pickles), error)
    }

    /// Reads one pickle from a reader. Bytes behind it may have been read as well and are lost; to have them, use
    /// [`load_buf_reader`](Self::load_buf_reader) or [`stream`](Self::stream).
    pub fn load_reader<R: Read>(&mut self, reader: R) -> Result<Document<'static>> {
        self.load_source(&mut ReadSource::new(reader), 0)
    }

    /// Reads one pickle from a buffered reader, and consumes nothing behind its STOP.
    pub fn load_buf_reader<R: BufRead>(&mut self, reader: R) -> Result<Document<'static>> {
        self.load_source(&mut BufSource::new(reader), 0)
    }

    /// Reads the pickles of a reader one after another, each into a document of its own.
    ///
    /// ```
    /// let bytes: &[u8] = b"K\x01.K\x02.";
    /// let mut unpickler = brinery::Unpickler::new();
    /// let mut sum = 0;
    /// let mut stream = unpickler.stream(bytes);
    /// while let Some(document) = stream.next() {
    ///     let document = document?;
    ///     sum += document.root().as_i64().unwrap_or(0);
    ///     stream.recycle(document);
    /// }
    /// assert_eq!(sum, 3);
    /// # Ok::<(), brinery::Error>(())
    /// ```
    pub fn stream<R: Read>(&mut self, reader: R) -> Stream<'_, R> {
        Stream { unpickler: self, source: ReadSource::new(reader), offset: 0, done: false }
    }

    /// Takes a document's memory back for the next load.
    pub fn recycle(&mut self, document: Document<'_>) {
        if let Cow::Owned(buffer) = document.source {
            self.spare_buffer = buffer;
        }
        self.spare_store = document.store;
    }

    fn start(&mut self) {
        self.machine.forget();
        self.builder.reset(std::mem::take(&mut self.spare_store));
    }

    /// Reads one pickle from a source that has given `base` bytes already.
    fn load_source(&mut self, source: &mut dyn Source, base: u64) -> Result<Document<'static>> {
        let input = self.reader_input(source, base);
        self.load_input(input)
    }

    /// A pickle that is gathered from a source.
    pub(crate) fn reader_input<'s>(&mut self, source: &'s mut dyn Source, base: u64) -> ReaderInput<'s> {
        ReaderInput::new(source, std::mem::take(&mut self.spare_buffer), base, self.rules.limits.input)
    }

    /// Reads one pickle from its first byte on.
    pub(crate) fn load_input(&mut self, mut input: ReaderInput<'_>) -> Result<Document<'static>> {
        self.start();
        let base = input.base();
        let (loaded, error) = self.run(&mut input, 0);
        // after an error nothing more can be made of this input, so all that was gathered counts as used
        let used = if error.is_some() { input.window().len() } else { (loaded.pickle.end - base) as usize };
        let buffer = input.finish(used);
        let document = self.document(Cow::Owned(buffer), vec![loaded]);
        error.map_or(Ok(document), Err)
    }

    /// Runs one pickle.
    fn run<I: Input>(&mut self, input: &mut I, start: usize) -> (Loaded, Option<Error>) {
        self.builder.begin();
        let result = self.machine.run(input, start, &mut self.builder, &self.rules);
        let base = input.base();
        let stack = self.machine.stack();
        let (root, left, end, error) = match result {
            Ok(end) => (end.value, stack.to_vec(), base + end.offset as u64, None),
            Err(error) => {
                let root = stack.last().copied().unwrap_or(Ref::NONE);
                (root, stack.to_vec(), error.offset().unwrap_or(base), Some(error))
            }
        };
        let dropped = self.builder.take_dropped();
        let pickle = Pickle { start: base + start as u64, end, protocol: self.builder.stated_protocol() };
        (Loaded { pickle, root, left, dropped }, error)
    }

    /// The document of what was built. What is found by looking at all of it is found here, once for all its pickles.
    fn document<'a>(&mut self, source: Cow<'a, [u8]>, mut pickles: Vec<Loaded>) -> Document<'a> {
        self.builder.settle(&source);
        self.builder.mark_attributes();
        self.builder.keep_unreachable(&mut pickles);
        Document::new(source, self.builder.take_store(), pickles)
    }
}

/// The pickles of a reader, one after another. After an error there is nothing more.
#[derive(Debug)]
pub struct Stream<'u, R> {
    unpickler: &'u mut Unpickler,
    source: ReadSource<R>,
    offset: u64,
    done: bool,
}

impl<R: Read> Stream<'_, R> {
    /// How many bytes of the reader the pickles so far took.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Takes a document's memory back for the next one.
    pub fn recycle(&mut self, document: Document<'static>) {
        self.unpickler.recycle(document);
    }
}

impl<R: Read> Iterator for Stream<'_, R> {
    type Item = Result<Document<'static>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let result = match self.source.is_over() {
            Ok(true) => {
                self.done = true;
                return None;
            }
            Ok(false) => self.unpickler.load_source(&mut self.source, self.offset),
            Err(error) => Err(error.into()),
        };
        match &result {
            Ok(document) => self.offset = document.pickles().next().map_or(self.offset, |pickle| pickle.end),
            Err(_) => self.done = true,
        }
        Some(result)
    }
}

/// The same with an unpickler of its own, as values of types.
#[cfg(feature = "serde")]
#[derive(Debug)]
pub(crate) struct OwnedStream<R> {
    unpickler: Unpickler,
    source: ReadSource<R>,
    offset: u64,
    done: bool,
}

#[cfg(feature = "serde")]
impl<R: Read> OwnedStream<R> {
    pub(crate) fn new(unpickler: Unpickler, reader: R) -> Self {
        Self { unpickler, source: ReadSource::new(reader), offset: 0, done: false }
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The next value. After an error there is one only if the pickle itself was whole.
    pub(crate) fn next<T: serde_core::de::DeserializeOwned>(&mut self) -> Option<Result<T>> {
        if self.done {
            return None;
        }
        let offset = self.offset;
        let result = match self.source.is_over() {
            Ok(true) => {
                self.done = true;
                return None;
            }
            Ok(false) => self.unpickler.from_source(&mut self.source, &mut self.offset),
            Err(error) => Err(error.into()),
        };
        self.done = self.offset == offset;
        Some(result)
    }
}
