//! Merges the wake-ups of all sources into one channel: many events in a short time cause one pass.

use std::time::Duration;

use tokio::sync::mpsc;

/// The time in which further wake-ups are collected before a pass.
const GATHER_TIME: Duration = Duration::from_millis(100);

/// The reason of a wake-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WakeReason {
    /// A beads file changed.
    Files,
    Pane,
    Request,
    /// An action of the daemon ended.
    Finished,
    /// The heartbeat is due.
    Tick,
    Stop,
}

/// The receiving end.
pub(crate) struct WakeReceiver {
    receiver: mpsc::UnboundedReceiver<WakeReason>,
}

/// The sending end, cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct WakeSender(mpsc::UnboundedSender<WakeReason>);

pub(crate) fn create_wake_channel() -> (WakeSender, WakeReceiver) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (WakeSender(sender), WakeReceiver { receiver })
}

impl WakeSender {
    /// Wakes the loop. Does nothing once the loop has ended.
    pub(crate) fn wake(&self, why: WakeReason) {
        self.0.send(why).ok();
    }
}

impl WakeReceiver {
    /// Waits at most `limit` for the next wake-up, and collects those that follow closely.
    pub(crate) async fn next(&mut self, limit: Duration) -> WakeReason {
        let first = match tokio::time::timeout(limit, self.receiver.recv()).await {
            Ok(Some(wake)) => wake,
            Ok(None) => return WakeReason::Stop,
            Err(_) => return WakeReason::Tick,
        };
        if first == WakeReason::Stop {
            return first;
        }
        let deadline = tokio::time::Instant::now() + GATHER_TIME;
        while let Ok(Some(wake)) = tokio::time::timeout_at(deadline, self.receiver.recv()).await {
            if wake == WakeReason::Stop {
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
    fn close_wake_ups_are_merged_into_one() {
        block_on(async {
            let (waker, mut wakes) = create_wake_channel();
            for _ in 0..50 {
                waker.wake(WakeReason::Files);
            }
            assert_eq!(wakes.next(Duration::from_secs(5)).await, WakeReason::Files);
            assert_eq!(wakes.next(Duration::from_millis(1)).await, WakeReason::Tick);
        });
    }

    #[test]
    fn a_stop_request_is_never_lost() {
        block_on(async {
            let (waker, mut wakes) = create_wake_channel();
            waker.wake(WakeReason::Files);
            waker.wake(WakeReason::Stop);
            assert_eq!(wakes.next(Duration::from_secs(5)).await, WakeReason::Stop);
        });
    }
}
