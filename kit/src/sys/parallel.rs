//! Two things at once.

use std::panic;
use std::thread::{self, Builder};

/// Does `one` in another thread while this one does `other`; where the system has no thread to give, one after
/// the other.
pub fn run_both<A: Send, B>(one: impl Fn() -> A + Sync, other: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let thread = Builder::new().spawn_scoped(scope, &one);
        let other = other();
        let one = match thread {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|cause| panic::resume_unwind(cause)),
            Err(_) => one(),
        };
        (one, other)
    })
}

/// Gives back in another thread what takes the system a while: much memory, or a large file that has no name any more.
/// Nothing waits for it. Where there is no thread to be had it is done here.
pub fn drop_in_background<T: Send + 'static>(what: T) {
    Builder::new().spawn(move || drop(what)).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done_and_what_they_give_is_told_apart() {
        let (one, other) = run_both(|| 1, || "two");
        assert_eq!((one, other), (1, "two"));
    }

    #[test]
    #[should_panic(expected = "of its own")]
    fn a_panic_of_the_other_thread_is_one_here() {
        run_both(|| panic!("of its own"), || ());
    }
}
