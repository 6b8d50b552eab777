//! The agent programs that bd can be set up for, and the files that each of them reads.

use kit::sys::section::SectionMarks;

/// A program that reads instructions or runs hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentTool {
    /// The name on the command line.
    pub name: &'static str,
    /// The form of the integration.
    pub form: ToolForm,
}

/// The form of a tool's integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolForm {
    /// A marked section in a file of instructions.
    Section {
        /// The file, relative to the project's folder.
        path: &'static str,
        /// The first lines of a new file.
        preamble: &'static str,
    },
    /// A file of our own, which a section of the tool's settings refers to.
    Reading {
        path: &'static str,
        settings: &'static str,
    },
    Hooks {
        /// The settings of the user, relative to the home folder.
        user: &'static str,
        /// The settings of the project.
        project: &'static str,
        events: &'static [&'static str],
    },
}

const fn section_tool(name: &'static str, path: &'static str) -> AgentTool {
    let preamble = "";
    AgentTool {
        name,
        form: ToolForm::Section { path, preamble },
    }
}

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
            preamble: "---\ndescription: Track work with beads\nalwaysApply: true\n---\n",
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

/// The section marks in Markdown.
pub const MARKDOWN: SectionMarks = SectionMarks {
    begin: "<!-- BEGIN BEADS INTEGRATION -->",
    end: "<!-- END BEADS INTEGRATION -->",
};

/// The section marks in YAML.
pub const YAML: SectionMarks = SectionMarks {
    begin: "# BEGIN BEADS INTEGRATION",
    end: "# END BEADS INTEGRATION",
};

impl AgentTool {
    pub fn by_name(name: &str) -> Option<Self> {
        TOOLS.into_iter().find(|tool| tool.name == name)
    }
}
