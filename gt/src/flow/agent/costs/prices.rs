//! Prices of models in US dollars per million tokens: `prices.json`, with the date at which they
//! were read, and over it the file `settings/prices.json` of a town in the same form.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use kit::sys::foreign;
use serde::Deserialize;

use crate::flow::agent::seance::transcript::TokenCounts;
use crate::town::TownLayout;

const BUILT_IN: &str = include_str!("prices.json");

/// The prices of one model.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct ModelPrice {
    pub input: f64,
    pub output: f64,
    /// A tenth of `input` if missing.
    #[serde(default)]
    pub cache_read: Option<f64>,
    /// 1.25 times `input` if missing.
    #[serde(default)]
    pub cache_write: Option<f64>,
    /// Twice `input` if missing.
    #[serde(default)]
    pub cache_write_1h: Option<f64>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PriceList {
    /// The day at which the prices were read.
    pub date: String,
    pub models: BTreeMap<String, ModelPrice>,
    /// The day at which the town's own prices were read.
    #[serde(skip)]
    pub own_date: Option<String>,
    /// The models with a price of the town.
    #[serde(skip)]
    own_models: BTreeSet<String>,
}

impl PriceList {
    /// Reads the prices of a town.
    pub fn load(layout: &TownLayout) -> anyhow::Result<Self> {
        let mut list: Self = serde_json::from_str(BUILT_IN)?;
        let path = layout.prices();
        if let Some(bytes) = foreign::read_small_file(&path)? {
            let own: Self = serde_json::from_slice(&bytes)
                .with_context(|| format!("{} is not valid", path.display()))?;
            list.own_date = (!own.date.is_empty()).then_some(own.date);
            list.own_models = own.models.keys().cloned().collect();
            list.models.extend(own.models);
        }
        Ok(list)
    }

    /// Describes the age of the prices.
    pub fn describe_date(&self) -> String {
        let date = &self.date;
        match &self.own_date {
            None => format!("list prices of {date}"),
            Some(own) => format!("list prices of {date} and own prices of {own}"),
        }
    }

    /// Returns true if the price of a model is the town's own.
    pub fn is_own(&self, model: &str) -> bool {
        let name = self.models.get_key_value(model);
        let name = name.or_else(|| self.models.get_key_value(without_date(model)));
        name.is_some_and(|(name, _)| self.own_models.contains(name))
    }

    /// Returns the price of a model. A model with a date behind its name costs the same.
    pub fn price_of(&self, model: &str) -> Option<&ModelPrice> {
        self.models
            .get(model)
            .or_else(|| self.models.get(without_date(model)))
    }

    /// Returns the costs in US dollars. None for a model without a price.
    pub fn cost_of(&self, model: &str, tokens: &TokenCounts) -> Option<f64> {
        let price = self.price_of(model)?;
        let parts = [
            (tokens.input, price.input),
            (tokens.output, price.output),
            (
                tokens.cache_read,
                price.cache_read.unwrap_or(price.input / 10.0),
            ),
            (
                tokens.cache_write,
                price.cache_write.unwrap_or(price.input * 1.25),
            ),
            (
                tokens.cache_write_1h,
                price.cache_write_1h.unwrap_or(price.input * 2.0),
            ),
        ];
        #[expect(
            clippy::cast_precision_loss,
            reason = "numbers of tokens are far below 2^52"
        )]
        let dollars = parts.map(|(count, price)| count as f64 * price / 1e6);
        Some(dollars.iter().sum())
    }
}

/// Removes a date such as `-20250929` or `-2025-09-29`, and `-latest`.
fn without_date(model: &str) -> &str {
    let split_end = |length: usize| model.split_at_checked(model.len().checked_sub(length)?);
    if let Some((name, end)) = split_end("-20250929".len())
        && let Some(date) = end.strip_prefix(['-', '@'])
        && date.bytes().all(|byte| byte.is_ascii_digit())
    {
        return name;
    }
    if let Some((name, end)) = split_end("-2025-09-29".len())
        && let Some(date) = end.strip_prefix('-')
        && date.parse::<jiff::civil::Date>().is_ok()
    {
        return name;
    }
    model.strip_suffix("-latest").unwrap_or(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dated_model_has_the_price_of_its_name_and_another_version_has_none() {
        let list: PriceList = serde_json::from_str(BUILT_IN).unwrap();
        let input = |model: &str| list.price_of(model).map(|price| price.input);
        assert_eq!(input("claude-sonnet-4-5-20250929"), Some(3.0));
        assert_eq!(input("claude-sonnet-4-5@20250929"), Some(3.0));
        assert_eq!(input("claude-3-5-haiku-latest"), Some(0.8));
        assert_eq!(input("gpt-5-2025-08-07"), Some(1.25));
        for model in [
            "claude-opus-4-9",
            "gpt-5-ultra",
            "",
            "é",
            "claude-opus-4-20",
        ] {
            assert_eq!(input(model), None, "{model}");
        }
    }

    #[test]
    fn cached_tokens_have_prices_of_their_own() {
        let list: PriceList = serde_json::from_str(BUILT_IN).unwrap();
        let million = TokenCounts {
            input: 1_000_000,
            cache_read: 1_000_000,
            cache_write: 1_000_000,
            cache_write_1h: 1_000_000,
            output: 1_000_000,
        };
        let cost = list.cost_of("claude-sonnet-4-5", &million).unwrap();
        assert!(
            (cost - (3.0 + 0.3 + 3.75 + 6.0 + 15.0)).abs() < 1e-9,
            "{cost}"
        );
        assert_eq!(list.cost_of("unknown", &million), None);
    }
}
