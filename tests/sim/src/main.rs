//! The program `town-sim`.

fn main() -> std::process::ExitCode {
    town_sim::main(kit::sys::Env::from_process(), kit::sys::env::process_args())
}
