//! The `bd` command.

/// Stores are many small texts, which this allocator hands out and takes back faster than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    bd::cli::main(bd::sys::Env::of_process(), bd::sys::env::args())
}
