//! The corpus of the fuzz targets, without a fuzzer.

#[path = "../fuzz/src/check.rs"]
#[expect(unreachable_pub, reason = "the fuzz targets use it, too")]
mod check;

use std::path::Path;

fn rerun(target: &str, check: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let inputs = std::fs::read_dir(corpus.join(target)).unwrap();
    let mut count = 0;
    for input in inputs {
        check(&std::fs::read(input.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0, "{target} has no corpus");
}

#[test]
fn every_input_of_the_merge_driver_corpus_merges() {
    rerun("merge_driver", check::merge_driver);
}

#[test]
fn every_input_of_the_index_corpus_is_answered() {
    rerun("index_reader", check::index_reader);
}

#[test]
fn every_input_of_the_line_corpus_is_read() {
    rerun("line_reader", check::line_reader);
}
