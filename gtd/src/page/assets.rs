//! The files of the page, embedded at build.

/// A file of the page.
pub(super) struct Asset {
    pub(super) path: &'static str,
    /// The media type.
    pub(super) kind: &'static str,
    pub(super) text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// The style of the page, which the page behind an answer link has, too.
pub(super) const STYLE_TEXT: &str = include_str!("assets/page.css");

macro_rules! asset {
    ($path:literal, $kind:expr, $file:literal) => {
        Asset {
            path: $path,
            kind: $kind,
            text: include_str!(concat!("assets/", $file)),
        }
    };
}

pub(super) const ASSETS: [Asset; 12] = [
    asset!("/", HTML, "index.html"),
    asset!("/page.css", STYLE, "page.css"),
    asset!("/terminal.css", STYLE, "terminal.css"),
    asset!("/page.js", SCRIPT, "page.js"),
    asset!("/elements.js", SCRIPT, "elements.js"),
    asset!("/server.js", SCRIPT, "server.js"),
    asset!("/terminal.js", SCRIPT, "terminal.js"),
    asset!("/town.js", SCRIPT, "town.js"),
    asset!("/work.js", SCRIPT, "work.js"),
    asset!("/agents.js", SCRIPT, "agents.js"),
    asset!("/reports.js", SCRIPT, "reports.js"),
    asset!("/sessions.js", SCRIPT, "sessions.js"),
];
