//! Chooses names for new polecats: the first free one of the rig's theme, in list order.

use std::collections::BTreeSet;

use crate::town::config::Namepool;
use crate::town::identity::{Address, check_worker_name};

/// The themes by name, each with its list of names.
const NAME_THEMES: [(&str, &str); 3] = [
    (
        "desert",
        include_str!("../../../templates/names/desert.txt"),
    ),
    (
        "minerals",
        include_str!("../../../templates/names/minerals.txt"),
    ),
    (
        "rivers",
        include_str!("../../../templates/names/rivers.txt"),
    ),
];

/// Returns the names of the themes.
pub fn theme_names() -> impl Iterator<Item = &'static str> {
    NAME_THEMES.iter().map(|(name, _)| *name)
}

/// Picks the first name that is not in `used`: from the rig's own list if it has one, otherwise
/// from its theme. When all are used: `<rig>-<n>`, from 51 on.
pub fn pick_polecat_name(rig: &str, pool: &Namepool, used: &BTreeSet<String>) -> String {
    let is_free = |name: &&str| !used.contains(*name) && is_usable(rig, name);
    let listed = if pool.names.is_empty() {
        find_theme(rig, pool.style.as_deref())
            .1
            .lines()
            .find(is_free)
    } else {
        pool.names.iter().map(String::as_str).find(is_free)
    };
    listed.map_or_else(
        || {
            let mut number = 51_u64;
            while used.contains(&format!("{rig}-{number}")) {
                number += 1;
            }
            format!("{rig}-{number}")
        },
        str::to_owned,
    )
}

fn is_usable(rig: &str, name: &str) -> bool {
    let address = Address::Polecat(rig.to_owned(), name.to_owned());
    check_worker_name(&address, [rig]).is_ok()
}

/// Returns the theme of a rig: `style` if it is a theme, otherwise the one that the hash of the
/// rig's name selects.
pub fn theme_of(rig: &str, style: Option<&str>) -> &'static str {
    find_theme(rig, style).0
}

fn find_theme(rig: &str, style: Option<&str>) -> &'static (&'static str, &'static str) {
    let chosen = NAME_THEMES.iter().find(|(name, _)| Some(*name) == style);
    chosen.unwrap_or_else(|| {
        let hash = rig.bytes().fold(0_u32, |h, byte| {
            h.wrapping_mul(31).wrapping_add(byte.into())
        });
        &NAME_THEMES[hash as usize % NAME_THEMES.len()]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_list_order_and_skip_used_ones() {
        let rivers = Namepool {
            style: Some("rivers".to_owned()),
            names: Vec::new(),
        };
        let mut used = BTreeSet::new();
        let first = pick_polecat_name("web", &rivers, &used);
        used.insert(first.clone());
        let second = pick_polecat_name("web", &rivers, &used);
        assert_ne!(first, second);
        used.remove(&first);
        assert_eq!(pick_polecat_name("web", &rivers, &used), first);
    }

    #[test]
    fn an_exhausted_list_overflows_into_numbers() {
        let custom = Namepool {
            style: None,
            names: ["nux", "witness", "crew-x", "a b"]
                .map(str::to_owned)
                .into(),
        };
        let mut used = BTreeSet::from(["nux".to_owned()]);
        assert_eq!(pick_polecat_name("web", &custom, &used), "web-51");
        used.insert("web-51".to_owned());
        assert_eq!(pick_polecat_name("web", &custom, &used), "web-52");
    }

    #[test]
    fn every_theme_has_fifty_distinct_valid_names() {
        for (theme, list) in NAME_THEMES {
            let names: BTreeSet<&str> = list.lines().collect();
            assert_eq!(names.len(), 50, "{theme}");
            for name in names {
                assert!(is_usable("web", name), "{name}");
            }
        }
    }
}
