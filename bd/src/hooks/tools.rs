//! The agents that can be told about beads, and the files that each of them reads.

use kit::sys::section::SectionMarks;

/// A program that reads instructions or runs hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentTool {
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

const fn section_tool(name: &'static str, path: &'static str) -> AgentTool {
    let head = "";
    AgentTool {
        name,
        form: ToolForm::Section { path, head },
    }
}

/// All tools.
pub const TOOLS: [AgentTool; 10] = [
    AgentTool {
        name: "claude",
        form: ToolForm::Hooks {
            user: ".claude/settings.json",
            project: ".claude/settings.local.json",
            events: &["SessionStart", "PreCompact"],
        },
    },
    AgentTool {
        name: "gemini",
        form: ToolForm::Hooks {
            user: ".gemini/settings.json",
            project: ".gemini/settings.json",
            events: &["SessionStart", "PreCompress"],
        },
    },
    AgentTool {
        name: "cursor",
        form: ToolForm::Section {
            path: ".cursor/rules/beads.mdc",
            head: "---\ndescription: Beads issue tracking\nalwaysApply: true\n---\n",
        },
    },
    section_tool("windsurf", ".windsurf/rules/beads.md"),
    section_tool("cody", ".cody/rules/beads.md"),
    section_tool("kilocode", ".kilocode/rules/beads.md"),
    section_tool("factory", "AGENTS.md"),
    section_tool("codex", "AGENTS.md"),
    section_tool("junie", ".junie/guidelines.md"),
    AgentTool {
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

impl AgentTool {
    /// The tool of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        TOOLS.into_iter().find(|tool| tool.name == name)
    }
}
