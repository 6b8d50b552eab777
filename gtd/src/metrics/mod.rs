//! Serves the numbers of the town to Prometheus: on the daemon's socket, and on the loopback
//! address if the setting `metrics.port` is set. `export` sends them to OpenTelemetry.
//!
//! Programs of this machine may read the numbers without a token. A browser must not: other pages
//! may have pointed a name to this machine, so the request must name this server as its host.

mod export;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Context;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gt::flow::agent::seance::usage::RequestCache;
use gt::host::LiveTown;
use gt::host::daemon::protocol::{DaemonAnswer, LINE_LIMIT};
use gt::town::config::SettingsLayers;
use gt::view::costs::CostReport;
use gt::view::metrics::{CONTENT_TYPE, TownMetrics, read_costs_by_rig, read_metrics};

pub(crate) use export::export_metrics;

use crate::page::{header_text, is_own_host};
use crate::run::lock_mutex;

/// The setting of the port.
const PORT_SETTING: &str = "metrics.port";
/// The time for which a reading serves several requests.
const MAX_READING_AGE: Duration = Duration::from_secs(5);
/// The time for which costs count, because transcripts are long.
const COSTS_FRESH: Duration = Duration::from_secs(60);

/// The numbers of a town, read at most once in a while.
pub(crate) struct MetricsReader {
    town: Arc<LiveTown>,
    last: Mutex<LastReadings>,
}

#[derive(Default)]
struct LastReadings {
    metrics: Option<(Instant, Arc<TownMetrics>)>,
    costs: Option<(Instant, CostReport)>,
    requests: RequestCache,
}

impl MetricsReader {
    pub(crate) fn new(town: &Arc<LiveTown>) -> Self {
        Self {
            town: Arc::clone(town),
            last: Mutex::default(),
        }
    }

    /// Reads the numbers. Blocks.
    fn read(&self) -> anyhow::Result<Arc<TownMetrics>> {
        let mut last = lock_mutex(&self.last);
        if let Some((at, metrics)) = &last.metrics
            && at.elapsed() < MAX_READING_AGE
        {
            return Ok(Arc::clone(metrics));
        }
        if last
            .costs
            .as_ref()
            .is_none_or(|(at, _)| at.elapsed() >= COSTS_FRESH)
        {
            let costs = read_costs_by_rig(&self.town, &mut last.requests)?;
            last.costs = Some((Instant::now(), costs));
        }
        let (_, costs) = last.costs.as_ref().context("the costs were not read")?;
        let metrics = Arc::new(read_metrics(&self.town, costs)?);
        last.metrics = Some((Instant::now(), Arc::clone(&metrics)));
        Ok(metrics)
    }

    /// Reads the numbers beside the loop of the daemon.
    async fn read_beside(self: Arc<Self>) -> anyhow::Result<Arc<TownMetrics>> {
        tokio::task::spawn_blocking(move || self.read()).await?
    }

    /// Answers a request on the daemon's socket.
    pub(crate) async fn answer(self: Arc<Self>) -> DaemonAnswer {
        match self.read_beside().await.map(|metrics| metrics.to_string()) {
            Ok(text) if text.len() < LINE_LIMIT / 2 => DaemonAnswer::Metrics { text },
            Ok(_) => DaemonAnswer::Error {
                reason: format!("the numbers are too long for the socket: set {PORT_SETTING}"),
            },
            Err(error) => DaemonAnswer::Error {
                reason: format!("{error:#}"),
            },
        }
    }
}

/// A port on which the numbers are served.
struct ServedMetrics {
    port: u16,
    reader: Arc<MetricsReader>,
}

/// Serves the numbers on the port of the setting, if it is set.
pub(crate) async fn serve_metrics(reader: Arc<MetricsReader>) {
    let settings = SettingsLayers::load(&reader.town, None);
    let port = settings.map_or(0, |settings| settings.sum(PORT_SETTING));
    if port == 0 {
        return;
    }
    let address = u16::try_from(port).map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let Ok(address) = address else {
        tracing::error!(port, "{PORT_SETTING} is not a port");
        return;
    };
    let listener = match tokio::net::TcpListener::bind(address).await {
        Ok(listener) => listener,
        Err(error) => {
            tracing::error!(%error, port, "{PORT_SETTING} cannot be opened, so no metrics are served");
            return;
        }
    };
    tracing::info!(port, "serving metrics");
    let served = Arc::new(ServedMetrics {
        port: address.port(),
        reader,
    });
    let router = Router::new()
        .route("/metrics", get(get_metrics))
        .with_state(served);
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!(%error, "metrics are not served any more");
        }
    });
}

async fn get_metrics(State(served): State<Arc<ServedMetrics>>, headers: HeaderMap) -> Response {
    let host = header_text(&headers, &header::HOST);
    if !host.is_some_and(|host| is_own_host(host, served.port)) {
        return (StatusCode::FORBIDDEN, "this is another host\n").into_response();
    }
    match Arc::clone(&served.reader).read_beside().await {
        Ok(metrics) => {
            let headers = [
                (header::CONTENT_TYPE, CONTENT_TYPE),
                (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
                (header::CACHE_CONTROL, "no-store"),
                (
                    HeaderName::from_static("cross-origin-resource-policy"),
                    "same-origin",
                ),
            ];
            (headers, metrics.to_string()).into_response()
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}\n")).into_response(),
    }
}
