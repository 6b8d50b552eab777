//! A property of mail: after any sequence of commands, some of which die or are repeated, each
//! recipient has each message once, each message of a queue has one claimant, and nothing is lost.

use std::collections::BTreeMap;

use kit::sys::Clock;
use proptest::prelude::*;

use super::*;
use crate::record::mail::channel;
use crate::record::mail::group;
use crate::record::mail::queue::{self, QueueError};
use crate::record::mail::{MailRemoval, list_with_archived};
use crate::testing::TestTown;
use crate::town::config::MessagingSettings;

const AGENTS: [&str; 5] = ["mayor/", "overseer", "web/max", "web/nux", "docs/ada"];
const TARGETS: [&str; 9] = [
    "mayor/",
    "web/nux",
    "overseer",
    "@crew",
    "@rig/web",
    "group:ops",
    "docs/crew/*",
    "channel:news",
    "queue:review",
];

/// The moment at which a command dies.
#[derive(Debug, Clone, Copy)]
enum Crash {
    Never,
    /// All changes are made, but not committed.
    BeforeCommit,
    /// The changes are committed, and the command is repeated because nothing reported that.
    AfterCommit,
}

#[derive(Debug, Clone)]
enum Command {
    Send {
        from: usize,
        to: usize,
        cc: Option<usize>,
        crash: Crash,
    },
    Claim(usize),
    Release(usize),
    Finish(usize),
    Wait(i64),
    Subscribe(usize, bool),
    ChangeGroup(usize, bool),
}

fn commands() -> impl Strategy<Value = Vec<Command>> {
    let crash = prop_oneof![
        3 => Just(Crash::Never),
        1 => Just(Crash::BeforeCommit),
        1 => Just(Crash::AfterCommit),
    ];
    let agent = || 0..AGENTS.len();
    let send = (
        agent(),
        0..TARGETS.len(),
        prop::option::of(0..TARGETS.len()),
        crash,
    );
    let command = prop_oneof![
        6 => send.prop_map(|(from, to, cc, crash)| Command::Send { from, to, cc, crash }),
        3 => agent().prop_map(Command::Claim),
        1 => agent().prop_map(Command::Release),
        1 => agent().prop_map(Command::Finish),
        // Never a sum of 60 minutes, at which milliseconds would decide.
        1 => (1i64..13).prop_map(|steps| Command::Wait(7 * steps)),
        1 => (agent(), any::<bool>()).prop_map(|(agent, on)| Command::Subscribe(agent, on)),
        1 => (agent(), any::<bool>()).prop_map(|(agent, on)| Command::ChangeGroup(agent, on)),
    ];
    prop::collection::vec(command, 1..30)
}

/// The town beside a plain account of what its mailboxes must hold.
struct Account {
    place: TestTown,
    minutes: i64,
    sent: usize,
    /// The subjects of each mailbox.
    mailboxes: BTreeMap<String, Vec<String>>,
    subscribers: Vec<String>,
    members: Vec<String>,
    /// The claimant of each claimed message, and the minute of the claim.
    claims: BTreeMap<String, (String, i64)>,
    finished: usize,
}

/// The timeout of the queue, in minutes.
const TIMEOUT: i64 = 60;

impl Account {
    fn new() -> Self {
        let place = TestTown::new();
        for (rig, members) in [("web", &["max", "nux"][..]), ("docs", &["ada"])] {
            place.add_rig(rig, None).unwrap();
            for member in members {
                let home = place.town.layout.rig(rig).crew(member);
                std::fs::create_dir_all(home.join(".git")).unwrap();
            }
        }
        let town = &place.town;
        group::create_group(town, "ops", &["web/max".to_owned()]).unwrap();
        channel::create_channel(town, "news", 0, 0).unwrap();
        let timeout = jiff::SignedDuration::from_mins(TIMEOUT);
        queue::create_queue(town, "review", &["*".to_owned()], Some(timeout)).unwrap();
        Self {
            place,
            minutes: 0,
            sent: 0,
            mailboxes: BTreeMap::new(),
            subscribers: Vec::new(),
            members: vec!["web/max".to_owned()],
            claims: BTreeMap::new(),
            finished: 0,
        }
    }

    fn act_as(&mut self, agent: usize) -> &LiveTown {
        let town = &mut self.place.town.town;
        town.actor = town.parse_address(AGENTS[agent]).unwrap();
        let now = "2026-01-01T00:00:00Z".parse::<jiff::Timestamp>().unwrap()
            + jiff::SignedDuration::from_mins(self.minutes);
        town.clock = Clock::choose(Some(&now.to_string()));
        &self.place.town
    }

    /// The mailboxes of a target, with the subject there.
    fn copies_of(&self, target: &str, from: &str, subject: &str) -> Vec<(String, String)> {
        let crew = ["web/max", "web/nux", "docs/ada"];
        let mailboxes: Vec<String> = match target {
            "@crew" => crew.map(str::to_owned).into(),
            "@rig/web" => crew[..2].iter().map(|&name| name.to_owned()).collect(),
            "docs/crew/*" => vec!["docs/ada".to_owned()],
            "group:ops" => self.members.clone(),
            other => vec![other.to_owned()],
        };
        let plain = mailboxes
            .into_iter()
            .map(|mailbox| (mailbox, subject.to_owned()));
        let subscribers = self.subscribers.iter().filter(|one| one.as_str() != from);
        let subscribers = subscribers.filter(|_| target == "channel:news");
        let marked = format!("[channel:news] {subject}");
        plain
            .chain(subscribers.map(|mailbox| (mailbox.clone(), marked.clone())))
            .collect()
    }

    fn send(&mut self, from: usize, to: usize, cc: Option<usize>, crash: Crash) {
        if TARGETS[to] == "group:ops" && self.members.is_empty() {
            return;
        }
        let cc = cc.filter(|&cc| TARGETS[cc] != "group:ops" || !self.members.is_empty());
        self.sent += 1;
        let subject = format!("Message {}", self.sent);
        let outgoing = OutgoingMail {
            to: TARGETS[to].to_owned(),
            cc: cc.iter().map(|&cc| TARGETS[cc].to_owned()).collect(),
            subject: subject.clone(),
            priority: 2,
            operation: Some(format!("test:{}", self.sent)),
            ..OutgoingMail::default()
        };
        let town = self.act_as(from);
        match crash {
            Crash::Never => {}
            Crash::BeforeCommit => {
                let died = post_with(town, &outgoing, |_| anyhow::bail!("the process dies"));
                assert!(died.is_err());
            }
            Crash::AfterCommit => drop(post_mail(town, &outgoing).unwrap()),
        }
        post_mail(town, &outgoing).unwrap();
        let mut copies = self.copies_of(TARGETS[to], AGENTS[from], &subject);
        if let Some(cc) = cc {
            copies.extend(self.copies_of(TARGETS[cc], AGENTS[from], &subject));
        }
        let mut reached: Vec<String> = Vec::new();
        for (mailbox, subject) in copies {
            if !reached.contains(&mailbox) {
                self.mailboxes
                    .entry(mailbox.clone())
                    .or_default()
                    .push(subject);
                reached.push(mailbox);
            }
        }
    }

    fn claim(&mut self, agent: usize) {
        let claimed = queue::claim_message(self.act_as(agent), Some("review")).unwrap();
        let Some(message) = claimed else {
            let sent = self.mailboxes.get("queue:review").map_or(0, Vec::len);
            let valid = self
                .claims
                .values()
                .filter(|(_, at)| self.minutes - at < TIMEOUT);
            assert_eq!(valid.count(), sent - self.finished, "all are claimed");
            return;
        };
        let now = self.minutes;
        let claim = (AGENTS[agent].to_owned(), now);
        if let Some((other, at)) = self.claims.insert(message.id, claim) {
            assert!(now - at >= TIMEOUT, "{other} has claimed it");
        }
    }

    /// Ends the first claim of an agent.
    fn end_claim(&mut self, agent: usize, is_finished: bool) {
        let own = |claim: &(&String, &(String, i64))| claim.1.0 == AGENTS[agent];
        let Some(id) = self.claims.iter().find(own).map(|(id, _)| id.clone()) else {
            return;
        };
        let town = self.act_as(agent);
        if is_finished {
            let ids = std::slice::from_ref(&id);
            mail::remove_messages(town, ids, MailRemoval::Archived).unwrap();
            self.finished += 1;
        } else {
            queue::release_message(town, &id).unwrap();
            let again = queue::release_message(town, &id).unwrap_err();
            assert!(matches!(
                again.downcast_ref(),
                Some(QueueError::NotClaimed { .. })
            ));
        }
        self.claims.remove(&id);
    }

    fn run(&mut self, command: &Command) {
        match *command {
            Command::Send {
                from,
                to,
                cc,
                crash,
            } => self.send(from, to, cc, crash),
            Command::Claim(agent) => self.claim(agent),
            Command::Release(agent) => self.end_claim(agent, false),
            Command::Finish(agent) => self.end_claim(agent, true),
            Command::Wait(minutes) => self.minutes += minutes,
            Command::Subscribe(agent, on) => {
                let town = self.act_as(agent);
                channel::set_subscribed(town, "news", &town.actor, on).unwrap();
                self.subscribers.retain(|one| one != AGENTS[agent]);
                if on {
                    self.subscribers.push(AGENTS[agent].to_owned());
                }
            }
            Command::ChangeGroup(agent, on) => {
                let member = [AGENTS[agent].to_owned()];
                let is_member = self.members.contains(&member[0]);
                let town = self.act_as(agent);
                if on {
                    group::add_members(town, "ops", &member).unwrap();
                } else if is_member {
                    group::remove_members(town, "ops", &member).unwrap();
                }
                self.members.retain(|one| *one != member[0]);
                if on {
                    self.members.extend(member);
                }
            }
        }
    }

    fn check(&mut self) {
        let town = self.act_as(1);
        let beads = town.open_town_store().unwrap().snapshot().unwrap();
        let shared = ["channel:news", "queue:review"];
        for mailbox in AGENTS.iter().chain(&shared) {
            let messages = list_with_archived(&beads, mailbox);
            let mut found: Vec<String> = messages.into_iter().map(|one| one.subject).collect();
            let mut expected = self.mailboxes.get(*mailbox).cloned().unwrap_or_default();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{mailbox}");
        }
        let settings = MessagingSettings::default();
        let queue = queue::get_queue(&beads, &settings, "review").unwrap();
        let now = self.place.town.clock.now();
        let counts = queue::count_messages(&beads, queue, now);
        let valid = self
            .claims
            .values()
            .filter(|(_, at)| self.minutes - at < TIMEOUT);
        assert_eq!(counts.processing_count, valid.count());
        assert_eq!(counts.completed_count, self.finished);
        let sent = self.mailboxes.get("queue:review").map_or(0, Vec::len);
        let all = counts.available_count + counts.processing_count + counts.completed_count;
        assert_eq!(all, sent);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn each_recipient_has_each_message_once_and_each_queued_message_one_claimant(
        commands in commands()
    ) {
        let mut account = Account::new();
        for command in &commands {
            account.run(command);
        }
        account.check();
    }
}
