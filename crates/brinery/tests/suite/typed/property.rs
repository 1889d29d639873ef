//! Random values of a wide struct come back from every protocol, memo policy and form of enums.

use std::collections::{BTreeMap, BTreeSet};

use brinery::py::{Bytearray, Bytes, Complex, Frozenset, Global, Int, List, Object, Persistent, Set, Str8, Tuple};
use brinery::{Document, MemoPolicy, Pickler, from_slice};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Wide {
    flag: bool,
    narrow: (i8, i16, i32, i64),
    unsigned: (u8, u16, u32, u64),
    widest: (i128, u128),
    int: Int,
    float: (f32, f64),
    char: char,
    text: String,
    unit: (),
    option: Option<u8>,
    list: Vec<String>,
    tuple: Tuple<Vec<u16>>,
    as_list: List<(u8, String)>,
    array: [u8; 4],
    map: BTreeMap<String, i64>,
    keys: BTreeMap<(u8, bool), Option<String>>,
    bytes: Bytes<Vec<u8>>,
    bytearray: Bytearray<Vec<u8>>,
    old: Str8<Vec<u8>>,
    set: Set<BTreeSet<i32>>,
    frozen: Frozenset<Vec<String>>,
    complex: Complex,
    class: Global,
    id: Persistent<String>,
    object: Object<(u8, String), Option<BTreeMap<String, u8>>>,
    called: Object<Tuple<Vec<u8>>>,
    choice: Choice,
    choices: Vec<Choice>,
    instance: Instance,
    renamed: Vec<Named>,
    value: brinery::Value,
    next: Option<Box<Wide>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Choice {
    Unit,
    One(String),
    Two(u8, f64),
    Fields { a: u8, b: Vec<u8> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "shop.models:Order.Line")]
struct Instance {
    number: u32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "shop.models.Place()")]
struct Named {
    shelf: u8,
    row: String,
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        // Marsaglia's xorshift
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % limit
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }

    fn wide(&mut self) -> i128 {
        let bits = self.below(127);
        let value = (i128::from(self.0) << 64 | i128::from(self.0)) & ((1_i128 << bits) - 1);
        if self.below(2) == 0 { value } else { -value }
    }

    fn int(&mut self) -> i64 {
        i64::try_from(self.wide() % (1_i128 << 63)).unwrap()
    }

    fn text(&mut self) -> String {
        let len = [0, 1, 2, 3, 17, 255, 256, 400][usize::try_from(self.below(8)).unwrap()];
        (0..len).map(|_| ['a', '\n', '\\', '\'', 'é', '\u{3042}', '\u{1f600}', '\0'][usize::try_from(self.below(8)).unwrap()]).collect()
    }

    fn many<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let len = [0, 0, 1, 2, 3, 4, 5, 30][usize::try_from(self.below(8)).unwrap()];
        (0..len).map(|_| one(self)).collect()
    }

    fn bytes(&mut self) -> Vec<u8> {
        self.many(Self::byte)
    }

    fn float(&mut self) -> f64 {
        let float = f64::from_bits(self.0);
        if float.is_nan() { -0.0 } else { float }
    }

    fn line(&mut self) -> String {
        format!("id {}", self.byte())
    }

    fn choice(&mut self) -> Choice {
        match self.below(4) {
            0 => Choice::Unit,
            1 => Choice::One(self.text()),
            2 => Choice::Two(self.byte(), self.float()),
            _ => Choice::Fields { a: self.byte(), b: self.bytes() },
        }
    }

    fn value(&mut self) -> Wide {
        let class = Global::new("shop.models", ["Order", "Order.Line", "Größe"][usize::try_from(self.below(2)).unwrap()]);
        Wide {
            flag: self.below(2) == 0,
            narrow: (self.byte().cast_signed(), -300, i32::MIN, self.int()),
            unsigned: (self.byte(), 65_535, u32::MAX, self.int().cast_unsigned()),
            widest: (self.wide(), self.wide().cast_unsigned()),
            int: Int::from_bytes(&self.bytes()),
            float: (self.byte().into(), self.float()),
            char: self.text().chars().next().unwrap_or('x'),
            text: self.text(),
            unit: (),
            option: if self.below(2) == 0 { None } else { Some(self.byte()) },
            list: self.many(Self::text),
            tuple: Tuple(self.many(|random| random.byte().into())),
            as_list: List((self.byte(), self.text())),
            array: [self.byte(); 4],
            map: self.many(|random| (random.text(), random.int())).into_iter().collect(),
            keys: self.many(|random| ((random.byte(), false), Some(random.text()))).into_iter().collect(),
            bytes: Bytes(self.bytes()),
            bytearray: Bytearray(self.bytes()),
            old: Str8(self.bytes()),
            set: Set(self.many(|random| i32::from(random.byte()) - 100).into_iter().collect()),
            frozen: Frozenset(self.many(Self::text).into_iter().collect::<BTreeSet<_>>().into_iter().collect()),
            complex: Complex { re: self.float(), im: 1.0 },
            class: class.clone(),
            id: Persistent(self.line()),
            object: Object {
                called: self.below(2) == 0,
                class: class.clone(),
                args: (self.byte(), self.text()),
                state: if self.below(2) == 0 { None } else { Some(BTreeMap::from([("a".to_owned(), self.byte())])) },
            },
            called: Object::call(class, Tuple(self.bytes())),
            choice: self.choice(),
            choices: self.many(Self::choice),
            instance: Instance { number: 7, name: self.text() },
            renamed: self.many(|random| Named { shelf: random.byte(), row: random.text() }),
            value: brinery::to_value(&self.many(Self::choice)).unwrap(),
            next: if self.below(3) == 0 { Some(Box::new(self.value())) } else { None },
        }
    }
}

#[test]
fn wide_structs_come_back() {
    let mut random = Random(0x0dd_ba11);
    let mut pickler = Pickler::new();
    for round in 0..200 {
        let value = random.value();
        let mut shown = None;
        for protocol in 0..=5 {
            for memo in [MemoPolicy::Identity, MemoPolicy::EqualText, MemoPolicy::Off] {
                for as_tuples in [false, true] {
                    pickler.protocol(protocol).memo(memo).enums_as_tuples(as_tuples);
                    let bytes = pickler.to_vec(&value).unwrap();
                    let name = format!("round {round}, protocol {protocol}, {memo:?}, {as_tuples}");
                    assert_eq!(from_slice::<Wide>(&bytes).unwrap(), value, "{name}");
                    assert_eq!(brinery::from_reader::<_, Wide>(&*bytes).unwrap(), value, "{name}");
                    // what Python prints is the same of every protocol that has nested classes, and of every memo
                    if protocol >= 4 && !as_tuples {
                        let text = Document::from_slice(&bytes).unwrap().root().repr().to_string();
                        assert_eq!(shown.get_or_insert_with(|| text.clone()), &text, "{name}");
                    }
                }
            }
        }
    }
}
