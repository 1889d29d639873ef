//! Read, write and inspect Python's pickle format: fast, complete, and safe, since nothing in a pickle is ever run.
//!
//! Every pickle can be read, of any protocol from 0 to 5, whatever classes it names: a class is a name here, and an object is how it was made and
//! what was done to it. What is written is what CPython's own pickler writes, byte for byte, by every protocol.
//!
//! ```
//! // pickle.dumps({'name': 'Ada', 'langs': ['py', 'rs']}, protocol=4)
//! let bytes = b"\x80\x04\x95(\0\0\0\0\0\0\0}\x94(\x8c\x04name\x94\x8c\x03Ada\x94\x8c\x05langs\x94]\x94(\x8c\x02py\x94\x8c\x02rs\x94eu.";
//! let document = brinery::Document::from_slice(bytes)?;
//! let root = document.root();
//! assert_eq!(root.get("name").and_then(|name| name.as_str()), Some("Ada"));
//! assert_eq!(root.get("langs").and_then(|langs| langs.at(1)).and_then(|lang| lang.as_str()), Some("rs"));
//! assert_eq!(root.repr().to_string(), "{'name': 'Ada', 'langs': ['py', 'rs']}");
//! assert_eq!(brinery::Pickler::new().dump(&document)?, bytes);
//! # Ok::<(), brinery::Error>(())
//! ```
//!
//! # What there is
//!
//! | for | use |
//! | --- | --- |
//! | values of a program's own types, by serde | [`from_slice`], [`from_reader`], [`to_vec`], [`to_writer`]; [`de`] says what reads as what, [`Pickler::to_vec`] what is written |
//! | Python's types that serde lacks | [`py`] |
//! | the pickles of a reader one after another, as a type | [`StreamDeserializer`] |
//! | what a pickle holds | [`Document`], seen through [`Item`]s |
//! | an owned tree of it | [`Value`] |
//! | options, several pickles, buffers used again | [`Unpickler`] |
//! | what a value looks like in Python | [`Item::repr`] |
//! | the opcodes one by one | [`Lexer`], [`Opcode`] |
//! | pickles of documents, items and trees | [`Pickler`] |
//! | documents made by a program, class instances, shared and recursive structures included | [`DocumentBuilder`] |
//! | a program's own types as Python objects, and Python objects as these | [`Pickler::register_class`], [`Constructors`] |
//! | a pickle without the memo slots that nothing reads | [`optimize`] |
//! | something else made of the opcodes' steps | [`Handler`](handler::Handler), [`Machine`](machine::Machine) |
//!
//! There are two more pages: a [`cookbook`] of programs that pickle, and one for those who come from `serde-pickle` ([`migrating`]).
//!
//! # What a document keeps
//!
//! Sharing and cycles: two references to one list have the same [`Item::id`]. Classes that do not exist here: their name, arguments, state and
//! items ([`Item::parts`]). Text in which surrogates stand alone, integers of any size, the order of dicts, Python 2's 8-bit strings as a kind of
//! their own. Equal keys are one key, as in Python.
//!
//! # Writing
//!
//! [`Pickler`] writes what `pickle.dumps` of CPython 3.8 to 3.12 writes for the same value with the same sharing ([`Dialect`] has what later versions change): where the memo is filled, how items
//! are batched, where frames end, how old protocols spell what they have no opcode for. What a pickle of one protocol does not hold cannot be
//! written by another: an object of protocol 1 stays a call of `copyreg._reconstructor`. A value in two places is written once ([`MemoPolicy`]), and
//! one that a protocol cannot hold is an error that says where it is.
//!
//! ```
//! use brinery::{DocumentBuilder, Pickler};
//! let mut builder = DocumentBuilder::new();
//! let class = builder.global("shop.models", "Order")?;
//! let order = builder.new_object(class, [])?;
//! let (name, number) = (builder.str("number")?, builder.int(7)?);
//! let state = builder.dict([(name, number)])?;
//! builder.set_state(order, state)?;
//! let bytes = Pickler::new().protocol(2).dump(&builder.finish(order)?)?;
//! assert_eq!(bytes, b"\x80\x02cshop.models\nOrder\nq\0)\x81q\x01}q\x02X\x06\0\0\0numberq\x03K\x07sb.");
//! # Ok::<(), brinery::Error>(())
//! ```
//!
//! # Coming from Razorvine Pickle (Pyrolite)
//!
//! | there | here |
//! | --- | --- |
//! | `Pickler(useMemo, valueCompare)` | [`Pickler::memo`]: [`MemoPolicy::Identity`], [`Off`](MemoPolicy::Off), or [`EqualText`](MemoPolicy::EqualText): by value, but for text alone, since equal values of other kinds need not be one |
//! | `dumps(o)`, `dumps(o, ref byte[], out int)`, `dump(o, stream)` | [`Pickler::dump`], [`dump_into`](Pickler::dump_into), [`dump_to`](Pickler::dump_to) |
//! | the bytes that it writes | [`Pickler::razorvine`] |
//! | `registerCustomPickler` with an `IObjectPickler`, for the whole process | [`Pickler::register`], for one pickler; `save` is [`DocumentBuilder::save`] |
//! | `registerCustomDeconstructor` with an `IObjectDeconstructor` | [`Pickler::register_class`] with [`Instance::call`] |
//! | `persistentId(o)` | [`Pickler::persistent_id`], [`DocumentBuilder::persistent`] |
//! | `Unpickler.loads`, `load` | [`Unpickler::load`], [`load_reader`](Unpickler::load_reader), [`stream`](Unpickler::stream) |
//! | `registerConstructor` with an `IObjectConstructor`, for the whole process | [`Constructors::register`], for one registry |
//! | `ClassDict`, an unknown class | [`Item::class`], [`Item::attr`], [`Item::parts`]; [`Constructors::otherwise`] |
//! | `persistentLoad(id)` | [`Item::persistent_id`] |
//! | `next_buffer()` | [`Document::with_buffers`], [`Pickler::on_buffer`] |
//! | `dispatch(opcode)` overridden | [`Handler`](handler::Handler) |
//!
//! # Features
//!
//! | feature | by default | what it is |
//! | --- | --- | --- |
//! | `serde` | yes | [`de`], [`py`], [`from_slice`], [`to_vec`] and what goes with them; [`Serialize`](https://docs.rs/serde) for [`Document`], [`Item`] and [`Value`], `Deserialize` for [`Value`]. Only the traits are a dependency (`serde_core`): a program that derives brings `serde` itself |
//!
//! # Safety
//!
//! No code of a pickle runs: there is nothing here that could run it. Memory stays in proportion to the input, whatever lengths and indexes it
//! claims; nothing recurses, so that no depth overflows the stack; [`Limits`] bounds the rest.

// the guide speaks of what the feature has
#![cfg_attr(not(feature = "serde"), allow(rustdoc::broken_intra_doc_links))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod bigint;
#[cfg(feature = "serde")]
pub mod de;
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
#[cfg(feature = "serde")]
pub mod py;
mod repr;
mod text;
mod unpickler;
pub mod value;

#[cfg(feature = "serde")]
pub use de::{Deserializer, StreamDeserializer, from_document, from_item, from_reader, from_slice, from_value};
pub use document::{Action, Document, DocumentBuilder, Encoding, Entries, How, Id, Item, Items, Kind, Part, Pickle};
pub use encode::{Dialect, EightBit, MemoPolicy, Pickler, Placement, Source, optimize};
#[cfg(feature = "serde")]
pub use encode::{to_value, to_vec, to_writer};
pub use error::{Category, Error, ErrorKind, Result};
pub use lexer::{Lexer, Op, Token};
pub use limits::Limits;
pub use native::{Constructors, Instance};
pub use opcode::{Argument, HIGHEST_PROTOCOL, Opcode, StackItem};
pub use repr::{Repr, Written};
pub use unpickler::{Stream, Unpickler};
pub use value::Value;

// pages of the documentation, whose examples are tests
#[cfg(all(feature = "serde", any(doc, doctest)))]
#[doc = include_str!("../docs/cookbook.md")]
pub mod cookbook {}
#[cfg(all(feature = "serde", any(doc, doctest)))]
#[doc = include_str!("../docs/migrating.md")]
pub mod migrating {}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
