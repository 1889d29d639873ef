//! A handler that builds nothing: a value is where it was made, and by which opcode.
//!
//! `dis` and `stats` watch the machine through it. It shows that the machine knows no documents, and it costs eight bytes a value: everything
//! else there is to know of a value stands in the pickle, at its offset.

use std::borrow::Cow;
use std::num::NonZeroU64;

use brinery::handler::{Data, Handler, Place};
use brinery::{Lexer, Op, Opcode, Result, StackItem};

/// Where a value was made: the offset of the opcode that pushed it, and that opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Site(NonZeroU64);

impl Site {
    fn new(offset: usize, opcode: Opcode) -> Self {
        // no opcode is byte 0
        Self(NonZeroU64::new((offset as u64) << 8 | u64::from(opcode.byte())).unwrap_or(NonZeroU64::MIN))
    }

    pub(crate) fn offset(self) -> usize {
        usize::try_from(self.0.get() >> 8).unwrap_or(usize::MAX)
    }

    pub(crate) fn opcode(self) -> Opcode {
        let [byte, ..] = self.0.get().to_le_bytes();
        Opcode::from_byte(byte).unwrap_or(Opcode::None)
    }
}

/// What a step did, beyond pushing or popping what its opcode always does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    /// Text, bytes or digits of this length.
    Data(usize),
    /// A container was made of so many items.
    Of(usize),
    /// So many items went into a value.
    Into(usize, Site),
    /// A callable was called.
    Call(Site),
    /// A global was named by the opcode itself, or by two texts.
    Global(Site),
    /// An object was given a state.
    Build(Site),
    /// The object of a persistent id.
    Persistent(Option<Site>),
    /// So many values were dropped, the topmost being this.
    Drop(usize, Site),
    /// A memo slot was filled.
    Put(u64, Site),
    /// A memo slot was read.
    Get(u64, Site),
}

/// Follows the machine.
pub(crate) trait Watch {
    /// An opcode begins; the one before is over, and the trace says how it left the stack.
    fn begin(&mut self, trace: &Trace, opcode: Opcode, at: Place<'_>);

    /// The opcode did something.
    fn act(&mut self, trace: &Trace, act: Act, at: Option<Place<'_>>);

    /// An error that ends the run, if there is one.
    fn failure(&mut self) -> Result<()> {
        Ok(())
    }
}

/// What is known of the machine and of the values that it made.
#[derive(Debug)]
pub(crate) struct Trace {
    here: Site,
    /// Values on the stack.
    pub(crate) depth: usize,
    /// How many values stand below each mark.
    pub(crate) marks: Vec<usize>,
    /// Sites with what they were made of: a callable, or the texts of a global. They are in order.
    made: Vec<(Site, Site, Site)>,
}

impl Trace {
    fn new() -> Self {
        Self { here: Site::new(0, Opcode::None), depth: 0, marks: Vec::new(), made: Vec::new() }
    }

    /// A new pickle begins.
    pub(crate) fn restart(&mut self, keep_values: bool) {
        self.depth = 0;
        self.marks.clear();
        if !keep_values {
            self.made.clear();
        }
    }

    /// Does to the counts what an opcode does to the stack.
    fn step(&mut self, opcode: Opcode) {
        if opcode == Opcode::Pop && self.marks.last() == Some(&self.depth) {
            self.marks.pop();
            return;
        }
        let before = opcode.stack_before();
        let popped = match before.iter().position(|item| *item == StackItem::Mark) {
            Some(below) => {
                self.depth = self.marks.pop().unwrap_or(0);
                below
            }
            None => before.len(),
        };
        self.depth = self.depth.saturating_sub(popped);
        for item in opcode.stack_after() {
            if *item == StackItem::Mark {
                self.marks.push(self.depth);
            } else {
                self.depth += 1;
            }
        }
    }

    /// What a value was made of: its callable and arguments, or a global's module and name.
    pub(crate) fn made_of(&self, site: Site) -> Option<(Site, Site)> {
        let index = self.made.binary_search_by_key(&site.offset(), |(made, ..)| made.offset()).ok()?;
        self.made.get(index).map(|&(_, first, second)| (first, second))
    }

    /// The module and name of a global.
    pub(crate) fn global(&self, site: Site, window: &[u8]) -> Option<String> {
        let (module, name) = match Lexer::new_at(window, site.offset()).next()?.ok()?.op {
            Op::Global((module, name)) | Op::Inst((module, name)) => (Cow::Borrowed(module), Cow::Borrowed(name)),
            Op::StackGlobal => {
                let (module, name) = self.made_of(site)?;
                (text(module, window)?, text(name, window)?)
            }
            _ => return None,
        };
        Some(format!("{}.{}", printable(&module), printable(&name)))
    }
}

/// A name as it can stand in a line.
fn printable(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    if name.chars().any(char::is_control) { name.escape_debug().to_string() } else { name.into_owned() }
}

/// The text that an opcode pushes.
fn text(site: Site, window: &[u8]) -> Option<Cow<'_, [u8]>> {
    let token = Lexer::new_at(window, site.offset()).next()?.ok()?;
    match token.op {
        Op::ShortBinunicode(text) | Op::Binunicode(text) | Op::Binunicode8(text) => Some(Cow::Borrowed(text)),
        // text with escapes, or of Python 2
        _ => {
            let (document, _) = brinery::Unpickler::new().load_partial(window.get(..token.offset + token.size)?, token.offset);
            document.root().as_text_bytes().map(|text| Cow::Owned(text.to_vec()))
        }
    }
}

/// The handler.
#[derive(Debug)]
pub(crate) struct Tracer<W> {
    pub(crate) trace: Trace,
    pub(crate) watch: W,
}

impl<W: Watch> Tracer<W> {
    pub(crate) fn new(watch: W) -> Self {
        Self { trace: Trace::new(), watch }
    }

    fn here(&mut self) -> Result<Site> {
        self.watch.failure()?;
        Ok(self.trace.here)
    }

    fn act(&mut self, act: Act) -> Result<Site> {
        self.watch.act(&self.trace, act, None);
        self.here()
    }

    fn made(&mut self, act: Act, of: (Site, Site), at: Place<'_>) -> Result<Site> {
        self.trace.made.push((self.trace.here, of.0, of.1));
        self.watch.act(&self.trace, act, Some(at));
        self.here()
    }

    fn changed(&mut self, act: Act) -> Result<()> {
        self.watch.act(&self.trace, act, None);
        self.watch.failure()
    }
}

impl<W: Watch> Handler for Tracer<W> {
    type Ref = Site;

    fn opcode(&mut self, opcode: Opcode, at: Place<'_>) {
        self.watch.begin(&self.trace, opcode, at);
        self.trace.here = Site::new(at.offset, opcode);
        self.trace.step(opcode);
    }

    fn none(&mut self) -> Result<Site> {
        self.here()
    }

    fn bool(&mut self, _value: bool) -> Result<Site> {
        self.here()
    }

    fn int(&mut self, _value: i64) -> Result<Site> {
        self.here()
    }

    fn big_int(&mut self, _data: Data<'_>) -> Result<Site> {
        self.here()
    }

    fn float(&mut self, _value: f64) -> Result<Site> {
        self.here()
    }

    fn str(&mut self, data: Data<'_>) -> Result<Site> {
        self.act(Act::Data(data.bytes.len()))
    }

    fn str8(&mut self, data: Data<'_>) -> Result<Site> {
        self.act(Act::Data(data.bytes.len()))
    }

    fn bytes(&mut self, data: Data<'_>) -> Result<Site> {
        self.act(Act::Data(data.bytes.len()))
    }

    fn bytearray(&mut self, data: Data<'_>) -> Result<Site> {
        self.act(Act::Data(data.bytes.len()))
    }

    fn next_buffer(&mut self) -> Result<Site> {
        self.here()
    }

    fn readonly_buffer(&mut self, _buffer: Site) -> Result<Site> {
        self.here()
    }

    fn list(&mut self, items: &[Site]) -> Result<Site> {
        self.act(Act::Of(items.len()))
    }

    fn tuple(&mut self, items: &[Site]) -> Result<Site> {
        self.act(Act::Of(items.len()))
    }

    fn dict(&mut self, items: &[Site], _at: Place<'_>) -> Result<Site> {
        self.act(Act::Of(items.len() / 2))
    }

    fn empty_set(&mut self) -> Result<Site> {
        self.here()
    }

    fn frozenset(&mut self, items: &[Site], _at: Place<'_>) -> Result<Site> {
        self.act(Act::Of(items.len()))
    }

    fn append(&mut self, list: Site, items: &[Site], _at: Place<'_>) -> Result<()> {
        self.changed(Act::Into(items.len(), list))
    }

    fn set_items(&mut self, dict: Site, items: &[Site], _at: Place<'_>) -> Result<()> {
        self.changed(Act::Into(items.len() / 2, dict))
    }

    fn add_items(&mut self, set: Site, items: &[Site], _at: Place<'_>) -> Result<()> {
        self.changed(Act::Into(items.len(), set))
    }

    fn global(&mut self, _module: Data<'_>, _name: Data<'_>, at: Place<'_>) -> Result<Site> {
        let here = self.trace.here;
        self.watch.act(&self.trace, Act::Global(here), Some(at));
        self.here()
    }

    fn stack_global(&mut self, module: Site, name: Site, at: Place<'_>) -> Result<Site> {
        let here = self.trace.here;
        self.made(Act::Global(here), (module, name), at)
    }

    fn extension(&mut self, _code: u32) -> Result<Site> {
        self.here()
    }

    fn reduce(&mut self, callable: Site, args: Site, at: Place<'_>) -> Result<Site> {
        self.made(Act::Call(callable), (callable, args), at)
    }

    fn new_object(&mut self, class: Site, args: Site, at: Place<'_>) -> Result<Site> {
        self.made(Act::Call(class), (class, args), at)
    }

    fn new_object_ex(&mut self, class: Site, args: Site, _kwargs: Site, at: Place<'_>) -> Result<Site> {
        self.made(Act::Call(class), (class, args), at)
    }

    fn obj(&mut self, class: Site, _args: &[Site], at: Place<'_>) -> Result<Site> {
        self.made(Act::Call(class), (class, class), at)
    }

    fn inst(&mut self, class: Site, _args: &[Site], at: Place<'_>) -> Result<Site> {
        // the class is named by the same opcode
        self.watch.act(&self.trace, Act::Call(class), Some(at));
        self.here()
    }

    fn build(&mut self, object: Site, _state: Site, _at: Place<'_>) -> Result<()> {
        self.changed(Act::Build(object))
    }

    fn persistent_text(&mut self, _id: Data<'_>) -> Result<Site> {
        self.act(Act::Persistent(None))
    }

    fn persistent(&mut self, id: Site) -> Result<Site> {
        self.act(Act::Persistent(Some(id)))
    }

    fn put(&mut self, index: u64, value: Site) {
        self.watch.act(&self.trace, Act::Put(index, value), None);
    }

    fn get(&mut self, index: u64, value: Site, _at: Place<'_>) {
        self.watch.act(&self.trace, Act::Get(index, value), None);
    }

    fn pop(&mut self, values: &[Site], _at: Place<'_>) {
        if let Some(&last) = values.last() {
            self.watch.act(&self.trace, Act::Drop(values.len(), last), None);
        }
    }
}
