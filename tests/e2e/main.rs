//! End-to-end tests: real programs, real git, real tmux, scripted agents.

mod flow;
