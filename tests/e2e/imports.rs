//! The layers hold: no import goes upwards, and no modules import each other in a circle.

use std::path::Path;

use town_tests::Imports;

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

/// The layers of `gt`, lowest first.
const GT: [&[&str]; 8] = [
    &["town"],
    &["host"],
    &["record"],
    &["flow"],
    &["patrol"],
    &["view"],
    &["cli"],
    &[""],
];

/// The layers of `bd`, lowest first.
const BD: [&[&str]; 12] = [
    &["sys"],
    &["git"],
    &["bead"],
    &["merge", "config"],
    &["store"],
    &["graph", "query", "change", "sync"],
    &["error"],
    &["ui"],
    &["doctor"],
    &["context"],
    &["cli"],
    &[""],
];

#[test]
fn in_bd_nothing_is_imported_from_a_higher_layer() {
    let found = imports("bd").upwards(&BD);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn in_bd_no_modules_import_each_other_in_a_circle() {
    let circles = imports("bd")
        .grouped(outer(1))
        .without_own_parts()
        .circles();
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn in_gt_nothing_is_imported_from_a_higher_layer() {
    let found = imports("gt").upwards(&GT);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn in_gt_no_modules_import_each_other_in_a_circle() {
    let imports = imports("gt");
    for depth in 1..=2 {
        let circles = imports.grouped(outer(depth)).without_own_parts().circles();
        assert!(circles.is_empty(), "{circles:#?}");
    }
    let circles = imports.without_own_parts().circles();
    assert!(circles.is_empty(), "{circles:#?}");
}
