//! The rows: what each peer does with the same bytes.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use brinery::py::Bytes;
use brinery::{Document, MemoPolicy, Pickler, Unpickler};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_pickle::{DeOptions, SerOptions};

use crate::floors;

type Call = Box<dyn FnMut() -> usize>;

/// A row.
pub struct Row {
    /// Its name.
    pub name: String,
    /// The worker's name for it, if CPython does it.
    pub python: Option<String>,
    /// The peers in this process.
    pub calls: Vec<(String, Call)>,
}

/// A fast hasher, as who reads large maps takes.
pub type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// A record that borrows.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record<'a> {
    id: u32,
    name: &'a str,
    score: f64,
    active: bool,
    tags: Vec<&'a str>,
}

/// A record that owns.
#[derive(Debug, Serialize, Deserialize)]
pub struct Owned {
    id: u32,
    name: String,
    score: f64,
    active: bool,
    tags: Vec<String>,
}

/// A reader that shows nothing of what is behind it.
struct Opaque<'a>(&'a [u8]);

impl Read for Opaque<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

/// Bytes that live as long as the program, so that calls can borrow them.
fn input(folder: &Path, name: &str) -> Result<&'static [u8]> {
    let bytes = std::fs::read(folder.join(name)).with_context(|| name.to_owned())?;
    Ok(Box::leak(bytes.into_boxed_slice()))
}

fn typed<T: Deserialize<'static> + 'static>(bytes: &'static [u8], len: fn(&T) -> usize) -> Call {
    let mut unpickler = Unpickler::new();
    Box::new(move || len(&unpickler.from_slice::<T>(bytes).expect("a value")))
}

fn streamed<T: DeserializeOwned + 'static>(bytes: &'static [u8], len: fn(&T) -> usize) -> Call {
    let mut unpickler = Unpickler::new();
    Box::new(move || len(&unpickler.from_reader::<_, T>(Opaque(bytes)).expect("a value")))
}

fn document(bytes: &'static [u8]) -> Call {
    let mut unpickler = Unpickler::new();
    Box::new(move || {
        let document = unpickler.load(bytes).expect("a document");
        let count = document.node_count();
        unpickler.recycle(document);
        count
    })
}

fn theirs<T: DeserializeOwned + 'static>(bytes: &'static [u8], len: fn(&T) -> usize) -> Call {
    Box::new(move || len(&serde_pickle::from_slice::<T>(bytes, DeOptions::new()).expect("a value")))
}

fn call(name: &str, call: Call) -> (String, Call) {
    (name.to_owned(), call)
}

fn loads(folder: &Path, rows: &mut Vec<Row>) -> Result<()> {
    for size in [100, 1_000, 100_000] {
        for protocol in [4, 2] {
            let file = |kind: &str| format!("{kind}_{size}.p{protocol}");
            let mut row = |kind: &str, calls: Vec<(String, Call)>| {
                rows.push(Row { name: format!("load {}", file(kind)), python: Some(format!("load {}", file(kind))), calls });
            };
            let bytes = input(folder, &file("doubles"))?;
            row(
                "doubles",
                vec![
                    call("Brinery Vec<f64>", typed::<Vec<f64>>(bytes, Vec::len)),
                    call("Brinery Document", document(bytes)),
                    call("serde-pickle", theirs::<Vec<f64>>(bytes, Vec::len)),
                    call("floor: loop", Box::new(move || floors::doubles(bytes, size).len())),
                ],
            );
            let bytes = input(folder, &file("integers"))?;
            row(
                "integers",
                vec![
                    call("Brinery Vec<i64>", typed::<Vec<i64>>(bytes, Vec::len)),
                    call("Brinery Document", document(bytes)),
                    call("serde-pickle", theirs::<Vec<i64>>(bytes, Vec::len)),
                ],
            );
            let bytes = input(folder, &file("booleans"))?;
            row(
                "booleans",
                vec![
                    call("Brinery Vec<bool>", typed::<Vec<bool>>(bytes, Vec::len)),
                    call("Brinery Document", document(bytes)),
                    call("serde-pickle", theirs::<Vec<bool>>(bytes, Vec::len)),
                ],
            );
            let bytes = input(folder, &file("strings"))?;
            let owned: Vec<String> = brinery::from_slice(bytes)?;
            row(
                "strings",
                vec![
                    call("Brinery Vec<&str>", typed::<Vec<&str>>(bytes, Vec::len)),
                    call("Brinery Vec<String>", typed::<Vec<String>>(bytes, Vec::len)),
                    call("Brinery Document", document(bytes)),
                    call("serde-pickle", theirs::<Vec<String>>(bytes, Vec::len)),
                    call("floor: clone of Vec<String>", Box::new(move || owned.clone().len())),
                ],
            );
        }
    }
    Ok(())
}

fn streams(folder: &Path, rows: &mut Vec<Row>) -> Result<()> {
    for size in [100, 1_000, 100_000] {
        for protocol in [4, 2] {
            let file = |kind: &str| format!("{kind}_{size}.p{protocol}");
            let mut row = |kind: &str, own: fn(&'static [u8]) -> [(String, Call); 2]| -> Result<()> {
                let calls = own(input(folder, &file(kind))?).into();
                rows.push(Row { name: format!("stream {}", file(kind)), python: Some(format!("stream {}", file(kind))), calls });
                Ok(())
            };
            fn both<T: DeserializeOwned + 'static>(bytes: &'static [u8], len: fn(&T) -> usize) -> [(String, Call); 2] {
                [call("Brinery reader", streamed::<T>(bytes, len)), call("Brinery memory", typed::<T>(bytes, len))]
            }
            row("doubles", |bytes| both::<Vec<f64>>(bytes, Vec::len))?;
            row("integers", |bytes| both::<Vec<i64>>(bytes, Vec::len))?;
            row("booleans", |bytes| both::<Vec<bool>>(bytes, Vec::len))?;
            row("strings", |bytes| both::<Vec<String>>(bytes, Vec::len))?;
        }
    }
    for protocol in [4, 2] {
        let file = format!("records_10000.p{protocol}");
        let bytes = input(folder, &file)?;
        let calls = vec![
            call("Brinery reader", streamed::<Vec<Owned>>(bytes, Vec::len)),
            call("Brinery memory", typed::<Vec<Owned>>(bytes, Vec::len)),
        ];
        rows.push(Row { name: format!("stream {file}"), python: Some(format!("stream {file}")), calls });
    }
    Ok(())
}

fn realistic(folder: &Path, rows: &mut Vec<Row>) -> Result<()> {
    let mut row = |file: &str, calls: Vec<(String, Call)>| {
        rows.push(Row { name: format!("load {file}"), python: Some(format!("load {file}")), calls });
    };
    let bytes = input(folder, "records_10000.p4")?;
    row(
        "records_10000.p4",
        vec![
            call("Brinery struct of &str", typed::<Vec<Record<'static>>>(bytes, Vec::len)),
            call("Brinery struct of String", typed::<Vec<Owned>>(bytes, Vec::len)),
            call("Brinery Document", document(bytes)),
            call("serde-pickle", theirs::<Vec<Owned>>(bytes, Vec::len)),
        ],
    );
    let bytes = input(folder, "dict_100000.p4")?;
    let ready: Map<String, i64> = brinery::from_slice(bytes)?;
    row(
        "dict_100000.p4",
        vec![
            call("Brinery HashMap<&str, i64>", typed::<Map<&'static str, i64>>(bytes, Map::len)),
            call("Brinery HashMap<String, i64>", typed::<Map<String, i64>>(bytes, Map::len)),
            call("Brinery Document", document(bytes)),
            call("serde-pickle", theirs::<Map<String, i64>>(bytes, Map::len)),
            call(
                "floor: the map from ready keys",
                Box::new(move || {
                    let mut map = Map::with_capacity_and_hasher(ready.len(), Default::default());
                    map.extend(ready.iter().map(|(key, value)| (key.clone(), *value)));
                    map.len()
                }),
            ),
        ],
    );
    for file in ["references_100000.p4", "depth_10000.p4", "arrays_100.p4"] {
        let bytes = input(folder, file)?;
        let mut calls = vec![call("Brinery Document", document(bytes))];
        if file.starts_with("references") {
            calls.push(call("Brinery Vec<Vec<&str>>", typed::<Vec<Vec<&str>>>(bytes, Vec::len)));
        }
        row(file, calls);
    }
    let bytes = input(folder, "bytes_64MiB.p4")?;
    row(
        "bytes_64MiB.p4",
        vec![
            call("Brinery &[u8]", typed::<Bytes<&[u8]>>(bytes, |bytes| bytes.0.len())),
            call("Brinery reader Vec<u8>", streamed::<Bytes<Vec<u8>>>(bytes, |bytes| bytes.0.len())),
            call(
                "Brinery reader Document",
                Box::new(move || Document::from_reader(Opaque(bytes)).expect("a document").root().as_bytes().map_or(0, <[u8]>::len)),
            ),
            call("floor: memcpy into fresh memory", Box::new(move || bytes.to_vec().len())),
        ],
    );
    Ok(())
}

fn written<T: Serialize + 'static>(value: &'static T, memo: MemoPolicy) -> Call {
    let mut pickler = Pickler::new();
    pickler.memo(memo);
    let mut bytes = Vec::new();
    Box::new(move || {
        bytes.clear();
        pickler.extend(&mut bytes, value).expect("bytes");
        bytes.len()
    })
}

fn written_by_them<T: Serialize + 'static>(value: &'static T) -> Call {
    let mut bytes = Vec::new();
    Box::new(move || {
        bytes.clear();
        serde_pickle::to_writer(&mut bytes, value, SerOptions::new()).expect("bytes");
        bytes.len()
    })
}

fn dumps(folder: &Path, rows: &mut Vec<Row>) -> Result<()> {
    fn lists<T: DeserializeOwned + Serialize + 'static>(folder: &Path, rows: &mut Vec<Row>, kind: &str) -> Result<()> {
        for size in [100, 1_000, 100_000] {
            let name = format!("{kind}_{size}");
            let value: &'static Vec<T> = Box::leak(Box::new(brinery::from_slice(input(folder, &format!("{name}.p4"))?)?));
            let calls = vec![
                call("Brinery no memo", written(value, MemoPolicy::Off)),
                call("Brinery memo", written(value, MemoPolicy::Identity)),
                call("serde-pickle", written_by_them(value)),
            ];
            rows.push(Row { name: format!("dump {name}"), python: Some(format!("dump-fast {name}")), calls });
        }
        Ok(())
    }
    lists::<f64>(folder, rows, "doubles")?;
    lists::<i64>(folder, rows, "integers")?;
    lists::<bool>(folder, rows, "booleans")?;
    lists::<String>(folder, rows, "strings")?;
    let doubles: Vec<f64> = (0..1_000).map(|x| f64::from(x) * 0.5).collect();
    let mut out = Vec::new();
    let floor: Call = Box::new(move || {
        out.clear();
        floors::write_doubles(&doubles, &mut out);
        out.len()
    });
    if let Some(row) = rows.iter_mut().find(|row| row.name == "dump doubles_1000") {
        row.calls.push(call("floor: loop", floor));
    }
    let records: &'static Vec<Owned> = Box::leak(Box::new(brinery::from_slice(input(folder, "records_10000.p4")?)?));
    let map: &'static Map<String, i64> = Box::leak(Box::new(brinery::from_slice(input(folder, "dict_100000.p4")?)?));
    rows.push(Row {
        name: "dump records_10000".to_owned(),
        python: Some("dump records_10000".to_owned()),
        calls: vec![
            call("Brinery", written(records, MemoPolicy::Identity)),
            call("Brinery no memo", written(records, MemoPolicy::Off)),
            call("serde-pickle", written_by_them(records)),
        ],
    });
    rows.push(Row {
        name: "dump dict_100000".to_owned(),
        python: Some("dump dict_100000".to_owned()),
        calls: vec![
            call("Brinery", written(map, MemoPolicy::Identity)),
            call("Brinery no memo", written(map, MemoPolicy::Off)),
            call("serde-pickle", written_by_them(map)),
        ],
    });
    let document: &'static Document<'static> = Box::leak(Box::new(Document::from_slice(input(folder, "references_100000.p4")?)?));
    let mut pickler = Pickler::new();
    let mut bytes = Vec::new();
    rows.push(Row {
        name: "dump references_100000".to_owned(),
        python: Some("dump references_100000".to_owned()),
        calls: vec![call(
            "Brinery Document",
            Box::new(move || {
                bytes.clear();
                pickler.dump_into(document, &mut bytes).expect("bytes");
                bytes.len()
            }),
        )],
    });
    Ok(())
}

/// All rows, over the inputs in a folder.
pub fn rows(folder: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    loads(folder, &mut rows)?;
    realistic(folder, &mut rows)?;
    streams(folder, &mut rows)?;
    dumps(folder, &mut rows)?;
    Ok(rows)
}
