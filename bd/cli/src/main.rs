//! The program `bd`.

fn main() -> std::process::ExitCode {
    bd_cli::main(kit::sys::Env::of_process(), kit::sys::env::args())
}
