//! Reports budgets that are spent or nearly spent.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::item::{AttentionItem, AttentionKind};
use crate::flow::agent::costs::PriceList;
use crate::record::budget::{BandSource, Budget, BudgetKind};
use crate::record::convoy;
use crate::record::queued_sling;
use crate::record::town_view::TownView;
use crate::town::TownLayout;

/// Returns the budgets that are spent or nearly spent.
pub(super) fn budget_items(layout: &TownLayout, view: &TownView) -> Vec<AttentionItem> {
    let budgets = list_budgets(view);
    let nearly_spent = budgets.iter().filter(|budget| budget.is_nearly_spent());
    let prices = match PriceList::load(layout) {
        Ok(prices) => format!(" Costs are computed from the {}.", prices.describe_date()),
        Err(error) => format!(" The prices cannot be read: {error:#}."),
    };
    nearly_spent
        .map(|budget| describe_budget(budget, &prices))
        .collect()
}

/// Returns the budgets of the day, of rigs, of open convoys, and of the beads that a worker has or
/// that wait for one.
pub fn list_budgets(view: &TownView) -> Vec<Budget> {
    let town = view.settings.for_rig(None);
    let book = &view.budgets;
    let mut budgets: Vec<Budget> = book.of_day(town).into_iter().collect();
    for (rig, beads) in &view.stores.rigs {
        let layers = view.settings.for_rig(Some(rig));
        budgets.extend(book.of_rig(layers, rig));
        if !BudgetKind::Bead.is_set(layers) {
            continue;
        }
        let mut current: BTreeSet<String> = view
            .polecats_of(rig)
            .iter()
            .filter_map(|polecat| polecat.hook.clone())
            .collect();
        for queued in queued_sling::list_queued_slings(beads) {
            current.insert(queued.work_bead_id);
        }
        budgets.extend(
            current
                .iter()
                .filter_map(|bead| book.of_bead(layers, rig, bead)),
        );
    }
    let convoys = if BudgetKind::Convoy.is_set(town) || BudgetKind::ConvoyBand.is_set(town) {
        convoy::list_convoys(&view.stores.town, false)
    } else {
        convoy::list_convoys_with_band(&view.stores.town)
    };
    budgets.extend(
        convoys
            .into_iter()
            .flat_map(|convoy| book.all_of_convoy(town, convoy)),
    );
    budgets
}

fn describe_budget(budget: &Budget, prices: &str) -> AttentionItem {
    let (stage, subject, text) = if budget.kind == BudgetKind::ConvoyBand {
        let stage = if budget.is_spent() {
            "spent"
        } else {
            "warning"
        };
        let percent = budget.percent();
        let convoy = budget.describe_subject();
        (
            stage,
            format!("{convoy} has cost {percent} % of its band"),
            "The band only warns: sessions go on and are started.",
        )
    } else if budget.is_spent() {
        (
            "spent",
            format!("The budget for {} is spent", budget.describe_subject()),
            "Running sessions go on. No other session is started until the budget is raised.",
        )
    } else {
        (
            "warning",
            format!(
                "{} % of the budget for {} is spent",
                budget.percent(),
                budget.describe_subject()
            ),
            "No session is started any more when it is spent.",
        )
    };
    let until = match budget.kind {
        BudgetKind::Day | BudgetKind::Rig => " A new day begins at midnight.",
        BudgetKind::Convoy | BudgetKind::ConvoyBand | BudgetKind::Bead => "",
    };
    // A band of the convoy's own is another one than that of the setting, and is reported separately.
    let limit = match budget.source {
        Some(BandSource::Convoy) => "convoy.band",
        _ => budget.kind.setting(),
    };
    AttentionItem {
        kind: AttentionKind::NeedsPerson,
        due: Timestamp::MIN,
        key: format!("budget:{limit}:{}:{stage}", budget.subject),
        bead: match budget.kind {
            BudgetKind::Bead => budget.subject.clone(),
            _ => String::new(),
        },
        subject,
        text: format!("{budget}. {text}{until}{prices}"),
        next: vec![budget.next_step(), "gt costs --today --by bead".to_owned()],
    }
}
