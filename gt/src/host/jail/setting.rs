//! Checks the settings of the jail when they are set, and for the doctor.

use kit::ui::escape::escape_line;
use serde_json::Value;

use super::holds_private_files;
use crate::town::Town;
use crate::town::config::{ChangeError, JailCache, JailSettings, NetworkAccess, key};

/// The values that `sandbox.jail_network` can have.
const NETWORK_VALUES: &str =
    "full, none, or hosts such as registry.npmjs.org,*.example.com,db.example.com:5432";

/// Refuses a value that is not valid for a setting of the jail, or that would open the jail.
pub fn check_jail_setting(town: &Town, name: &str, text: &str) -> Result<(), ChangeError> {
    let refuse = |text: &str, expected: &str| {
        Err(ChangeError::BadValue {
            name: name.to_owned(),
            text: escape_line(text),
            expected: expected.to_owned(),
        })
    };
    match name {
        "sandbox.jail_network" if NetworkAccess::parse(text).is_none() => {
            refuse(text, NETWORK_VALUES)
        }
        "sandbox.caches" => {
            for entry in list_entries(name, text) {
                match JailCache::parse(&entry) {
                    None => return refuse(&entry, JailCache::EXPECTED),
                    Some(cache) if opens_jail(town, &cache) => {
                        return refuse(
                            &entry,
                            "a folder of caches only; this one holds the home folder or a part of the town, \
                             so jailed commands would read logins, settings and beads",
                        );
                    }
                    Some(_) => {}
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Returns the caches that hold the home folder or a part of the town.
pub fn find_open_caches<'a>(
    town: &'a Town,
    settings: &'a JailSettings,
) -> impl Iterator<Item = &'a JailCache> {
    let caches = settings.caches.iter();
    caches.filter(|cache| opens_jail(town, cache))
}

fn opens_jail(town: &Town, cache: &JailCache) -> bool {
    let path = town.env.make_absolute(&cache.path);
    // A folder that does not exist yet has no link in it.
    let real = path.canonicalize().unwrap_or(path);
    holds_private_files(town, &real)
}

fn list_entries(name: &str, text: &str) -> Vec<String> {
    let parsed = key::find_key(name).and_then(|key| key.parse(text));
    let entries = parsed.as_ref().and_then(Value::as_array).into_iter();
    entries
        .flatten()
        .filter_map(|entry| entry.as_str().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_cache_that_would_open_the_jail_is_refused_when_it_is_set() {
        let mut place = TestTown::new();
        let home = place.path_beside("home");
        std::fs::create_dir_all(home.join(".cargo")).unwrap();
        symlink(&home, place.path_beside("link")).unwrap();
        let env = place.town.town.env.clone();
        place.town.town.env = env.with_var("HOME", home.to_str().unwrap());
        let root = place.town.layout.root();
        let path = |path: &std::path::Path| path.display().to_string();
        for open in [
            path(&home),
            format!("shared:{}", path(&home)),
            path(home.parent().unwrap()),
            path(&place.path_beside("link")),
            path(root),
            path(&root.join("web/.beads")),
            format!("~/.cargo,{}", path(root)),
            "/".to_owned(),
            "relative".to_owned(),
        ] {
            let refused = check_jail_setting(&place.town, "sandbox.caches", &open);
            assert!(refused.is_err(), "{open}");
        }
        for closed in ["~/.cargo/registry", "shared:~/.cache/x,/var/cache/y"] {
            check_jail_setting(&place.town, "sandbox.caches", closed).unwrap();
        }
    }

    #[test]
    fn a_network_that_names_no_host_is_refused_when_it_is_set() {
        let place = TestTown::new();
        for (value, is_valid) in [
            ("full", true),
            ("none", true),
            ("a.org,*.b.org:22", true),
            ("off", false),
            ("registry:5000", true),
            ("https://a.org", false),
            ("10.0.0.0/8", false),
        ] {
            let checked = check_jail_setting(&place.town, "sandbox.jail_network", value);
            assert_eq!(checked.is_ok(), is_valid, "{value}");
        }
    }
}
