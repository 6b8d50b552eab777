//! Asks a past session: its agent program resumes a copy of the conversation.
//!
//! The copy runs in the session's own folder with the environment of an agent's session. It is not
//! a session of the town: the variable [`COPY`] tells our hooks to output and record nothing. It
//! may not use tools without asking.

use std::path::Path;
use std::time::Duration;

use kit::sys::ChildCommand;

use super::transcript::Transcript;
use super::transcript::far::find_host_of_copy;
use super::{PastSession, recorded};
use crate::host::SessionSpec;
use crate::host::runtime::{self, AgentRuntime};
use crate::host::wrapper;
use crate::town::Town;

/// The variable that marks a copy of a session.
pub const COPY: &str = "GT_SEANCE";

/// The time limit for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(600);

/// The maximum size of an answer in bytes.
const MAX_ANSWER: usize = 4 << 20;

/// Defines why a session cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The agent program would parse the question as a flag.
    #[error("`{question}` begins like a flag of the agent program: begin with a word")]
    Flag { question: String },
    /// The agent program would parse the session's id as a flag.
    #[error("`{id}` is no id of a session: the agent program would take it for a flag")]
    OddId { id: String },
    /// The agent program cannot fork a session.
    #[error("{agent} cannot resume a copy of this session: {instead}")]
    NoFork {
        agent: String,
        /// The record that the user can read instead.
        instead: String,
    },
    /// The folder of the session is gone, and its program finds the session only from there.
    #[error(
        "the folder {folder} of that session is gone: its agent program finds a session only from there (`gt seance search` still reads the transcript)"
    )]
    NoFolder { folder: String },
    /// The session is kept on another machine. The town has a copy of the transcript.
    #[error(
        "that session ran on host {host}, where its agent program keeps it: `gt seance search` reads the town's copy of the transcript"
    )]
    Elsewhere { host: String },
    #[error("{program} ended with {status}: {said}")]
    Failed {
        program: String,
        status: String,
        /// The end of the program's output.
        said: String,
    },
}

/// The result of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeanceResult {
    Answer(String),
    /// The user talked to the session in the terminal.
    Interactive,
    /// The session ran a script, which cannot answer: its recorded facts.
    Recorded(String),
}

/// Asks a session a question and returns its answer. Without a question, hands the terminal over to
/// it.
pub fn ask_session(
    town: &Town,
    session: &PastSession,
    question: Option<&str>,
) -> anyhow::Result<SeanceResult> {
    refuse_flags(&session.session_id, question)?;
    if let Some(host) = find_host_of_copy(town, session) {
        return Err(AskError::Elsewhere { host }.into());
    }
    let folder = session
        .cwd
        .clone()
        .unwrap_or_else(|| town.layout.root().to_owned());
    let found = runtime_of(town, session)?;
    if found.preset.is_scripted() {
        return Ok(SeanceResult::Recorded(recorded::describe_session(
            town, session,
        )?));
    }
    let gone = AskError::NoFolder {
        folder: folder.display().to_string(),
    };
    anyhow::ensure!(folder.is_dir(), gone);
    let transcript = session.transcript.as_ref();
    let argv = found.preset.fork_argv(
        &found.program,
        &session.session_id,
        transcript.and_then(Transcript::own_file),
        question,
    );
    let Some((program, args)) = argv.as_deref().and_then(<[String]>::split_first) else {
        return Err(build_refusal(session, &found).into());
    };
    let mut exec = ChildCommand::new(program)
        .args(args)
        .cwd(&folder)
        .env_clear();
    for (name, value) in build_environment(town, session, &found, &folder) {
        exec = exec.env(name, value);
    }
    if question.is_none() {
        let terminal = town.env.get("TERM").unwrap_or("dumb");
        exec.env("TERM", terminal).run_attached()?;
        return Ok(SeanceResult::Interactive);
    }
    let finished = exec
        .env("TERM", "dumb")
        .limit(ANSWER_TIMEOUT)
        .cap(MAX_ANSWER)
        .run()?;
    if !finished.is_success() {
        let error_text = finished.error_text();
        let output = if error_text.is_empty() {
            finished.text()
        } else {
            error_text
        };
        let code = finished.code().map(|code| format!("exit code {code}"));
        return Err(AskError::Failed {
            program: program.clone(),
            status: code.unwrap_or_else(|| "a signal".to_owned()),
            said: kit::ui::escape::escape_line(output.lines().last().unwrap_or("")),
        }
        .into());
    }
    Ok(SeanceResult::Answer(finished.text()))
}

/// Returns the program that ran a session: the one in its event, otherwise the agent's current one,
/// unless another kind of program wrote the transcript.
fn runtime_of(town: &Town, session: &PastSession) -> anyhow::Result<AgentRuntime> {
    let address = town.parse_address(&session.actor)?;
    let rig = address.rig().map(|rig| town.rig(rig));
    let resolve =
        |agent: Option<&str>| runtime::resolve_runtime(town, rig.as_ref(), &address, agent);
    let now = resolve(None);
    let Some(agent) = &session.agent else {
        return Ok(now?);
    };
    let is_event = !session.payload.is_empty();
    match now {
        Ok(now) if now.name == *agent => Ok(now),
        // A transcript names only the kind of the program, whose name in the settings may differ.
        Ok(now) if !is_event && now.preset.hooks == *agent => Ok(now),
        _ => Ok(resolve(Some(agent))?),
    }
}

/// Builds the error for a program that cannot be asked, with the record to read instead.
fn build_refusal(session: &PastSession, found: &AgentRuntime) -> AskError {
    let agent = found.name.clone();
    let reads = if session.transcript.is_some() {
        "`gt seance search TEXT` reads its transcript"
    } else {
        "no transcript of it is known"
    };
    let bead = match session.bead.as_str() {
        "" => String::new(),
        bead => format!("; `gt brief {bead}` and `bd show {bead}` have what its work was"),
    };
    AskError::NoFork {
        agent,
        instead: format!("{reads}{}", kit::ui::escape::escape_line(&bead)),
    }
}

/// Returns the environment of the copy: that of an agent's session, without permissions.
fn build_environment(
    town: &Town,
    session: &PastSession,
    found: &AgentRuntime,
    folder: &Path,
) -> Vec<(String, String)> {
    let mut env = found.preset.env.clone();
    env.extend(found.preset.fork_env.clone());
    env.insert(COPY.to_owned(), session.session_id.clone());
    let spec = SessionSpec {
        name: String::new(),
        cwd: folder.to_owned(),
        argv: Vec::new(),
        env: env.into_iter().collect(),
        pass: found.pass.clone(),
        token: String::new(),
        keep: false,
        status_style: String::new(),
        jail: None,
        host: None,
    };
    wrapper::session_environment(&town.env, &spec, &town.exe)
        .into_iter()
        .collect()
}

/// Refuses a question or id that the agent program would parse as a flag, because a flag could give
/// the copy permissions.
fn refuse_flags(id: &str, question: Option<&str>) -> Result<(), AskError> {
    if let Some(question) = question.filter(|question| question.starts_with('-')) {
        return Err(AskError::Flag {
            question: kit::ui::escape::escape_line(question),
        });
    }
    if id.starts_with('-') {
        return Err(AskError::OddId {
            id: kit::ui::escape::escape_line(id),
        });
    }
    Ok(())
}
