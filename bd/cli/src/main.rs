//! The program `bd`.

fn main() -> std::process::ExitCode {
    bd_cli::main(kit::sys::Env::from_process(), kit::sys::env::process_args())
}
