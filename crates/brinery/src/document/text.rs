//! Text that was checked when it was read, handed out without a second check.

/// The text of a node whose kind says that it is UTF-8.
///
/// The builder checks the bytes of every such node when it makes it, or takes them from a `String`. They cannot have changed since: the
/// input is borrowed immutably or owned by the document, which never hands it out mutably, and offsets into it never move.
#[allow(unsafe_code)]
#[inline(always)]
pub(crate) fn checked(text: &[u8]) -> &str {
    debug_assert!(std::str::from_utf8(text).is_ok(), "text was checked when it was read");
    // SAFETY: every node of kind `Str`, `Str8Text` or `Str8Latin1` is made by `Builder` from bytes that `check_utf8` found whole, that
    // are ASCII, that `str::from_utf8` accepted, or that a `String` held, at the place they are read from here.
    unsafe { std::str::from_utf8_unchecked(text) }
}
