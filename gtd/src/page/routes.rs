//! Answers the requests of the page. `check_access` comes before each of them.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use gt::flow::townwide::town_change::TownChange;
use gt::host::LiveTown;
use gt::record::page_browsers::SavedPage;
use gt::view::map::TownMap;
use gt::view::overview::TownOverview;
use gt::view::search::search_town;
use serde::Deserialize;
use serde_json::json;

use super::access::{self, GrantedAccess, PagePermission, PageSession, header_text};
use super::assets::{ASSETS, Asset};
use super::{ServedPage, body, create_secret, events, kept, read};
use crate::run::lock_mutex;

/// No script but our own, no request to another host, no frame.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const REVOKED: &str = "the access of this browser was revoked: nothing was changed";

type PageState = State<Arc<ServedPage>>;

pub(super) fn build_router(page: Arc<ServedPage>) -> Router {
    let mut router = Router::new();
    for asset in ASSETS {
        router = router.route(asset.path, get(async || serve_asset(asset)));
    }
    router
        .route("/api/overview", get(get_overview))
        .route("/api/map", get(get_map))
        .route("/api/session", get(get_session))
        .route(
            "/api/board",
            get(|page: PageState| answer(page, read::read_board)),
        )
        .route(
            "/api/mail",
            get(|page: PageState| answer(page, read::read_mail)),
        )
        .route(
            "/api/channel/{name}",
            get(|page: PageState, Path(name): Path<String>| {
                answer(page, move |town| read::read_channel(town, &name))
            }),
        )
        .route("/api/costs", get(get_costs))
        .route("/api/daily", get(get_daily))
        .route("/api/career", get(get_careers))
        .route(
            "/api/records",
            get(|page: PageState| answer(page, read::read_records)),
        )
        .route(
            "/api/settings",
            get(|page: PageState| answer(page, read::read_settings)),
        )
        .route(
            "/api/settings/{rig}",
            get(|page: PageState, Path(rig): Path<String>| {
                answer(page, move |town| read::read_rig_settings(town, &rig))
            }),
        )
        .route("/api/search", get(get_search))
        .route(
            "/api/bead/{id}",
            get(|page: PageState, Path(id): Path<String>| {
                answer(page, move |town| read::read_bead(town, &id))
            }),
        )
        .route(
            "/api/convoy/{id}",
            get(|page: PageState, Path(id): Path<String>| {
                answer(page, move |town| read::read_convoy(town, &id))
            }),
        )
        .route(
            "/api/request/{id}",
            get(|page: PageState, Path(id): Path<String>| {
                answer(page, move |town| read::read_request(town, &id))
            }),
        )
        .route("/api/agent", get(get_agent))
        .route("/api/thread", get(get_thread))
        .route("/api/changes", get(get_changes))
        .route("/api/sessions", get(get_sessions))
        .route("/api/timeline", get(get_timeline))
        .route("/api/session/{id}", get(get_conversation))
        .route("/api/events", get(get_events))
        .route("/api/act", post(post_act))
        .layer(middleware::from_fn(body::read_body))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&page),
            kept::keep_answers,
        ))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&page),
            check_access,
        ))
        .route("/proof", get(get_proof))
        .layer(axum::extract::DefaultBodyLimit::max(body::MAX_SIZE))
        .with_state(page)
}

fn serve_asset(asset: &Asset) -> Response {
    ([(header::CONTENT_TYPE, asset.kind)], asset.text).into_response()
}

/// Refuses requests of others, exchanges a token for a cookie, and sets the headers that keep other
/// pages out.
async fn check_access(State(page): PageState, mut request: Request, next: Next) -> Response {
    let mut response = match find_permission(&page, &request) {
        Ok(AccessAnswer::Begin(secrets)) => redirect_home(&page.cookie_name(), &secrets),
        Ok(AccessAnswer::Allowed(access)) => {
            request.extensions_mut().insert(access);
            next.run(request).await
        }
        Err(reason) => refuse(StatusCode::FORBIDDEN, reason),
    };
    let headers = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in headers {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    let program = HeaderName::from_static("x-gastown-program");
    if let Ok(value) = HeaderValue::from_str(&page.program) {
        response.headers_mut().insert(program, value);
    }
    response
}

enum AccessAnswer {
    Allowed(GrantedAccess),
    /// A token was exchanged for these secrets.
    Begin(BrowserSecrets),
}

/// The secrets of a browser.
struct BrowserSecrets {
    cookie: String,
    key: String,
}

fn find_permission(page: &ServedPage, request: &Request) -> Result<AccessAnswer, &'static str> {
    let headers = request.headers();
    if !header_text(headers, &header::HOST).is_some_and(|host| access::is_own_host(host, page.port))
    {
        return Err("this is another host");
    }
    match header_text(headers, &header::ORIGIN) {
        Some(origin) if !access::is_own_origin(origin, page.port) => {
            return Err("the request comes from another page");
        }
        None if request.method() != Method::GET => {
            return Err("the request does not say which page it comes from");
        }
        _ => {}
    }
    if request.uri().path() == "/"
        && let Some(token) = request
            .uri()
            .query()
            .and_then(|query| query.strip_prefix("token="))
    {
        let now = page.town.clock.now();
        let mut book = lock_mutex(&page.access);
        let permission = book
            .take_token(token, now)
            .ok_or("this link was used or is too old: `gt dashboard` prints a new one")?;
        let secrets = BrowserSecrets {
            cookie: create_secret().map_err(|_| "no random numbers")?,
            key: create_secret().map_err(|_| "no random numbers")?,
        };
        let session = PageSession::new(&secrets.cookie, &secrets.key, permission, now);
        book.begin_session(session);
        let saved = SavedPage {
            root: page.town.layout.root().to_owned(),
            port: page.port,
            browsers: book.list_browsers(),
        };
        if let Err(error) = saved.save(&page.town) {
            let error = format!("{error:#}");
            tracing::warn!(error, "open pages end with the daemon");
        }
        return Ok(AccessAnswer::Begin(secrets));
    }
    let book = lock_mutex(&page.access);
    let session = header_text(headers, &header::COOKIE)
        .and_then(|cookies| {
            let now = page.town.clock.now();
            book.find_session(cookies, &page.cookie_name(), now)
        })
        .ok_or("open the link that `gt dashboard` prints")?;
    if request.uri().path().starts_with("/api/")
        && !find_key(request).is_some_and(|key| session.has_key(key))
    {
        return Err("this browser has lost the key: open a new link of `gt dashboard`");
    }
    if request.method() != Method::GET && session.permission != PagePermission::Act {
        return Err(
            "this page may only read: `gt dashboard --act` prints a link that allows actions",
        );
    }
    Ok(AccessAnswer::Allowed(book.grant(session.permission)))
}

/// Returns the key of a request. Streams of events have it in the query, because browsers set no
/// headers for them.
fn find_key(request: &Request) -> Option<&str> {
    let header = HeaderName::from_static("x-gastown-key");
    header_text(request.headers(), &header).or_else(|| {
        request
            .uri()
            .query()?
            .split('&')
            .find_map(|part| part.strip_prefix("key="))
    })
}

/// Sets the cookie, and hands over the key in the part of the address that no request contains.
fn redirect_home(cookie: &str, secrets: &BrowserSecrets) -> Response {
    let headers = [
        (header::LOCATION, format!("/#key={}", secrets.key)),
        (
            header::SET_COOKIE,
            format!(
                "{cookie}={}; Path=/; HttpOnly; SameSite=Lax",
                secrets.cookie
            ),
        ),
    ];
    (StatusCode::SEE_OTHER, headers).into_response()
}

fn refuse(status: StatusCode, reason: impl Into<String>) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    (status, kind, Body::from(reason.into())).into_response()
}

/// Runs a reading beside the loop of the daemon, and answers with its value as JSON.
async fn answer<T: serde::Serialize + Send + 'static>(
    State(page): PageState,
    read: impl FnOnce(&LiveTown) -> anyhow::Result<T> + Send + 'static,
) -> Response {
    let found = tokio::task::spawn_blocking(move || read(&page.town)).await;
    match found {
        Ok(Ok(value)) => Json(value).into_response(),
        Ok(Err(error)) => describe_error(&error),
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

fn describe_error(error: &anyhow::Error) -> Response {
    let failure = gt::error::build_failure(error);
    refuse(StatusCode::UNPROCESSABLE_ENTITY, failure.message)
}

async fn get_overview(State(page): PageState) -> Response {
    let memory = Arc::clone(&page);
    answer(State(page), move |town| {
        TownOverview::read_again(town, &memory.memory)
    })
    .await
}

async fn get_map(State(page): PageState) -> Response {
    let memory = Arc::clone(&page);
    answer(State(page), move |town| {
        let overview = TownOverview::read_again(town, &memory.memory)?;
        TownMap::read(town, &overview)
    })
    .await
}

#[derive(Deserialize)]
struct GroupQuery {
    /// The property by which costs or finished work are grouped.
    by: String,
}

async fn get_costs(State(page): PageState, Query(query): Query<GroupQuery>) -> Response {
    let costs = Arc::clone(&page);
    answer(State(page), move |town| costs.costs.read(town, &query.by)).await
}

async fn get_daily(State(page): PageState, Query(query): Query<read::DailyQuery>) -> Response {
    let costs = Arc::clone(&page);
    answer(State(page), move |town| {
        costs.costs.read_daily(town, &query)
    })
    .await
}

async fn get_careers(State(page): PageState, Query(query): Query<GroupQuery>) -> Response {
    let careers = Arc::clone(&page);
    answer(State(page), move |town| {
        careers.careers.read(town, &query.by)
    })
    .await
}

#[derive(Deserialize)]
struct ProofQuery {
    /// The hash of the hash of the browser's key.
    browser: String,
    /// A random number of the browser.
    nonce: String,
}

/// Proves to a browser that this is the daemon, before the browser sends its secrets. No access is
/// needed, because the answer is of use to no one else.
async fn get_proof(State(page): PageState, Query(query): Query<ProofQuery>) -> Response {
    let book = lock_mutex(&page.access);
    match book.prove_identity(&query.browser, &query.nonce, page.port) {
        Some(proof) => proof.into_response(),
        None => refuse(
            StatusCode::FORBIDDEN,
            "open the link that `gt dashboard` prints",
        ),
    }
}

async fn get_session(Extension(access): Extension<GrantedAccess>) -> Response {
    Json(json!({ "act": access.permission == PagePermission::Act })).into_response()
}

#[derive(Deserialize)]
struct AgentQuery {
    address: String,
}

async fn get_agent(page: PageState, Query(query): Query<AgentQuery>) -> Response {
    answer(page, move |town| read::read_agent(town, &query.address)).await
}

async fn get_thread(page: PageState, Query(query): Query<AgentQuery>) -> Response {
    answer(page, move |town| read::read_thread(town, &query.address)).await
}

async fn get_changes(page: PageState, Query(query): Query<AgentQuery>) -> Response {
    answer(page, move |town| read::read_changes(town, &query.address)).await
}

async fn get_sessions(page: PageState, Query(query): Query<read::SessionQuery>) -> Response {
    answer(page, move |town| read::list_sessions(town, &query)).await
}

async fn get_timeline(page: PageState, Query(query): Query<read::TimelineQuery>) -> Response {
    answer(page, move |town| read::read_timeline(town, &query)).await
}

#[derive(Deserialize)]
struct ConversationQuery {
    /// The number of the first entry. The last entries without it.
    from: Option<usize>,
}

async fn get_conversation(
    page: PageState,
    Path(id): Path<String>,
    Query(query): Query<ConversationQuery>,
) -> Response {
    answer(page, move |town| read::read_session(town, &id, query.from)).await
}

#[derive(Deserialize)]
struct SearchQuery {
    text: String,
}

async fn get_search(page: PageState, Query(query): Query<SearchQuery>) -> Response {
    answer(page, move |town| search_town(town, &query.text)).await
}

#[derive(Deserialize)]
struct EventsQuery {
    /// The id of the last event before the daemon was started again.
    after: Option<u64>,
}

async fn get_events(
    State(page): PageState,
    Extension(access): Extension<GrantedAccess>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Response {
    let last = header_text(&headers, &HeaderName::from_static("last-event-id"));
    let position = last.and_then(|last| last.parse().ok()).or(query.after);
    events::follow_town(page, access, position).into_response()
}

async fn post_act(
    State(page): PageState,
    Extension(access): Extension<GrantedAccess>,
    Json(change): Json<TownChange>,
) -> Response {
    let applied = tokio::task::spawn_blocking(move || {
        // The access was checked before the body arrived, which may be long ago.
        if page.is_revoked(access) {
            return refuse(StatusCode::FORBIDDEN, REVOKED);
        }
        match change.apply(&page.town) {
            Ok(result) => Json(json!({ "result": result })).into_response(),
            Err(error) => describe_error(&error),
        }
    });
    match applied.await {
        Ok(response) => response,
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}
