//! Runs a program in the foreground of its terminal, apart from the processes that hold its jail.
//!
//! The program has a process group of its own, so that the keys that send signals (Ctrl-C, Ctrl-\)
//! reach it alone. A program that a key or a signal stops goes on at once, because no shell is there
//! that could continue it.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ExitStatus};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};

use super::exec::{ChildCommand, ExecError, start_error};

impl ChildCommand {
    /// Runs the child in the foreground of the terminal of the standard input, if that is one, until
    /// it ends. This process is killed when the one that started it ends.
    pub fn run_in_foreground(self) -> Result<ExitStatus, ExecError> {
        let name = self.name();
        die_with_parent().map_err(|source| start_error(&name, source))?;
        let mut command = self.command();
        let mut child = command
            .process_group(0)
            .spawn()
            .map_err(|source| start_error(&name, source))?;
        wait_in_foreground(&mut child).map_err(|source| start_error(&name, source))
    }
}

#[cfg(target_os = "linux")]
fn die_with_parent() -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn die_with_parent() -> io::Result<()> {
    Ok(())
}

fn wait_in_foreground(child: &mut Child) -> io::Result<ExitStatus> {
    let pid = Pid::from_child(child);
    // Without a terminal there is no foreground.
    rustix::termios::tcsetpgrp(io::stdin(), pid).ok();
    loop {
        // The child may have used the terminal before it was in the foreground, which stops it. A
        // child that has ended is waited for below.
        rustix::process::kill_process(pid, Signal::CONT).ok();
        let change = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(pid), change) {
            Ok(Some(status)) if !status.stopped() => return child.wait(),
            Ok(_) => {
                // The stop is taken note of, so that the next wait is for another change.
                waitid(
                    WaitId::Pid(pid),
                    WaitIdOptions::STOPPED | WaitIdOptions::NOHANG,
                )?;
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    fn wait_for(script: &str) -> ExitStatus {
        let mut command = ChildCommand::new("sh").args(["-c", script]).command();
        let mut child = command.process_group(0).spawn().unwrap();
        wait_in_foreground(&mut child).unwrap()
    }

    #[test]
    fn a_stopped_program_goes_on_and_its_end_is_returned() {
        assert_eq!(wait_for("kill -STOP $$; exit 7").code(), Some(7));
        assert_eq!(wait_for("kill -KILL $$").signal(), Some(9));
    }
}
