//! Routes: map the prefix of an id to the store of its rig.
//!
//! `routes.jsonl` has one `{"prefix":"gt-","path":"gastown/mayor/rig"}` per line. Paths start at
//! the town's root; `.` is the town itself. Blank lines, comments and lines that cannot be parsed
//! are skipped.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::bead::id;
use crate::bead::lines;
use crate::store::disk::find;
use kit::sys::{Env, file};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// The prefix with its hyphen.
    pub prefix: String,
    /// The folder, relative to the town's root.
    pub path: String,
}

impl Route {
    /// The name of the rig: the first part of the path.
    pub fn rig(&self) -> &str {
        self.path.split('/').next().unwrap_or("")
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Routes {
    town: PathBuf,
    routes: Vec<Route>,
}

impl Routes {
    /// Reads the routes of a town's root or of a beads folder.
    pub fn load(dir: &Path) -> Self {
        if dir.join("mayor/town.json").is_file() {
            return Self::read(dir, &dir.join(".beads"));
        }
        let town = find_town_root(dir).unwrap_or_else(|| dir.parent().unwrap_or(dir).to_owned());
        let routes = Self::read(&town, dir);
        if routes.routes.is_empty() {
            return Self::read(&town, &town.join(".beads"));
        }
        routes
    }

    /// Reads the routes for a command in a working directory: those of its beads folder, or those
    /// of the enclosing town. There are none if `BEADS_DIR` is set.
    pub fn for_working_dir(beads_dir: &Path, env: &Env) -> Self {
        if env.get("BEADS_DIR").is_some() {
            return Self::default();
        }
        let town = find_town_root(env.cwd());
        let routes = Self::read(
            &town
                .clone()
                .unwrap_or_else(|| beads_dir.parent().unwrap_or(beads_dir).to_owned()),
            beads_dir,
        );
        match town {
            Some(town) if routes.routes.is_empty() => Self::read(&town, &town.join(".beads")),
            _ => routes,
        }
    }

    fn read(town: &Path, beads_dir: &Path) -> Self {
        let text = file::read_regular_file(&beads_dir.join("routes.jsonl"))
            .ok()
            .flatten()
            .unwrap_or_default();
        let mut routes: Vec<Route> = lines::parse_values(&text);
        routes.retain(|route| !route.prefix.is_empty() && !route.path.is_empty());
        Self {
            town: town.to_owned(),
            routes,
        }
    }

    /// All routes, in file order.
    pub fn all(&self) -> &[Route] {
        &self.routes
    }

    /// Returns the beads folder that holds an id, if a route leads to an existing one.
    pub fn dir_for(&self, id: &str) -> Option<PathBuf> {
        let prefix = id::route_prefix(id)?;
        let route = self.routes.iter().find(|route| route.prefix == prefix)?;
        self.dir_of(route)
    }

    /// Returns the beads folder of a route, after following its redirect.
    pub fn dir_of(&self, route: &Route) -> Option<PathBuf> {
        let dir = if route.path == "." {
            self.town.join(".beads")
        } else {
            self.town.join(&route.path).join(".beads")
        };
        dir.is_dir()
            .then(|| find::follow_redirect(&dir, &mut Vec::new()))
    }

    /// Returns the route of a rig, by its name or by its prefix with or without the hyphen.
    pub fn route_of_rig(&self, name: &str) -> Option<&Route> {
        self.routes.iter().find(|route| {
            route.prefix == name
                || route.prefix.trim_end_matches('-') == name
                || route.rig() == name
        })
    }
}

/// Returns the root of the town that contains a folder.
pub fn find_town_root(folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .find(|folder| folder.join("mayor/town.json").is_file())
        .map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn town() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for dir in ["mayor", ".beads", "gastown/mayor/rig/.beads"] {
            fs::create_dir_all(folder.path().join(dir)).unwrap();
        }
        fs::write(folder.path().join("mayor/town.json"), "{}").unwrap();
        let routes = "# routes\n{\"prefix\":\"hq-\",\"path\":\".\"}\nbroken\n\n{\"prefix\":\"gt-\",\"path\":\"gastown/mayor/rig\"}\n{\"prefix\":\"x-\",\"path\":\"\"}\n{\"prefix\":\"no-\",\"path\":\"gone\"}\n";
        fs::write(folder.path().join(".beads/routes.jsonl"), routes).unwrap();
        folder
    }

    #[test]
    fn a_prefix_leads_to_its_rig() {
        let town = town();
        for start in [
            town.path().to_owned(),
            town.path().join(".beads"),
            town.path().join("gastown/mayor/rig/.beads"),
        ] {
            let routes = Routes::load(&start);
            assert_eq!(routes.all().len(), 3);
            assert_eq!(
                routes.dir_for("gt-a-b"),
                Some(town.path().join("gastown/mayor/rig/.beads"))
            );
            assert_eq!(routes.dir_for("hq-cv-x"), Some(town.path().join(".beads")));
            assert_eq!(routes.dir_for("no-1"), None);
            assert_eq!(routes.dir_for("zz-1"), None);
        }
    }

    #[test]
    fn rigs_are_found_by_name_and_prefix() {
        let town = town();
        let routes = Routes::load(town.path());
        for name in ["gastown", "gt", "gt-"] {
            assert_eq!(routes.route_of_rig(name).unwrap().prefix, "gt-");
        }
    }

    #[test]
    fn beads_dir_disables_routing() {
        let town = town();
        let beads = town.path().join(".beads");
        let with = Env::with_vars(town.path(), [("BEADS_DIR", "/x")]);
        assert!(Routes::for_working_dir(&beads, &with).all().is_empty());
        assert_eq!(
            Routes::for_working_dir(&beads, &Env::with_vars(town.path(), []))
                .all()
                .len(),
            3
        );
    }
}
