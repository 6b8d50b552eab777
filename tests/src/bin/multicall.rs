//! One program that is `bd`, `gt`, `gtd`, `gt-keeper`, `town-sim` or a stand-in for `gh` and
//! `glab`, depending on the name it is called by, so that the tests build and link all of them
//! once.

use std::path::Path;
use std::process::ExitCode;

use kit::sys::{Env, env};

fn main() -> ExitCode {
    let args = env::process_args();
    let name = args
        .first()
        .map(Path::new)
        .and_then(Path::file_name)
        .unwrap_or_default();
    match name.to_str() {
        Some("bd") => bd_cli::main(Env::from_process(), args),
        Some("gt") => gt_cli::main(Env::from_process(), args),
        Some("gt-keeper") => gt_keeper::main(args),
        Some("gtd") => gtd::main(Env::from_process(), args),
        Some(forge @ ("gh" | "glab")) => town_tests::forge(forge, &args),
        Some("town-sim") => town_sim::main(Env::from_process(), args),
        _ => ExitCode::from(2),
    }
}
