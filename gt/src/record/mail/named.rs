//! Reads and writes the beads of groups, queues and channels: `key: value` lines below a title, as
//! existing clients write them.
//!
//! A deleted one is a closed bead. Creating it again opens that bead with the new lines.

use bd::bead::validate::fit_to_title;
use bd::bead::{Bead, Kind, Status, fields};
use bd::change;
use bd::store::{BeadMark, Snapshot, Tx};
use kit::table::split_list;

use crate::town::identity::{Address, is_name};

/// The kind of a named recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedKind {
    Group,
    Queue,
    Channel,
}

impl NamedKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Queue => "queue",
            Self::Channel => "channel",
        }
    }

    fn label(self) -> String {
        format!("gt:{}", self.word())
    }

    fn issue_type(self) -> Kind {
        match self {
            Self::Queue => Kind::Queue,
            Self::Group | Self::Channel => Kind::Task,
        }
    }

    /// Returns the ids that the bead of a name can have, ours first.
    fn ids(self, name: &str) -> Vec<String> {
        match self {
            Self::Group => vec![format!("hq-group-{name}")],
            Self::Channel => vec![format!("hq-channel-{name}")],
            Self::Queue => vec![format!("hq-q-{name}"), format!("gt-q-{name}")],
        }
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NamedError {
    #[error("there is no {} `{name}`: not found ({})", kind.word(), describe_names(known))]
    Unknown {
        kind: NamedKind,
        name: String,
        known: Vec<String>,
    },
    #[error("the {} `{name}` exists already", kind.word())]
    Exists { kind: NamedKind, name: String },
    #[error(
        "`{name}` cannot be the name of a {}: use letters, digits, - and _, and no name of a role",
        kind.word()
    )]
    BadName { kind: NamedKind, name: String },
    #[error("`{text}` cannot be a member: it is empty or has a comma or a space")]
    BadMember { text: String },
}

fn describe_names(names: &[String]) -> String {
    match names {
        [] => "there is none yet".to_owned(),
        names => format!("there are: {}", names.join(", ")),
    }
}

/// Returns the open bead of a name.
pub(super) fn find_named<'a>(beads: &'a Snapshot, kind: NamedKind, name: &str) -> Option<&'a Bead> {
    let ids = kind.ids(name);
    ids.iter()
        .filter_map(|id| beads.get_live(id))
        .find(|bead| bead.is_open())
}

/// Returns the open beads of a kind, by name.
pub(super) fn list_named(beads: &Snapshot, kind: NamedKind) -> Vec<&Bead> {
    let label = kind.label();
    let marked = beads.select_open(&[BeadMark::Label(&label)]);
    let mut found: Vec<&Bead> = marked.filter(|bead| !bead.is_tombstone()).collect();
    found.sort_by_key(|bead| name_of(bead, kind));
    found
}

/// Returns the name of a bead: its field, otherwise the end of its id.
pub(super) fn name_of(bead: &Bead, kind: NamedKind) -> String {
    get_named_field(bead, "name").unwrap_or_else(|| {
        let ids = kind.ids("");
        let name = ids
            .iter()
            .find_map(|start| bead.id.strip_prefix(start.as_str()));
        name.unwrap_or(&bead.id).to_owned()
    })
}

/// Returns a field of a bead. `null` counts as absent.
pub(super) fn get_named_field(bead: &Bead, key: &str) -> Option<String> {
    fields::get_field(&bead.description, key).filter(|value| value != "null")
}

/// Returns the entries of a comma list.
pub(super) fn get_named_list(bead: &Bead, key: &str) -> Vec<String> {
    get_named_field(bead, key)
        .iter()
        .flat_map(|text| split_list(text, ','))
        .map(str::to_owned)
        .collect()
}

/// Creates the bead of a name with its fields.
pub(super) fn create_named(
    tx: &mut Tx,
    kind: NamedKind,
    name: &str,
    own_fields: &[(&str, String)],
) -> anyhow::Result<()> {
    if !is_name(name) || name.parse::<Address>().is_ok() {
        let name = name.to_owned();
        return Err(NamedError::BadName { kind, name }.into());
    }
    if find_named(tx, kind, name).is_some() {
        let name = name.to_owned();
        return Err(NamedError::Exists { kind, name }.into());
    }
    let now = tx.now();
    let title = format!("{}: {name}", capitalize(kind.word()));
    let mut lines = vec![title.clone(), String::new(), format!("name: {name}")];
    lines.extend(
        own_fields
            .iter()
            .map(|(key, value)| format!("{key}: {value}")),
    );
    lines.push(format!("created_by: {}", tx.actor()));
    lines.push(format!("created_at: {now}"));
    let id = kind.ids(name).swap_remove(0);
    let mut bead = match tx.get(&id) {
        Some(deleted) => deleted.clone(),
        None => Bead {
            id,
            created_at: now.clone(),
            created_by: tx.actor().to_owned(),
            ..Bead::default()
        },
    };
    change::mark_open(&mut bead, Status::Open, &now);
    bead.title = fit_to_title(&title);
    bead.description = lines.join("\n");
    bead.issue_type = kind.issue_type();
    bead.labels = vec![kind.label()];
    tx.put(bead)?;
    Ok(())
}

/// Changes fields of the bead of a name.
pub(super) fn set_named_field(
    tx: &mut Tx,
    kind: NamedKind,
    name: &str,
    key: &str,
    value: &str,
) -> anyhow::Result<()> {
    let mut bead = get_named(tx, kind, name)?.clone();
    bead.description = fields::set_field(&bead.description, key, Some(value));
    if tx.get(&bead.id) != Some(&bead) {
        tx.put_updated(bead)?;
    }
    Ok(())
}

/// Closes the bead of a name.
pub(super) fn delete_named(tx: &mut Tx, kind: NamedKind, name: &str) -> anyhow::Result<()> {
    let mut bead = get_named(tx, kind, name)?.clone();
    let now = tx.now();
    change::mark_closed(&mut bead, "Deleted", &now);
    tx.put(bead)?;
    Ok(())
}

/// Returns the open bead of a name. Fails if there is none.
pub(super) fn get_named<'a>(
    beads: &'a Snapshot,
    kind: NamedKind,
    name: &str,
) -> Result<&'a Bead, NamedError> {
    find_named(beads, kind, name).ok_or_else(|| NamedError::Unknown {
        kind,
        name: name.to_owned(),
        known: list_named(beads, kind)
            .into_iter()
            .map(|bead| name_of(bead, kind))
            .collect(),
    })
}

/// Checks the text of a member: an address, a pattern or the name of a group.
pub(super) fn check_member(text: &str) -> Result<(), NamedError> {
    if text.is_empty()
        || text
            .contains(|letter: char| letter == ',' || letter.is_whitespace() || letter.is_control())
    {
        let text = text.to_owned();
        return Err(NamedError::BadMember { text });
    }
    Ok(())
}

fn capitalize(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}
