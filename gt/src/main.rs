//! The program `gt`.

use std::process::ExitCode;

/// Stores are many small texts, which this allocator hands out and takes back faster than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    gt::cli::main(bd::sys::Env::of_process(), bd::sys::env::args())
}
