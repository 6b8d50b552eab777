//! The `bd` command.

fn main() {}
