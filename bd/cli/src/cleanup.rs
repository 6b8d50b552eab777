//! `bd cleanup`, short for `bd admin cleanup`.

pub(super) use super::admin::cleanup::{Args, run};
