//! The program `gt`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gt_cli::main(kit::sys::Env::of_process(), kit::sys::env::args())
}
