//! Offers values for each argument: rigs, workers, convoys, merge requests and beads of the town
//! around the working directory. Never asks the running sessions.

use std::sync::Arc;

use bd::bead::Kind;
use bd::query::completion::{is_work, list_bead_values};
use bd::store::{BeadRef, StoreReports};
use clap::Command;
use kit::cli::completion::{CompletionValue, ValueLister, attach_completers, without_descriptions};
use kit::sys::Env;
use kit::ui::{Ui, escape};

use crate::context::Context;
use gt::flow::agent::seance::{self, SessionFilter};
use gt::flow::place::crew;
use gt::flow::townwide::plugin;
use gt::flow::work::convoy::review;
use gt::host::LiveTown;
use gt::host::runtime::{self, installed};
use gt::patrol::rule::{RULES, SWITCH};
use gt::record::escalation;
use gt::record::polecat::{self, PolecatIds};
use gt::record::theme;
use gt::town::Town;
use gt::town::config;
use gt::view::doctor;

/// Returns the command line of `gt` with completers for the town around the working directory.
pub(crate) fn offer_values(command: Command, env: &Env) -> Command {
    let (env, ui) = (env.clone(), Ui::new(false, true, env));
    match Context::new(env, ui).open_town() {
        Ok(mut town) => {
            town.reports = StoreReports::unread();
            attach_completers(command, "", &Arc::new(town), find_completer)
        }
        Err(_) => command,
    }
}

/// Returns the completer of one argument of a command.
fn find_completer(path: &str, argument: &str) -> Option<ValueLister<LiveTown>> {
    Some(match (path, argument) {
        ("sling", "words") => |town| {
            [
                complete_work_beads(town),
                complete_rigs(town),
                complete_workers(town),
            ]
            .concat()
        },
        ("followup", "of") => |town| [complete_work_beads(town), complete_workers(town)].concat(),
        ("followup", "sling") => |town| [complete_rigs(town), complete_workers(town)].concat(),
        ("costs", "name") | ("timeline", "what" | "bead") => |town| {
            [
                complete_work_beads(town),
                complete_convoys(town),
                complete_polecats(town),
                complete_rigs(town),
            ]
            .concat()
        },
        ("why", "what") => |town| {
            [
                complete_work_beads(town),
                complete_convoys(town),
                complete_requests(town),
                complete_agents(town),
            ]
            .concat()
        },
        ("convoy review show" | "convoy review approve" | "convoy review reject", _) => {
            complete_reviews
        }
        ("convoy create", "owner" | "notify") => complete_agents,
        ("crew at" | "crew start" | "crew stop", "name" | "names") => complete_crew_members,
        ("attach" | "deacon health-check" | "handoff" | "hook" | "nudge" | "peek", "agent") => {
            complete_agents
        }
        ("mail inbox" | "mail check" | "mail send", "address" | "identity" | "to") => {
            complete_agents
        }
        ("escalate forward", "to") => complete_agents,
        (_, "escalation") => complete_escalations,
        (_, "related") => complete_work_beads,
        ("mail read" | "mail reply", "message") | ("mail send", "reply_to") => complete_messages,
        (_, "messages") => complete_messages,
        ("rig remove", "name") | (_, "rig") => complete_rigs,
        (_, "agent") => |town| {
            without_descriptions(
                runtime::list_agent_names(&town.layout, None)
                    .into_iter()
                    .flatten(),
            )
        },
        (_, "bead" | "beads") => complete_work_beads,
        (_, "convoy") => complete_convoys,
        (_, "request") => complete_requests,
        (_, "polecat" | "polecats") => complete_polecats,
        (_, "plugin") => complete_plugins,
        ("seance play", "session") => |town| {
            [
                complete_sessions(town),
                complete_work_beads(town),
                complete_agents(town),
            ]
            .concat()
        },
        (_, "talk") => complete_sessions,
        (_, "key") => |_| {
            let all = config::key::all_keys()
                .iter()
                .map(|key| (key.name.into(), key.meaning.into()));
            all.chain(
                RULES
                    .iter()
                    .map(|rule| (format!("{SWITCH}{}", rule.name), rule.does.into())),
            )
            .collect()
        },
        (_, "colours") => {
            |_| without_descriptions(theme::list_themes().into_iter().map(|theme| theme.name))
        }
        (_, "theme") => |_| without_descriptions(polecat::theme_names().map(str::to_owned)),
        (_, "checks") => |_| without_descriptions(doctor::check_names().map(str::to_owned)),
        (_, "target") => |town| {
            let all = installed::list_targets(town).into_iter().flatten();
            without_descriptions(all.map(|(name, _)| name))
        },
        _ => return None,
    })
}

fn complete_rigs(town: &LiveTown) -> Vec<CompletionValue> {
    without_descriptions(
        town.read_registry()
            .into_iter()
            .flat_map(|registry| registry.rigs.into_keys()),
    )
}

fn complete_polecats(town: &LiveTown) -> Vec<CompletionValue> {
    let stores = town.read_stores().ok();
    without_descriptions(
        stores
            .iter()
            .flat_map(|stores| stores.rigs.values())
            .flat_map(|beads| {
                beads.select(|bead| {
                    bead.is_open() && bead.has_kind_or_label(&Kind::Agent, "gt:agent")
                })
            })
            .filter_map(PolecatIds::from_identity_bead)
            .map(|ids| ids.address.mailbox()),
    )
}

fn complete_plugins(town: &LiveTown) -> Vec<CompletionValue> {
    plugin::load_plugins(town)
        .into_iter()
        .flat_map(|loaded| loaded.plugins)
        .map(|plugin| (plugin.key(), escape::escape_line(&plugin.file.description)))
        .collect()
}

fn complete_crew_members(town: &LiveTown) -> Vec<CompletionValue> {
    let rigs = town.list_rigs();
    without_descriptions(rigs.iter().flatten().flat_map(|rig| {
        crew::list_member_names(rig)
            .into_iter()
            .map(move |name| crew::member_address(rig, &name).to_string())
    }))
}

fn complete_workers(town: &LiveTown) -> Vec<CompletionValue> {
    [complete_polecats(town), complete_crew_members(town)].concat()
}

fn complete_agents(town: &LiveTown) -> Vec<CompletionValue> {
    let mut agents = vec!["mayor".to_owned(), "deacon".to_owned()];
    for (rig, _) in complete_rigs(town) {
        agents.extend([format!("{rig}/witness"), format!("{rig}/refinery")]);
    }
    [complete_workers(town), without_descriptions(agents)].concat()
}

fn complete_sessions(town: &LiveTown) -> Vec<CompletionValue> {
    seance::list_sessions(town, &SessionFilter::default())
        .into_iter()
        .flatten()
        .map(|session| (session.session_id, session.actor))
        .collect()
}

fn complete_reviews(town: &LiveTown) -> Vec<CompletionValue> {
    let stores = town.read_stores().ok();
    stores
        .iter()
        .flat_map(|stores| review::list_requests(&stores.town, false))
        .map(|request| (request.id, escape::escape_line(&request.new.title)))
        .collect()
}

/// Offers work beads. Kinds of beads that have completers of their own are left out.
fn complete_work_beads(town: &LiveTown) -> Vec<CompletionValue> {
    complete_beads(town, |bead| {
        is_work(bead) && ![Kind::Convoy, Kind::MergeRequest].contains(&bead.kind())
    })
}

fn complete_convoys(town: &LiveTown) -> Vec<CompletionValue> {
    complete_beads(town, |bead| {
        bead.has_kind_or_label(&Kind::Convoy, "gt:convoy")
    })
}

fn complete_requests(town: &LiveTown) -> Vec<CompletionValue> {
    complete_beads(town, |bead| {
        bead.is_open() && bead.has_kind_or_label(&Kind::MergeRequest, "gt:merge-request")
    })
}

fn complete_escalations(town: &LiveTown) -> Vec<CompletionValue> {
    let stores = town.read_stores().ok();
    stores
        .iter()
        .flat_map(|stores| escalation::list_escalations(&stores.town, false))
        .map(|escalation| (escalation.id, escape::escape_line(&escalation.title)))
        .collect()
}

fn complete_messages(town: &LiveTown) -> Vec<CompletionValue> {
    complete_beads(town, |bead| {
        bead.is_open() && bead.has_kind_or_label(&Kind::Message, "gt:message")
    })
}

/// Offers the wanted beads of all stores of the town, those of the rigs first.
fn complete_beads(town: &Town, is_wanted: impl Fn(&BeadRef<'_>) -> bool) -> Vec<CompletionValue> {
    let stores = town.read_stores().ok();
    stores
        .iter()
        .flat_map(|stores| stores.rigs.values().chain([&stores.town]))
        .flat_map(|store| list_bead_values(store, &is_wanted))
        .collect()
}
