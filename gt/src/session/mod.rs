//! Owns sessions: the places where agents run.
//!
//! [`backend`] is the seam to whatever hosts them; [`fake`] is one for tests; [`wrapper`] is how a
//! session's first process gets its command and environment. Nothing outside a backend knows what hosts
//! a session.

pub mod backend;
pub mod end;
pub mod fake;
pub mod hidden;
pub mod start;
pub mod wrapper;

pub use backend::{Backend, BackendError, End, Input, Key, Live, Sent, SessionSpec};
pub use fake::FakeBackend;

pub use crate::tmux::Tmux;
