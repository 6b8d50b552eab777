//! Reads the whole body of a request before its handler runs, within limits of size and time.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The maximum size of a body, in bytes.
pub(super) const MAX_SIZE: usize = 64 * 1024;
/// The time within which a body must have arrived.
const READING_LIMIT: Duration = Duration::from_secs(10);

pub(super) async fn read_body(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let sent = Request::from_parts(parts.clone(), body);
    match tokio::time::timeout(READING_LIMIT, Bytes::from_request(sent, &())).await {
        Ok(Ok(bytes)) => {
            next.run(Request::from_parts(parts, Body::from(bytes)))
                .await
        }
        Ok(Err(rejection)) => rejection.into_response(),
        Err(_) => {
            let reason = "the rest of the request did not arrive: nothing was changed";
            (StatusCode::REQUEST_TIMEOUT, reason).into_response()
        }
    }
}
