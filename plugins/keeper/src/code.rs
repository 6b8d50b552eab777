//! Finds the definitions in source code: components, routes, services, tables, enums. Parses line
//! by line and recognizes the common forms of a few languages; other forms are not found.

use crate::word::split_name;

/// The kind of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionKind {
    /// A user interface component.
    Component,
    /// A path of an HTTP interface.
    Route,
    /// A class or type that provides a service.
    Service,
    /// A table or a stored model.
    Table,
    Enum,
    /// Any other class or type.
    Type,
}

impl DefinitionKind {
    /// The word for the kind.
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

    pub fn from_word(word: &str) -> Option<Self> {
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    pub kind: DefinitionKind,
    pub line: usize,
}

/// The words that relate a name to authentication or authorization.
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

/// Returns true if a name is about authentication or authorization.
pub fn is_auth(name: &str) -> bool {
    split_name(name)
        .iter()
        .any(|word| AUTH.contains(&word.as_str()))
}

/// Returns the domain whose seed file holds a definition.
pub fn choose_domain(kind: DefinitionKind, name: &str) -> &'static str {
    match kind {
        DefinitionKind::Component => "frontend",
        DefinitionKind::Table | DefinitionKind::Enum => "data",
        DefinitionKind::Service | DefinitionKind::Type if is_auth(name) => "auth",
        DefinitionKind::Service | DefinitionKind::Type | DefinitionKind::Route => "backend",
    }
}

/// Returns the definitions in a file. A file of another language has none.
pub fn find_definitions(path: &str, text: &str) -> Vec<Definition> {
    let of_line: fn(&str) -> Option<(String, DefinitionKind)> = match path.rsplit('.').next() {
        Some("tsx" | "jsx" | "vue" | "svelte") => |line| parse_script_line(line, true),
        Some("ts" | "js" | "mjs") => |line| parse_script_line(line, false),
        Some("py") => parse_python_line,
        Some("rs") => parse_rust_line,
        Some("go") => parse_go_line,
        Some("sql") => parse_sql_line,
        Some("java" | "kt" | "cs" | "rb" | "php") => parse_class_line,
        _ => return Vec::new(),
    };
    let mut found: Vec<Definition> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        // Generated lines can have any length. A definition is never that long.
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

/// The maximum number of methods or variants that are kept.
const MAX_MEMBERS: usize = 12;

/// Returns the public methods of a class or type in a file, in order.
pub fn find_methods(path: &str, text: &str, name: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<String> = Vec::new();
    let ending = path.rsplit('.').next().unwrap_or("");
    for (at, line) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.len() <= 400)
    {
        let text = line.trim_start();
        if ending == "go" {
            found.extend(
                text.strip_prefix("func (")
                    .and_then(|rest| rest.split_once(") "))
                    .filter(|(receiver, _)| receiver.trim_end_matches('*').ends_with(name))
                    .and_then(|(_, rest)| parse_called_name(rest)),
            );
        } else if is_class_start(text, name, ending) {
            let deep = count_indent(line);
            let inside: Vec<&&str> = lines[at + 1..]
                .iter()
                .take_while(|line| line.trim().is_empty() || count_indent(line) > deep)
                .filter(|line| !line.trim().is_empty())
                .collect();
            let first = inside.iter().map(|line| count_indent(line)).min();
            found.extend(
                inside
                    .into_iter()
                    .filter(|line| Some(count_indent(line)) == first)
                    .filter_map(|line| parse_method_name(line.trim(), ending)),
            );
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|name| seen.insert(name.clone()));
    found.truncate(MAX_MEMBERS);
    found
}

fn count_indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns true if a line opens the body of the class or type with this name.
fn is_class_start(line: &str, name: &str, ending: &str) -> bool {
    let words: Vec<&str> = line.split(|c| !is_name_char(c)).collect();
    let is_start = if ending == "rs" {
        line.starts_with("impl")
    } else {
        ["class", "interface", "object", "trait"]
            .iter()
            .any(|keyword| words.contains(keyword))
    };
    is_start && words.contains(&name)
}

/// Returns the name before an opening parenthesis.
fn parse_called_name(text: &str) -> Option<String> {
    let found = parse_name(text)?;
    let rest = text.trim_start()[found.len()..].trim_start();
    rest.starts_with(['(', '<']).then_some(found)
}

/// Returns the name of the method whose definition begins on a line; `None` for names that mark a
/// method as private.
fn parse_method_name(line: &str, ending: &str) -> Option<String> {
    const NO_METHODS: [&str; 10] = [
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "return",
        "constructor",
        "function",
        "new",
        "super",
    ];
    const BEFORE: [&str; 12] = [
        "public ",
        "static ",
        "async ",
        "override ",
        "final ",
        "virtual ",
        "suspend ",
        "export ",
        "def ",
        "fun ",
        "fn ",
        "function ",
    ];
    if line.starts_with("private ") || line.starts_with("protected ") {
        return None;
    }
    let mut text = strip_any_prefix(line, &["pub(crate) ", "pub(super) ", "pub "]).unwrap_or(line);
    let mut keyword = false;
    while let Some(start) = BEFORE.iter().find(|start| text.starts_with(**start)) {
        keyword |= matches!(*start, "def " | "fun " | "fn " | "function ");
        text = &text[start.len()..];
    }
    let needs_keyword = matches!(ending, "py" | "rs" | "kt" | "rb" | "php");
    // In Java's `User getProfile(` the type comes first.
    if matches!(ending, "java" | "cs")
        && let Some((_, rest)) = text
            .split_once(' ')
            .filter(|(first, _)| !first.contains('('))
    {
        text = rest;
    }
    let found = parse_called_name(text)
        .or_else(|| parse_name(text).filter(|_| ending == "rb" && keyword))?;
    let is_body = needs_keyword || line.ends_with(['{', '}', ';', ',', '(', '>']);
    let fits = (keyword || !needs_keyword) && is_body;
    (fits && !found.starts_with('_') && !NO_METHODS.contains(&found.as_str())).then_some(found)
}

/// Returns the variants of a component: the words of its `variant` type, and its assigned
/// properties (`Button.Primary = …`).
pub fn find_variants(text: &str, name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| line.len() <= 400) {
        let line = line.trim();
        let member = line
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('.'));
        if let Some((member, _)) = member.and_then(|rest| rest.split_once('=')) {
            found.extend(
                self::parse_name(member).filter(|member_name| {
                    member_name != "displayName" && member_name != "propTypes"
                }),
            );
        }
        let is_variant = ["variant:", "variant?:", "type Variant", "variant ="];
        let at = is_variant.iter().filter_map(|start| line.find(start)).min();
        let union = at.and_then(|at| line[at..].split(';').next());
        if let Some(line) = union.filter(|union| union.contains('|')) {
            let quoted = line.split(['\'', '"']).skip(1).step_by(2);
            found.extend(
                quoted
                    .filter(|variant| self::parse_name(variant).as_deref() == Some(variant))
                    .map(str::to_owned),
            );
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|variant| seen.insert(variant.clone()));
    found.truncate(MAX_MEMBERS);
    found
}

/// Returns the identifier at the beginning of a text.
fn parse_name(text: &str) -> Option<String> {
    let name: String = text
        .trim_start()
        .chars()
        .take_while(|c| is_name_char(*c))
        .collect();
    let begins = name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    begins.then_some(name)
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the text after the first matching prefix.
fn strip_any_prefix<'a>(text: &'a str, beginnings: &[&str]) -> Option<&'a str> {
    beginnings.iter().find_map(|begin| text.strip_prefix(begin))
}

/// Returns true if a name begins with a capital letter.
fn is_capital(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// Determines the kind of the class or type with this name.
fn classify_class(name: String) -> (String, DefinitionKind) {
    const SERVICE_WORDS: [&str; 9] = [
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
    let is_service = split_name(&name)
        .iter()
        .any(|word| SERVICE_WORDS.contains(&word.as_str()));
    let kind = if is_service {
        DefinitionKind::Service
    } else {
        DefinitionKind::Type
    };
    (name, kind)
}

fn parse_script_line(line: &str, ui: bool) -> Option<(String, DefinitionKind)> {
    let text = line.trim_start();
    if let Some(path) = parse_route(text) {
        return Some((path, DefinitionKind::Route));
    }
    let text = strip_any_prefix(text, &["export default ", "export "]).unwrap_or(text);
    let text = strip_any_prefix(text, &["declare ", "abstract ", "async "]).unwrap_or(text);
    let text = text
        .strip_prefix("const enum ")
        .map_or(text, |_| &text[6..]);
    if let Some(rest) = text.strip_prefix("enum ") {
        return Some((parse_name(rest)?, DefinitionKind::Enum));
    }
    if let Some(rest) = text.strip_prefix("class ") {
        let name = parse_name(rest)?;
        let component = rest.contains("Component");
        return Some(if component {
            (name, DefinitionKind::Component)
        } else {
            classify_class(name)
        });
    }
    let indented = line.starts_with([' ', '\t']);
    if let Some(rest) = text.strip_prefix("function ") {
        let name = parse_name(rest)?;
        return (ui && !indented && is_capital(&name)).then_some((name, DefinitionKind::Component));
    }
    let rest = strip_any_prefix(text, &["const ", "let "])?;
    let name = parse_name(rest)?;
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
    (ui && !indented && is_capital(&name) && !upper && is_made)
        .then_some((name, DefinitionKind::Component))
}

/// Returns the path of `router.get("/x"` and similar calls.
fn parse_route(text: &str) -> Option<String> {
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
    // The `.get("key")` of a map is not a route.
    path.starts_with('/').then(|| path.to_owned())
}

fn parse_python_line(line: &str) -> Option<(String, DefinitionKind)> {
    let text = line.trim_start();
    if text.starts_with('@') {
        return parse_route(text).map(|path| (path, DefinitionKind::Route));
    }
    let rest = text.strip_prefix("class ")?;
    let name = parse_name(rest)?;
    let bases = rest.split_once('(').map_or("", |(_, bases)| bases);
    if bases.contains("Enum") {
        return Some((name, DefinitionKind::Enum));
    }
    if ["models.Model", "Base)", "db.Model", "SQLModel"]
        .iter()
        .any(|base| bases.contains(base))
    {
        return Some((name, DefinitionKind::Table));
    }
    Some(classify_class(name))
}

fn parse_rust_line(line: &str) -> Option<(String, DefinitionKind)> {
    let text = line.trim_start();
    if let Some(path) = parse_route(text) {
        return Some((path, DefinitionKind::Route));
    }
    let text = strip_any_prefix(text, &["pub(crate) ", "pub(super) ", "pub "]).unwrap_or(text);
    if let Some(rest) = text.strip_prefix("enum ") {
        return Some((parse_name(rest)?, DefinitionKind::Enum));
    }
    let rest = strip_any_prefix(text, &["struct ", "trait "])?;
    Some(classify_class(parse_name(rest)?))
}

fn parse_go_line(line: &str) -> Option<(String, DefinitionKind)> {
    if let Some(path) = parse_route(line) {
        return Some((path, DefinitionKind::Route));
    }
    let rest = line.strip_prefix("type ")?;
    let name = parse_name(rest)?;
    let what = rest[name.len()..].trim_start();
    strip_any_prefix(what, &["struct", "interface"])?;
    Some(classify_class(name))
}

fn parse_sql_line(line: &str) -> Option<(String, DefinitionKind)> {
    let upper = line.trim_start().to_uppercase();
    let text = line.trim_start();
    for start in ["CREATE TABLE IF NOT EXISTS ", "CREATE TABLE "] {
        if upper.starts_with(start) {
            let name = parse_sql_name(text.get(start.len()..)?)?;
            return Some((name, DefinitionKind::Table));
        }
    }
    if upper.starts_with("CREATE TYPE ") && upper.contains(" AS ENUM") {
        let name = parse_sql_name(text.get("CREATE TYPE ".len()..)?)?;
        return Some((name, DefinitionKind::Enum));
    }
    None
}

/// Returns the name of a table or type without quotes and without its schema.
fn parse_sql_name(text: &str) -> Option<String> {
    let text = text.trim_start().trim_start_matches(['"', '`', '[']);
    parse_name(text.strip_prefix("public.").unwrap_or(text))
}

fn parse_class_line(line: &str) -> Option<(String, DefinitionKind)> {
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
    while let Some(rest) = strip_any_prefix(text, &BEFORE) {
        text = rest;
    }
    if let Some(rest) = strip_any_prefix(text, &["enum class ", "enum "]) {
        return Some((parse_name(rest)?, DefinitionKind::Enum));
    }
    let rest = strip_any_prefix(text, &["class ", "interface ", "record "])?;
    Some(classify_class(parse_name(rest)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> String {
        let all: Vec<String> = find_definitions(path, text)
            .iter()
            .map(|one| format!("{} {}:{}", one.kind.word(), one.name, one.line))
            .collect();
        all.join(", ")
    }

    #[test]
    fn methods_belong_to_the_type_itself_and_variants_are_words() {
        let ts = "export class UserService {\n  constructor(private db: Db) {}\n  async getProfile(id: string): Promise<User> {\n    \
                  if (id) { this.db.find(id); }\n  }\n  private secret() {}\n  rename(id: string) {\n  }\n}\nclass Other {\n  foreign() {}\n}\n";
        assert_eq!(
            find_methods("u.ts", ts, "UserService"),
            ["getProfile", "rename"]
        );
        let py = "class UserService:\n    def __init__(self):\n        pass\n    def get_profile(self, id):\n        return load(id)\n";
        assert_eq!(find_methods("u.py", py, "UserService"), ["get_profile"]);
        let rs = "pub struct UserService;\nimpl UserService {\n    pub fn profile(&self) -> User {\n        load()\n    }\n}\n";
        assert_eq!(find_methods("u.rs", rs, "UserService"), ["profile"]);
        let go = "func (s *UserService) Profile(id string) User {\nfunc Free() {\n";
        assert_eq!(find_methods("u.go", go, "UserService"), ["Profile"]);
        let java =
            "public class UserService {\n    public User getProfile(String id) {\n    }\n}\n";
        assert_eq!(find_methods("U.java", java, "UserService"), ["getProfile"]);
        let tsx = "type Props = { variant?: 'primary' | 'secondary'; size: 'big' }\nexport const Button = (p: Props) => x\nButton.Link = Link\n";
        assert_eq!(
            find_variants(tsx, "Button"),
            ["primary", "secondary", "Link"]
        );
    }

    #[test]
    fn definitions_in_common_languages_are_recognized() {
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
