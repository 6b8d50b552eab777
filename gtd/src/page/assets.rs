//! The files of the page, embedded at build.

use gt::record::page_browsers::hash_secret;

/// A file of the page.
pub(super) struct Asset {
    pub(super) path: &'static str,
    /// The media type.
    pub(super) kind: &'static str,
    pub(super) text: &'static str,
}

/// Returns a hash of all files, by which an open page notices a newer program.
pub(super) fn hash_assets() -> String {
    let texts: String = ASSETS.iter().map(|asset| asset.text).collect();
    hash_secret(&texts)
}

const HTML_TYPE: &str = "text/html; charset=utf-8";
const SCRIPT_TYPE: &str = "text/javascript; charset=utf-8";
const STYLE_TYPE: &str = "text/css; charset=utf-8";

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

pub(super) const ASSETS: &[Asset] = &[
    asset!("/", HTML_TYPE, "index.html"),
    asset!("/page.css", STYLE_TYPE, "page.css"),
    asset!("/terminal.css", STYLE_TYPE, "terminal.css"),
    asset!("/page.js", SCRIPT_TYPE, "page.js"),
    asset!("/elements.js", SCRIPT_TYPE, "elements.js"),
    asset!("/server.js", SCRIPT_TYPE, "server.js"),
    asset!("/terminal.js", SCRIPT_TYPE, "terminal.js"),
    asset!("/town.js", SCRIPT_TYPE, "town.js"),
    asset!("/work.js", SCRIPT_TYPE, "work.js"),
    asset!("/agents.js", SCRIPT_TYPE, "agents.js"),
    asset!("/career.js", SCRIPT_TYPE, "career.js"),
    asset!("/reports.js", SCRIPT_TYPE, "reports.js"),
    asset!("/thread.js", SCRIPT_TYPE, "thread.js"),
    asset!("/settings.js", SCRIPT_TYPE, "settings.js"),
    asset!("/graph.js", SCRIPT_TYPE, "graph.js"),
    asset!("/timeline.js", SCRIPT_TYPE, "timeline.js"),
    asset!("/map.js", SCRIPT_TYPE, "map.js"),
    asset!("/rig.js", SCRIPT_TYPE, "rig.js"),
    asset!("/plot.js", SCRIPT_TYPE, "plot.js"),
    asset!("/sessions.js", SCRIPT_TYPE, "sessions.js"),
];
