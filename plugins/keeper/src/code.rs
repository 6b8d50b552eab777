//! Finds what source code defines: components, routes, services, tables, enums. It reads line by line and knows the
//! common shapes of a few languages; what it does not know it does not see.

use crate::word::words;

/// What kind of thing a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A piece of user interface.
    Component,
    /// A path of an interface over HTTP.
    Route,
    /// A class or type that does something for others.
    Service,
    /// A table or stored model.
    Table,
    /// An enumeration.
    Enum,
    /// Any other class or type.
    Type,
}

impl Kind {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Component => "component",
            Self::Route => "route",
            Self::Service => "service",
            Self::Table => "table",
            Self::Enum => "enum",
            Self::Type => "type",
        }
    }

    /// The kind that a word names.
    pub fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "component" | "widget" | "view" => Self::Component,
            "route" | "endpoint" | "api" => Self::Route,
            "service" | "client" | "handler" | "controller" => Self::Service,
            "table" | "model" | "migration" | "schema" | "column" => Self::Table,
            "enum" => Self::Enum,
            "type" | "class" | "struct" => Self::Type,
            _ => return None,
        })
    }
}

/// A definition in source code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The line, from 1.
    pub line: usize,
}

/// The words that make something a matter of who may do what.
pub const AUTH: [&str; 12] = [
    "auth",
    "authentication",
    "authorization",
    "login",
    "logout",
    "oauth",
    "sso",
    "session",
    "token",
    "password",
    "permission",
    "credential",
];

/// Whether a name is about who may do what.
pub fn is_auth(name: &str) -> bool {
    words(name).iter().any(|word| AUTH.contains(&word.as_str()))
}

/// The domain whose seed file holds a definition.
pub fn domain(kind: Kind, name: &str) -> &'static str {
    match kind {
        Kind::Component => "frontend",
        Kind::Table | Kind::Enum => "data",
        Kind::Service | Kind::Type if is_auth(name) => "auth",
        Kind::Service | Kind::Type | Kind::Route => "backend",
    }
}

/// What a file defines; nothing for files of other kinds.
pub fn definitions(path: &str, text: &str) -> Vec<Definition> {
    let ending = path.rsplit('.').next().unwrap_or_default();
    let of_line: fn(&str) -> Option<(String, Kind)> = match ending {
        "tsx" | "jsx" | "vue" | "svelte" => |line| script(line, true),
        "ts" | "js" | "mjs" => |line| script(line, false),
        "py" => python,
        "rs" => rust,
        "go" => go,
        "sql" => sql,
        "java" | "kt" | "cs" | "rb" | "php" => class_like,
        _ => return Vec::new(),
    };
    let mut found: Vec<Definition> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        // Generated lines can be of any length; no definition is.
        if line.len() > 400 {
            continue;
        }
        if let Some((name, kind)) = of_line(line.trim_end()) {
            let line = at + 1;
            found.push(Definition { name, kind, line });
        }
    }
    found
}

/// The word at the beginning of a text.
fn name(text: &str) -> Option<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let name: String = text.trim_start().chars().take_while(|c| word(*c)).collect();
    let begins = name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    begins.then_some(name)
}

/// What follows one of these beginnings.
fn after<'a>(text: &'a str, beginnings: &[&str]) -> Option<&'a str> {
    beginnings.iter().find_map(|begin| text.strip_prefix(begin))
}

/// Whether a name begins with a capital.
fn is_capital(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// What a class or type of that name is.
fn class(name: String) -> (String, Kind) {
    const SERVICES: [&str; 9] = [
        "service",
        "client",
        "handler",
        "controller",
        "repository",
        "manager",
        "provider",
        "store",
        "gateway",
    ];
    let is_service = words(&name)
        .iter()
        .any(|word| SERVICES.contains(&word.as_str()));
    let kind = if is_service {
        Kind::Service
    } else {
        Kind::Type
    };
    (name, kind)
}

fn script(line: &str, ui: bool) -> Option<(String, Kind)> {
    let text = line.trim_start();
    if let Some(path) = route(text) {
        return Some((path, Kind::Route));
    }
    let text = after(text, &["export default ", "export "]).unwrap_or(text);
    let text = after(text, &["declare ", "abstract ", "async "]).unwrap_or(text);
    let text = text
        .strip_prefix("const enum ")
        .map_or(text, |_| &text[6..]);
    if let Some(rest) = text.strip_prefix("enum ") {
        return Some((name(rest)?, Kind::Enum));
    }
    if let Some(rest) = text.strip_prefix("class ") {
        let name = name(rest)?;
        let component = rest.contains("Component");
        return Some(if component {
            (name, Kind::Component)
        } else {
            class(name)
        });
    }
    let indented = line.starts_with([' ', '\t']);
    if let Some(rest) = text.strip_prefix("function ") {
        let name = name(rest)?;
        return (ui && !indented && is_capital(&name)).then_some((name, Kind::Component));
    }
    let rest = after(text, &["const ", "let "])?;
    let name = name(rest)?;
    let value = rest.split_once('=')?.1.trim_start();
    let makes = [
        "(",
        "async (",
        "React.",
        "memo(",
        "forwardRef",
        "styled",
        "observer(",
        "function",
    ];
    let is_made = makes.iter().any(|start| value.starts_with(start)) || value.contains("=>");
    let upper = name.chars().all(|c| !c.is_lowercase());
    (ui && !indented && is_capital(&name) && !upper && is_made).then_some((name, Kind::Component))
}

/// The path of `router.get("/x"` and the like.
fn route(text: &str) -> Option<String> {
    const VERBS: [&str; 9] = [
        ".get(",
        ".post(",
        ".put(",
        ".patch(",
        ".delete(",
        ".route(",
        ".HandleFunc(",
        ".Handle(",
        ".all(",
    ];
    let (at, verb) = VERBS
        .iter()
        .filter_map(|verb| Some((text.find(verb)?, verb)))
        .min()?;
    let rest = text[at + verb.len()..].trim_start();
    let quote = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let path = rest[1..].split(quote).next()?;
    // A map's `.get("key")` is no route.
    path.starts_with('/').then(|| path.to_owned())
}

fn python(line: &str) -> Option<(String, Kind)> {
    let text = line.trim_start();
    if text.starts_with('@') {
        return route(text).map(|path| (path, Kind::Route));
    }
    let rest = text.strip_prefix("class ")?;
    let name = name(rest)?;
    let bases = rest.split_once('(').map_or("", |(_, bases)| bases);
    if bases.contains("Enum") {
        return Some((name, Kind::Enum));
    }
    if ["models.Model", "Base)", "db.Model", "SQLModel"]
        .iter()
        .any(|base| bases.contains(base))
    {
        return Some((name, Kind::Table));
    }
    Some(class(name))
}

fn rust(line: &str) -> Option<(String, Kind)> {
    let text = line.trim_start();
    if let Some(path) = route(text) {
        return Some((path, Kind::Route));
    }
    let text = after(text, &["pub(crate) ", "pub(super) ", "pub "]).unwrap_or(text);
    if let Some(rest) = text.strip_prefix("enum ") {
        return Some((name(rest)?, Kind::Enum));
    }
    let rest = after(text, &["struct ", "trait "])?;
    Some(class(name(rest)?))
}

fn go(line: &str) -> Option<(String, Kind)> {
    if let Some(path) = route(line) {
        return Some((path, Kind::Route));
    }
    let rest = line.strip_prefix("type ")?;
    let name = name(rest)?;
    let what = rest[name.len()..].trim_start();
    after(what, &["struct", "interface"])?;
    Some(class(name))
}

fn sql(line: &str) -> Option<(String, Kind)> {
    let upper = line.trim_start().to_uppercase();
    let text = line.trim_start();
    let bare = |text: &str| {
        let text = text.trim_start().trim_start_matches(['"', '`', '[']);
        let text = text.strip_prefix("public.").unwrap_or(text);
        name(text)
    };
    for start in ["CREATE TABLE IF NOT EXISTS ", "CREATE TABLE "] {
        if upper.starts_with(start) {
            return Some((bare(text.get(start.len()..)?)?, Kind::Table));
        }
    }
    if upper.starts_with("CREATE TYPE ") && upper.contains(" AS ENUM") {
        return Some((bare(text.get("CREATE TYPE ".len()..)?)?, Kind::Enum));
    }
    None
}

fn class_like(line: &str) -> Option<(String, Kind)> {
    const BEFORE: [&str; 9] = [
        "public ",
        "private ",
        "internal ",
        "protected ",
        "abstract ",
        "final ",
        "data ",
        "sealed ",
        "static ",
    ];
    let mut text = line.trim_start();
    while let Some(rest) = after(text, &BEFORE) {
        text = rest;
    }
    if let Some(rest) = after(text, &["enum class ", "enum "]) {
        return Some((name(rest)?, Kind::Enum));
    }
    let rest = after(text, &["class ", "interface ", "record "])?;
    Some(class(name(rest)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> String {
        let all: Vec<String> = definitions(path, text)
            .iter()
            .map(|one| format!("{} {}:{}", one.kind.word(), one.name, one.line))
            .collect();
        all.join(", ")
    }

    #[test]
    fn the_shapes_of_common_languages_are_seen() {
        let tsx = "import x\nexport function ProfileModal(props) {\nexport const Button = styled.button``\n\
                   const MAX = (1)\n  const Inner = () => 1\nexport enum Tier { A }\nclass AuthService {";
        assert_eq!(
            found("a/b.tsx", tsx),
            "component ProfileModal:2, component Button:3, enum Tier:6, service AuthService:7"
        );
        assert_eq!(
            found(
                "r.ts",
                "router.get('/api/users', f)\nconst x = map.get('a')\nconst Y = () => 1"
            ),
            "route /api/users:1"
        );
        assert_eq!(
            found(
                "m.py",
                "class Tier(str, Enum):\nclass User(models.Model):\n@app.post(\"/login\")"
            ),
            "enum Tier:1, table User:2, route /login:3"
        );
        assert_eq!(
            found(
                "m.rs",
                "pub struct TokenStore {\npub(crate) enum State {\n    .route(\"/x\", get(y))"
            ),
            "service TokenStore:1, enum State:2, route /x:3"
        );
        assert_eq!(
            found(
                "m.sql",
                "create table if not exists \"users\" (\nCREATE TYPE tier AS ENUM ('a');"
            ),
            "table users:1, enum tier:2"
        );
        assert_eq!(
            found("S.kt", "data class User(val a: Int)\nenum class Tier {"),
            "type User:1, enum Tier:2"
        );
        assert_eq!(found("README.md", "class X"), "");
    }
}
