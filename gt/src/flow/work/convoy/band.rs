//! Changes the band of a convoy: the costs from which the user is warned.

use super::error::find_convoy;
use crate::record;
use crate::town::Town;
use crate::town::event::event;

/// Sets the convoy's own band, which wins over the setting `budget.convoy_band`, or removes it.
pub fn set_band(town: &Town, id: &str, band_usd: Option<f64>) -> anyhow::Result<()> {
    let store = town.open_town_store()?;
    let is_changed = town.transact(&store, |tx| {
        let mut convoy = find_convoy(tx, id)?;
        if record::convoy::own_band(&convoy) == band_usd {
            return Ok(false);
        }
        record::convoy::set_own_band(&mut convoy, band_usd)?;
        convoy.updated_at = tx.now();
        tx.put(convoy)?;
        Ok(true)
    })?;
    if is_changed {
        let band = band_usd.map_or("that of the setting".to_owned(), |band| {
            format!("${band:.2}")
        });
        town.record_event(&event!(ConvoyBand, convoy: id, band: band));
    }
    Ok(())
}
