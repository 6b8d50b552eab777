//! Describes one agent program as data: command, arguments, requirements, and the signs on its
//! screen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kit::sys::Env;
use serde::{Deserialize, Serialize};

use super::usage_limit::{UsageLimitMenu, UsageLimitTable, UsageLimitWords};
use crate::host::InputRules;
use crate::town::config::{HostList, JailMode};

/// The built-in presets, the default one first.
const BUILT_IN: &[&str] = &[
    include_str!("../../../templates/runtime/claude.json"),
    include_str!("../../../templates/runtime/scripted.json"),
    include_str!("../../../templates/runtime/codex.json"),
    include_str!("../../../templates/runtime/gemini.json"),
    include_str!("../../../templates/runtime/opencode.json"),
    include_str!("../../../templates/runtime/copilot.json"),
    include_str!("../../../templates/runtime/cursor.json"),
    include_str!("../../../templates/runtime/amp.json"),
    include_str!("../../../templates/runtime/auggie.json"),
];

/// The description of an agent program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RuntimePreset {
    /// The name by which users choose it.
    pub name: String,
    /// The built-in preset that a custom one is based on.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub provider: String,
    /// The program. `gt` is our own.
    pub command: String,
    /// Other paths of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_at: Vec<String>,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    /// Variables of the caller to inherit, such as the provider's credentials.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pass: Vec<String>,
    /// The files in which the program keeps a login, as far as they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub login_files: Vec<String>,
    /// The mode of the jail of its sessions, if it is stricter than the one of the rig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jail: Option<JailMode>,
    /// Variables in a jail. `{config}` stands for the configuration folder of the worker, which
    /// `config_dir_env` has without being named here.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub jail_env: BTreeMap<String, String>,
    /// The user's files of which a worker in a jail gets copies in its configuration folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jail_copies: Vec<JailCopy>,
    /// Files and folders that the program reads in a jail besides its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jail_readable: Vec<String>,
    /// The hosts of `gt host list` on which its workers run, in the order of `sling.hosts`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// The hosts that the program reaches in a jail whose network is `none` or a list of hosts.
    #[serde(skip_serializing_if = "HostList::is_empty")]
    pub jail_hosts: HostList,
    /// The transcripts in the configuration folder, with `*` for any name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jail_transcripts: Vec<String>,
    /// The first prompt if the caller gives none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub initial_prompt: String,
    /// The way in which the first prompt is passed.
    pub prompt_mode: PromptMode,
    /// The flag before the first prompt. If empty, the prompt is a plain argument.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prompt_flag: String,
    /// The flag before a settings file with hooks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub settings_flag: String,
    /// The kind of hooks: `claude`, `codex`, `gemini`, `opencode` or `none`.
    pub hooks: String,
    /// The hook file that the program reads in its working folder. `settings_flag` names another
    /// one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hooks_local: String,
    /// Arguments that the hooks of that file require.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks_args: Vec<String>,
    /// Variables that the hooks of that file require.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub hooks_env: BTreeMap<String, String>,
    pub process_names: Vec<String>,
    /// The variable with the id of its session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session_id_env: String,
    /// The variable with its configuration folder.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub config_dir_env: String,
    /// The flag or subcommand that resumes a session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resume_flag: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resume_style: String,
    /// True if a session can be resumed as a copy.
    pub supports_fork_session: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fork_flag: String,
    /// `transcript` if the flag takes the session's file and no other argument is needed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fork_style: String,
    /// Additional arguments for a copy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fork_args: Vec<String>,
    /// Variables of a copy. They replace those of a start, which may give permissions.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fork_env: BTreeMap<String, String>,
    /// The arguments for answering a single question.
    pub non_interactive: NonInteractive,
    /// The beginning of an empty input line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ready_prompt_prefix: String,
    /// The time that the prompt must be visible before it counts, because some programs show it
    /// before their dialogs.
    #[serde(skip_serializing_if = "is_zero")]
    pub settle_ms: u64,
    /// The time to wait if the screen shows no known sign.
    pub ready_delay_ms: u64,
    /// Texts on the screen that show work in progress.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub busy_marks: Vec<String>,
    /// The characters that start a line about work in progress. Such a line ends in `…`, or has it
    /// before a bracket.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub busy_stars: String,
    /// The text that shows that a dialog is fully drawn and waits.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub dialog_mark: String,
    /// The beginning of a dialog's focused option.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub focus_mark: String,
    /// The dialogs that may open at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dialogs: Vec<PresetDialog>,
    /// Texts on the screen that show that the API refused a request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<RefusalSign>,
    /// The messages about a usage limit of the account.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub usage_limits: Vec<UsageLimitWords>,
    /// The menus that open at a usage limit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub usage_limit_menus: Vec<UsageLimitMenu>,
    /// The file from which the program reads instructions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub instructions_file: String,
}

/// The arguments with which an agent program answers one question and exits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NonInteractive {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subcommand: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The flag before the question. If empty, the question is a plain argument.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prompt_flag: String,
    /// The flag for an answer as JSON.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output_flag: String,
}

/// A file of the user that a worker in a jail gets a copy of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JailCopy {
    /// The file, if no variable or account names another configuration folder.
    pub from: String,
    /// The path in a configuration folder.
    pub to: String,
    /// The keys of a JSON file that are copied. Empty for the whole file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
}

/// A dialog of an agent program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PresetDialog {
    pub name: String,
    pub sign: String,
    /// A part of the option to choose. Without one, a user must answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choose: Option<String>,
}

/// A text on the screen that shows that the API refused a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RefusalSign {
    pub sign: String,
    /// The kind of refusal: `rate_limit`, `overloaded`, `billing_error`, `authentication_failed` …
    pub kind: String,
}

/// The way in which the first prompt is passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptMode {
    #[default]
    Arg,
    /// Typed into the input line once the program is ready.
    Typed,
    /// Not passed: the program asks on its own.
    None,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl RuntimePreset {
    pub fn built_in() -> Vec<Self> {
        // A test reads every file, so none is skipped here.
        let mut presets: Vec<Self> = BUILT_IN
            .iter()
            .filter_map(|text| serde_json::from_str(text).ok())
            .collect();
        let table = UsageLimitTable::built_in();
        for preset in &mut presets {
            preset.usage_limits = table.words_of(&preset.name);
            preset.usage_limit_menus = table.menus_of(&preset.name);
        }
        presets
    }

    /// Returns the built-in preset of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::built_in()
            .into_iter()
            .find(|preset| preset.name == name)
    }

    /// Returns the built-in preset that a command line runs, by the file name of its program.
    pub fn of_command(program: &str, args: &[String]) -> Option<Self> {
        let file_name = Path::new(program).file_name()?.to_str()?;
        let is_scripted = args.first().is_some_and(|arg| arg == "scripted");
        Self::built_in().into_iter().find(|preset| {
            let is_program = preset.command == file_name || preset.name == file_name;
            is_program && (!preset.is_scripted() || is_scripted)
        })
    }

    /// Returns true if the agent runs a script instead of a model.
    pub fn is_scripted(&self) -> bool {
        self.command == "gt" && self.args.first().is_some_and(|arg| arg == "scripted")
    }

    /// Returns the program to start: our own for `gt`, otherwise the one on `PATH` or at one of its
    /// other paths.
    pub fn find_program(&self, env: &Env, exe: &Path) -> Option<PathBuf> {
        if self.command == "gt" {
            return Some(exe.to_owned());
        }
        let on_path = which::which_in(&self.command, env.get("PATH"), env.cwd()).ok();
        on_path.or_else(|| {
            self.also_at
                .iter()
                .map(|place| env.make_absolute(place))
                .into_iter()
                .find(|place| place.is_file())
        })
    }

    /// Returns true if a file or a variable shows a login, and `None` if that cannot be seen: the
    /// files of the program are not known, are elsewhere, or the system has a keychain for them.
    pub fn has_login(&self, env: &Env) -> Option<bool> {
        if env
            .vars()
            .any(|(name, value)| !value.is_empty() && self.is_credential(name))
        {
            return Some(true);
        }
        let is_elsewhere =
            !self.config_dir_env.is_empty() && env.get(&self.config_dir_env).is_some();
        if self.login_files.is_empty() || is_elsewhere || cfg!(target_os = "macos") {
            return None;
        }
        Some(
            self.login_files
                .iter()
                .any(|file| env.make_absolute(file).is_file()),
        )
    }

    /// Returns true for a variable that reaches the program and by its name holds a login.
    fn is_credential(&self, name: &str) -> bool {
        let is_passed = self
            .pass
            .iter()
            .any(|pattern| match pattern.strip_suffix('*') {
                Some(prefix) => name.starts_with(prefix),
                None => name == pattern,
            });
        let signs = ["KEY", "TOKEN", "USE_BEDROCK", "USE_VERTEX"];
        is_passed && signs.iter().any(|sign| name.contains(sign))
    }

    /// Returns the arguments of a start: the preset's own, `more`, and the prompt last.
    pub fn start_argv(&self, program: &Path, more: &[String], prompt: &str) -> Vec<String> {
        let mut argv = vec![program.to_string_lossy().into_owned()];
        argv.extend(self.args.iter().chain(more).cloned());
        let prompt = self.prompt_or_default(prompt);
        if self.prompt_mode == PromptMode::Arg && !prompt.is_empty() {
            let words = [self.prompt_flag.as_str(), prompt];
            argv.extend(
                words
                    .iter()
                    .filter(|word| !word.is_empty())
                    .map(|&word| word.to_owned()),
            );
        }
        argv
    }

    /// Returns the text to type once the program is ready. None if the prompt is an argument.
    pub fn prompt_to_type<'a>(&'a self, prompt: &'a str) -> Option<&'a str> {
        Some(self.prompt_or_default(prompt))
            .filter(|words| !words.is_empty())
            .filter(|_| self.prompt_mode == PromptMode::Typed)
    }

    fn prompt_or_default<'a>(&'a self, prompt: &'a str) -> &'a str {
        if prompt.is_empty() {
            &self.initial_prompt
        } else {
            prompt
        }
    }

    /// Returns the arguments that continue a copy of a session, to answer one question or in a
    /// terminal. None if the program cannot do that. Excludes the arguments of a start, which may
    /// give permissions.
    pub fn fork_argv(
        &self,
        program: &Path,
        id: &str,
        transcript: Option<&Path>,
        question: Option<&str>,
    ) -> Option<Vec<String>> {
        if !self.supports_fork_session || id.is_empty() || id.starts_with('-') {
            return None;
        }
        let alone = &self.non_interactive;
        let mut words = Vec::new();
        if question.is_some() {
            words.push(alone.subcommand.clone());
        }
        let fork = self.fork_flag.clone();
        if self.fork_style == "transcript" {
            words.extend([fork, transcript?.to_str()?.to_owned()]);
        } else if self.resume_style == "subcommand" {
            words.push(fork);
        } else {
            words.extend([self.resume_flag.clone(), id.to_owned(), fork]);
        }
        words.extend(self.fork_args.iter().cloned());
        if question.is_some() {
            words.extend(alone.args.iter().cloned());
        }
        if self.fork_style.is_empty() && self.resume_style == "subcommand" {
            words.push(id.to_owned());
        }
        if let Some(question) = question {
            words.extend([alone.prompt_flag.clone(), question.to_owned()]);
        }
        words.retain(|word| !word.is_empty());
        words.insert(0, program.to_string_lossy().into_owned());
        Some(words)
    }

    /// Returns the last refusal of the API on a screen, with its line.
    pub fn find_refusal<'a>(&'a self, screen: &'a str) -> Option<(&'a str, &'a str)> {
        screen.lines().rev().find_map(|line| {
            let sign = self
                .refusals
                .iter()
                .find(|refusal| line.contains(&refusal.sign))?;
            Some((sign.kind.as_str(), line.trim()))
        })
    }

    /// Returns true if the program reports its activity by hooks.
    pub fn has_hooks(&self) -> bool {
        !self.hooks.is_empty() && self.hooks != "none"
    }

    /// Returns the rules for typing text into the program.
    pub fn input_rules(&self) -> InputRules {
        let prompt = Some(self.ready_prompt_prefix.clone());
        let signs = self.dialogs.iter().map(|dialog| dialog.sign.clone());
        let mark = Some(self.dialog_mark.clone());
        InputRules {
            prompt: prompt.filter(|prompt| !prompt.is_empty()),
            dialogs: signs.chain(mark.filter(|mark| !mark.is_empty())).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_preset_is_parsed() {
        let names: Vec<_> = RuntimePreset::built_in()
            .into_iter()
            .map(|preset| preset.name)
            .collect();
        assert_eq!(names.len(), BUILT_IN.len());
        let others = [
            "codex", "gemini", "opencode", "copilot", "cursor", "amp", "auggie",
        ];
        assert_eq!(names, [&["claude", "scripted"][..], &others].concat());
    }

    #[test]
    fn claude_is_started_with_its_prompt_last() {
        let claude = RuntimePreset::named("claude").unwrap();
        let more = ["--settings".to_owned(), "/t/settings.json".to_owned()];
        let argv = claude.start_argv(Path::new("/bin/claude"), &more, "go");
        assert_eq!(argv[1], "--dangerously-skip-permissions");
        assert_eq!(argv[2..], ["--settings", "/t/settings.json", "go"]);
        assert_eq!(claude.input_rules().prompt.as_deref(), Some("❯\u{a0}"));
    }

    #[test]
    fn each_program_forks_a_session_with_its_own_flags() {
        let file = Path::new("/s/abc.jsonl");
        let argv = |name: &str, id: &str, question: Option<&str>| {
            let preset = RuntimePreset::named(name).unwrap();
            let argv = preset.fork_argv(Path::new(name), id, Some(file), question)?;
            Some(argv.join(" "))
        };
        for (name, asked, opened) in [
            (
                "claude",
                "claude --resume abc --fork-session -p why?",
                "claude --resume abc --fork-session",
            ),
            (
                "codex",
                "codex exec fork -c features.daemon_auto_start=false --skip-git-repo-check abc why?",
                "codex fork -c features.daemon_auto_start=false abc",
            ),
            (
                "gemini",
                "gemini --session-file /s/abc.jsonl --skip-trust -p why?",
                "gemini --session-file /s/abc.jsonl --skip-trust",
            ),
            (
                "opencode",
                "opencode run --session abc --fork why?",
                "opencode --session abc --fork",
            ),
        ] {
            assert_eq!(argv(name, "abc", Some("why?")).unwrap(), asked);
            assert_eq!(argv(name, "abc", None).unwrap(), opened);
            assert!(argv(name, "-x", None).is_none(), "{name}");
        }
        assert!(argv("amp", "abc", Some("why?")).is_none());
        let gemini = RuntimePreset::named("gemini").unwrap();
        let nowhere = gemini.fork_argv(Path::new("gemini"), "abc", None, None);
        assert!(nowhere.is_none(), "it needs the file");
        let opencode = RuntimePreset::named("opencode").unwrap();
        assert!(opencode.fork_env["OPENCODE_PERMISSION"].starts_with("{\"*\":\"deny\""));
    }

    #[test]
    fn a_first_message_is_passed_as_an_argument_or_typed_or_omitted() {
        let message = |name: &str| {
            let preset = RuntimePreset::named(name).unwrap();
            let argv = preset.start_argv(Path::new(name), &[], "go");
            let is_last = argv.last().is_some_and(|last| last == "go");
            (is_last, preset.prompt_to_type("go").map(str::to_owned))
        };
        assert_eq!(message("codex"), (true, None));
        assert_eq!(message("amp"), (false, Some("go".to_owned())));
        assert_eq!(message("scripted"), (false, None));
        let gemini = RuntimePreset::named("gemini").unwrap();
        let argv = gemini.start_argv(Path::new("gemini"), &[], "go");
        assert_eq!(argv[1..], ["--yolo", "--skip-trust", "-i", "go"]);
    }

    #[test]
    fn the_running_gt_program_is_used_for_gt() {
        let scripted = RuntimePreset::named("scripted").unwrap();
        let env = Env::with_vars(Path::new("/"), []);
        let program = scripted.find_program(&env, Path::new("/opt/gt")).unwrap();
        assert_eq!(
            scripted.start_argv(&program, &[], "ignored"),
            ["/opt/gt", "scripted"]
        );
    }
}
