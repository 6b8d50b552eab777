//! Checks the other machines on which workers run. Opens no connection: a host is asked only if one is
//! open.

use std::collections::BTreeSet;

use kit::ui::escape::escape_line;

use super::{CheckFindings, list_readable_rigs};
use crate::flow::place::host::{find_missing_far_programs, read_host_row};
use crate::host::LiveTown;
use crate::host::far::list_hosts;
use crate::host::runtime::resolve_runtime;
use crate::town::identity::Address;

pub(super) fn check_hosts(town: &LiveTown, page: &mut CheckFindings) {
    let hosts = list_hosts(&town.layout);
    if hosts.is_empty() {
        page.ok("workers run on this machine only");
    }
    let programs = list_agent_programs(town);
    for name in hosts {
        check_host(town, page, &name, &programs);
    }
}

/// Returns the programs that workers of any rig start.
fn list_agent_programs(town: &LiveTown) -> BTreeSet<String> {
    let rigs = list_readable_rigs(town);
    let programs = rigs.iter().filter_map(|rig| {
        let worker = Address::Polecat(rig.name().to_owned(), "any".to_owned());
        // The check of the agent programs reports one that cannot be resolved.
        let runtime = resolve_runtime(town, Some(rig), &worker, None).ok()?;
        Some(runtime.preset.command)
    });
    // A scripted agent is run by our own program, which is there.
    programs.filter(|program| program != "gt").collect()
}

fn check_host(town: &LiveTown, page: &mut CheckFindings, name: &str, programs: &BTreeSet<String>) {
    let check = format!("gt host check {name}");
    let row = match read_host_row(town, name.to_owned()) {
        Ok(row) => row,
        Err(error) => {
            return page.error(
                format!("{error:#}"),
                "fix the syntax error: the file must be valid JSON",
            );
        }
    };
    if let (Some(since), Some(reason)) = (row.since, &row.reason) {
        let reason = escape_line(reason);
        return page.warn(
            format!("host {name} is not reachable since {since:.0}: {reason}"),
            &check,
        );
    }
    match find_missing_far_programs(town, name, programs.iter().cloned().collect()) {
        Err(error) => return page.warn(format!("{error:#}"), &check),
        Ok(missing) => {
            for program in &missing {
                page.warn(
                    format!(
                        "host {name} has no program `{}` of an agent",
                        escape_line(program)
                    ),
                    "install it there, on the PATH of a shell that ssh starts, and log in",
                );
            }
            if !missing.is_empty() {
                return;
            }
        }
    }
    if row.draining {
        let hint = format!("gt host drain {name} --off");
        return page.note(format!("host {name} gets no new work"), &hint);
    }
    page.ok(format!("host {name}: {}", row.state));
}
