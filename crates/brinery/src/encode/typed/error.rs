//! serde's errors as Brinery's.

use std::fmt::Display;

use crate::error::Error;

impl serde_core::ser::Error for Error {
    fn custom<T: Display>(message: T) -> Self {
        Self::custom(message)
    }
}
