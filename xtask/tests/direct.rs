//! Typed reading without a document against typed reading by one: the same values and the same errors, for whatever bytes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::items_after_statements,
    clippy::semicolon_if_nothing_returned,
    clippy::similar_names,
    missing_docs
)]

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use brinery::{Document, Pickler, StreamDeserializer};
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use xtask::typed;

/// Pairs as they come: what is shown twice is seen.
#[derive(Debug, PartialEq)]
struct Pairs(Vec<(Json, Json)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Pairs;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// Goes on whatever was wrong.
#[derive(Debug, PartialEq)]
struct Lenient<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(T::deserialize(deserializer).ok()))
    }
}

/// Takes the first and leaves the rest.
#[derive(Debug, PartialEq)]
struct First(Option<Json>);

impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = First;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map or a sequence")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<First, A::Error> {
                Ok(First(map.next_entry::<Json, Json>()?.map(|(_, value)| value)))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<First, A::Error> {
                Ok(First(seq.next_element()?))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

/// Anything, recursively, by what it is.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Json {
    None(()),
    Bool(bool),
    Int(i64),
    Float(Float),
    Text(String),
    List(Vec<Json>),
    Map(BTreeMap<String, Json>),
    Other(serde::de::IgnoredAny),
}

/// A float of which a NaN is equal to itself.
#[derive(Debug, Deserialize)]
struct Float(f64);

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

#[derive(Debug, PartialEq, Deserialize)]
struct Record {
    id: i64,
    name: Option<String>,
    #[serde(default)]
    items: Vec<Json>,
    #[serde(default)]
    x: Option<(u8, String)>,
}

/// Fields whose names are numbers, and not their own.
#[derive(Debug, PartialEq, Deserialize)]
struct Numbered {
    #[serde(rename = "1", default)]
    one: Option<Json>,
    #[serde(rename = "0", default)]
    zero: Option<Json>,
    #[serde(default)]
    id: Option<Json>,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Choice {
    #[serde(rename = "name")]
    Name,
    #[serde(rename = "id")]
    Id(Json),
    #[serde(rename = "x")]
    X(Json, Json),
    #[serde(rename = "items")]
    Items { id: Option<Json> },
}

#[derive(Debug, PartialEq, Deserialize)]
struct Newtype<T>(T);

/// Without a document and by one, from memory and from a reader.
fn compare<T: DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) -> bool {
    let expected = Document::from_slice(bytes).and_then(|document| {
        let end = usize::try_from(document.pickles().next().unwrap().end).unwrap();
        brinery::from_document::<T>(&document).map(|value| (value, end))
    });
    let found = brinery::from_slice::<T>(bytes);
    let name = std::any::type_name::<T>();
    match (&found, &expected) {
        (Ok(found), Ok((expected, end))) => {
            assert!(found == expected && *end == bytes.len(), "{name}: {}\n{found:?}\n{expected:?}", bytes.escape_ascii())
        }
        (Err(found), Ok((_, end))) => {
            assert!(*end < bytes.len() && found.to_string().contains("behind the pickle"), "{name}: {}: {found}", bytes.escape_ascii());
        }
        (Ok(found), Err(expected)) => panic!("{name}: {}\n{found:?}\n{expected}", bytes.escape_ascii()),
        (Err(found), Err(expected)) => {
            // where the place of a value is looked for depends on how it was read
            assert!(
                std::mem::discriminant(found.kind()) == std::mem::discriminant(expected.kind()) && found.path() == expected.path()
                    || found.to_string().contains("behind the pickle"),
                "{name}: {}: {found}, {expected}",
                bytes.escape_ascii()
            );
        }
    }
    // a reader that gives little at a time
    struct Little<'b>(&'b [u8]);
    impl std::io::Read for Little<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let len = buffer.len().min(7).min(self.0.len());
            buffer[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }
    let mut stream = StreamDeserializer::<_, T>::new(Little(bytes));
    let first = stream.next();
    match (first, &expected) {
        (Some(Ok(value)), Ok((expected, end))) => {
            assert!(value == *expected && stream.byte_offset() == *end as u64, "{name}: {}", bytes.escape_ascii())
        }
        (None | Some(Err(_)), Err(_)) => {}
        (first, expected) => panic!("{name}: {}: {first:?} {expected:?}", bytes.escape_ascii()),
    }
    expected.is_ok()
}

fn compare_all(bytes: &[u8]) -> usize {
    [
        compare::<Json>(bytes),
        compare::<Vec<Float>>(bytes),
        compare::<Vec<i64>>(bytes),
        compare::<Vec<bool>>(bytes),
        compare::<Vec<Option<String>>>(bytes),
        compare::<Vec<Vec<Json>>>(bytes),
        compare::<Vec<(Json, Json)>>(bytes),
        compare::<(Json, Json, Json)>(bytes),
        compare::<[Json; 5]>(bytes),
        compare::<HashMap<String, Json>>(bytes),
        compare::<HashMap<i64, Json>>(bytes),
        compare::<HashMap<Newtype<String>, Newtype<Option<Json>>>>(bytes),
        compare::<Vec<Pairs>>(bytes),
        compare::<Pairs>(bytes),
        compare::<First>(bytes),
        compare::<Vec<First>>(bytes),
        compare::<Record>(bytes),
        compare::<Vec<Record>>(bytes),
        compare::<Choice>(bytes),
        compare::<Numbered>(bytes),
        compare::<Vec<Numbered>>(bytes),
        compare::<BTreeMap<Option<i64>, Json>>(bytes),
        compare::<Vec<Choice>>(bytes),
        compare::<brinery::py::Bytes<Vec<u8>>>(bytes),
        compare::<brinery::py::Tuple<Vec<Json>>>(bytes),
        compare::<brinery::Value>(bytes),
        compare::<Vec<Lenient<u8>>>(bytes),
        compare::<Vec<Lenient<Vec<u8>>>>(bytes),
        compare::<Vec<Lenient<Record>>>(bytes),
        compare::<HashMap<String, Lenient<(u8, u8)>>>(bytes),
        compare::<(Lenient<Choice>, Lenient<First>)>(bytes),
    ]
    .into_iter()
    .filter(|&is_ok| is_ok)
    .count()
}

impl std::hash::Hash for Newtype<String> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Eq for Newtype<String> {}

fn corpus() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/cases");
    let groups: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut files: Vec<PathBuf> = groups.iter().flat_map(|group| fs::read_dir(group).unwrap()).map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "pkl"));
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).filter(|bytes| bytes.len() < 20_000).collect()
}

/// Pickles of plain values, by every protocol.
fn plain(count: usize) -> Vec<Vec<u8>> {
    let mut random = typed::Random::new(3);
    let mut pickles = Vec::new();
    for at in 0..count {
        let value = random.value(6);
        let mut pickler = Pickler::new();
        pickler.protocol(u8::try_from(2 + at % 4).unwrap());
        if at % 5 == 0 {
            pickler.memo(brinery::MemoPolicy::Off);
        }
        pickles.push(pickler.to_vec(&value).unwrap());
    }
    pickles
}

/// A type that leaves something of a list, and a mark too few or too many.
#[test]
fn what_a_type_leaves_is_not_taken_for_something_else() {
    for bytes in
        [&b"](](K\x01e."[..], b"](](K\x01K\x02e.", b"](](K\x01ee.", b"](](K\x01K\x02ee.", b"](}(\x8c\x01aK\x01ue.", b"}(\x8c\x01a](K\x01u."]
    {
        compare_all(bytes);
        compare::<Vec<Vec<First>>>(bytes);
        compare::<Vec<Lenient<Vec<bool>>>>(bytes);
        compare::<HashMap<String, Lenient<HashMap<String, bool>>>>(bytes);
        compare::<HashMap<String, First>>(bytes);
    }
}

#[test]
fn the_corpus_and_plain_values() {
    let (mut pickles, mut values) = (0, 0);
    for bytes in corpus().iter().chain(&plain(1_000)) {
        pickles += 1;
        values += compare_all(bytes);
    }
    println!("{pickles} pickles, {values} values");
    assert!(pickles > 2_500 && values > 5_000, "{pickles} {values}");
}

/// `MUTATIONS` of them, 3,000 by default.
#[test]
fn mutated() {
    let count: u64 = std::env::var("MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(3_000);
    let mut seeds = corpus();
    seeds.retain(|bytes| bytes.len() < 400);
    seeds.extend(plain(2_000).into_iter().filter(|bytes| bytes.len() < 400));
    let mut state = 0x5bd1_e995_u64;
    let mut below = |limit: usize| {
        // Marsaglia's xorshift
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % limit
    };
    let opcodes = b"NKMJG]}()aeust.0\x85\x86\x87\x88\x89\x8a\x8c\x8f\x90\x91\x94\x95hjqrXCBR\x81b";
    for _ in 0..count {
        let mut bytes = seeds[below(seeds.len())].clone();
        for _ in 0..=below(3) {
            if bytes.is_empty() {
                break;
            }
            let at = below(bytes.len());
            match below(6) {
                0 => bytes[at] ^= 1 << below(8),
                1 => bytes[at] = opcodes[below(opcodes.len())],
                2 => bytes.insert(at, opcodes[below(opcodes.len())]),
                3 => {
                    bytes.remove(at);
                }
                4 => bytes.truncate(at),
                _ => {
                    // part of another one
                    let other = &seeds[below(seeds.len())];
                    let start = below(other.len().max(1)).min(other.len());
                    let end = start + below(other.len() - start + 1);
                    bytes.splice(at..at, other[start..end].iter().copied());
                }
            }
        }
        // a frame that is wrong by then would hide the rest: half of them have none
        if below(2) == 0 && bytes.get(2) == Some(&0x95) && bytes.len() > 11 {
            bytes.drain(2..11);
        }
        compare_all(&bytes);
    }
}
