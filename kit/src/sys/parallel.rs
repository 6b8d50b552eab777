//! Runs two functions at the same time.

use std::panic;
use std::thread::{self, Builder};

/// Runs `first` in a new thread and `other` in the current one. If no thread can be started, runs
/// `other`, then `first`.
pub fn run_both<A: Send, B>(first: impl Fn() -> A + Sync, other: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let thread = Builder::new().spawn_scoped(scope, &first);
        let other = other();
        let first_result = match thread {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|cause| panic::resume_unwind(cause)),
            Err(_) => first(),
        };
        (first_result, other)
    })
}

/// Drops a value in another thread if freeing it is slow: much memory, or a large file that is
/// already unlinked. Nothing waits for it. If no thread can be started, the value is dropped here.
pub fn drop_in_background<T: Send + 'static>(value: T) {
    Builder::new().spawn(move || drop(value)).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_closures_run_and_each_result_keeps_its_place() {
        let results = run_both(|| 1, || "two");
        assert_eq!(results, (1, "two"));
    }

    #[test]
    #[should_panic(expected = "of its own")]
    fn a_panic_of_the_other_thread_is_propagated() {
        run_both(|| panic!("of its own"), || ());
    }
}
