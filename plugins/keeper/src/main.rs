//! The program `gt-keeper`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gt_keeper::main(gt_keeper::sys::process_args())
}
