//! The layers hold: no import goes upwards, and no modules import each other in a circle.

use std::path::Path;
use std::sync::LazyLock;

use town_tests::Imports;

/// The imports of `gt`, the largest crate, read once for all tests.
static GT_IMPORTS: LazyLock<Imports> = LazyLock::new(|| imports("gt"));

fn imports(name: &str) -> Imports {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    Imports::of_crate(&root.join(name).join("src"))
}

/// The first `depth` parts of a module's name.
fn outer(depth: usize) -> impl Fn(&str) -> Option<String> {
    move |name| {
        let parts: Vec<&str> = name.split("::").take(depth).collect();
        Some(parts.join("::"))
    }
}

/// The layers of `kit`, lowest first.
const KIT: [&[&str]; 6] = [
    &["sys", "json", "table"],
    &["failure"],
    &["ui"],
    &["cli"],
    &["gateway"],
    &[""],
];

/// The layers of `gt`, lowest first.
const GT: [&[&str]; 8] = [
    &["town"],
    &["host"],
    &["record"],
    &["flow"],
    &["patrol"],
    &["view"],
    &["error"],
    &[""],
];

/// The floors of `flow` in `gt`, lowest first.
const FLOW: [&[&str]; 4] = [
    &["flow::place"],
    &["flow::agent"],
    &["flow::work"],
    &["flow::townwide"],
];

/// The layers of `bd`, lowest first.
const BD: [&[&str]; 10] = [
    &["git", "forge"],
    &["bead"],
    &["merge", "config"],
    &["store"],
    &["graph", "query"],
    &["change", "sync", "foreign"],
    &["formula"],
    &["molecule"],
    &["error"],
    &["doctor", "hooks"],
];

#[test]
fn kit_imports_nothing_from_a_higher_layer() {
    let found = imports("kit").upwards(&KIT);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn bd_imports_nothing_from_a_higher_layer() {
    let found = imports("bd").upwards(&[&BD[..], &[&[""]]].concat());
    assert!(found.is_empty(), "{found:#?}");
}

/// The layers of the store of `bd`, lowest first. The handle, `store` itself, is above all of them.
const STORE: [&[&str]; 7] = [
    &["store::disk"],
    &["store::log"],
    &["store::index"],
    &["store::view"],
    &["store::commit"],
    &["store::route"],
    &[
        "store::exchange",
        "store::compact",
        "store::past",
        "store::repair",
        "store::create",
        "store::upkeep",
    ],
];

/// A bead and the snapshot that holds it: handle and arena, in one folder.
const HANDLE_AND_ARENA: [&str; 2] = ["store::view::bead_ref", "store::view::snapshot"];

/// The modules of the store, each by its own name, without the handle.
fn store() -> Imports {
    let inner = |name: &str| name.starts_with("store::").then(|| name.to_owned());
    imports("bd").grouped(inner).without_own_parts()
}

#[test]
fn the_store_imports_nothing_from_a_higher_layer() {
    let found = store().upwards(&STORE);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn bd_has_no_circular_imports() {
    let outer = imports("bd").grouped(outer(1)).without_own_parts();
    let inner = imports("bd").without_own_parts();
    let mut circles = [outer.circles(), inner.circles()].concat();
    circles.retain(|circle| !circle.iter().eq(&HANDLE_AND_ARENA));
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn gt_imports_nothing_from_a_higher_layer() {
    let found = GT_IMPORTS.upwards(&GT);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn flow_imports_nothing_from_a_higher_floor() {
    let inner = |name: &str| name.starts_with("flow::").then(|| name.to_owned());
    let found = GT_IMPORTS.grouped(inner).upwards(&FLOW);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn gt_has_no_circular_imports() {
    for depth in 1..=3 {
        let circles = GT_IMPORTS
            .grouped(outer(depth))
            .without_own_parts()
            .circles();
        assert!(circles.is_empty(), "{circles:#?}");
    }
    let circles = GT_IMPORTS.without_own_parts().circles();
    assert!(circles.is_empty(), "{circles:#?}");
}

/// The library crates have tests of their own above; these hold the programs and `kit`.
#[test]
fn no_program_has_circular_imports() {
    for name in ["kit", "bd/cli", "gt/cli", "gtd"] {
        let circles = imports(name).without_own_parts().circles();
        assert!(circles.is_empty(), "{name}: {circles:#?}");
    }
}
