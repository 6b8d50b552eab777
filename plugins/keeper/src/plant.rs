//! Fills the vault from the source of a repository. User entries are preserved: seeds without
//! `from: plant` stay unchanged, and of planted seeds only path, line and derived lists change.

use std::path::Path;

use anyhow::Context;

use crate::code::{DefinitionKind, choose_domain, find_definitions, find_methods, find_variants};
use crate::sys;
use crate::target::RigTarget;
use crate::vault;
use crate::word::split_name;
use crate::yaml::{self, YamlValue};

/// The maximum number of files. A larger repository is not handwritten.
const MAX_FILES: usize = 50_000;

/// The maximum number of seeds per domain. More seeds are not patterns, and the file would be
/// unreadable.
const MAX_SEEDS: usize = 2_000;

/// The maximum number of words of a planted seed.
const MAX_WORDS: usize = 16;

/// The result of planting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlantReport {
    /// The number of files that were read.
    pub files: usize,
    pub domains: Vec<PlantedDomain>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlantedDomain {
    pub name: String,
    /// The number of seeds.
    pub seeds: usize,
    /// The number of new seeds.
    pub new: usize,
    /// The number of seeds that exceeded the limit of the domain's file.
    pub left: usize,
}

impl PlantReport {
    /// Returns the number of seeds that exceeded the limit of their domain's file.
    pub fn left(&self) -> usize {
        self.domains.iter().map(|domain| domain.left).sum()
    }
}

/// Plants seeds into the vault of `root`: those of the given folder, of the rig's target as last
/// fetched, or of the root. Returns the name of the source, too.
pub fn plant_from(root: &Path, requested: Option<&Path>) -> anyhow::Result<(String, PlantReport)> {
    let target = match requested {
        Some(_) => None,
        None => RigTarget::find(root),
    };
    let Some(target) = target else {
        let source = requested.unwrap_or(root);
        return Ok((source.display().to_string(), plant_seeds(root, source)?));
    };
    let name = format!("the target at {:.12}", target.commit());
    let folder = root.join(format!(".runtime/keeper-plant-{}", std::process::id()));
    let planted = (|| {
        target
            .export(&folder)
            .context("cannot read the rig's repository")?;
        plant_files(root, &folder, &target.list_paths("")?)
    })();
    sys::remove_folder(&folder).ok();
    Ok((name, planted?))
}

/// Plants the seeds of the repository at `source` into the vault of `root`.
pub fn plant_seeds(root: &Path, source: &Path) -> anyhow::Result<PlantReport> {
    let listed = sys::run_git(source, &["ls-files", "-z"])
        .with_context(|| format!("{} is no git repository", source.display()))?;
    let paths: Vec<String> = listed
        .split(|byte| *byte == 0)
        .filter_map(|path| String::from_utf8(path.to_vec()).ok())
        .collect();
    plant_files(root, source, &paths)
}

fn plant_files(root: &Path, source: &Path, paths: &[String]) -> anyhow::Result<PlantReport> {
    let mut planted = PlantReport::default();
    let mut fresh: Vec<(&'static str, YamlValue)> = Vec::new();
    for path in paths.iter().take(MAX_FILES) {
        if !is_source(path) {
            continue;
        }
        // A file that is gone or is not text defines nothing.
        let Ok(Some(text)) = sys::read_text(&source.join(path)) else {
            continue;
        };
        planted.files += 1;
        for found in find_definitions(path, &text) {
            // Including every struct would hide the patterns.
            if found.kind == crate::code::DefinitionKind::Type
                && choose_domain(found.kind, &found.name) != "auth"
            {
                continue;
            }
            fresh.push((
                choose_domain(found.kind, &found.name),
                build_seed(path, &text, &found),
            ));
        }
    }
    // Planted seeds of a domain without any remaining definitions are removed.
    let known: Vec<String> = sys::list_files(&vault::seeds_folder(root), "yaml")?
        .iter()
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    let mut domains: Vec<&str> = fresh.iter().map(|(domain, _)| *domain).collect();
    domains.extend(known.iter().map(String::as_str));
    domains.sort_unstable();
    domains.dedup();
    for domain in domains {
        let domain_seeds: Vec<YamlValue> = fresh
            .iter()
            .filter(|(own, _)| *own == domain)
            .map(|(_, seed)| seed.clone())
            .collect();
        let merged = merge_into_domain(root, domain, domain_seeds)?;
        planted.domains.push(merged);
    }
    Ok(planted)
}

/// Returns false for tests and generated files, which contain no reusable patterns.
fn is_source(path: &str) -> bool {
    const EXCLUDED_WORDS: [&str; 10] = [
        "node_modules/",
        "vendor/",
        "dist/",
        "build/",
        "target/",
        "test/",
        "tests/",
        "__tests__/",
        "fixtures/",
        ".min.",
    ];
    !path.is_empty()
        && !EXCLUDED_WORDS.iter().any(|part| path.contains(part))
        && !path.contains(".test.")
        && !path.contains(".spec.")
}

fn build_seed(path: &str, text: &str, found: &crate::code::Definition) -> YamlValue {
    let mut entries: Vec<(String, YamlValue)> = [
        ("name", found.name.clone()),
        ("kind", found.kind.word().to_owned()),
        ("path", path.to_owned()),
        ("line", found.line.to_string()),
        ("from", "plant".to_owned()),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), YamlValue::Text(value)))
    .collect();
    let lists = match found.kind {
        DefinitionKind::Component => [
            ("variants", find_variants(text, &found.name)),
            ("methods", Vec::new()),
        ],
        DefinitionKind::Service | DefinitionKind::Type => [
            ("methods", find_methods(path, text, &found.name)),
            ("variants", Vec::new()),
        ],
        _ => return YamlValue::Map(entries),
    };
    let mut seed_words: Vec<String> = split_name(&found.name);
    for (key, members) in lists {
        if !members.is_empty() {
            seed_words.extend(members.iter().flat_map(|member| split_name(member)));
            entries.push((key.to_owned(), YamlValue::texts(&members)));
        }
    }
    // For users, who add their own words for the thing.
    seed_words.sort();
    seed_words.dedup();
    seed_words.truncate(MAX_WORDS);
    entries.push(("words".to_owned(), YamlValue::texts(&seed_words)));
    YamlValue::Map(entries)
}

/// Merges fresh seeds into a domain's file.
fn merge_into_domain(
    root: &Path,
    domain: &str,
    fresh: Vec<YamlValue>,
) -> anyhow::Result<PlantedDomain> {
    let path = vault::seeds_folder(root).join(format!("{domain}.yaml"));
    let file = yaml::load_yaml(&path)?;
    let mut seeds: Vec<YamlValue> = Vec::new();
    for seed in file.value_of("seeds").items() {
        match fresh.iter().find(|fresh| is_same_seed(fresh, seed)) {
            Some(fresh) => seeds.push(update_seed(seed, fresh)),
            // A planted seed that is gone from the source is no longer a pattern.
            None if seed.field("from") == "plant" => {}
            None => seeds.push(seed.clone()),
        }
    }
    let mut new = 0;
    let mut left = 0;
    for seed in fresh {
        if !seeds.iter().any(|known| is_same_seed(known, &seed)) {
            if seeds.len() >= MAX_SEEDS {
                left += 1;
                continue;
            }
            seeds.push(seed);
            new += 1;
        }
    }
    let count = seeds.len();
    let mut fields: Vec<(String, YamlValue)> = file.entries().to_vec();
    fields.retain(|(key, _)| key != "seeds" && key != "domain");
    fields.insert(0, ("domain".to_owned(), YamlValue::text(domain)));
    fields.push(("seeds".to_owned(), YamlValue::List(seeds)));
    sys::replace_file(&path, &yaml::format_yaml(&YamlValue::Map(fields)), 0o644)
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(PlantedDomain {
        name: domain.to_owned(),
        seeds: count,
        new,
        left,
    })
}

fn is_same_seed(a: &YamlValue, b: &YamlValue) -> bool {
    a.field("name") == b.field("name") && a.field("kind") == b.field("kind")
}

/// Updates the place of an existing seed. A seed that a user wrote stays unchanged.
fn update_seed(seed: &YamlValue, fresh: &YamlValue) -> YamlValue {
    let YamlValue::Map(entries) = seed else {
        return seed.clone();
    };
    if seed.field("from") != "plant" {
        return seed.clone();
    }
    let mut moved = entries.clone();
    for (key, value) in &mut moved {
        if let "path" | "line" = key.as_str()
            && let Some(now) = fresh.get(key)
        {
            value.clone_from(now);
        }
    }
    // The current lists replace the old ones, except that the words that users added stay.
    for key in ["methods", "variants", "words"] {
        let Some(now) = fresh.get(key).map(YamlValue::as_texts) else {
            continue;
        };
        let old = moved.iter_mut().find(|(field, _)| field == key);
        match old {
            Some((_, value)) if key != "words" => *value = YamlValue::texts(&now),
            Some((_, value)) => {
                let mut all = value.as_texts();
                let new: Vec<String> = now.into_iter().filter(|word| !all.contains(word)).collect();
                all.extend(new);
                *value = YamlValue::texts(&all);
            }
            None => moved.push((key.to_owned(), YamlValue::texts(&now))),
        }
    }
    YamlValue::Map(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planting_a_repository_fills_the_vault_and_keeps_user_edits() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let clone = root.join("mayor/rig");
        let put =
            |path: &str, text: &str| sys::replace_file(&clone.join(path), text, 0o644).unwrap();
        put("src/Modal.tsx", "export function Modal() {}\n");
        put("src/Modal.test.tsx", "export function FakeModal() {}\n");
        put(
            "src/auth.ts",
            "export class AuthService {}\nexport enum Role { A }\n",
        );
        let hand = "note: ours\nseeds:\n  - {name: Grid, kind: component, use: by hand}\n";
        sys::replace_file(
            &vault::seeds_folder(root).join("frontend.yaml"),
            hand,
            0o644,
        )
        .unwrap();
        sys::run_git(&clone, &["init", "--quiet"]).unwrap();
        sys::run_git(&clone, &["add", "-A"]).unwrap();
        let planted = plant_seeds(root, &clone).unwrap();
        assert_eq!(planted.files, 2);
        let of = |name: &str, seeds| PlantedDomain {
            name: name.to_owned(),
            seeds,
            new: 1,
            left: 0,
        };
        assert_eq!(
            planted.domains,
            [of("auth", 1), of("data", 1), of("frontend", 2)]
        );
        let path = vault::seeds_folder(root).join("frontend.yaml");
        let text = sys::read_text(&path).unwrap().unwrap();
        sys::replace_file(
            &path,
            &text.replace("from: plant", "from: plant\n    use: for dialogs"),
            0o644,
        )
        .unwrap();
        put("src/Modal.tsx", "\n\nexport function Modal() {}\n");
        put("src/auth.ts", "export enum Role { A }\n");
        let again = plant_seeds(root, &clone).unwrap();
        assert_eq!(again.domains.last().unwrap().new, 0, "nothing is new");
        let auth = vault::seeds_folder(root).join("auth.yaml");
        let auth = sys::read_text(&auth).unwrap().unwrap();
        assert!(
            !auth.contains("AuthService"),
            "it is gone from the source: {auth}"
        );
        let text = sys::read_text(&path).unwrap().unwrap();
        for words in ["note: ours", "use: by hand", "use: for dialogs", "line: 3"] {
            assert!(text.contains(words), "`{words}` is not in {text}");
        }
    }

    #[test]
    fn a_seed_file_always_stays_readable() {
        let folder = tempfile::tempdir().unwrap();
        let clone = folder.path().join("mayor/rig");
        let enums: Vec<String> = (0..MAX_SEEDS + 5)
            .map(|number| format!("export enum Kind{number} {{ A }}\n"))
            .collect();
        sys::replace_file(&clone.join("src/kinds.ts"), &enums.concat(), 0o644).unwrap();
        sys::run_git(&clone, &["init", "--quiet"]).unwrap();
        sys::run_git(&clone, &["add", "-A"]).unwrap();
        let planted = plant_seeds(folder.path(), &clone).unwrap();
        assert_eq!((planted.domains[0].seeds, planted.left()), (MAX_SEEDS, 5));
        plant_seeds(folder.path(), &clone).unwrap();
    }
}
