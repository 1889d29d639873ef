//! CPython as the oracle, asked as these tests run: `python3` must be there.

use std::io::Write;
use std::process::{Command, Stdio};

use brinery::{Argument, Opcode};

use crate::repr;

/// What a Python program prints.
fn python(program: &str) -> String {
    let mut child = Command::new("python3")
        .args(["-X", "utf8", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is needed to compare with CPython");
    child.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The bytes of hexadecimal text.
fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn the_opcode_table_is_that_of_pickletools() {
    let theirs = python(
        "import pickletools
for o in pickletools.opcodes:
    before, after = (' '.join(s.name for s in side) for side in (o.stack_before, o.stack_after))
    print(o.name, ord(o.code), o.arg.name if o.arg else None, o.proto, before, after, sep='|')",
    );
    let mut theirs: Vec<&str> = theirs.lines().collect();
    let mut ours: Vec<String> = Opcode::ALL
        .iter()
        .map(|opcode| {
            let names = |items: &[brinery::StackItem]| items.iter().map(|item| item.name()).collect::<Vec<_>>().join(" ");
            let argument = opcode.argument().name().unwrap_or("None");
            let (before, after) = (names(opcode.stack_before()), names(opcode.stack_after()));
            format!("{opcode}|{}|{argument}|{}|{before}|{after}", opcode.byte(), opcode.protocol())
        })
        .collect();
    theirs.sort_unstable();
    ours.sort_unstable();
    assert_eq!(ours, theirs);
    assert_eq!(Opcode::Mark.argument(), Argument::None);
}

#[test]
fn every_assigned_character_prints_as_in_python() {
    let theirs = python(
        "import unicodedata
for code in range(0x110000):
    char = chr(code)
    if unicodedata.category(char) != 'Cn':
        print(code, repr(char).encode('utf-8', 'surrogatepass').hex())",
    );
    let mut count = 0;
    for line in theirs.lines() {
        let (code, expected) = line.split_once(' ').unwrap();
        let code: u32 = code.parse().unwrap();
        let ours = repr(format!("V\\U{code:08x}\n.").as_bytes());
        assert_eq!(ours.as_bytes(), unhex(expected), "U+{code:04X}");
        count += 1;
    }
    assert!(count > 280_000, "{count}");
}

#[test]
fn floats_and_texts_print_as_in_python() {
    let theirs = python(
        "import pickle, random, struct
random.seed(1)
def show(value):
    print(pickle.dumps(value, 4).hex(), repr(value).encode('utf-8', 'surrogatepass').hex())
for _ in range(20000):
    show(struct.unpack('<d', random.randbytes(8))[0])
    show(random.uniform(-1, 1) * 10.0 ** random.randint(-8, 24))
    show(float(random.randint(-10**17, 10**17)))
for exponent in range(-1074, 1024):
    power = 2.0 ** exponent
    for bits in (-1, 0, 1):
        show(struct.unpack('<d', struct.pack('<q', struct.unpack('<q', struct.pack('<d', power))[0] + bits))[0])
alphabet = ['a', 'b', chr(39), '\"', chr(92), '\\n', '\\r', '\\t', '\\0', chr(0x7f), chr(0xe9), chr(0x20ac), chr(0x1f600), chr(0xad), chr(0x2028), chr(0xd800), chr(0x3000)]
for _ in range(5000):
    text = ''.join(random.choices(alphabet, k=random.randint(0, 12)))
    show(text)
    show(text.encode('utf-8', 'surrogatepass'))
    show(bytearray(random.randbytes(random.randint(0, 12))))
    show([text, (text,), {text: random.getrandbits(random.randint(1, 200)) - 2**60}])",
    );
    let unhex =
        |text: &str| -> Vec<u8> { (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect() };
    for line in theirs.lines() {
        let (pickle, expected) = line.split_once(' ').unwrap();
        assert_eq!(repr(&unhex(pickle)).into_bytes(), unhex(expected), "{pickle}");
    }
}
