//! An index that was not synced before a loss of power.

use std::fs;

use super::{StoreFixture, bead_line};
use crate::store::index::put_in_earlier_start;

fn build_indexed_store() -> (StoreFixture, Vec<u8>) {
    let lines: Vec<String> = (0..100)
        .map(|number| bead_line(&format!("bd-{number:03}"), "t") + "\n")
        .collect();
    let place = StoreFixture::with_issues(&lines.concat());
    // Long enough ago to be outside the racy window.
    super::crash::age_file(&place.dir.join("issues.jsonl"));
    assert_eq!(place.ids().len(), 100);
    let index = fs::read(place.dir.join("index.bin")).unwrap();
    (place, index)
}

impl StoreFixture {
    fn set_index(&self, bytes: &[u8]) {
        fs::remove_file(self.dir.join("index.bin")).unwrap();
        fs::write(self.dir.join("index.bin"), bytes).unwrap();
    }

    fn index(&self) -> Vec<u8> {
        fs::read(self.dir.join("index.bin")).unwrap()
    }
}

#[test]
fn an_intact_index_of_an_earlier_boot_is_used_and_adopted() {
    let (place, index) = build_indexed_store();
    let mut earlier = index.clone();
    put_in_earlier_start(&mut earlier);
    assert_ne!(earlier, index);
    place.set_index(&earlier);
    assert_eq!(place.ids().len(), 100);
    assert!(place.index() == index);
}

#[test]
fn an_index_of_an_earlier_boot_with_a_lost_page_is_rebuilt() {
    let (place, index) = build_indexed_store();
    for page in 1..index.len().div_ceil(4096) {
        let mut holes = index.clone();
        let end = holes.len().min((page + 1) * 4096);
        holes[page * 4096..end].fill(0);
        put_in_earlier_start(&mut holes);
        place.set_index(&holes);
        assert_eq!(place.store.snapshot().unwrap().open_rows().count(), 100);
        assert!(place.store.is_index_correct().unwrap(), "page {page}");
        assert_eq!(place.ids().len(), 100);
    }
    // A truncated index, or one that consists of holes only.
    for bytes in [&index[..5000], &vec![0; index.len()], b""] {
        place.set_index(bytes);
        assert_eq!(place.ids().len(), 100);
    }
}
