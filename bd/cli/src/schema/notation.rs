//! Converts the short notation of shapes to JSON Schema. `schemas.txt` describes the notation.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The shapes of all commands.
const COMMAND_SHAPES: &str = include_str!("../../../templates/schemas.txt");

/// The parsed table: named shapes, and the shapes of commands.
pub(super) struct SchemaTable {
    names: BTreeMap<&'static str, &'static str>,
    commands: BTreeMap<&'static str, Vec<&'static str>>,
}

impl SchemaTable {
    pub(super) fn parse() -> Self {
        let mut names = BTreeMap::new();
        let mut commands = BTreeMap::<_, Vec<_>>::new();
        for line in COMMAND_SHAPES.lines().filter(|line| !line.starts_with('#')) {
            let Some((name, shape)) = line.split_once(" = ") else {
                continue;
            };
            match name.strip_prefix("bd ") {
                Some(command) => commands.entry(command).or_default().push(shape),
                None => {
                    names.insert(name, shape);
                }
            }
        }
        Self { names, commands }
    }

    pub(super) fn commands(&self) -> impl Iterator<Item = &'static str> {
        self.commands
            .iter()
            .filter(|(_, shapes)| shapes.as_slice() != ["-"])
            .map(|(command, _)| *command)
    }

    pub(super) fn has_command(&self, command: &str) -> bool {
        self.commands.contains_key(command)
    }

    /// Returns the JSON Schema of a command's output, or `None` if the command prints no JSON of
    /// its own.
    pub(super) fn schema(&self, command: &str) -> Option<Value> {
        let shapes: Vec<Value> = self
            .commands
            .get(command)?
            .iter()
            .flat_map(|shape| self.alternatives(shape))
            .collect();
        let mut schema = match shapes.as_slice() {
            [] => return None,
            [one] => one.clone(),
            _ => json!({"anyOf": shapes}),
        };
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        schema["title"] = json!(format!("bd {command} --json"));
        let definitions: Map<String, Value> = self
            .names
            .iter()
            .map(|(name, shape)| ((*name).to_owned(), self.shape(shape)))
            .collect();
        schema["$defs"] = Value::Object(collect_definitions(&schema, definitions));
        Some(schema)
    }

    fn alternatives(&self, text: &str) -> Vec<Value> {
        split_outside_brackets(text, '|')
            .into_iter()
            .map(str::trim)
            .filter(|text| *text != "-")
            .map(|text| self.single(text))
            .collect()
    }

    fn shape(&self, text: &str) -> Value {
        match self.alternatives(text).as_slice() {
            [one] => one.clone(),
            all => json!({"anyOf": all}),
        }
    }

    fn single(&self, text: &str) -> Value {
        let text = text.trim();
        if let Some(inner) = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
        {
            return json!({"type": "array", "items": self.shape(inner)});
        }
        if let Some(inner) = text
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'))
        {
            return self.object(inner);
        }
        match text {
            "any" => json!({}),
            "text" => json!({"type": "string"}),
            "int" => json!({"type": "integer"}),
            "number" => json!({"type": "number"}),
            "bool" => json!({"type": "boolean"}),
            "null" => json!({"type": "null"}),
            name => json!({"$ref": format!("#/$defs/{name}")}),
        }
    }

    fn object(&self, text: &str) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut others = json!(false);
        for part in split_outside_brackets(text, ',').into_iter().map(str::trim) {
            if let Some(name) = part.strip_prefix("...") {
                let base = self.shape(self.names.get(name).copied().unwrap_or("any"));
                if let Some(Value::Object(own)) = base.get("properties") {
                    properties.extend(own.clone());
                }
                if let Some(Value::Array(own)) = base.get("required") {
                    required.extend(own.clone());
                }
                others = base.get("additionalProperties").cloned().unwrap_or(others);
                continue;
            }
            let Some((key, shape)) = part.split_once(": ") else {
                continue;
            };
            if key == "*" {
                others = self.shape(shape);
                continue;
            }
            let name = key.trim_end_matches('?');
            if name == key {
                required.push(json!(key));
            }
            properties.insert(name.to_owned(), self.shape(shape));
        }
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": others,
        })
    }
}

/// Collects the definitions that a schema refers to, directly or through other definitions.
fn collect_definitions(schema: &Value, all: Map<String, Value>) -> Map<String, Value> {
    let mut text = schema.to_string();
    let mut found: Map<String, Value> = Map::new();
    loop {
        let Some(name) = all.keys().find(|name| {
            text.contains(&format!("\"#/$defs/{name}\"")) && !found.contains_key(*name)
        }) else {
            return found;
        };
        let shape = all[name].clone();
        text.push_str(&shape.to_string());
        found.insert(name.clone(), shape);
    }
}

/// Splits a text at a separator outside brackets.
fn split_outside_brackets(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            c if c == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of commands that do something of their own and are shown in help.
    fn paths(command: &clap::Command, path: &str, found: &mut Vec<String>) {
        let subs: Vec<_> = command
            .get_subcommands()
            .filter(|sub| !sub.is_hide_set())
            .collect();
        if !path.is_empty()
            && !command.is_subcommand_required_set()
            && !command.is_arg_required_else_help_set()
        {
            found.push(path.to_owned());
        }
        for sub in subs {
            let below = format!("{path} {}", sub.get_name());
            paths(sub, below.trim(), found);
        }
    }

    #[test]
    fn every_command_has_a_shape_and_every_name_is_defined() {
        let table = SchemaTable::parse();
        let mut found = Vec::new();
        paths(&crate::build_command_line(), "", &mut found);
        let missing: Vec<&String> = found
            .iter()
            .filter(|path| !table.has_command(path))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
        for command in table.commands() {
            let schema = table.schema(command).unwrap();
            let text = schema.to_string();
            for part in text.split("#/$defs/").skip(1) {
                let name = part.split('"').next().unwrap();
                assert!(schema["$defs"].get(name).is_some(), "{command}: {name}");
            }
        }
    }
}
