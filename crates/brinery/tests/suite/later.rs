//! Random programs that fill containers and objects before and after the calls that take them. Classes are `m.C`, which exists nowhere.

use brinery::{Document, DocumentBuilder, ErrorKind, Id, MemoPolicy, Pickler};

/// Numbers that look random, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // Marsaglia's xorshift
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// One program. Sets are filled when they are made: before protocol 4 nothing else can be written.
fn document(random: &mut Random, steps: usize) -> Document<'static> {
    let mut builder = DocumentBuilder::new();
    let class = builder.global("m", "C").unwrap();
    let (mut lists, mut dicts, mut objects) = (vec![builder.list([]).unwrap()], vec![builder.dict([]).unwrap()], Vec::new());
    let mut values = vec![lists[0], dicts[0], builder.int(1).unwrap(), builder.str("text").unwrap()];
    for number in 0..steps {
        let pick = |random: &mut Random, values: &[Id]| values[random.below(values.len())];
        let any = pick(random, &values);
        match random.below(10) {
            0 => lists.push(builder.list([any]).unwrap()),
            1 => dicts.push(builder.dict([(builder.none(), any)]).unwrap()),
            2 => values.push(builder.tuple([any, pick(random, &values)]).unwrap()),
            3 | 4 => objects.push(builder.call(class, [any, pick(random, &values)]).unwrap()),
            5 => objects.push(builder.new_object(class, [any]).unwrap()),
            6 | 7 => builder.append(pick(random, &lists), any).unwrap(),
            8 => {
                let key = builder.int(i64::try_from(number).unwrap()).unwrap();
                builder.set_item(pick(random, &dicts), key, any).unwrap();
            }
            _ if objects.is_empty() => {}
            _ => {
                let object = pick(random, &objects);
                match random.below(3) {
                    0 => builder.set_state(object, any).unwrap(),
                    1 => builder.append(object, any).unwrap(),
                    _ => builder.set_state_by(class, object, any).unwrap(),
                }
            }
        }
        let newest = [&lists, &dicts, &objects].map(|made| made.last().copied());
        values.extend(newest.into_iter().flatten());
    }
    let root = builder.list([lists[0], *values.last().unwrap()]).unwrap();
    builder.finish(root).unwrap()
}

#[test]
fn what_is_filled_after_calls_comes_back() {
    let mut random = Random(0x5eed);
    let (mut written, mut refused) = (0, 0);
    for round in 0..20_000 {
        let document = document(&mut random, 4 + round % 30);
        for protocol in 0..=5 {
            for policy in [MemoPolicy::Identity, MemoPolicy::EqualText] {
                let bytes = match Pickler::new().protocol(protocol).memo(policy).dump(&document) {
                    Ok(bytes) => bytes,
                    Err(error) => panic!("round {round}, protocol {protocol}: {error}\n{}", document.root().repr()),
                };
                let again = Document::from_slice(&bytes).unwrap();
                let (expected, found) = (document.root().repr().to_string(), again.root().repr().to_string());
                assert_eq!(found, expected, "round {round}, protocol {protocol}");
                // before protocol 2 a new object is another call
                assert!(protocol < 2 || again.root() == document.root(), "round {round}, protocol {protocol}: {expected}");
                written += 1;
            }
        }
        if let Err(error) = Pickler::new().memo(MemoPolicy::Off).dump(&document) {
            assert!(matches!(error.kind(), ErrorKind::Cyclic | ErrorKind::LimitExceeded { .. }), "{error}");
            refused += 1;
        }
    }
    assert!(written == 240_000 && refused > 1_000, "{written} {refused}");
}
