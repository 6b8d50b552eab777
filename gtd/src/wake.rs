//! One channel of wake-ups from every source, merged: many events in a short time make one pass.

use std::time::Duration;

use tokio::sync::mpsc;

/// How long further wake-ups are gathered before a pass.
const GATHER: Duration = Duration::from_millis(100);

/// Why the daemon wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wake {
    /// A file of beads changed.
    Files,
    /// A session's process ended.
    Pane,
    /// Someone asked.
    Request,
    /// Work of its own ended.
    Finished,
    /// Time for the safety net.
    Tick,
    /// Time to end.
    Stop,
}

/// The end that receives.
pub(crate) struct Wakes {
    receiver: mpsc::UnboundedReceiver<Wake>,
}

/// The end that sends; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Waker(mpsc::UnboundedSender<Wake>);

/// Makes the channel.
pub(crate) fn channel() -> (Waker, Wakes) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (Waker(sender), Wakes { receiver })
}

impl Waker {
    /// Wakes the loop. Once the loop has ended nobody needs waking.
    pub(crate) fn wake(&self, why: Wake) {
        self.0.send(why).ok();
    }
}

impl Wakes {
    /// Waits for the next wake-up, at most `limit`, and gathers those that follow closely.
    pub(crate) async fn next(&mut self, limit: Duration) -> Wake {
        let first = match tokio::time::timeout(limit, self.receiver.recv()).await {
            Ok(Some(wake)) => wake,
            Ok(None) => return Wake::Stop,
            Err(_) => return Wake::Tick,
        };
        if first == Wake::Stop {
            return first;
        }
        let deadline = tokio::time::Instant::now() + GATHER;
        while let Ok(Some(wake)) = tokio::time::timeout_at(deadline, self.receiver.recv()).await {
            if wake == Wake::Stop {
                return wake;
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[test]
    fn wake_ups_close_together_make_one() {
        block_on(async {
            let (waker, mut wakes) = channel();
            for _ in 0..50 {
                waker.wake(Wake::Files);
            }
            assert_eq!(wakes.next(Duration::from_secs(5)).await, Wake::Files);
            assert_eq!(wakes.next(Duration::from_millis(1)).await, Wake::Tick);
        });
    }

    #[test]
    fn a_stop_is_never_swallowed() {
        block_on(async {
            let (waker, mut wakes) = channel();
            waker.wake(Wake::Files);
            waker.wake(Wake::Stop);
            assert_eq!(wakes.next(Duration::from_secs(5)).await, Wake::Stop);
        });
    }
}
