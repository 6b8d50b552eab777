//! `gt mayor`: the agent that a person talks to about the whole town.

mod attach;
mod start;
mod status;
mod stop;

use super::Answer;
use crate::cli::context::Context;

bd::family! {
    /// Start, open and stop the mayor, who runs the town for you
    Args:
    #[command(alias = "at")]
    Attach => attach,
    Start => start,
    Status => status,
    Stop => stop,
}
