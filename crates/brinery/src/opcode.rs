//! The opcodes of the pickle virtual machine: one table from which everything else derives.
//!
//! Facts are those of CPython's `pickletools.opcodes` (Python 3.11; nothing was added up to 3.14), with
//! which a test compares this table. Protocols 0 to 2 are described in PEP 307, protocol 4 in PEP 3154,
//! protocol 5 in PEP 574.

use std::fmt;

/// What stands after an opcode's byte: the forms that `pickletools` names.
///
/// All binary numbers are little-endian, but for the big-endian [`Float8`](Argument::Float8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Argument {
    /// Nothing: the opcode is one byte.
    None,
    /// One unsigned byte.
    Uint1,
    /// Two bytes, unsigned.
    Uint2,
    /// Four bytes, signed.
    Int4,
    /// Four bytes, unsigned.
    Uint4,
    /// Eight bytes, unsigned.
    Uint8,
    /// Eight bytes, IEEE 754 double, big-endian.
    Float8,
    /// A line with a decimal integer, short enough for a machine word; `00` and `01` are booleans.
    DecimalnlShort,
    /// A line with a decimal integer of any length, with or without a final `L`.
    DecimalnlLong,
    /// A line with a float as text.
    Floatnl,
    /// A line with a quoted 8-bit string and its escapes.
    Stringnl,
    /// A line of ASCII text without quotes or escapes.
    StringnlNoescape,
    /// Two lines: a module and a name.
    StringnlNoescapePair,
    /// A line in raw-unicode-escape.
    Unicodestringnl,
    /// An 8-bit string after a length of one byte.
    String1,
    /// An 8-bit string after a signed length of four bytes.
    String4,
    /// Bytes after a length of one byte.
    Bytes1,
    /// Bytes after a length of four bytes.
    Bytes4,
    /// Bytes after a length of eight bytes.
    Bytes8,
    /// Bytes of a bytearray after a length of eight bytes.
    Bytearray8,
    /// UTF-8 (surrogates may stand alone) after a length of one byte.
    Unicodestring1,
    /// UTF-8 (surrogates may stand alone) after a length of four bytes.
    Unicodestring4,
    /// UTF-8 (surrogates may stand alone) after a length of eight bytes.
    Unicodestring8,
    /// A two's-complement integer after a length of one byte.
    Long1,
    /// A two's-complement integer after a signed length of four bytes.
    Long4,
}

impl Argument {
    /// The name that `pickletools` gives this form; `None` where there is no argument.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::None => return None,
            Self::Uint1 => "uint1",
            Self::Uint2 => "uint2",
            Self::Int4 => "int4",
            Self::Uint4 => "uint4",
            Self::Uint8 => "uint8",
            Self::Float8 => "float8",
            Self::DecimalnlShort => "decimalnl_short",
            Self::DecimalnlLong => "decimalnl_long",
            Self::Floatnl => "floatnl",
            Self::Stringnl => "stringnl",
            Self::StringnlNoescape => "stringnl_noescape",
            Self::StringnlNoescapePair => "stringnl_noescape_pair",
            Self::Unicodestringnl => "unicodestringnl",
            Self::String1 => "string1",
            Self::String4 => "string4",
            Self::Bytes1 => "bytes1",
            Self::Bytes4 => "bytes4",
            Self::Bytes8 => "bytes8",
            Self::Bytearray8 => "bytearray8",
            Self::Unicodestring1 => "unicodestring1",
            Self::Unicodestring4 => "unicodestring4",
            Self::Unicodestring8 => "unicodestring8",
            Self::Long1 => "long1",
            Self::Long4 => "long4",
        })
    }
}

/// What an opcode takes from the stack or leaves on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StackItem {
    /// Anything.
    Any,
    /// `None`.
    None,
    /// An integer.
    Int,
    /// A boolean.
    Bool,
    /// An integer, or a boolean where the text is `00` or `01`.
    IntOrBool,
    /// A float.
    Float,
    /// Bytes.
    Bytes,
    /// Text.
    Str,
    /// An 8-bit string of Python 2.
    BytesOrStr,
    /// A bytearray.
    Bytearray,
    /// A tuple.
    Tuple,
    /// A list.
    List,
    /// A dict.
    Dict,
    /// A set.
    Set,
    /// A frozenset.
    Frozenset,
    /// An out-of-band buffer.
    Buffer,
    /// The topmost mark.
    Mark,
    /// Everything above the topmost mark.
    Stackslice,
}

impl StackItem {
    /// The name that `pickletools` gives this item.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::None => "None",
            Self::Int => "int",
            Self::Bool => "bool",
            Self::IntOrBool => "int_or_bool",
            Self::Float => "float",
            Self::Bytes => "bytes",
            Self::Str => "str",
            Self::BytesOrStr => "bytes_or_str",
            Self::Bytearray => "bytearray",
            Self::Tuple => "tuple",
            Self::List => "list",
            Self::Dict => "dict",
            Self::Set => "set",
            Self::Frozenset => "frozenset",
            Self::Buffer => "buffer",
            Self::Mark => "mark",
            Self::Stackslice => "stackslice",
        }
    }
}

macro_rules! opcodes {
    ($( $byte:literal $name:ident $text:literal $arg:ident $protocol:literal
        [$($before:ident),*] -> [$($after:ident),*] $doc:literal; )*) => {
        /// An opcode. Its discriminant is its byte in a pickle.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode { $( #[doc = $doc] $name = $byte, )* }

        impl Opcode {
            /// Every opcode, by protocol as in the table.
            pub const ALL: [Self; 68] = [$( Self::$name, )*];

            /// The opcode of a byte, if there is one.
            #[must_use]
            #[inline(always)]
            #[expect(clippy::indexing_slicing, reason = "a table of 256 has a place for every byte")]
            pub const fn from_byte(byte: u8) -> Option<Self> {
                #[expect(clippy::indexing_slicing, reason = "a table of 256 has a place for every byte")]
                const BY_BYTE: [Option<Opcode>; 256] = {
                    let mut table = [None; 256];
                    $( table[$byte as usize] = Some(Opcode::$name); )*
                    table
                };
                BY_BYTE[byte as usize]
            }

            /// The name in `pickletools`, such as `BININT1`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$name => $text, )* }
            }

            /// What follows the opcode's byte.
            #[must_use]
            #[inline]
            pub const fn argument(self) -> Argument {
                match self { $( Self::$name => Argument::$arg, )* }
            }

            /// The first protocol that has this opcode.
            #[must_use]
            #[inline]
            pub const fn protocol(self) -> u8 {
                match self { $( Self::$name => $protocol, )* }
            }

            /// What is taken from the stack, the topmost last.
            #[must_use]
            pub const fn stack_before(self) -> &'static [StackItem] {
                match self { $( Self::$name => &[$( StackItem::$before ),*], )* }
            }

            /// What is left on the stack, the topmost last.
            #[must_use]
            pub const fn stack_after(self) -> &'static [StackItem] {
                match self { $( Self::$name => &[$( StackItem::$after ),*], )* }
            }

            /// One line on what the opcode does.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $( Self::$name => $doc, )* }
            }
        }
    };
}

opcodes! {
    b'('  Mark           "MARK"             None 0 [] -> [Mark] "Push a mark.";
    b'.'  Stop           "STOP"             None 0 [Any] -> [] "End of the pickle; the top of the stack is its value.";
    b'0'  Pop            "POP"              None 0 [Any] -> [] "Drop the top of the stack, be it a value or a mark.";
    b'2'  Dup            "DUP"              None 0 [Any] -> [Any, Any] "Push the top of the stack once more.";
    b'F'  Float          "FLOAT"            Floatnl 0 [] -> [Float] "Push a float given as text.";
    b'I'  Int            "INT"              DecimalnlShort 0 [] -> [IntOrBool] "Push an integer or boolean given as text.";
    b'L'  Long           "LONG"             DecimalnlLong 0 [] -> [Int] "Push an integer of any size given as text.";
    b'N'  None           "NONE"             None 0 [] -> [None] "Push None.";
    b'P'  Persid         "PERSID"           StringnlNoescape 0 [] -> [Any] "Push the object of a persistent id given as text.";
    b'R'  Reduce         "REDUCE"           None 0 [Any, Any] -> [Any] "Call a callable with a tuple of arguments.";
    b'S'  String         "STRING"           Stringnl 0 [] -> [BytesOrStr] "Push an 8-bit string given as a quoted text.";
    b'V'  Unicode        "UNICODE"          Unicodestringnl 0 [] -> [Str] "Push text given in raw-unicode-escape.";
    b'a'  Append         "APPEND"           None 0 [List, Any] -> [List] "Append one item to a list.";
    b'b'  Build          "BUILD"            None 0 [Any, Any] -> [Any] "Give an object its state.";
    b'c'  Global         "GLOBAL"           StringnlNoescapePair 0 [] -> [Any] "Push a class or function by its name.";
    b'd'  Dict           "DICT"             None 0 [Mark, Stackslice] -> [Dict] "Make a dict of everything above the mark.";
    b'g'  Get            "GET"              DecimalnlShort 0 [] -> [Any] "Push the object of a memo slot (index as text).";
    b'i'  Inst           "INST"             StringnlNoescapePair 0 [Mark, Stackslice] -> [Any] "Make an instance of a class named here.";
    b'l'  List           "LIST"             None 0 [Mark, Stackslice] -> [List] "Make a list of everything above the mark.";
    b'p'  Put            "PUT"              DecimalnlShort 0 [] -> [] "Store the top of the stack in a memo slot (index as text).";
    b's'  Setitem        "SETITEM"          None 0 [Dict, Any, Any] -> [Dict] "Set one item of a dict.";
    b't'  Tuple          "TUPLE"            None 0 [Mark, Stackslice] -> [Tuple] "Make a tuple of everything above the mark.";
    b')'  EmptyTuple     "EMPTY_TUPLE"      None 1 [] -> [Tuple] "Push an empty tuple.";
    b'1'  PopMark        "POP_MARK"         None 1 [Mark, Stackslice] -> [] "Drop everything down to the mark, and the mark.";
    b'G'  Binfloat       "BINFLOAT"         Float8 1 [] -> [Float] "Push a float.";
    b'J'  Binint         "BININT"           Int4 1 [] -> [Int] "Push a signed integer of four bytes.";
    b'K'  Binint1        "BININT1"          Uint1 1 [] -> [Int] "Push an unsigned integer of one byte.";
    b'M'  Binint2        "BININT2"          Uint2 1 [] -> [Int] "Push an unsigned integer of two bytes.";
    b'Q'  Binpersid      "BINPERSID"        None 1 [Any] -> [Any] "Push the object of the persistent id on the stack.";
    b'T'  Binstring      "BINSTRING"        String4 1 [] -> [BytesOrStr] "Push an 8-bit string.";
    b'U'  ShortBinstring "SHORT_BINSTRING"  String1 1 [] -> [BytesOrStr] "Push an 8-bit string under 256 bytes.";
    b'X'  Binunicode     "BINUNICODE"       Unicodestring4 1 [] -> [Str] "Push text.";
    b']'  EmptyList      "EMPTY_LIST"       None 1 [] -> [List] "Push an empty list.";
    b'e'  Appends        "APPENDS"          None 1 [List, Mark, Stackslice] -> [List] "Append everything above the mark to a list.";
    b'h'  Binget         "BINGET"           Uint1 1 [] -> [Any] "Push the object of a memo slot.";
    b'j'  LongBinget     "LONG_BINGET"      Uint4 1 [] -> [Any] "Push the object of a memo slot.";
    b'o'  Obj            "OBJ"              None 1 [Mark, Any, Stackslice] -> [Any] "Make an instance of the class above the mark.";
    b'q'  Binput         "BINPUT"           Uint1 1 [] -> [] "Store the top of the stack in a memo slot.";
    b'r'  LongBinput     "LONG_BINPUT"      Uint4 1 [] -> [] "Store the top of the stack in a memo slot.";
    b'u'  Setitems       "SETITEMS"         None 1 [Dict, Mark, Stackslice] -> [Dict] "Set the items above the mark in a dict.";
    b'}'  EmptyDict      "EMPTY_DICT"       None 1 [] -> [Dict] "Push an empty dict.";
    0x80  Proto          "PROTO"            Uint1 2 [] -> [] "State the protocol.";
    0x81  Newobj         "NEWOBJ"           None 2 [Any, Any] -> [Any] "Make an object by cls.__new__ with a tuple of arguments.";
    0x82  Ext1           "EXT1"             Uint1 2 [] -> [Any] "Push the class or function of an extension code.";
    0x83  Ext2           "EXT2"             Uint2 2 [] -> [Any] "Push the class or function of an extension code.";
    0x84  Ext4           "EXT4"             Int4 2 [] -> [Any] "Push the class or function of an extension code.";
    0x85  Tuple1         "TUPLE1"           None 2 [Any] -> [Tuple] "Make a tuple of the topmost value.";
    0x86  Tuple2         "TUPLE2"           None 2 [Any, Any] -> [Tuple] "Make a tuple of the two topmost values.";
    0x87  Tuple3         "TUPLE3"           None 2 [Any, Any, Any] -> [Tuple] "Make a tuple of the three topmost values.";
    0x88  Newtrue        "NEWTRUE"          None 2 [] -> [Bool] "Push True.";
    0x89  Newfalse       "NEWFALSE"         None 2 [] -> [Bool] "Push False.";
    0x8a  Long1          "LONG1"            Long1 2 [] -> [Int] "Push an integer under 256 bytes.";
    0x8b  Long4          "LONG4"            Long4 2 [] -> [Int] "Push an integer of up to 2 GiB.";
    b'B'  Binbytes       "BINBYTES"         Bytes4 3 [] -> [Bytes] "Push bytes.";
    b'C'  ShortBinbytes  "SHORT_BINBYTES"   Bytes1 3 [] -> [Bytes] "Push bytes, fewer than 256.";
    0x8c  ShortBinunicode "SHORT_BINUNICODE" Unicodestring1 4 [] -> [Str] "Push text under 256 bytes.";
    0x8d  Binunicode8    "BINUNICODE8"      Unicodestring8 4 [] -> [Str] "Push text with a length of eight bytes.";
    0x8e  Binbytes8      "BINBYTES8"        Bytes8 4 [] -> [Bytes] "Push bytes with a length of eight bytes.";
    0x8f  EmptySet       "EMPTY_SET"        None 4 [] -> [Set] "Push an empty set.";
    0x90  Additems       "ADDITEMS"         None 4 [Set, Mark, Stackslice] -> [Set] "Add everything above the mark to a set.";
    0x91  Frozenset      "FROZENSET"        None 4 [Mark, Stackslice] -> [Frozenset] "Make a frozenset of everything above the mark.";
    0x92  NewobjEx       "NEWOBJ_EX"        None 4 [Any, Any, Any] -> [Any] "Make an object by cls.__new__ with arguments and keyword arguments.";
    0x93  StackGlobal    "STACK_GLOBAL"     None 4 [Str, Str] -> [Any] "Push the class or function whose module and name are on the stack.";
    0x94  Memoize        "MEMOIZE"          None 4 [Any] -> [Any] "Store the top of the stack in the next memo slot.";
    0x95  Frame          "FRAME"            Uint8 4 [] -> [] "Begin a frame of the given number of bytes.";
    0x96  Bytearray8     "BYTEARRAY8"       Bytearray8 5 [] -> [Bytearray] "Push a bytearray.";
    0x97  NextBuffer     "NEXT_BUFFER"      None 5 [] -> [Buffer] "Push the next out-of-band buffer.";
    0x98  ReadonlyBuffer "READONLY_BUFFER"  None 5 [Buffer] -> [Buffer] "Make the topmost out-of-band buffer read-only.";
}

impl Opcode {
    /// The opcode's byte.
    #[must_use]
    #[inline]
    pub const fn byte(self) -> u8 {
        self as u8
    }
}

/// The newest protocol there is (Python 3.8 and later read and write it).
pub const HIGHEST_PROTOCOL: u8 = 5;

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_round_trips() {
        for opcode in Opcode::ALL {
            assert_eq!(Opcode::from_byte(opcode.byte()), Some(opcode));
        }
        let known = (0..=255).filter_map(Opcode::from_byte).count();
        assert_eq!(known, Opcode::ALL.len());
    }
}
