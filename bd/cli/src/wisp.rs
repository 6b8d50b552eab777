//! `bd wisp`: `bd mol wisp` under a shorter name.

pub(super) use super::mol::wisp::{Args, run};
