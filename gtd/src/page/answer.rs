//! Answers a question by the link of a notification. The link gives no other access, and the page
//! behind it has no script.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Form, Path, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use gt::flow::townwide::escalate::resolve_escalation;
use gt::host::LiveTown;
use gt::record::answer_link::{PublicPage, find_answer_link, take_answer_link};
use gt::record::escalation::{Escalation, EscalationChoice};
use serde::Deserialize;

use super::access::{header_text, is_own_host, is_own_origin};
use super::assets::STYLE_TEXT;
use super::{ServedPage, body};

const CONTENT_POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; \
    form-action 'self'; frame-ancestors 'none'";
const FOREIGN: &str =
    "A link works only under the address in the setting page.url, in a browser that names it.\n";
const GONE_MESSAGE: &str = "This link was used, is too old, or its question is answered.";

type PageState = State<Arc<ServedPage>>;

pub(super) fn build_router(page: Arc<ServedPage>) -> Router {
    Router::new()
        .route(
            "/answer/style.css",
            get(|| async {
                (
                    [(header::CONTENT_TYPE, "text/css; charset=utf-8")],
                    STYLE_TEXT,
                )
            }),
        )
        .route("/answer/{secret}", get(show_question).post(take_answer))
        .layer(middleware::from_fn(body::read_body))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&page),
            check_sender,
        ))
        .layer(axum::extract::DefaultBodyLimit::max(body::MAX_SIZE))
        .with_state(page)
}

/// Refuses requests to other hosts and of other pages.
async fn check_sender(State(page): PageState, request: Request, next: Next) -> Response {
    let sender = RequestSender::from_request(&request);
    let mut response = if sender.is_allowed(page).await {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, FOREIGN).into_response()
    };
    let headers = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Browsers name the origin of a form only with this policy or a weaker one.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in headers {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// What a request says about the page that it comes from.
struct RequestSender {
    host: Option<String>,
    origin: Option<String>,
    is_reading: bool,
}

impl RequestSender {
    fn from_request(request: &Request) -> Self {
        let headers = request.headers();
        Self {
            host: header_text(headers, &header::HOST).map(str::to_owned),
            origin: header_text(headers, &header::ORIGIN).map(str::to_owned),
            is_reading: request.method() == Method::GET,
        }
    }

    /// Returns true for a host and an origin of this page. The settings are read again, so that
    /// they apply at once.
    async fn is_allowed(&self, page: Arc<ServedPage>) -> bool {
        if self.origin.is_none() && !self.is_reading {
            return false;
        }
        let Some(host) = self.host.as_deref() else {
            return false;
        };
        let origin = self.origin.as_deref();
        if is_own_host(host, page.port)
            && origin.is_none_or(|origin| is_own_origin(origin, page.port))
        {
            return true;
        }
        let public = tokio::task::spawn_blocking(move || PublicPage::from_settings(&page.town))
            .await
            .ok()
            .flatten();
        public.is_some_and(|public| {
            public.host() == host && origin.is_none_or(|origin| origin == public.origin())
        })
    }
}

async fn show_question(State(page): PageState, Path(secret): Path<String>) -> Response {
    run_beside(move || match find_question(&page.town, &secret)? {
        Some(question) => Ok(Html(draw_question(&question, "")).into_response()),
        None => Ok(draw_gone()),
    })
    .await
}

#[derive(Deserialize)]
struct GivenAnswer {
    #[serde(default)]
    answer: String,
}

async fn take_answer(
    State(page): PageState,
    Path(secret): Path<String>,
    Form(given): Form<GivenAnswer>,
) -> Response {
    run_beside(move || {
        let Some(question) = find_question(&page.town, &secret)? else {
            return Ok(draw_gone());
        };
        let ask_again = |problem: &str| {
            let text = draw_question(&question, problem);
            Ok((StatusCode::UNPROCESSABLE_ENTITY, Html(text)).into_response())
        };
        if given.answer.trim().is_empty() {
            return ask_again("The answer is empty.");
        }
        let resolved = match resolve_escalation(&page.town, &question.id, given.answer.trim()) {
            Ok(resolved) => resolved,
            // Another answer came first.
            Err(_) if find_question(&page.town, &secret)?.is_none() => return Ok(draw_gone()),
            Err(error) => return ask_again(&gt::error::build_failure(&error).message),
        };
        if let Err(error) = take_answer_link(&page.town, &secret) {
            tracing::warn!(
                error = format!("{error:#}"),
                "a used link stays until tomorrow"
            );
        }
        let text = format!(
            "<p>{} is resolved: {}</p>",
            escape(&resolved.id),
            escape(&resolved.details.answer)
        );
        Ok(Html(draw_page("Answered", &text)).into_response())
    })
    .await
}

/// Returns the open escalation that a link answers.
fn find_question(town: &LiveTown, secret: &str) -> anyhow::Result<Option<Escalation>> {
    let Some(id) = find_answer_link(town, secret)? else {
        return Ok(None);
    };
    let beads = town.open_town_store()?.snapshot()?;
    Ok(beads
        .get_live(&id)
        .filter(|bead| bead.is_open())
        .and_then(Escalation::from_bead))
}

/// Draws a question. `problem` says why an answer was not taken; it may be empty.
fn draw_question(question: &Escalation, problem: &str) -> String {
    let choice = question.details.decision.as_ref();
    let buttons: String = choice
        .iter()
        .flat_map(|choice| &choice.options)
        .map(|option| {
            let option = escape(option);
            format!("<button name=\"answer\" value=\"{option}\">{option}</button>\n")
        })
        .collect();
    let default = choice.and_then(EscalationChoice::describe_default);
    let lines: String = [Some(problem), default.as_deref()]
        .into_iter()
        .flatten()
        .filter(|line| !line.is_empty())
        .map(|line| format!("<p>{}</p>\n", escape(line)))
        .collect();
    let body = format!(
        "{lines}<p class=\"dim\">{} from {}</p>\n<pre class=\"text\">{}</pre>\n\
         <form method=\"post\" class=\"answers\">{buttons}</form>\n\
         <form method=\"post\" class=\"answers\">\
         <label for=\"answer\">Another answer</label>\n\
         <input id=\"answer\" name=\"answer\" required autocomplete=\"off\">\n\
         <button>Send</button></form>\n",
        escape(&question.id),
        escape(&question.escalated_by),
        escape(&question.reason),
    );
    draw_page(&question.title, &body)
}

fn draw_gone() -> Response {
    let text = draw_page("No question", &format!("<p>{GONE_MESSAGE}</p>"));
    (StatusCode::GONE, Html(text)).into_response()
}

/// Draws a page with a title, which is escaped, and a body, which is markup.
fn draw_page(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n</head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n</body>\n</html>\n"
    )
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Runs a function that may block beside the loop of the daemon.
async fn run_beside(work: impl FnOnce() -> anyhow::Result<Response> + Send + 'static) -> Response {
    let text = match tokio::task::spawn_blocking(work).await {
        Ok(Ok(response)) => return response,
        Ok(Err(error)) => gt::error::build_failure(&error).message,
        Err(error) => error.to_string(),
    };
    (StatusCode::INTERNAL_SERVER_ERROR, text).into_response()
}
