//! `stats`: its counts.

use super::{CYCLE, dag, on};

#[test]
fn tables_are_as_documented() {
    on(CYCLE, &["stats"]).is_golden("stats-cycle.txt");
}

#[test]
fn json_counts() {
    let ran = on(CYCLE, &["stats", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let keys: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "file",
            "pickles",
            "bytes",
            "protocols_stated",
            "protocol_needed",
            "frames",
            "stack_depth",
            "mark_depth",
            "memo",
            "calls",
            "longest",
            "content",
            "opcodes",
            "globals",
            "error",
            "trailing_bytes"
        ]
    );
    assert_eq!(json["bytes"], CYCLE.len());
    assert_eq!(json["globals"], serde_json::json!({ "__main__.Node": 1, "collections.OrderedDict": 1 }));
    assert_eq!(json["calls"]["REDUCE"], 1);
    assert_eq!(json["calls"]["BUILD"], 1);
    let content = &json["content"];
    let sum: u64 = ["text", "bytes", "numbers", "structure"].iter().map(|kind| content[kind].as_u64().unwrap()).sum();
    assert_eq!(sum, CYCLE.len() as u64);
}

#[test]
fn sharing_is_counted() {
    let json: serde_json::Value = serde_json::from_str(&on(&dag(), &["stats", "--json"]).out).unwrap();
    assert_eq!(json["memo"], serde_json::json!({ "stores": 65, "reads": 128, "slots_read": 64 }));
    assert_eq!(json["protocol_needed"], 4);
    assert_eq!(json["mark_depth"], 1);
    assert_eq!(json["stack_depth"], 2);
}

#[test]
fn names_of_globals_are_resolved() {
    let bytes = b"\x80\x04\x8c\x01m\x94\x8c\x01C\x94\x93h\0h\x01\x93VD\\u0045\n\x94h\0h\x02\x93\x82\x05\x87.";
    let json: serde_json::Value = serde_json::from_str(&on(bytes, &["stats", "--json", "--ext", "5=a.b.C"]).out).unwrap();
    assert_eq!(json["globals"], serde_json::json!({ "m.C": 2, "a.b.C": 1, "m.DE": 1 }));
}

#[test]
fn a_broken_pickle_is_counted_up_to_its_error() {
    let ran = on(b"\x80\x04K\x01K\x02\xff", &["stats", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, json["opcodes"]["BININT1"]["count"].as_u64()), (2, Some(2)));
    assert_eq!(json["error"], "offset 6: byte 0xff is no opcode");
    assert_eq!(ran.err, "brinery: a.pkl: offset 6: byte 0xff is no opcode\n");
}
