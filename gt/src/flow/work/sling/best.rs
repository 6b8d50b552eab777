//! Chooses the agent program for a bead by the records of finished work: `gt sling --best`, and each
//! sling with the setting `sling.choose: best`.
//!
//! 1. The programs that can be started now: installed, below their limits, and with an account that
//!    is not at its usage limit. The others are named with the reason.
//! 2. Of these, the one with the highest lower end of its interval for this kind of work
//!    ([`crate::record::career`]). Equal ones are ordered by the user's ratings, then by their
//!    median time. Without enough work of the kind it is the configured program, or any other one
//!    if that cannot be started.
//! 3. A share of the work (`sling.explore`) goes to another program that can be started, so that
//!    the records say something about it, too.
//!
//! A worker cannot change what is compared: the kind is the type of the bead at the claim, and no
//! worker writes records, ratings or settings.

use std::collections::{BTreeMap, BTreeSet};

use bd::bead::Bead;
use jiff::SignedDuration;

use crate::host::runtime::resolve_runtime;
use crate::record::account::choose_account;
use crate::record::career::{
    CAREER_DAYS, CareerGroup, ComparedGroup, MIN_COMPARED, compare_groups,
};
use crate::record::polecat::{AgentChoice, WorkerCompletion, kind_of_work, read_completions_since};
use crate::record::queued_sling::SlingOptions;
use crate::record::quota::QuotaBook;
use crate::record::rating::{Rating, RatingSummary, read_ratings_since};
use crate::record::scheduler::{find_use_obstacle, read_start_limits};
use crate::record::start_use::{StartNeeds, UseLimits};
use crate::town::Rig;
use crate::town::config::{SettingsLayers, read_agents};
use crate::town::identity::Address;

/// The value of `sling.choose` with which each sling chooses by the records.
const CHOOSE_BEST: &str = "best";

/// The finished work of one kind in a rig, and the programs that may do more of it.
struct ChoiceFacts {
    kind: String,
    /// The best first.
    groups: Vec<ComparedGroup>,
    /// The name of the configured program.
    configured: String,
    usable: BTreeSet<String>,
    /// The programs that cannot be started now, each with the reason.
    unusable: BTreeMap<String, String>,
    /// The share of work for other programs, in percent.
    explore: u64,
}

/// Chooses the program for a sling, if the sling or the settings ask for it and no program is named.
pub(super) fn choose_agent(
    rig: &Rig,
    bead: &Bead,
    options: &SlingOptions,
) -> anyhow::Result<Option<AgentChoice>> {
    if options.agent.is_some() {
        return Ok(None);
    }
    let layers = SettingsLayers::load(rig.town(), Some(rig))?;
    let is_set = layers.checked_value("sling.choose")? == CHOOSE_BEST;
    if !is_set && !options.best {
        return Ok(None);
    }
    layers.checked_value("sling.explore")?;
    let facts = ChoiceFacts::read(rig, bead, options, layers.number("sling.explore"))?;
    let random = &rig.town().random;
    Ok(Some(facts.decide(|limit| random.below(limit))))
}

impl ChoiceFacts {
    fn read(rig: &Rig, bead: &Bead, options: &SlingOptions, explore: u64) -> anyhow::Result<Self> {
        let town = rig.town();
        let beads = rig.store()?.snapshot()?;
        let since = town.clock.now() - SignedDuration::from_hours(24 * CAREER_DAYS);
        let kind = kind_of_work(bead);
        let mut entries = read_completions_since(&beads, since)?;
        entries.retain(|entry| entry.done.kind == kind);
        let mut groups = compare_groups(&entries, CareerGroup::Program);
        order_equal_groups(&mut groups, &entries, &read_ratings_since(&beads, since)?);
        let worker = Address::Polecat(rig.name().to_owned(), String::new());
        let resolved = resolve_runtime(town, Some(rig), &worker, None);
        let configured = match &resolved {
            Ok(runtime) => runtime.name.clone(),
            Err(error) => error.agent().unwrap_or("").to_owned(),
        };
        let mut names: BTreeSet<String> = read_agents(town)?.into_keys().collect();
        names.extend(groups.iter().map(|group| group.key.clone()));
        names.insert(configured.clone());
        names.remove("");
        let limits = read_start_limits(town)?;
        let mut usable = BTreeSet::new();
        let mut unusable = BTreeMap::new();
        for name in names {
            match find_agent_obstacle(rig, &limits, &name, options)? {
                None => {
                    usable.insert(name);
                }
                Some(reason) => {
                    unusable.insert(name, reason);
                }
            }
        }
        // Without any other program, or with settings that cannot be read.
        if usable.is_empty() || configured.is_empty() {
            resolved?;
        }
        Ok(Self {
            kind,
            groups,
            configured,
            usable,
            unusable,
            explore,
        })
    }

    /// Decides. `below` returns a random number below its argument.
    fn decide(&self, below: impl Fn(usize) -> usize) -> AgentChoice {
        let best = self
            .groups
            .iter()
            .find(|group| group.is_compared && self.usable.contains(&group.key));
        let mut keys = self.groups.iter().map(|group| &group.key);
        let is_usable = |name: &&String| self.usable.contains(*name);
        // If none can be started, the configured one is, as without a choice.
        let chosen = best
            .map(|group| &group.key)
            .or_else(|| Some(&self.configured).filter(is_usable))
            .or_else(|| keys.find(is_usable))
            .or_else(|| self.usable.first())
            .unwrap_or(&self.configured);
        let others: Vec<&String> = self.usable.iter().filter(|name| *name != chosen).collect();
        let share = usize::try_from(self.explore.min(100)).unwrap_or(100);
        let is_explored = !others.is_empty() && below(100) < share;
        let agent = if is_explored {
            others[below(others.len())]
        } else {
            chosen
        };
        AgentChoice {
            agent: agent.clone(),
            explored: is_explored,
            reason: self.describe(best.is_some(), is_explored),
        }
    }

    /// Describes the counts behind a decision.
    fn describe(&self, is_known: bool, is_explored: bool) -> String {
        let mut parts = Vec::new();
        if is_explored {
            let share = self.explore;
            parts.push(format!(
                "explored, as {share} % of the work goes to other programs (setting sling.explore)"
            ));
        }
        if !is_known {
            let what = if self.unusable.contains_key(&self.configured) {
                "no program is known to be the best"
            } else {
                "no other program is known to be better"
            };
            parts.push(format!(
                "{what}, because none that can start has finished {MIN_COMPARED} of type {}",
                self.kind
            ));
        }
        let compared: Vec<String> = self.groups.iter().map(describe_group).collect();
        if !compared.is_empty() {
            let counts = compared.join(", ");
            parts.push(format!("type {} merged as submitted: {counts}", self.kind));
        }
        let unusable = self
            .unusable
            .iter()
            .map(|(name, reason)| format!("{name} is passed over: {reason}"));
        parts.extend(unusable);
        parts.join("; ")
    }
}

fn describe_group(group: &ComparedGroup) -> String {
    let counts = &group.counts;
    let interval = match group.interval {
        Some(interval) if group.is_compared => {
            format!("{}–{} %", interval.low_percent, interval.high_percent)
        }
        _ => "too few".to_owned(),
    };
    format!(
        "{} {} of {} ({interval})",
        group.key, counts.as_submitted, counts.finished
    )
}

/// Orders groups with equal intervals by the mean of their ratings, then by their median time.
fn order_equal_groups(
    groups: &mut [ComparedGroup],
    entries: &[WorkerCompletion],
    ratings: &BTreeMap<String, Vec<Rating>>,
) {
    let rank = |group: &ComparedGroup| {
        let works = || entries.iter().filter(|entry| entry.done.agent == group.key);
        let requests = works().filter_map(|entry| entry.done.request.as_deref());
        let rated = requests
            .filter_map(|request| ratings.get(request))
            .flatten();
        let mut seconds: Vec<i64> = works().map(|entry| entry.done.seconds).collect();
        seconds.sort_unstable();
        let mean = RatingSummary::new(rated).map_or(0.0, |summary| summary.mean);
        (mean, seconds.get(seconds.len() / 2).copied())
    };
    let low = |group: &ComparedGroup| group.interval.map_or(0.0, |interval| interval.low);
    groups.sort_by(|one, other| {
        let own = rank(one);
        let theirs = rank(other);
        other
            .is_compared
            .cmp(&one.is_compared)
            .then(low(other).total_cmp(&low(one)))
            .then(theirs.0.total_cmp(&own.0))
            .then(own.1.cmp(&theirs.1))
    });
}

/// Returns why a program cannot be started for a worker now, if there is a reason.
fn find_agent_obstacle(
    rig: &Rig,
    limits: &UseLimits,
    name: &str,
    options: &SlingOptions,
) -> anyhow::Result<Option<String>> {
    let town = rig.town();
    let worker = Address::Polecat(rig.name().to_owned(), String::new());
    let runtime = match resolve_runtime(town, Some(rig), &worker, Some(name)) {
        Ok(runtime) => runtime,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let needs = StartNeeds {
        uses: limits.uses_of(
            rig,
            &SlingOptions {
                agent: Some(name.to_owned()),
                account: options.account.clone(),
                ..SlingOptions::default()
            },
        ),
        ..StartNeeds::default()
    };
    if let Some(obstacle) = find_use_obstacle(limits, &needs) {
        return Ok(Some(obstacle.to_string()));
    }
    let folder = &runtime.preset.config_dir_env;
    if folder.is_empty() || runtime.preset.env.contains_key(folder) {
        return Ok(None);
    }
    let Some(account) = choose_account(town, options.account.as_deref())? else {
        return Ok(None);
    };
    let limit = QuotaBook::load(&town.layout)?.limit_of(&account.handle, town.clock.now());
    Ok(limit.map(|_| format!("its account {} is at its usage limit", account.handle)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::career::tests::completion;
    use crate::record::polecat::{MergeResult, WorkOutcome};
    use crate::testing::TestTown;
    use crate::town::config::{SettingsLayer, change_agent, change_setting};
    use serde_json::json;

    fn bugs(agent: &str, merged: usize, reworked: usize) -> Vec<WorkerCompletion> {
        let bug = |result| completion(agent, "bug", WorkOutcome::Submitted, Some(result));
        let mut all = vec![bug(MergeResult::Merged); merged];
        all.extend(vec![bug(MergeResult::Reworked); reworked]);
        all
    }

    fn facts(entries: &[Vec<WorkerCompletion>], usable: &[&str]) -> ChoiceFacts {
        ChoiceFacts {
            kind: "bug".to_owned(),
            groups: compare_groups(&entries.concat(), CareerGroup::Program),
            configured: "usual".to_owned(),
            usable: usable.iter().map(|name| (*name).to_owned()).collect(),
            unusable: BTreeMap::new(),
            explore: 10,
        }
    }

    /// Never explores.
    fn last(limit: usize) -> usize {
        limit - 1
    }

    #[test]
    fn the_best_program_that_can_start_is_chosen_with_its_counts() {
        let work = [bugs("a", 19, 1), bugs("b", 5, 15), bugs("c", 4, 0)];
        let chosen = facts(&work, &["a", "b", "c", "usual"]).decide(last);
        assert_eq!((&*chosen.agent, chosen.explored), ("a", false));
        assert_eq!(
            chosen.reason,
            "type bug merged as submitted: a 19 of 20 (76–100 %), b 5 of 20 (11–47 %), c 4 of 4 (too few)"
        );
        let mut without = facts(&work, &["b", "usual"]);
        without.unusable = BTreeMap::from([("a".to_owned(), "it is gone".to_owned())]);
        let chosen = without.decide(last);
        assert_eq!(chosen.agent, "b");
        assert!(chosen.reason.ends_with("; a is passed over: it is gone"));
    }

    #[test]
    fn the_configured_program_is_used_and_said_without_enough_work_of_the_kind() {
        let chosen = facts(&[bugs("a", 4, 0)], &["a", "usual"]).decide(last);
        assert_eq!(chosen.agent, "usual");
        assert!(chosen.reason.contains("none that can start has finished 5"));
    }

    #[test]
    fn another_program_is_used_if_the_configured_one_cannot_start() {
        let mut found = facts(&[bugs("a", 4, 0)], &["0", "a"]);
        found.unusable = BTreeMap::from([("usual".to_owned(), "it is gone".to_owned())]);
        let chosen = found.decide(last);
        assert_eq!(chosen.agent, "a");
        assert!(chosen.reason.starts_with("no program is known"));
        assert!(chosen.reason.ends_with("usual is passed over: it is gone"));
        assert_eq!(facts(&[], &["b"]).decide(last).agent, "b");
        assert_eq!(facts(&[], &[]).decide(last).agent, "usual");
    }

    #[test]
    fn a_share_of_the_work_goes_to_another_program_that_can_start() {
        let work = [bugs("a", 19, 1), bugs("b", 5, 15), bugs("gone", 9, 0)];
        let found = facts(&work, &["a", "b"]);
        let agents = |draw: usize| {
            let chosen = found.decide(|limit| if limit == 100 { draw } else { 0 });
            (chosen.agent, chosen.explored)
        };
        assert_eq!(agents(9), ("b".to_owned(), true));
        assert_eq!(agents(10), ("a".to_owned(), false));
        let alone = facts(&work, &["a"]).decide(|_| 0);
        assert!(!alone.explored);
    }

    #[test]
    fn ratings_and_then_times_order_equal_programs() {
        let mut entries = [bugs("a", 5, 0), bugs("b", 5, 0)].concat();
        for (number, entry) in entries.iter_mut().enumerate() {
            entry.done.request = Some(format!("mr-{number}"));
        }
        let first = |entries: &[WorkerCompletion], ratings| {
            let mut groups = compare_groups(entries, CareerGroup::Program);
            order_equal_groups(&mut groups, entries, &ratings);
            groups[0].key.clone()
        };
        assert_eq!(first(&entries, BTreeMap::new()), "a");
        let rating = Rating {
            bead: "web-1".to_owned(),
            request: "mr-7".to_owned(),
            rating: 5,
            why: "good".to_owned(),
            by: "overseer".to_owned(),
            at: String::new(),
        };
        let rated = BTreeMap::from([("mr-7".to_owned(), vec![rating])]);
        assert_eq!(first(&entries, rated), "b");
        for entry in &mut entries[5..] {
            entry.done.seconds = 1;
        }
        assert_eq!(first(&entries, BTreeMap::new()), "b");
    }

    #[test]
    fn a_program_is_passed_over_if_it_is_missing_or_at_a_limit() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let town = &place.town;
        for (name, command) in [("here", "sh"), ("gone", "no-such-program"), ("full", "sh")] {
            let agent = json!({ "command": command, "config_dir_env": "HERE_DIR" });
            change_agent(town, name, Some(agent)).unwrap();
        }
        let set = |key, value| {
            change_setting(town, None, SettingsLayer::Settings, key, Some(value)).unwrap();
        };
        set("default_agent", "here");
        let rig = town.find_rig("web").unwrap();
        let bead = Bead::default();
        let options = SlingOptions {
            best: true,
            ..SlingOptions::default()
        };
        let read = || ChoiceFacts::read(&rig, &bead, &options, 0).unwrap();
        let found = read();
        assert!(found.usable.contains("here") && found.usable.contains("full"));
        assert!(found.unusable["gone"].contains("no-such-program"));
        // The configured one is a candidate like the others.
        for missing in ["gone", "unknown"] {
            set("default_agent", missing);
            let found = read();
            assert_eq!(found.configured, missing);
            assert!(found.unusable.contains_key(missing) && found.usable.contains("here"));
        }
        set("default_agent", "here");
        let accounts = r#"{"accounts":{"work":{"config_dir":"/w"}},"default":"work"}"#;
        std::fs::write(town.layout.accounts_json(), accounts).unwrap();
        let quota = r#"{"version":1,"accounts":{"work":{"status":"limited","resets_at":""}}}"#;
        std::fs::write(town.layout.quota_json(), quota).unwrap();
        let found = read();
        assert_eq!(
            found.unusable["here"],
            "its account work is at its usage limit"
        );
        // Nothing is chosen unless the sling or the setting asks for it.
        let plain = SlingOptions::default();
        assert_eq!(choose_agent(&rig, &bead, &plain).unwrap(), None);
        let settings = r#"{"sling":{"choose":"fastest"}}"#;
        std::fs::write(town.layout.settings(), settings).unwrap();
        let error = choose_agent(&rig, &bead, &plain).unwrap_err().to_string();
        assert!(error.contains("sling.choose"), "{error}");
    }
}
