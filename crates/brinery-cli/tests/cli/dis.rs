//! `dis`: columns, references, errors.

use super::{CYCLE, Dir, corpus, on};

#[test]
fn columns_are_as_documented() {
    on(CYCLE, &["dis"]).is_golden("dis-cycle.txt");
    on(b"\x80\x02(K\x01X\x02\0\0\0h\xc3q\0U\x01\xe9N\x88G?\xf0\0\0\0\0\0\0t0cm\nC\nq\x01)\x81q\x02}q\x03h\0Ns b.", &["dis"])
        .is_golden("dis-error.txt");
    on(b"\x80\x04\x8c\x01m\x94\x8c\x01C\x94\x93\x94(K\x01o0(NN1(im\nD\nQ\x97\x98\x86\x82\x05\x86.", &["dis", "--ext", "5=shapes.Point"])
        .is_golden("dis-odd.txt");
}

#[test]
fn long_arguments_are_cut_to_the_width() {
    let mut bytes = b"X\xe8\x03\0\0".to_vec();
    bytes.extend([b'z'; 1_000]);
    bytes.push(b'.');
    let cut = on(&bytes, &["dis", "--width", "60"]);
    assert!(cut.out.lines().all(|line| line.chars().count() <= 64), "{}", cut.out);
    assert!(cut.out.contains("zzz..."), "{}", cut.out);
    assert!(on(&bytes, &["dis", "--all"]).out.contains(&format!("BINUNICODE '{}'\n", "z".repeat(1_000))));
}

#[test]
fn several_pickles_and_what_follows() {
    on(b"\x80\x04K\x01.K\x02.rest", &["dis"]).is_golden("dis-several.txt");
    assert_eq!(on(b"\x80\x04K\x01.K\x02.", &["dis", "--nth", "1"]).out.lines().count(), 4);
    // the second pickle reads what the first put into the memo
    let shared = b"\x80\x04]\x94.\x80\x04h\0.";
    assert_eq!(on(shared, &["dis"]).code, 2);
    on(shared, &["dis", "--shared-memo", "--nth", "1"]).is_golden("dis-shared-memo.txt");
}

#[test]
fn json_is_an_object_a_line() {
    let ran = on(CYCLE, &["dis", "--json"]);
    let lines: Vec<serde_json::Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.first().unwrap()["opcode"], "PROTO");
    assert_eq!(lines.last().unwrap()["opcode"], "STOP");
    let get = lines.iter().find(|line| line["opcode"] == "BINGET").unwrap();
    assert_eq!(get["memo"], 1);
    assert_eq!(get["value"]["kind"], "object");
    let reduce = lines.iter().find(|line| line["opcode"] == "REDUCE").unwrap();
    assert_eq!(reduce["callable"]["global"], "collections.OrderedDict");
    let sizes: u64 = lines.iter().map(|line| line["size"].as_u64().unwrap()).sum();
    assert_eq!(sizes, CYCLE.len() as u64);
}

#[test]
fn every_opcode_of_the_corpus_is_listed() {
    let Some(corpus) = corpus() else { return };
    let dir = Dir::new();
    let mut names = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(corpus.join("cases/opcodes")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "pkl") {
            continue;
        }
        let ran = dir.run(&["dis", "--json", path.to_str().unwrap()]);
        let mut stack = None;
        for line in ran.out.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            names.insert(line["opcode"].as_str().unwrap().to_owned());
            stack = line["stack"].as_u64();
        }
        // what STOP leaves is what `show` calls left on the stack
        let shown = dir.run(&["show", "--nth", "0", path.to_str().unwrap()]);
        if shown.code == 0 {
            assert_eq!(stack != Some(0), shown.out.contains("# left on the stack"), "{}: {stack:?} {shown:?}", path.display());
        }
    }
    assert_eq!(names.len(), 68);
}
