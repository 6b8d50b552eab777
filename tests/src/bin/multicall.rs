//! One program that is `bd`, `gt`, `gtd` or `gt-keeper` by the name it is called by, so that the tests build and link
//! all of them once.

use std::path::Path;
use std::process::ExitCode;

use bd::sys::{Env, env};

fn main() -> ExitCode {
    let args = env::args();
    let name = args
        .first()
        .map(Path::new)
        .and_then(Path::file_name)
        .unwrap_or_default();
    match name.to_str() {
        Some("bd") => bd::cli::main(Env::of_process(), args),
        Some("gt") => gt::cli::main(Env::of_process(), args),
        Some("gt-keeper") => gt_keeper::main(args),
        Some("gtd") => gtd::main(Env::of_process(), args),
        _ => ExitCode::from(2),
    }
}
