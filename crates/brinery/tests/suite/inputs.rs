//! Slices, readers, and readers that give, fail and end as they please: the same value, or the same error at the same place.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};

use brinery::{Document, ErrorKind, Limits, Unpickler};

/// Gives the pieces one by one, with an interruption before each.
struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    interrupt: bool,
}

impl Pieces {
    fn new(bytes: &[u8], size: usize) -> Self {
        Self { pieces: bytes.chunks(size).map(<[u8]>::to_vec).collect(), interrupt: true }
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupt = !self.interrupt;
        if !self.interrupt {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let Some(mut piece) = self.pieces.pop_front() else { return Ok(0) };
        let count = piece.len().min(buffer.len());
        buffer[..count].copy_from_slice(&piece[..count]);
        let rest = piece.split_off(count);
        if !rest.is_empty() {
            self.pieces.push_front(rest);
        }
        Ok(count)
    }
}

const SAMPLES: [&[u8]; 9] = [
    b"\x80\x04\x95\x0b\0\0\0\0\0\0\0]\x94(K\x01K\x02e.",
    b"\x80\x04\x95\x05\0\0\0\0\0\0\0]\x94K\x01a.",
    b"(lp0\nI1\naS'text'\np1\naVunicode\np2\na.",
    b"cm\nC\n(I1\ntR.",
    b"X\x05\0\0\0hello.",
    b"X\x05\0\0\0hel",
    b"(I1\nI2",
    b"]\xff",
    b"",
];

fn text(result: brinery::Result<Document<'_>>) -> Result<String, String> {
    result.map(|document| document.root().repr().to_string()).map_err(|error| error.to_string())
}

#[test]
fn any_chunks_give_the_same() {
    for bytes in SAMPLES {
        let expected = text(Document::from_slice(bytes));
        for size in 1..=bytes.len().max(1) {
            assert_eq!(text(Document::from_reader(Pieces::new(bytes, size))), expected, "{} by {size}", bytes.escape_ascii());
            let buffered = BufReader::with_capacity(size, bytes);
            assert_eq!(text(Document::from_buf_reader(buffered)), expected, "{} by {size}", bytes.escape_ascii());
        }
    }
}

#[test]
fn a_buffered_reader_is_left_behind_stop() {
    let bytes = b"\x80\x04\x95\x05\0\0\0\0\0\0\0]\x94K\x01aK\x02a.the rest";
    // a frame that ends before STOP, in buffers of every size
    let bytes = [&bytes[..], b""].concat();
    let expected = Document::from_slice(&bytes).unwrap().pickles().next().unwrap().end as usize;
    for size in 1..bytes.len() + 5 {
        let mut reader = BufReader::with_capacity(size, &*bytes);
        Document::from_buf_reader(&mut reader).unwrap();
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, &bytes[expected..], "by {size}");
    }
}

#[test]
fn a_stream_of_pickles() {
    let bytes = b"K\x01.\x80\x04]K\x02a.N.".repeat(100);
    for size in [1, 2, 3, 7, 64, 5_000] {
        let mut unpickler = Unpickler::new();
        let mut stream = unpickler.stream(Pieces::new(&bytes, size));
        let mut count = 0;
        while let Some(document) = stream.next() {
            let document = document.unwrap();
            let expected = ["1", "[2]", "None"][count % 3];
            assert_eq!(document.root().repr().to_string(), expected);
            stream.recycle(document);
            count += 1;
        }
        assert_eq!((count, stream.offset()), (300, bytes.len() as u64));
    }
}

#[test]
fn a_stream_ends_with_its_first_error_at_its_place() {
    let mut unpickler = Unpickler::new();
    let mut stream = unpickler.stream(&b"K\x01.K\x02.\xff\xff"[..]);
    assert!(stream.next().unwrap().is_ok());
    assert!(stream.next().unwrap().is_ok());
    let error = stream.next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "offset 6: byte 0xff is no opcode");
    assert!(stream.next().is_none());
    drop(stream);
    assert_eq!(unpickler.load(b"K\x03.").unwrap().root().as_i64(), Some(3));
}

#[test]
fn a_reader_that_fails() {
    struct Failing<'a>(&'a [u8]);
    impl Read for Failing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Err(io::Error::new(io::ErrorKind::ConnectionReset, "gone"));
            }
            self.0.read(buffer)
        }
    }
    let error = Document::from_reader(Failing(b"]K\x01a")).unwrap_err();
    assert_eq!(error.to_string(), "offset 4: reading failed: gone");
    assert!(matches!(error.kind(), ErrorKind::Io(inner) if inner.kind() == io::ErrorKind::ConnectionReset));
    assert_eq!(io::Error::from(error).kind(), io::ErrorKind::ConnectionReset);
    // a pickle that is whole before the failure is read
    assert!(Document::from_reader(Failing(b"]K\x01a.")).is_ok());
}

#[test]
fn input_from_a_reader_can_be_limited() {
    let limited = |input| {
        let mut limits = Limits::default();
        limits.input = input;
        let mut unpickler = Unpickler::new();
        unpickler.limits(limits);
        unpickler
    };
    let error = limited(1_000).load_reader(io::repeat(b'N')).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "input", at: 1_000 }), "{error}");
    // the same at every length of the chunks, with other bytes behind the pickle or not
    let bytes = [&b"("[..], &b"K\x01".repeat(1_000), b"l."].concat();
    for size in [1, 7, 512, 5_000] {
        for behind in [&b""[..], b"more"] {
            let all = [&bytes[..], behind].concat();
            for input in [bytes.len() as u64, bytes.len() as u64 + 2] {
                assert!(limited(input).load_reader(Pieces::new(&all, size)).is_ok(), "{size} {input}");
            }
            for input in [0, 100, bytes.len() as u64 - 1] {
                let error = limited(input).load_reader(Pieces::new(&all, size)).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::LimitExceeded { limit: "input", .. }), "{size} {input}: {error}");
            }
        }
    }
}

#[test]
fn small_pickles_of_a_stream_are_small() {
    let bytes = b"K\x01.".repeat(50_000);
    let mut unpickler = Unpickler::new();
    let (documents, held) = crate::allocations::peak(|| unpickler.stream(&*bytes).collect::<Result<Vec<_>, _>>().unwrap());
    assert_eq!(documents.len(), 50_000);
    assert!(held < 1_200 * 50_000, "{} bytes a document", held / 50_000);
}

#[test]
fn a_buffered_reader_over_memory_is_not_copied_for_each_pickle() {
    let bytes = b"K\x01.".repeat(1_000_000);
    let mut rest = &bytes[..];
    let start = std::time::Instant::now();
    let mut unpickler = Unpickler::new();
    while !rest.is_empty() {
        let document = unpickler.load_buf_reader(&mut rest).unwrap();
        unpickler.recycle(document);
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn lax_frames_lose_nothing_of_a_stream() {
    // the frame holds the rest of this pickle, two chunks of the reader's, and the next pickles
    let rest = b"K\x01.".repeat(60_000);
    let bytes = [&b"\x80\x04\x95"[..], &(rest.len() as u64).to_le_bytes(), &rest].concat();
    let mut unpickler = Unpickler::new();
    unpickler.lax_frames(true);
    assert_eq!(unpickler.stream(Pieces::new(&bytes, 70_000)).map(Result::unwrap).count(), 60_000);
}

#[test]
fn offsets_count_from_the_start_of_the_stream() {
    let bytes = b"N.\x80\x04\x95\x03\0\0\0\0\0\0\0\x8c\x05hello.";
    let mut unpickler = Unpickler::new();
    let text = unpickler.load_at(bytes, 2).unwrap_err().to_string();
    let streamed = unpickler.stream(&bytes[..]).last().unwrap().unwrap_err().to_string();
    assert_eq!(streamed, text);
}

#[test]
fn reading_ahead_is_not_asked_of_a_buffered_reader() {
    /// Panics when it is asked for more than the pickle has.
    struct Interactive {
        lines: VecDeque<&'static [u8]>,
    }
    impl Read for Interactive {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("only fill_buf is used");
        }
    }
    impl BufRead for Interactive {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            Ok(self.lines.front().expect("the pickle is over"))
        }
        fn consume(&mut self, count: usize) {
            if count > 0 {
                let front = self.lines.pop_front().expect("something was shown");
                if count < front.len() {
                    self.lines.push_front(&front[count..]);
                }
            }
        }
    }
    let mut reader = Interactive { lines: [&b"]K"[..], b"\x01", b"a", b"."].into() };
    assert_eq!(Document::from_buf_reader(&mut reader).unwrap().root().repr().to_string(), "[1]");
    assert!(reader.lines.is_empty());
}
