//! Read and inspect Python's pickle format: fast, complete, and safe, since nothing in a pickle is ever run.
//!
//! Every pickle can be read, of any protocol from 0 to 5, whatever classes it names: a class is a name here, and an object is how it was made and
//! what was done to it.
//!
//! ```
//! // pickle.dumps({'name': 'Ada', 'langs': ['py', 'rs']}, protocol=4)
//! let bytes = b"\x80\x04\x95%\0\0\0\0\0\0\0}\x94(\x8c\x04name\x94\x8c\x03Ada\x94\x8c\x05langs\x94]\x94(\x8c\x02py\x94\x8c\x02rs\x94eu.";
//! let document = brinery::Document::from_slice(bytes)?;
//! let root = document.root();
//! assert_eq!(root.get("name").and_then(|name| name.as_str()), Some("Ada"));
//! assert_eq!(root.get("langs").and_then(|langs| langs.at(1)).and_then(|lang| lang.as_str()), Some("rs"));
//! assert_eq!(root.repr().to_string(), "{'name': 'Ada', 'langs': ['py', 'rs']}");
//! # Ok::<(), brinery::Error>(())
//! ```
//!
//! # What there is
//!
//! | for | use |
//! | --- | --- |
//! | what a pickle holds | [`Document`], seen through [`Item`]s |
//! | an owned tree of it | [`Value`] |
//! | options, several pickles, buffers used again | [`Unpickler`] |
//! | what a value looks like in Python | [`Item::repr`] |
//! | the opcodes one by one | [`Lexer`], [`Opcode`] |
//! | something else made of the opcodes' steps | [`Handler`](handler::Handler), [`Machine`](machine::Machine) |
//!
//! # What a document keeps
//!
//! Sharing and cycles: two references to one list have the same [`Item::id`]. Classes that do not exist here: their name, arguments, state and
//! items ([`Item::parts`]). Text in which surrogates stand alone, integers of any size, the order of dicts, Python 2's 8-bit strings as a kind of
//! their own. Equal keys are one key, as in Python.
//!
//! # Safety
//!
//! No code of a pickle runs: there is nothing here that could run it. Memory stays in proportion to the input, whatever lengths and indexes it
//! claims; nothing recurses, so that no depth overflows the stack; [`Limits`] bounds the rest.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod bigint;
mod document;
mod encode;
mod error;
pub mod handler;
pub mod input;
mod lexer;
mod limits;
pub mod machine;
mod memo;
mod names;
mod native;
mod opcode;
mod repr;
mod text;
mod unpickler;
pub mod value;

pub use document::{Action, Document, DocumentBuilder, Encoding, Entries, How, Id, Item, Items, Kind, Part, Pickle};
pub use encode::{Dialect, EightBit, MemoPolicy, Pickler, Placement, Source, optimize};
pub use error::{Category, Error, ErrorKind, Result};
pub use lexer::{Lexer, Op, Token};
pub use limits::Limits;
pub use native::{Constructors, Instance};
pub use opcode::{Argument, HIGHEST_PROTOCOL, Opcode, StackItem};
pub use repr::{Repr, Written};
pub use unpickler::{Stream, Unpickler};
pub use value::Value;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
