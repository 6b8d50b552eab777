//! Keeps the remote of a rig as the registry has it.
//!
//! All worktrees of a rig share one git configuration. A `git remote set-url`, `rename` or `remove`
//! in one sandbox, a push URL, or a rewriting of URLs would send the work of every worker to
//! another place, or take a rig for one without a remote. Every flow that fetches, pushes or reads
//! back asks [`check_remote`] first. It restores the configuration and reports the difference to
//! the user once.

use bd::git::{Git, GitError, redact_urls};

use crate::record::mail;
use crate::town::Rig;
use crate::town::event::event;
use crate::town::identity::Address;

const FETCH_REFSPEC: &str = "+refs/heads/*:refs/remotes/origin/*";

/// Keys that send a fetch or push elsewhere, or run another program for it.
const FOREIGN_KEYS: [&str; 5] = ["pushurl", "mirror", "vcs", "uploadpack", "receivepack"];

/// Returns true if the rig has a remote. Restores the configuration of `origin` first, if it is not
/// as the registry has it.
pub fn check_remote(rig: &Rig) -> Result<bool, GitError> {
    let git = rig.git();
    let registry = rig.town().read_registry().ok();
    let entry = registry.and_then(|mut registry| registry.rigs.remove(rig.name()));
    let Some(entry) = entry else {
        return Ok(git.remote_url("origin")?.is_some());
    };
    let url = entry.git_url;
    if url.is_empty() {
        return Ok(false);
    }
    let config = git.own_config(r"^(remote\.origin|url)\.")?;
    let differences = find_differences(&config, &url);
    if differences.is_empty() {
        return Ok(true);
    }
    for key in &differences {
        restore_key(&git, key, &url)?;
    }
    report_differences(rig, &config, &differences, &url);
    Ok(true)
}

/// Returns the keys that differ from the registered remote.
fn find_differences(config: &[(String, String)], url: &str) -> Vec<String> {
    let list_values = |wanted: &str| -> Vec<&str> {
        config
            .iter()
            .filter(|(key, _)| key == wanted)
            .map(|(_, value)| value.as_str())
            .collect()
    };
    let mut found = Vec::new();
    if list_values("remote.origin.url") != [url] {
        found.push("remote.origin.url".to_owned());
    }
    if !list_values("remote.origin.fetch").contains(&FETCH_REFSPEC) {
        found.push("remote.origin.fetch".to_owned());
    }
    found.extend(
        config
            .iter()
            .map(|(key, _)| key)
            .filter(|key| {
                let own = key.strip_prefix("remote.origin.");
                key.starts_with("url.") || own.is_some_and(|name| FOREIGN_KEYS.contains(&name))
            })
            .cloned(),
    );
    found.dedup();
    found
}

fn restore_key(git: &Git, key: &str, url: &str) -> Result<(), GitError> {
    match key {
        "remote.origin.url" => git.config_set(key, url),
        "remote.origin.fetch" => git.plumbing(["config", "--add", key, FETCH_REFSPEC]).run(),
        _ => git
            .plumbing(["config", "--local", "--unset-all", key])
            .run(),
    }
}

fn report_differences(rig: &Rig, config: &[(String, String)], differences: &[String], url: &str) {
    let found: Vec<String> = differences
        .iter()
        .map(|key| {
            let value = config.iter().find(|(name, _)| name == key);
            let value = value.map_or("not set", |(_, value)| value.as_str());
            redact_urls(&format!("{key} = {value}"))
        })
        .collect();
    let name = rig.name();
    let url = redact_urls(url);
    rig.town().record_event(&event!(RemoteRestored,
        rig: name, url: url.clone(), found: found.clone(),
    ));
    let message = mail::NewMessage {
        to: Address::Overseer.mailbox(),
        from: Address::Deacon.mailbox(),
        subject: format!("The remote of {name} differed from mayor/rigs.json"),
        body: format!(
            "All worktrees of {name} share one git configuration. It had:\n\n    {}\n\nIt was set to {url}, the URL in \
             mayor/rigs.json, so that all work goes there. If that URL is wrong, change it in mayor/rigs.json.",
            found.join("\n    ")
        ),
        operation: Some(format!("remote:{name}:{}", found.join("\n"))),
        ..mail::NewMessage::default()
    };
    // The event has it, too.
    mail::send_message(rig.town(), &message).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(entries: &[(&str, &str)]) -> Vec<String> {
        let entries = entries.iter();
        let config: Vec<(String, String)> = entries
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        find_differences(&config, "URL")
    }

    #[test]
    fn every_key_that_sends_work_elsewhere_is_found() {
        let sound = [
            ("remote.origin.url", "URL"),
            ("remote.origin.fetch", FETCH_REFSPEC),
        ];
        assert!(differences(&sound).is_empty());
        assert_eq!(
            differences(&[]),
            ["remote.origin.url", "remote.origin.fetch"]
        );
        for (key, value) in [
            ("remote.origin.url", "FORK"),
            ("remote.origin.pushurl", "FORK"),
            ("remote.origin.receivepack", "touch /tmp/x"),
            ("url.FORK.insteadof", "URL"),
            ("url.FORK.pushinsteadof", "URL"),
        ] {
            let mut config = sound.to_vec();
            config.push((key, value));
            assert_eq!(differences(&config), [key]);
        }
        let mut upstream = sound.to_vec();
        upstream.push(("remote.origin.tagopt", "--no-tags"));
        assert!(differences(&upstream).is_empty());
    }
}
