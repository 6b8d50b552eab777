//! The program `gt`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gt::cli::main(bd::sys::Env::of_process(), bd::sys::env::args())
}
