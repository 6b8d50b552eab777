//! The program `gtd`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gtd::main(bd::sys::Env::of_process(), bd::sys::env::args())
}
