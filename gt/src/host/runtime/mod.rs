//! Manages agent runtimes: the program of an agent, its start, its screen.
//!
//! A runtime is data ([`RuntimePreset`]). Built-in ones are files under `templates/runtime`, others
//! come from the settings of the town or a rig. [`resolve_runtime()`] chooses the runtime of an
//! agent, [`ready`] reads its screen, [`settings`] writes its hooks, and [`scripted`] is an agent
//! without a model.

pub mod available;
pub mod installed;
mod limit_screen;
mod preset;
pub mod ready;
mod resolve;
pub mod scripted;
pub mod settings;
mod usage_limit;

/// Splits a command line as a shell does. None if a quote is open.
pub fn split_command_line(line: &str) -> Option<Vec<String>> {
    shlex::split(line)
}

pub use limit_screen::OpenLimitMenu;
pub use preset::{JailCopy, NonInteractive, PresetDialog, PromptMode, RefusalSign, RuntimePreset};
pub use ready::{
    ScreenState, StartResult, inspect_screen, leave_usage_limit_menu, wait_until_ready,
};
pub use resolve::{
    AgentRuntime, PreparedRuntime, RuntimeError, RuntimeSource, added_variables,
    configured_variables, find_agent_question, inheritable_variables, input_rules_of,
    list_agent_names, resolve_runtime,
};
pub use usage_limit::{UsageLimitMenu, UsageLimitWords};
