//! `bd wisp`: what `bd mol wisp` is, under a shorter name.

pub(super) use super::mol::wisp::{Args, run};
