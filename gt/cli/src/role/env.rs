//! `gt role env`.

use std::collections::BTreeMap;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::session;
use gt::town::agent_home;
use gt::town::identity::Address;

/// Print the variables of your role as shell commands
///
/// For `eval "$(gt role env)"` in a terminal beside an agent's session. With `--json` an object of
/// name and value.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let address = &town.actor;
    let text = address.to_string();
    let root = town.layout.root().display().to_string();
    let mut env: BTreeMap<&str, String> = BTreeMap::from([
        ("BD_ACTOR", text.clone()),
        ("GT_ROLE", text),
        (
            "GT_ROLE_HOME",
            agent_home(&town, address).display().to_string(),
        ),
        ("GT_ROOT", root.clone()),
        ("GT_TOWN_ROOT", root),
    ]);
    if let Some(rig) = address.rig() {
        env.insert("GT_RIG", rig.to_owned());
    }
    match address {
        Address::Crew(_, name) => drop(env.insert("GT_CREW", name.clone())),
        Address::Polecat(_, name) => drop(env.insert("GT_POLECAT", name.clone())),
        _ => {}
    }
    if *address != Address::Overseer {
        env.extend(session::commit_identity(&town, address));
    }
    build_report(env, |env, page| {
        for (name, value) in env {
            page.line(format!("export {name}={}", quote_for_shell(value)));
        }
    })
}

/// Quotes a value for a POSIX shell, if needed.
fn quote_for_shell(value: &str) -> String {
    if !value.is_empty()
        && value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "/_-.@:+,".contains(c))
    {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quote_for_shell;

    #[test]
    fn values_with_other_characters_are_quoted_for_the_shell() {
        assert_eq!(quote_for_shell("/town/web"), "/town/web");
        assert_eq!(quote_for_shell("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quote_for_shell(""), "''");
    }
}
