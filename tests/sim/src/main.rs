//! The program `town-sim`.

fn main() -> std::process::ExitCode {
    town_sim::main(kit::sys::Env::of_process(), kit::sys::env::args())
}
