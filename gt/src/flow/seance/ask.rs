//! Asks a session that was: its agent program resumes a copy of the conversation.
//!
//! The copy runs in the session's own folder, with the environment that an agent's session gets. It is no session of the
//! town: by [`COPY`] our hooks know that they have nothing to say and nothing to record. It is given no leave to use
//! tools unasked.

use std::time::Duration;

use bd::sys::Exec;

use super::Session;
use crate::host::LiveTown;
use crate::host::SessionSpec;
use crate::host::runtime;
use crate::host::wrapper;

/// The variable that marks a copy of a session.
pub const COPY: &str = "GT_SEANCE";

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// How much of an answer is read.
const CAP: usize = 4 << 20;

/// Why a session cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The agent program would take it for a flag.
    #[error("`{question}` begins like a flag of the agent program: begin with a word")]
    Flag {
        /// The question.
        question: String,
    },
    /// The same with what the session called itself.
    #[error("`{id}` is no id of a session: the agent program would take it for a flag")]
    OddId {
        /// What it called itself.
        id: String,
    },
    /// Its agent program cannot go on with a copy of a session.
    #[error("{agent} cannot resume a copy of a session")]
    NoFork {
        /// The agent program.
        agent: String,
    },
    /// The folder of the session is gone, and its program finds the session only from there.
    #[error(
        "the folder {folder} of that session is gone: its agent program finds a session only from there (`gt seance search` still reads the transcript)"
    )]
    NoFolder {
        /// The folder.
        folder: String,
    },
    /// The program failed.
    #[error("{program} ended with {status}: {said}")]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        status: String,
        /// The end of what it said.
        said: String,
    },
}

/// Asks a session a question and gives its answer; without one, hands the terminal over to it.
pub fn ask(
    town: &LiveTown,
    session: &Session,
    question: Option<&str>,
) -> anyhow::Result<Option<String>> {
    refuse_flags(&session.session_id, question)?;
    let folder = session
        .cwd
        .clone()
        .unwrap_or_else(|| town.layout.root().to_owned());
    let gone = AskError::NoFolder {
        folder: folder.display().to_string(),
    };
    anyhow::ensure!(folder.is_dir(), gone);
    let address = town.address(&session.actor)?;
    let rig = address.rig().map(|rig| town.layout.rig(rig));
    let found = runtime::resolve(town, rig.as_ref(), &address, "")?;
    let argv = found
        .preset
        .fork_argv(&found.program, &session.session_id, question);
    let Some((program, args)) = argv.as_deref().and_then(<[String]>::split_first) else {
        return Err(AskError::NoFork { agent: found.name }.into());
    };
    let mut env: Vec<(String, String)> = found.preset.env.clone().into_iter().collect();
    env.push((COPY.to_owned(), session.session_id.clone()));
    let spec = SessionSpec {
        name: String::new(),
        cwd: folder.clone(),
        argv: Vec::new(),
        env,
        pass: found.pass.clone(),
        token: String::new(),
        keep: false,
    };
    let mut exec = Exec::new(program).args(args).cwd(&folder).env_clear();
    for (name, value) in wrapper::environment(&town.env, &spec, &town.exe) {
        exec = exec.env(name, value);
    }
    if question.is_none() {
        let terminal = town.env.get("TERM").unwrap_or("dumb");
        exec.env("TERM", terminal).run_attached()?;
        return Ok(None);
    }
    let finished = exec.env("TERM", "dumb").limit(PATIENCE).cap(CAP).run()?;
    if !finished.ok() {
        let said = finished.error_text();
        let said = if said.is_empty() {
            finished.text()
        } else {
            said
        };
        let code = finished.code().map(|code| format!("exit code {code}"));
        return Err(AskError::Failed {
            program: program.clone(),
            status: code.unwrap_or_else(|| "a signal".to_owned()),
            said: bd::ui::escape::line(said.lines().last().unwrap_or_default()),
        }
        .into());
    }
    Ok(Some(finished.text()))
}

/// Neither question nor id may be what the agent program takes for a flag: that could give the copy leave to do things.
fn refuse_flags(id: &str, question: Option<&str>) -> Result<(), AskError> {
    if let Some(question) = question.filter(|question| question.starts_with('-')) {
        return Err(AskError::Flag {
            question: bd::ui::escape::line(question),
        });
    }
    if id.starts_with('-') {
        return Err(AskError::OddId {
            id: bd::ui::escape::line(id),
        });
    }
    Ok(())
}
