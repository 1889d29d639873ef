//! Documents made by a program.

use std::sync::Arc;

use brinery::{Constructors, Document, DocumentBuilder, ErrorKind, Instance, Pickler};

fn shown(builder: DocumentBuilder, root: brinery::Id) -> String {
    builder.finish(root).unwrap().root().repr().to_string()
}

#[test]
fn every_kind_of_value() {
    let mut b = DocumentBuilder::new();
    let values = [
        b.none(),
        b.bool(true),
        b.int(-1).unwrap(),
        b.int(1 << 40).unwrap(),
        b.int_bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 1]).unwrap(),
        b.int_bytes(&[5, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap(),
        b.float(1.5).unwrap(),
        b.str("text").unwrap(),
        b.str_surrogates(b"\xed\xa0\x80").unwrap(),
        b.str8(b"old").unwrap(),
        b.bytes(b"b").unwrap(),
        b.bytearray(b"a").unwrap(),
        b.tuple([]).unwrap(),
        b.global("m", "C").unwrap(),
        b.extension(7).unwrap(),
    ];
    let (one, two) = (b.int(1).unwrap(), b.int(2).unwrap());
    let more = [
        b.dict([(one, two), (two, one), (one, one)]).unwrap(),
        b.set([one, two, one]).unwrap(),
        b.frozenset([one]).unwrap(),
        b.buffer(vec![1], true).unwrap(),
    ];
    let id = b.str("id").unwrap();
    let persistent = b.persistent(id).unwrap();
    let all = b.list(values.into_iter().chain(more).chain([persistent])).unwrap();
    let text = "[None, True, -1, 1099511627776, 18446744073709551616, 5, 1.5, 'text', '\\ud800', 'old', b'b', bytearray(b'a'), (), m.C, ";
    assert!(shown(b, all).starts_with(text));
}

#[test]
fn objects_of_every_make() {
    let mut b = DocumentBuilder::new();
    let class = b.global("m", "C").unwrap();
    let (one, key) = (b.int(1).unwrap(), b.str("k").unwrap());
    let called = b.call(class, [one]).unwrap();
    let new = b.new_object(class, [one]).unwrap();
    let keywords = b.new_object_ex(class, [one], [(key, one)]).unwrap();
    for object in [called, new, keywords] {
        b.append(object, one).unwrap();
        b.set_item(object, key, one).unwrap();
        let state = b.dict([(key, object)]).unwrap();
        b.set_state(object, state).unwrap();
    }
    let setter = b.global("m", "set").unwrap();
    b.set_state_by(setter, new, one).unwrap();
    let all = b.tuple([called, new, keywords]).unwrap();
    let document = b.finish(all).unwrap();
    for protocol in 0..=5 {
        let bytes = Pickler::new().protocol(protocol).dump(&document).unwrap();
        let again = Document::from_slice(&bytes).unwrap();
        assert_eq!(again.root().at(0).unwrap().repr().to_string(), document.root().at(0).unwrap().repr().to_string());
        assert!(again.dropped(0).next().is_none());
    }
}

#[test]
fn what_python_refuses_is_refused() {
    let mut b = DocumentBuilder::new();
    let list = b.list([]).unwrap();
    let one = b.int(1).unwrap();
    assert!(matches!(b.dict([(list, one)]).unwrap_err().kind(), ErrorKind::Unhashable("list")));
    assert!(matches!(b.append(one, one).unwrap_err().kind(), ErrorKind::WrongKind { .. }));
    assert!(matches!(b.call(one, []).unwrap_err().kind(), ErrorKind::WrongKind { .. }));
    assert!(matches!(b.set_state(list, one).unwrap_err().kind(), ErrorKind::WrongKind { .. }));
    assert!(matches!(b.set_state_by(one, list, one).unwrap_err().kind(), ErrorKind::WrongKind { .. }));
}

#[test]
fn an_id_of_another_document_is_refused() {
    let mut other = DocumentBuilder::new();
    for _ in 0..10 {
        other.list([]).unwrap();
    }
    let foreign = other.list([]).unwrap();
    let mut b = DocumentBuilder::new();
    assert!(matches!(b.list([foreign]).unwrap_err().kind(), ErrorKind::UnknownId));
    assert!(matches!(b.finish(foreign).unwrap_err().kind(), ErrorKind::UnknownId));
}

struct Leaf(i64);
struct Tree(Vec<Arc<Leaf>>);

fn pickler() -> Pickler {
    let mut pickler = Pickler::new();
    pickler.register_class("forest", "Leaf", |leaf: &Leaf, builder| {
        let (name, value) = (builder.str("value")?, builder.int(leaf.0)?);
        let state = builder.dict([(name, value)])?;
        Ok(Instance::new().state(state))
    });
    pickler.register_class("forest", "Tree", |tree: &Tree, builder| {
        let leaves = tree.0.iter().map(|leaf| builder.save_shared(leaf)).collect::<Result<Vec<_>, _>>()?;
        let leaves = builder.list(leaves)?;
        Ok(Instance::call([leaves]))
    });
    pickler
}

#[test]
fn own_types_there_and_back() {
    let leaf = Arc::new(Leaf(7));
    let tree = Tree(vec![Arc::clone(&leaf), leaf, Arc::new(Leaf(8))]);
    let bytes = pickler().protocol(2).dump_native(&tree).unwrap();
    let document = Document::from_slice(&bytes).unwrap();
    assert_eq!(document.root().repr().to_string(), "forest.Tree([forest.Leaf(.value=7), forest.Leaf(.value=7), forest.Leaf(.value=8)])");
    let leaves = document.root().args().unwrap().at(0).unwrap();
    assert_eq!(leaves.at(0).unwrap().id(), leaves.at(1).unwrap().id());

    let mut sums = Constructors::<i64>::new();
    sums.register("forest", "Tree", |tree, all| {
        tree.args().and_then(|args| args.at(0)).map_or(Ok(0), |leaves| leaves.items().map(|leaf| all.construct(leaf)).sum())
    })
    .register("forest", "Leaf", |leaf, _| Ok(leaf.attr("value").and_then(brinery::Item::as_i64).unwrap_or_default()));
    assert_eq!(sums.construct(document.root()).unwrap(), 22);
}

#[test]
fn what_is_not_registered_is_named() {
    let error = Pickler::new().dump_native(&Leaf(1)).unwrap_err();
    assert!(error.to_string().starts_with("nothing is registered for ") && error.to_string().ends_with("Leaf"), "{error}");
    let document = Document::from_slice(b"cm\nC\n)R.").unwrap();
    let error = Constructors::<()>::new().construct(document.root()).unwrap_err();
    assert_eq!(error.to_string(), "nothing is registered for m.C");
    // names of Python 2 are found by those of Python 3
    let mut sets = Constructors::new();
    sets.register("queue", "Queue", |_, _| Ok(5));
    assert_eq!(sets.construct(Document::from_slice(b"cQueue\nQueue\n)R.").unwrap().root()).unwrap(), 5);
}
