//! Finds formulas: the project's, the town's, the user's and the built-in ones, in this order. The
//! first one with the name wins.
//!
//! A name may have a version, `mol-polecat-work@4`. Then the first formula with that version wins.
//! Several versions of a formula can be stored side by side as `NAME@VERSION.formula.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::builtin;
use super::problem::FormulaError;
use super::source::{self, FormulaFormat, LoadedFormula};
use crate::store::route::find_town_root;
use kit::gateway::check_named_files;
use kit::sys::{Env, file};

const FILE_ENDINGS: [&str; 2] = [".formula.toml", ".formula.json"];

/// The folders that are searched for formulas and overlays, in order.
#[derive(Debug, Clone, Default)]
pub struct FormulaSearchPath {
    pub folders: Vec<PathBuf>,
    /// The folders with overlays. The first file with a name wins entirely.
    pub overlays: Vec<PathBuf>,
    /// The folder that relative paths start from.
    pub cwd: PathBuf,
    /// True if the built-in formulas are searched last.
    pub has_built_in: bool,
}

/// A formula in the search path.
#[derive(Debug, Clone)]
pub struct FoundFormula {
    pub name: String,
    /// The formula, or the reason why it cannot be read.
    pub loaded: Result<LoadedFormula, String>,
}

impl FormulaSearchPath {
    /// Builds the search path for the working directory. The folders in `given` come first.
    pub fn new(env: &Env, beads: Option<&Path>, given: &[String]) -> Self {
        let cwd = env.cwd();
        let town = env
            .get("GT_ROOT")
            .map(PathBuf::from)
            .or_else(|| find_town_root(cwd));
        let mut folders: Vec<PathBuf> = given.iter().map(|path| env.make_absolute(path)).collect();
        // Only the nearest project counts.
        let around = cwd
            .ancestors()
            .map(|folder| folder.join(".beads"))
            .find(|beads| beads.is_dir())
            .map(|beads| beads.join("formulas"));
        let tiers = [
            around,
            beads.map(|dir| dir.join("formulas")),
            town.as_ref().map(|town| town.join(".beads/formulas")),
            env.home().map(|home| home.join(".beads/formulas")),
        ];
        for folder in tiers.into_iter().flatten() {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let rig = town.as_ref().and_then(|town| {
            let first = cwd.strip_prefix(town).ok()?.components().next()?;
            Some(town.join(first))
        });
        let overlays = [rig, town].into_iter().flatten();
        Self {
            folders,
            overlays: overlays.map(|at| at.join("formula-overlays")).collect(),
            cwd: cwd.to_owned(),
            has_built_in: true,
        }
    }

    /// Loads a formula by name, by name and version, or by path.
    pub fn load(&self, wanted: &str) -> Result<LoadedFormula, FormulaError> {
        if is_formula_path(wanted) {
            check_named_files(&[wanted.to_owned()])?;
            let path = self.cwd.join(wanted);
            return if path.is_file() {
                read_file(&path)
            } else {
                Err(self.not_found(wanted))
            };
        }
        let (name, version) = match wanted.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (wanted, None),
        };
        if !is_formula_name(name) || version.is_some_and(|version| !is_formula_name(version)) {
            return Err(FormulaError::BadName(wanted.to_owned()));
        }
        let mut others = Vec::new();
        for folder in &self.folders {
            for path in candidate_files(folder, name, version) {
                let loaded = read_file(&path)?;
                match version {
                    Some(version) if !has_version(&loaded, version) => {
                        others.push(loaded.formula.version_text());
                    }
                    _ => return Ok(loaded),
                }
            }
        }
        if let Some(text) = builtin::find_builtin(name).filter(|_| self.has_built_in) {
            let loaded =
                source::parse_formula(&format!("built-in:{name}"), text, FormulaFormat::Toml)?;
            if version.is_none_or(|version| has_version(&loaded, version)) {
                return Ok(loaded);
            }
            others.push(loaded.formula.version_text());
        }
        match version {
            Some(version) if !others.is_empty() => Err(FormulaError::NoVersion {
                name: name.to_owned(),
                wanted: version.to_owned(),
                found: others,
            }),
            _ => Err(self.not_found(wanted)),
        }
    }

    fn not_found(&self, wanted: &str) -> FormulaError {
        let names = self.names();
        FormulaError::NotFound {
            name: wanted.to_owned(),
            searched: self.folders.clone(),
            similar: names
                .iter()
                .filter(|name| {
                    strsim::damerau_levenshtein(name, wanted) <= 2
                        || name.strip_prefix("mol-") == Some(wanted)
                })
                .take(3)
                .cloned()
                .collect(),
        }
    }

    pub fn names(&self) -> BTreeSet<String> {
        self.first_files().into_keys().collect()
    }

    /// Returns the first file of each name; `None` for a built-in formula.
    fn first_files(&self) -> BTreeMap<String, Option<PathBuf>> {
        let mut found = BTreeMap::new();
        for folder in &self.folders {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let mut names: Vec<String> = entries
                .filter_map(|entry| entry.file_name().into_string().ok())
                .collect();
            names.sort();
            // TOML precedes JSON with the same name.
            names.sort_by_key(|name| name.ends_with(FILE_ENDINGS[1]));
            for file in names {
                let name = FILE_ENDINGS.iter().find_map(|end| file.strip_suffix(end));
                if let Some(name) = name.filter(|name| !name.contains('@')) {
                    let path = Some(folder.join(&file));
                    found.entry(name.to_owned()).or_insert(path);
                }
            }
        }
        if self.has_built_in {
            for name in builtin::list_builtins() {
                found.entry(name.to_owned()).or_insert(None);
            }
        }
        found
    }

    /// Loads all formulas, sorted by name, each from the first folder that has it.
    pub fn load_all(&self) -> Vec<FoundFormula> {
        self.first_files()
            .into_iter()
            .map(|(name, path)| {
                let loaded = path.map_or_else(|| self.load(&name), |path| read_file(&path));
                FoundFormula {
                    name,
                    loaded: loaded.map_err(|error| error.to_string()),
                }
            })
            .collect()
    }

    /// Returns the path and text of a formula's overlay, if there is one.
    pub fn overlay(&self, name: &str) -> Result<Option<(PathBuf, String)>, FormulaError> {
        for folder in &self.overlays {
            let path = folder.join(format!("{name}.toml"));
            if path.is_file() {
                let text = read_text(&path)?;
                return Ok(Some((path, text)));
            }
        }
        Ok(None)
    }
}

/// Returns the files in a folder that may hold a formula.
fn candidate_files(folder: &Path, name: &str, version: Option<&str>) -> Vec<PathBuf> {
    let mut stems = vec![name.to_owned()];
    if let Some(version) = version {
        stems.insert(0, format!("{name}@{version}"));
    }
    stems
        .iter()
        .flat_map(|stem| FILE_ENDINGS.map(|end| folder.join(format!("{stem}{end}"))))
        .filter(|path| path.is_file())
        .collect()
}

fn read_file(path: &Path) -> Result<LoadedFormula, FormulaError> {
    let text = read_text(path)?;
    let shown = path.display().to_string();
    source::parse_formula(&shown, &text, FormulaFormat::from_file_name(&shown))
}

/// The maximum size of a formula's file, in bytes.
const MOST_BYTES: u64 = 16 << 20;

fn read_text(path: &Path) -> Result<String, FormulaError> {
    let build_error = |source| FormulaError::Io {
        path: path.to_owned(),
        source,
    };
    let size = fs::metadata(path).map_err(build_error)?.len();
    if size > MOST_BYTES {
        let too_large = std::io::Error::other(format!(
            "it has {size} bytes, at most {MOST_BYTES} are read"
        ));
        return Err(build_error(too_large));
    }
    let bytes = file::read_file_if_exists(path)
        .and_then(|bytes| bytes.ok_or_else(|| std::io::ErrorKind::NotFound.into()))
        .map_err(build_error)?;
    String::from_utf8(bytes).map_err(|error| build_error(std::io::Error::other(error)))
}

/// Returns true if a formula is named by the path of its file.
pub fn is_formula_path(wanted: &str) -> bool {
    let has_ending = [".toml", ".json"].iter().any(|end| wanted.ends_with(end));
    has_ending && (wanted.contains('/') || Path::new(wanted).is_file())
}

/// Returns true if a text is a valid name of a formula.
pub fn is_formula_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 100
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && !name.starts_with(['.', '-'])
        && !name.contains("..")
}

/// Returns true if a formula has this version. `4`, `4.0` and `4.0.0` are equal.
fn has_version(loaded: &LoadedFormula, wanted: &str) -> bool {
    shorten_version(&loaded.formula.version_text()) == shorten_version(wanted)
}

fn shorten_version(text: &str) -> &str {
    text.trim_start_matches('v').trim_end_matches(".0")
}
