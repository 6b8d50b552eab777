//! Running one program and looking at what it said.

#![expect(
    clippy::disallowed_methods,
    reason = "the harness starts the programs under test"
)]

use std::io::{Seek, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// A program about to be run.
pub struct Run {
    command: Command,
    what: String,
}

/// The output of a program.
pub struct Said {
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// The exit code.
    pub code: i32,
    what: String,
}

impl Run {
    /// A run of `program` in `cwd` with an empty environment.
    pub fn new(program: &Path, cwd: &Path) -> Self {
        let mut command = Command::new(program);
        command.env_clear().current_dir(cwd).stdin(Stdio::null());
        Self {
            command,
            what: program.display().to_string(),
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Self {
        for arg in args {
            self.command.arg(arg);
            self.what.push(' ');
            self.what.push_str(arg);
        }
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, key: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(key, value);
        self
    }

    /// Starts it in another folder.
    #[must_use]
    pub fn at(mut self, cwd: &Path) -> Self {
        self.command.current_dir(cwd);
        self
    }

    /// Gives it a text on standard input.
    #[must_use]
    pub fn input(mut self, text: &str) -> Self {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.rewind().unwrap();
        self.command.stdin(file);
        self
    }

    /// Runs it to its end.
    pub fn run(mut self) -> Said {
        let output = self.command.output().unwrap_or_else(|error| {
            panic!("cannot run {}: {error}", self.what);
        });
        Said {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
            what: self.what,
        }
    }

    /// Starts it so that a closed terminal ends it, also when the tests run under `nohup`.
    pub fn start_on_terminal(self) -> std::process::Child {
        // A handler does not pass to the program; a signal that is ignored would stay ignored.
        let (hangup, flag) = (signal_hook::consts::SIGHUP, std::sync::Arc::default());
        let handler = signal_hook::flag::register(hangup, flag).unwrap();
        let child = self.start();
        signal_hook::low_level::unregister(handler);
        child
    }

    /// Starts it; its standard output can be read while it runs.
    pub fn start_reading(mut self) -> std::process::Child {
        self.command.stdout(Stdio::piped()).stderr(Stdio::null());
        self.command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", self.what))
    }

    /// Starts it and leaves it running.
    pub fn start(mut self) -> std::process::Child {
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        self.command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", self.what))
    }

    /// Runs it; it must succeed.
    pub fn ok(self) -> Said {
        let output = self.run();
        assert_eq!(
            output.code, 0,
            "{}\nout: {}\nerr: {}",
            output.what, output.out, output.err
        );
        output
    }

    /// Runs it; it must fail with exit code 1 or 2 and say `words` on standard error.
    pub fn fails(self, words: &str) -> Said {
        let output = self.run();
        let transcript = format!("{}\nout: {}\nerr: {}", output.what, output.out, output.err);
        assert!(
            output.code == 1 || output.code == 2,
            "exit code {}: {transcript}",
            output.code
        );
        assert!(
            output.err.contains(words),
            "`{words}` is not said: {transcript}"
        );
        output
    }
}

impl Said {
    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{}: {error}\n{}\n{}", self.what, self.out, self.err))
    }

    /// Standard output without white space around it.
    pub fn text(&self) -> &str {
        self.out.trim()
    }
}
