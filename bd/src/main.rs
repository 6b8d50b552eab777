//! The `bd` command.

fn main() -> std::process::ExitCode {
    bd::cli::main(bd::sys::Env::of_process(), bd::sys::env::args())
}
