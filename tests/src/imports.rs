//! Reads the imports between the modules of a crate from its production code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// The imports of a crate: importer → imported → a path that says so. A module is named by its path
/// in the crate; the root is the empty name.
#[derive(Debug, Clone, Default)]
pub struct Imports(pub BTreeMap<String, BTreeMap<String, String>>);

/// A module's file, parsed.
struct Parsed {
    name: Vec<String>,
    uses: Vec<Vec<String>>,
    /// Re-exported names with their paths.
    exports: BTreeMap<String, Vec<String>>,
}

impl Imports {
    /// Reads all production files below a crate's `src`.
    pub fn of_crate(src: &Path) -> Self {
        let files = files_below(src);
        let parsed: Vec<Parsed> = files.iter().map(|file| parse(src, file)).collect();
        let modules: BTreeMap<Vec<String>, &Parsed> = parsed
            .iter()
            .map(|file| (file.name.clone(), file))
            .collect();
        let mut found = Self::default();
        for file in &parsed {
            let from = file.name.join("::");
            let entry = found.0.entry(from.clone()).or_default();
            for used in &file.uses {
                let to = resolve(&modules, used, 0).join("::");
                if to != from {
                    entry.entry(to).or_insert_with(|| used.join("::"));
                }
            }
        }
        found
    }

    /// The same with modules taken together: under the name that `group` gives; without those that
    /// it gives none.
    #[must_use]
    pub fn grouped(&self, group: impl Fn(&str) -> Option<String>) -> Self {
        let mut grouped = Self::default();
        for (from, imported) in &self.0 {
            let Some(group_of_importer) = group(from) else {
                continue;
            };
            let entry = grouped.0.entry(group_of_importer.clone()).or_default();
            for (to, path) in imported {
                if let Some(to) = group(to).filter(|to| *to != group_of_importer) {
                    entry.entry(to).or_insert_with(|| format!("{from}: {path}"));
                }
            }
        }
        grouped
    }

    /// The same without imports between a module and the modules inside it.
    #[must_use]
    pub fn without_own_parts(&self) -> Self {
        let holds = |outer: &str, inner: &str| {
            outer.is_empty()
                || inner
                    .strip_prefix(outer)
                    .is_some_and(|rest| rest.starts_with("::"))
        };
        let mut kept = self.clone();
        for (from, imported) in &mut kept.0 {
            imported.retain(|to, _| !holds(from, to) && !holds(to, from));
        }
        kept
    }

    /// Every set of modules each of which reaches every other.
    pub fn circles(&self) -> Vec<BTreeSet<String>> {
        let reached: BTreeMap<&String, BTreeSet<&String>> = self
            .0
            .keys()
            .map(|from| (from, self.reached(from)))
            .collect();
        let mut circles: BTreeSet<BTreeSet<String>> = BTreeSet::new();
        for (from, forth) in &reached {
            let circle: BTreeSet<String> = forth
                .iter()
                .filter(|to| reached.get(**to).is_some_and(|back| back.contains(from)))
                .map(|to| (*to).clone())
                .collect();
            if !circle.is_empty() {
                circles.insert(circle);
            }
        }
        circles.into_iter().collect()
    }

    fn reached(&self, from: &str) -> BTreeSet<&String> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&str> = vec![from];
        while let Some(next) = open.pop() {
            for to in self.0.get(next).into_iter().flat_map(BTreeMap::keys) {
                if reached.insert(to) {
                    open.push(to);
                }
            }
        }
        reached
    }

    /// Each import from a floor to a higher one, or to a module that is on none; lowest floor
    /// first. Modules of one floor may import each other.
    pub fn upwards(&self, floors: &[&[&str]]) -> Vec<String> {
        let floor_of = |module: &str| {
            floors.iter().position(|floor| {
                floor.iter().any(|name| {
                    module
                        .strip_prefix(name)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
                })
            })
        };
        let mut found = Vec::new();
        for (from, imported) in &self.0 {
            let Some(own_floor) = floor_of(from) else {
                found.push(format!("{from} is on no floor"));
                continue;
            };
            for (to, path) in imported {
                if floor_of(to).is_none_or(|floor| floor > own_floor) {
                    found.push(format!("{from} imports {path}"));
                }
            }
        }
        found
    }
}

/// The production source files below a folder.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if ["tests", "testing"].contains(&stem.as_str()) {
            continue;
        }
        if path.is_dir() {
            found.extend(files_below(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

fn parse(src: &Path, file: &Path) -> Parsed {
    let within = file.strip_prefix(src).unwrap().with_extension("");
    let mut name: Vec<String> = within
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if ["mod", "lib", "main"].contains(&name.last().unwrap().as_str()) {
        name.pop();
    }
    let text = std::fs::read_to_string(file).unwrap();
    let syntax =
        syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut reader = Reader {
        name: name.clone(),
        uses: Vec::new(),
        exports: BTreeMap::new(),
    };
    reader.visit_file(&syntax);
    Parsed {
        name,
        uses: reader.uses,
        exports: reader.exports,
    }
}

/// The deepest module on a path; what is re-exported is looked for where it comes from.
fn resolve(modules: &BTreeMap<Vec<String>, &Parsed>, path: &[String], depth: usize) -> Vec<String> {
    let mut module: Vec<String> = Vec::new();
    for (number, part) in path.iter().enumerate() {
        let mut deeper = module.clone();
        deeper.push(part.clone());
        if modules.contains_key(&deeper) {
            module = deeper;
            continue;
        }
        let export = modules.get(&module).and_then(|file| file.exports.get(part));
        if let Some(export) = export.filter(|_| depth < 8) {
            let rest = path.iter().skip(number + 1);
            let further: Vec<String> = export.iter().chain(rest).cloned().collect();
            return resolve(modules, &further, depth + 1);
        }
        break;
    }
    module
}

struct Reader {
    name: Vec<String>,
    uses: Vec<Vec<String>>,
    exports: BTreeMap<String, Vec<String>>,
}

impl Reader {
    /// The path from the crate's root, of one that begins with `crate`, `self` or `super`; or of a
    /// module's own child.
    fn absolute(&self, path: &[String], is_use: bool) -> Option<Vec<String>> {
        let mut at = self.name.clone();
        let mut rest = path;
        match path.first().map(String::as_str) {
            Some("crate") => {
                at.clear();
                rest = &path[1..];
            }
            Some("self") => rest = &path[1..],
            Some("super") => {
                while rest.first().is_some_and(|part| part == "super") {
                    at.pop();
                    rest = &rest[1..];
                }
            }
            // A child of this module, or another crate: told apart when it is resolved.
            _ if is_use => {}
            _ => return None,
        }
        at.extend(rest.iter().cloned());
        Some(at)
    }

    fn tree(&mut self, before: &[String], tree: &syn::UseTree, is_public: bool) {
        let joined = |part: &syn::Ident| {
            let mut path = before.to_vec();
            path.push(part.to_string());
            path
        };
        let (path, exported_as) = match tree {
            syn::UseTree::Path(path) => {
                return self.tree(&joined(&path.ident), &path.tree, is_public);
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(before, tree, is_public);
                }
                return;
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                (before.to_vec(), before.last().cloned())
            }
            syn::UseTree::Name(name) => (joined(&name.ident), Some(name.ident.to_string())),
            syn::UseTree::Rename(name) => (joined(&name.ident), Some(name.rename.to_string())),
            syn::UseTree::Glob(_) => (before.to_vec(), None),
        };
        let Some(path) = self.absolute(&path, true) else {
            return;
        };
        if let Some(name) = exported_as.filter(|_| is_public) {
            self.exports.insert(name, path.clone());
        }
        self.uses.push(path);
    }

    /// Paths in the text of a macro's call.
    fn tokens(&mut self, tokens: &str) {
        let words = tokens.replace(' ', "");
        for (start, _) in words.match_indices("crate::") {
            let rest = &words[start..];
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let path = rest.split(|c| !is_part(c)).next().unwrap_or_default();
            if rest[path.len()..].starts_with('!') {
                continue;
            }
            let path: Vec<String> = path.split("::").map(str::to_owned).collect();
            self.uses.extend(self.absolute(&path, false));
        }
    }
}

fn is_of_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_test = |list: &syn::MetaList| list.tokens.to_string() == "test";
        attribute.path().is_ident("cfg") && attribute.meta.require_list().is_ok_and(is_test)
    })
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_of_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_of_tests(&item.attrs) {
            let is_public = !matches!(item.vis, syn::Visibility::Inherited);
            self.tree(&[], &item.tree, is_public);
        }
    }

    /// `pub(super)` is no import.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path
            .segments
            .iter()
            .map(|part| part.ident.to_string())
            .collect();
        self.uses.extend(self.absolute(&parts, false));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        // A macro of the crate is of no module: its name is not looked at.
        self.tokens(&call.tokens.to_string());
    }
}
