//! The JSON form of OpenTelemetry (OTLP/HTTP 1.x, `POST /v1/metrics`).
//!
//! Gauges stay gauges. Counters become cumulative sums that started at midnight.

use serde_json::{Value, json};

use super::{MetricFamily, MetricKind, MetricSample, TownMetrics};

/// `AGGREGATION_TEMPORALITY_CUMULATIVE`.
const CUMULATIVE_TEMPORALITY: u8 = 2;

impl TownMetrics {
    /// Builds the body of an export.
    pub fn build_otlp(&self) -> Value {
        let version = env!("CARGO_PKG_VERSION");
        let metrics: Vec<Value> = self
            .families
            .iter()
            .map(|family| self.build_metric(family))
            .collect();
        json!({ "resourceMetrics": [{
            "resource": { "attributes": [
                build_attribute("service.name", "gastown"),
                build_attribute("service.version", version),
                build_attribute("service.instance.id", &self.town),
            ] },
            "scopeMetrics": [{
                "scope": { "name": "gastown", "version": version },
                "metrics": metrics,
            }],
        }] })
    }

    fn build_metric(&self, family: &MetricFamily) -> Value {
        // JSON has no form for infinite numbers and those of a division by zero.
        let points: Vec<Value> = family
            .samples
            .iter()
            .filter(|sample| sample.value.is_finite())
            .map(|sample| self.build_point(sample))
            .collect();
        let name = family.name;
        let description = family.help;
        if family.kind == MetricKind::Counter {
            let sum = json!({ "aggregationTemporality": CUMULATIVE_TEMPORALITY, "isMonotonic": true, "dataPoints": points });
            json!({ "name": name, "description": description, "sum": sum })
        } else {
            json!({ "name": name, "description": description, "gauge": { "dataPoints": points } })
        }
    }

    fn build_point(&self, sample: &MetricSample) -> Value {
        let attributes: Vec<Value> = sample
            .labels
            .iter()
            .map(|(name, value)| build_attribute(name, value))
            .collect();
        // Numbers of 64 bits are texts in this form.
        json!({
            "attributes": attributes,
            "startTimeUnixNano": self.since.as_nanosecond().to_string(),
            "timeUnixNano": self.at.as_nanosecond().to_string(),
            "asDouble": sample.value,
        })
    }
}

fn build_attribute(name: &str, value: &str) -> Value {
    json!({ "key": name, "value": { "stringValue": value } })
}

#[cfg(test)]
mod tests {
    use super::super::{counter, gauge};
    use super::*;

    #[test]
    fn counters_are_sums_since_midnight_and_numbers_without_a_value_are_left_out() {
        let metrics = TownMetrics {
            families: vec![
                counter(
                    "gastown_merges_total",
                    "Merges.",
                    [MetricSample::new([("rig", "web")], 3.0)],
                ),
                gauge(
                    "gastown_ratio",
                    "Part.",
                    [
                        MetricSample::new([], 0.5),
                        MetricSample::new([("rig", "api")], f64::NAN),
                    ],
                ),
            ],
            town: "hq".to_owned(),
            since: "2026-03-04T00:00:00Z".parse().unwrap(),
            at: "2026-03-04T10:00:00Z".parse().unwrap(),
        };
        let body = metrics.build_otlp();
        let found = &body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
        let merges = json!({
            "name": "gastown_merges_total",
            "description": "Merges.",
            "sum": {
                "aggregationTemporality": 2,
                "isMonotonic": true,
                "dataPoints": [{
                    "attributes": [{ "key": "rig", "value": { "stringValue": "web" } }],
                    "startTimeUnixNano": "1772582400000000000",
                    "timeUnixNano": "1772618400000000000",
                    "asDouble": 3.0,
                }],
            },
        });
        assert_eq!(found[0], merges);
        let points = found[1]["gauge"]["dataPoints"].as_array().unwrap();
        assert_eq!(points.len(), 1, "{body}");
        assert_eq!(points[0]["asDouble"], 0.5);
    }
}
