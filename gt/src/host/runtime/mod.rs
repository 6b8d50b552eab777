//! Owns agent runtimes: which program an agent is, how it is started, what its screen says.
//!
//! A runtime is data ([`Preset`]): built-in ones are files under `templates/runtime`, others come from the
//! settings of the town or a rig. [`resolve()`] says which one an agent gets, [`ready`] reads its screen,
//! [`settings`] writes its hooks, [`scripted`] is an agent without a model.

pub mod installed;
mod preset;
pub mod ready;
mod resolve;
pub mod scripted;
pub mod settings;

pub use preset::{Dialog, NonInteractive, Preset, PromptMode, RefusalSign};
pub use ready::{Look, Ready, inspect_screen, wait_until_ready};
pub use resolve::{
    Prepared, Runtime, RuntimeError, Source, added, given, input_of, names, passed, question_of,
    resolve,
};
