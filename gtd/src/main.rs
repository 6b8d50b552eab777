//! The program `gtd`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gtd::main(kit::sys::Env::from_process(), kit::sys::env::process_args())
}
