//! `bd hook NAME`, which hooks of earlier versions call: the same as `bd hooks run NAME`.

pub(super) use super::hooks::run::{Args, run};
