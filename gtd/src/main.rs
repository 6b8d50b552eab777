//! The program `gtd`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gtd::main(kit::sys::Env::of_process(), kit::sys::env::args())
}
