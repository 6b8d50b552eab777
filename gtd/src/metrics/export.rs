//! Sends the numbers of the town to an OpenTelemetry collector (OTLP over HTTP, as JSON) once a
//! minute, if the setting `metrics.otlp` has its address.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use axum::body::Body;
use axum::http::{Request, Uri, header};
use gt::town::config::SettingsLayers;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::MetricsReader;

/// The setting of the collector's address.
const OTLP_SETTING: &str = "metrics.otlp";
const EXPORT_INTERVAL: Duration = Duration::from_secs(60);
/// The time that a collector has to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The path below the address, as the protocol defines it.
const METRICS_PATH: &str = "/v1/metrics";

/// Sends the numbers until the daemon ends, if the setting is set. Each new failure is logged once.
pub(crate) fn export_metrics(reader: Arc<MetricsReader>) {
    let settings = SettingsLayers::load(&reader.town, None);
    let address = settings
        .map(|settings| settings.valid_value(OTLP_SETTING))
        .ok()
        .and_then(|value| Some(value.as_str()?.trim().to_owned()));
    let Some(address) = address.filter(|address| !address.is_empty()) else {
        return;
    };
    tokio::spawn(async move {
        let collector = match Collector::parse(&address) {
            Ok(collector) => collector,
            Err(error) => {
                tracing::error!(address, "{OTLP_SETTING} cannot be used: {error:#}");
                return;
            }
        };
        let mut ticks = interval(EXPORT_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last = None;
        loop {
            ticks.tick().await;
            let sent = collector.send(Arc::clone(&reader)).await;
            let failure = sent.err().map(|error| format!("{error:#}"));
            match &failure {
                Some(why) if failure != last => {
                    tracing::warn!(
                        address,
                        "the numbers cannot be sent to {OTLP_SETTING}: {why}"
                    );
                }
                None if last.is_some() => tracing::info!(address, "the numbers are sent again"),
                _ => {}
            }
            last = failure;
        }
    });
}

struct Collector {
    /// The host with its port.
    authority: String,
    path: String,
}

impl Collector {
    fn parse(address: &str) -> anyhow::Result<Self> {
        let uri: Uri = address.parse()?;
        if uri.scheme_str() != Some("http") {
            bail!("it must begin with http://, the address of a collector near by");
        }
        let host = uri.host().context("it has no host")?;
        Ok(Self {
            authority: format!("{host}:{}", uri.port_u16().unwrap_or(80)),
            path: format!("{}{METRICS_PATH}", uri.path().trim_end_matches('/')),
        })
    }

    async fn send(&self, reader: Arc<MetricsReader>) -> anyhow::Result<()> {
        let body = reader.read_beside().await?.build_otlp().to_string();
        let posted = timeout(ANSWER_TIMEOUT, self.post(body)).await;
        posted.unwrap_or_else(|_| bail!("no answer within {ANSWER_TIMEOUT:?}"))
    }

    async fn post(&self, body: String) -> anyhow::Result<()> {
        let stream = TcpStream::connect(&self.authority).await?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let connection = tokio::spawn(connection);
        let request = Request::post(&self.path)
            .header(header::HOST, &self.authority)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body))?;
        let answer = sender.send_request(request).await;
        connection.abort();
        match answer?.status() {
            status if status.is_success() => Ok(()),
            status => bail!("the collector answered {status}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_the_protocol_follows_that_of_the_address() {
        let parse = |address: &str| {
            let found = Collector::parse(address).unwrap();
            (found.authority, found.path)
        };
        let plain = ("127.0.0.1:4318".to_owned(), "/v1/metrics".to_owned());
        assert_eq!(parse("http://127.0.0.1:4318"), plain);
        let below = ("otel.example:80".to_owned(), "/in/v1/metrics".to_owned());
        assert_eq!(parse("http://otel.example/in/"), below);
        for wrong in ["https://otel.example", "otel.example:4318", "http://", ""] {
            assert!(Collector::parse(wrong).is_err(), "{wrong}");
        }
    }
}
