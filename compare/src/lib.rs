//! The same work on Brinery and on its peers, side by side.

pub mod clock;
pub mod floors;
pub mod python;
pub mod report;
pub mod rows;
