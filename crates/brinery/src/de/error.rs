//! serde's errors as Brinery's.

use std::fmt::{self, Display};

use serde_core::de::{Expected, Unexpected};

use super::locate::Place;
use crate::document::{Item, Kind};
use crate::error::{Error, ErrorKind};

/// Longest text of a value in an error.
const SHOWN: usize = 40;

/// How serde calls what has a better name in Python.
const SERDES_WORDS: [&str; 4] = ["sequence", "map", "byte array", "integer `"];

impl serde_core::de::Error for Error {
    fn custom<T: Display>(message: T) -> Self {
        Self::custom(message)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(ErrorKind::Unexpected { expected: expected.to_string(), found: python(found) })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(found: usize, expected: &dyn Expected) -> Self {
        Self::new(ErrorKind::Unexpected { expected: expected.to_string(), found: format!("{found} items") })
    }
}

/// What was found, in Python's words.
fn python(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => if value { "True" } else { "False" }.to_owned(),
        Unexpected::Unsigned(value) => format!("int {value}"),
        Unexpected::Signed(value) => format!("int {value}"),
        Unexpected::Float(value) => format!("float {value:?}"),
        Unexpected::Unit => "None".to_owned(),
        Unexpected::Str(text) => {
            let shown: String = text.chars().take(SHOWN).collect();
            format!("str {shown:?}{}", if shown.len() < text.len() { "..." } else { "" })
        }
        other => other.to_string(),
    }
}

/// What a value is, as an error has it: short values as they are, others by their kind or class.
pub(super) fn describe(item: Item<'_>) -> String {
    let class = item.class().unwrap_or(item);
    match item.kind() {
        Kind::None | Kind::Bool => item.repr().to_string(),
        Kind::Object | Kind::Global => match class.qualified_name() {
            Some((module, name)) => {
                let name = shortened(&format!("{module}.{name}"));
                if item.kind() == Kind::Object { format!("an object of {name}") } else { name }
            }
            None => "an object".to_owned(),
        },
        kind @ (Kind::Int | Kind::Float | Kind::Str) => {
            let mut text = String::new();
            let is_whole = item.repr().limit(SHOWN).write_to(&mut text).is_ok();
            if is_whole { format!("{} {text}", kind.name()) } else { kind.name().to_owned() }
        }
        kind => kind.name().to_owned(),
    }
}

/// A key as Python prints it, shortened.
pub(super) fn describe_key(key: Item<'_>) -> String {
    key.shortened(SHOWN)
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(SHOWN * 2) {
        Some((end, _)) => format!("{}...", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

impl Error {
    /// A value is not what a type needs.
    #[cold]
    pub(super) fn unexpected(item: Item<'_>, expected: impl Display) -> Self {
        Self::new(ErrorKind::Unexpected { expected: expected.to_string(), found: describe(item) }).of(item)
    }

    /// The error is about this value, unless it is about one inside already. What serde calls a sequence or map has a better name then.
    #[cold]
    pub(super) fn of(self, item: Item<'_>) -> Self {
        self.placed(Place::of(item.value), |kind| match kind {
            ErrorKind::Unexpected { found, .. } if SERDES_WORDS.iter().any(|word| found.starts_with(word)) => *found = describe(item),
            _ => {}
        })
    }

    /// The error is inside this part of a value.
    #[cold]
    pub(super) fn inside(self, place: Place, part: fmt::Arguments<'_>) -> Self {
        self.within(part).placed(place, |_| {})
    }
}
