//! The pickles of a reader, one after another.

use std::io::{self, Read};

use brinery::{Encoding, ErrorKind, StreamDeserializer, Unpickler};

fn pickles(count: u32) -> Vec<u8> {
    (0..count).flat_map(|at| brinery::to_vec(&(at, format!("text {at}"))).unwrap()).collect()
}

#[test]
fn many_and_where_they_stand() {
    let bytes = pickles(1_000);
    let mut stream = StreamDeserializer::<_, (u32, String)>::new(&*bytes);
    let mut offset = 0;
    for at in 0..1_000 {
        assert_eq!(stream.byte_offset(), offset);
        let value = stream.next().unwrap().unwrap();
        assert_eq!(value, (at, format!("text {at}")));
        offset += brinery::to_vec(&value).unwrap().len() as u64;
    }
    assert!(stream.next().is_none() && stream.next().is_none());
    assert_eq!(stream.byte_offset(), bytes.len() as u64);
}

#[test]
fn a_pickle_that_ends_early_is_the_last() {
    let bytes = pickles(3);
    let mut stream = StreamDeserializer::<_, (u32, String)>::new(&bytes[..bytes.len() - 4]);
    assert!(stream.next().unwrap().is_ok() && stream.next().unwrap().is_ok());
    let error = stream.next().unwrap().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::FrameTruncated { .. }), "{error}");
    assert!(stream.next().is_none());
}

struct Failing(u8);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0 += 1;
        match self.0 {
            1 => (&b"K\x01.K"[..]).read(buffer),
            2 => Err(io::ErrorKind::Interrupted.into()),
            3 => (&b"\x02."[..]).read(buffer),
            _ => Err(io::Error::other("gone")),
        }
    }
}

#[test]
fn readers_that_fail() {
    let mut stream = StreamDeserializer::<_, u8>::new(Failing(0));
    assert_eq!(stream.next().unwrap().unwrap(), 1);
    assert_eq!(stream.next().unwrap().unwrap(), 2);
    assert_eq!(stream.next().unwrap().unwrap_err().to_string(), "reading failed: gone");
    assert!(stream.next().is_none());
}

#[test]
fn options() {
    let mut unpickler = Unpickler::new();
    unpickler.encoding(Encoding::Latin1);
    let texts: Vec<String> = StreamDeserializer::with_options(&b"U\x01\xe9.U\x01\xe8."[..], unpickler).collect::<Result<_, _>>().unwrap();
    assert_eq!(texts, ["é", "è"]);
}
