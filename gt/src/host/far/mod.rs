//! Runs sessions on other machines.
mod pipe;
pub use pipe::{Heartbeat, Pipe, PipeEnds, PipeError, PipeSide};
