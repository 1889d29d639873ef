//! `optimize`, as far as it is not compared with `pickletools` in `xtask`.

use brinery::{Document, ErrorKind, Pickler, optimize};

#[test]
fn what_is_optimised_is_the_same_value() {
    let bytes = b"](X\x01\0\0\0aq\x05X\x01\0\0\0bq\x09h\x05]r\0\x01\0\0K\x01aj\0\x01\0\0e.";
    let document = Document::from_slice(bytes).unwrap();
    for protocol in 0..=5 {
        let written = Pickler::new().protocol(protocol).dump(&document).unwrap();
        let small = optimize(&written).unwrap();
        assert!(small.len() < written.len());
        assert!(Document::from_slice(&small).unwrap().root() == document.root());
        assert_eq!(optimize(&small).unwrap(), small, "twice is once");
    }
}

#[test]
fn bad_pickles_are_refused_where_they_are_bad() {
    let error = optimize(b"]h\x07a.").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::MemoMissing(7)));
    assert_eq!(error.offset(), Some(1));
    assert!(matches!(optimize(b"]q\0").unwrap_err().kind(), ErrorKind::MissingStop));
    assert_eq!(optimize(b"]px\n.").unwrap_err().offset(), Some(1));
}
