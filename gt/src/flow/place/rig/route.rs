//! Edits the town's `routes.jsonl`, which maps prefixes to folders. Other lines are preserved.

use std::path::Path;

use kit::sys::file;
use serde_json::{Value, json};

use super::RigError;

/// Sets the route of a prefix.
pub(super) fn set_route(routes: &Path, prefix: &str, path: &str) -> Result<(), RigError> {
    let prefix = format!("{prefix}-");
    edit_routes(
        routes,
        |route| route_field(route, "prefix") != prefix,
        Some(json!({"prefix": prefix, "path": path})),
    )
}

/// Removes the routes that lead into a rig.
pub(super) fn remove_routes(routes: &Path, rig: &str) -> Result<(), RigError> {
    let inside = format!("{rig}/");
    edit_routes(
        routes,
        |route| {
            let path = route_field(route, "path");
            path != rig && !path.starts_with(&inside)
        },
        None,
    )
}

fn route_field<'a>(route: &'a Value, name: &str) -> &'a str {
    route.get(name).and_then(Value::as_str).unwrap_or("")
}

fn edit_routes(
    path: &Path,
    keep: impl Fn(&Value) -> bool,
    more: Option<Value>,
) -> Result<(), RigError> {
    let build_error = |source| RigError::Io {
        path: path.to_owned(),
        source,
    };
    let bytes = file::read_file_if_exists(path).map_err(build_error)?;
    let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or(b""));
    let mut lines: Vec<String> = text
        .lines()
        .filter(|line| match serde_json::from_str::<Value>(line) {
            Ok(route) => keep(&route),
            Err(_) => true,
        })
        .map(str::to_owned)
        .collect();
    lines.extend(more.map(|route| route.to_string()));
    let mut text = lines.join("\n");
    text.push('\n');
    file::replace_file(path, text.as_bytes(), 0o644).map_err(build_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_a_route_keeps_other_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("routes.jsonl");
        std::fs::write(
            &path,
            "# mine\n{\"prefix\":\"hq-\",\"path\":\".\"}\n{\"prefix\":\"w-\",\"path\":\"old\"}\n",
        )
        .unwrap();
        set_route(&path, "w", "web/mayor/rig").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            "# mine\n{\"prefix\":\"hq-\",\"path\":\".\"}\n{\"prefix\":\"w-\",\"path\":\"web/mayor/rig\"}\n"
        );
        remove_routes(&path, "web").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "# mine\n{\"prefix\":\"hq-\",\"path\":\".\"}\n");
    }
}
