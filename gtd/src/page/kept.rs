//! Keeps the answers to readings for a while, for all browsers. Bounds the load of a large town,
//! and of many open browsers.
//!
//! An answer that was kept names the time until a newer one is possible, so that a browser asks
//! again then and no change is missed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::{self, Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::ServedPage;
use crate::run::lock_mutex;

/// The shortest and the longest time for which an answer is kept.
const MIN_KEPT_TIME: Duration = Duration::from_millis(300);
const MAX_KEPT_TIME: Duration = Duration::from_secs(20);
/// That time, as a multiple of the duration of the reading.
const KEPT_FACTOR: u32 = 60;
/// The header with the milliseconds until a newer answer is possible.
const REST_HEADER: &str = "x-gastown-rest";
/// Paths whose answers take no reading or never end.
const NOT_KEPT: [&str; 2] = ["/api/events", "/api/session"];

/// The kept answers, by path and query.
#[derive(Default)]
pub(super) struct KeptAnswers {
    slots: Mutex<HashMap<String, Arc<AnswerSlot>>>,
}

/// The lock is held while the answer is read, so that browsers that ask for it at the same time get
/// the same one.
type AnswerSlot = tokio::sync::Mutex<Option<KeptAnswer>>;

struct KeptAnswer {
    begun: Instant,
    rest: Duration,
    text: Bytes,
}

impl KeptAnswers {
    /// Returns the slot of a path, and forgets old answers.
    fn slot(&self, path: String) -> Arc<AnswerSlot> {
        let mut slots = lock_mutex(&self.slots);
        slots.retain(|_, slot| match slot.try_lock() {
            Ok(kept) => kept
                .as_ref()
                .is_some_and(|kept| kept.begun.elapsed() <= MAX_KEPT_TIME),
            // It is being read.
            Err(_) => true,
        });
        Arc::clone(slots.entry(path).or_default())
    }

    /// Forgets all answers, because the town was changed by the page itself.
    fn forget(&self) {
        lock_mutex(&self.slots).clear();
    }
}

/// Answers a reading with the kept answer, or reads a new one and keeps it.
pub(super) async fn keep_answers(
    State(page): State<Arc<ServedPage>>,
    request: Request,
    next: Next,
) -> Response {
    let uri = request.uri();
    let path = uri.path_and_query().map_or("", |path| path.as_str());
    if request.method() != Method::GET {
        let response = next.run(request).await;
        page.kept.forget();
        return response;
    }
    if !path.starts_with("/api/") || NOT_KEPT.contains(&uri.path()) {
        return next.run(request).await;
    }
    let slot = page.kept.slot(path.to_owned());
    let mut kept = slot.lock().await;
    if let Some(kept) = kept.as_ref()
        && let Some(rest) = kept.rest.checked_sub(kept.begun.elapsed())
    {
        let rest = [(
            HeaderName::from_static(REST_HEADER),
            rest.as_millis().to_string(),
        )];
        return (rest, build_json(kept.text.clone())).into_response();
    }
    let begun = Instant::now();
    let response = next.run(request).await;
    if response.status() != StatusCode::OK {
        return response;
    }
    match body::to_bytes(response.into_body(), usize::MAX).await {
        Ok(text) => {
            *kept = Some(KeptAnswer {
                begun,
                rest: (begun.elapsed() * KEPT_FACTOR).clamp(MIN_KEPT_TIME, MAX_KEPT_TIME),
                text: text.clone(),
            });
            build_json(text)
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

fn build_json(text: Bytes) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, Body::from(text)).into_response()
}
