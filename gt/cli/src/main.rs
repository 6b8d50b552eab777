//! The program `gt`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gt_cli::main(kit::sys::Env::from_process(), kit::sys::env::process_args())
}
