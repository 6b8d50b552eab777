//! The agents that can be told about beads, and the files that each of them reads.

use kit::sys::section::SectionMarks;

/// A program that reads instructions or runs hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// Its name on the command line.
    pub name: &'static str,
    /// What is written for it.
    pub form: ToolForm,
}

/// What is written for a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolForm {
    /// A marked section in a file of instructions, whose first lines are these if it is new.
    Section {
        /// The file, from the project's folder.
        path: &'static str,
        /// How a new file begins.
        head: &'static str,
    },
    /// A file of our own, which a section of the tool's settings names.
    Reading {
        /// Our file.
        path: &'static str,
        /// The tool's settings.
        settings: &'static str,
    },
    /// Hooks in JSON settings.
    Hooks {
        /// The settings of the user, from the home folder.
        user: &'static str,
        /// The settings of the project.
        project: &'static str,
        /// When our command runs.
        events: &'static [&'static str],
    },
}

const fn section(name: &'static str, path: &'static str) -> Tool {
    let head = "";
    Tool {
        name,
        form: ToolForm::Section { path, head },
    }
}

/// All tools.
pub const TOOLS: [Tool; 10] = [
    Tool {
        name: "claude",
        form: ToolForm::Hooks {
            user: ".claude/settings.json",
            project: ".claude/settings.local.json",
            events: &["SessionStart", "PreCompact"],
        },
    },
    Tool {
        name: "gemini",
        form: ToolForm::Hooks {
            user: ".gemini/settings.json",
            project: ".gemini/settings.json",
            events: &["SessionStart", "PreCompress"],
        },
    },
    Tool {
        name: "cursor",
        form: ToolForm::Section {
            path: ".cursor/rules/beads.mdc",
            head: "---\ndescription: Beads issue tracking\nalwaysApply: true\n---\n",
        },
    },
    section("windsurf", ".windsurf/rules/beads.md"),
    section("cody", ".cody/rules/beads.md"),
    section("kilocode", ".kilocode/rules/beads.md"),
    section("factory", "AGENTS.md"),
    section("codex", "AGENTS.md"),
    section("junie", ".junie/guidelines.md"),
    Tool {
        name: "aider",
        form: ToolForm::Reading {
            path: ".aider/BEADS.md",
            settings: ".aider.conf.yml",
        },
    },
];

/// The marks in Markdown.
pub const MARKDOWN: SectionMarks = SectionMarks {
    begin: "<!-- BEGIN BEADS INTEGRATION -->",
    end: "<!-- END BEADS INTEGRATION -->",
};

/// The marks in YAML.
pub const YAML: SectionMarks = SectionMarks {
    begin: "# BEGIN BEADS INTEGRATION",
    end: "# END BEADS INTEGRATION",
};

impl Tool {
    /// The tool of this name.
    pub fn of(name: &str) -> Option<Self> {
        TOOLS.into_iter().find(|tool| tool.name == name)
    }
}
