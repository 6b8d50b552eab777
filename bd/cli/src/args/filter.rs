//! The filter flags of lists.

use clap::Args;

use crate::context::Context;
use bd::bead::validate::Vocabulary;
use bd::bead::{Kind, Status};
use bd::query::filter::{BeadFilter, LabelRegex, TimeRange};
use kit::failure::UsageError;
use kit::ui::escape;

use super::{parse_priority_arg, split_values};

/// The conditions of all lists, also of `ready`.
#[derive(Debug, Default, Args)]
pub(crate) struct SelectionArgs {
    /// Filter by priority (0-4 or P0-P4), or by one of several
    #[arg(short, long, value_name = "N", value_parser = super::parse_filter_value)]
    priority: Vec<String>,
    /// Filter by type, or by one of several
    #[arg(short = 't', long = "type", value_name = "KINDS", value_parser = super::parse_filter_value)]
    kind: Vec<String>,
    /// Exclude beads of the given types
    #[arg(long, value_name = "KINDS", value_parser = super::parse_filter_value)]
    exclude_type: Vec<String>,
    #[command(flatten)]
    assignee: super::AssigneeArgs,
    /// Filter by labels; a bead must have all of them
    #[arg(short, long, value_name = "LABELS", value_parser = super::parse_filter_value)]
    label: Vec<String>,
    /// Filter by labels; a bead must have one of them
    #[arg(long, value_name = "LABELS", value_parser = super::parse_filter_value)]
    label_any: Vec<String>,
    /// Exclude beads with any of the given labels
    #[arg(long, value_name = "LABELS", value_parser = super::parse_filter_value)]
    exclude_label: Vec<String>,
}

impl SelectionArgs {
    /// The requested types. An empty list stands for any type.
    fn kinds(&self) -> Vec<Kind> {
        split_values(&self.kind)
            .iter()
            .map(|kind| Kind::from_filter(kind))
            .collect()
    }

    /// Builds the filter that the flags describe.
    pub(crate) fn to_filter(&self, ctx: &Context) -> Result<BeadFilter, UsageError> {
        Ok(BeadFilter {
            kinds: self.kinds(),
            not_kinds: split_values(&self.exclude_type)
                .iter()
                .map(|kind| Kind::from_filter(kind))
                .collect(),
            priorities: split_values(&self.priority)
                .iter()
                .map(|text| parse_priority_arg(text))
                .collect::<Result<_, _>>()?,
            assignee: self.assignee.name(ctx),
            labels: super::parse_labels(&self.label),
            labels_any: super::parse_labels(&self.label_any),
            not_labels: super::parse_labels(&self.exclude_label),
            ..BeadFilter::default()
        })
    }
}

/// The conditions of `list`, `search`, `count` and `export`.
#[derive(Debug, Default, Args)]
#[command(mut_arg("label", |arg| arg.visible_alias("labels").alias("tag")))]
pub(crate) struct FilterArgs {
    /// Filter by status, or by one of several; `all` for any
    #[arg(short, long, alias = "state", value_name = "STATUS", value_parser = super::parse_filter_value)]
    status: Vec<String>,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Exclude beads more urgent than this priority
    #[arg(long, value_name = "N", value_parser = super::parse_filter_value)]
    priority_min: Option<String>,
    /// Exclude beads less urgent than this priority
    #[arg(long, value_name = "N", value_parser = super::parse_filter_value)]
    priority_max: Option<String>,
    /// Filter on missing assignee
    #[arg(long)]
    no_assignee: bool,
    /// Filter by label, as a pattern with `*` and `?`
    #[arg(long, value_name = "PATTERN", value_parser = super::parse_filter_value)]
    label_pattern: Option<String>,
    /// Filter by label, as a regular expression
    #[arg(long, value_name = "REGEX", value_parser = super::parse_filter_value)]
    label_regex: Option<String>,
    /// Filter on missing labels
    #[arg(long)]
    no_labels: bool,
    /// Filter by id
    #[arg(long = "id", value_name = "IDS", value_parser = super::parse_filter_value)]
    ids: Vec<String>,
    /// Filter by text in the title
    #[arg(long, value_name = "TEXT", value_parser = super::parse_filter_value)]
    title: Option<String>,
    /// Filter by text in the title
    #[arg(long, value_name = "TEXT", hide = true, value_parser = super::parse_filter_value)]
    title_contains: Option<String>,
    /// Filter by text in the description
    #[arg(long, value_name = "TEXT", value_parser = super::parse_filter_value)]
    desc_contains: Option<String>,
    /// Filter by text in the notes
    #[arg(long, value_name = "TEXT", value_parser = super::parse_filter_value)]
    notes_contains: Option<String>,
    /// Filter by the start of the specification
    #[arg(long, value_name = "PREFIX", value_parser = super::parse_filter_value)]
    spec: Option<String>,
    /// Filter by external reference, as a pattern with `*` and `?`
    #[arg(long, value_name = "PATTERN", value_parser = super::parse_filter_value)]
    external_ref: Option<String>,
    /// Filter on missing description
    #[arg(long)]
    empty_description: bool,
    #[command(flatten)]
    times: TimeArgs,
}

/// Conditions on times; each takes what `--due` takes.
#[derive(Debug, Default, Args)]
struct TimeArgs {
    /// Filter on creation after TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = super::parse_filter_value)]
    created_after: Option<String>,
    /// Filter on creation before TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = super::parse_filter_value)]
    created_before: Option<String>,
    /// Filter on last update after TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = super::parse_filter_value)]
    updated_after: Option<String>,
    /// Filter on last update before TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = super::parse_filter_value)]
    updated_before: Option<String>,
    /// Filter on closing after TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = super::parse_filter_value)]
    closed_after: Option<String>,
    /// Filter on closing before TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = super::parse_filter_value)]
    closed_before: Option<String>,
}

impl FilterArgs {
    pub(crate) fn has_status(&self) -> bool {
        !self.status.is_empty()
    }

    pub(crate) fn has_kind(&self) -> bool {
        !self.selection.kind.is_empty()
    }

    /// Returns true if a condition may ask for internal beads: a type, labels or ids.
    pub(crate) fn names_beads(&self) -> bool {
        let labels = !self.selection.label.is_empty() || !self.selection.label_any.is_empty();
        self.has_kind()
            || labels
            || self.label_pattern.is_some()
            || self.label_regex.is_some()
            || !self.ids.is_empty()
    }

    /// Prints a hint for each requested word that no bead can have here, which explains an empty
    /// result.
    pub(crate) fn explain_empty_result(&self, ctx: &Context, words: &Vocabulary) {
        let statuses = self.statuses();
        for status in statuses.iter().filter(|status| !words.has_status(status)) {
            let valid = words.list_statuses();
            let text = format!("no bead has status `{status}` here. Valid statuses: {valid}");
            ctx.ui.warn(&escape::escape_line(&text));
        }
        let kinds = self.selection.kinds();
        for kind in kinds.iter().filter(|kind| !words.has_kind(kind)) {
            let valid = words.list_kinds();
            let text = format!("no bead is of type `{kind}` here. Valid types: {valid}");
            ctx.ui.warn(&escape::escape_line(&text));
        }
    }

    /// The requested statuses; empty for any status.
    fn statuses(&self) -> Vec<Status> {
        let words = split_values(&self.status);
        if words.iter().any(|word| word == "all") {
            return Vec::new();
        }
        words
            .iter()
            .map(|word| Status::from(word.as_str()))
            .collect()
    }

    /// Builds the filter that the flags describe.
    pub(crate) fn to_filter(&self, ctx: &Context) -> anyhow::Result<BeadFilter> {
        let titles = [&self.title, &self.title_contains];
        Ok(BeadFilter {
            statuses: self.statuses(),
            priority_min: parse_priority(self.priority_min.as_deref())?,
            priority_max: parse_priority(self.priority_max.as_deref())?,
            no_assignee: self.no_assignee,
            label_pattern: self.label_pattern.clone(),
            label_regex: self
                .label_regex
                .as_deref()
                .map(parse_label_regex)
                .transpose()?,
            no_labels: self.no_labels,
            ids: split_values(&self.ids),
            title_contains: titles.into_iter().flatten().cloned().collect(),
            desc_contains: self.desc_contains.clone(),
            notes_contains: self.notes_contains.clone(),
            spec_prefix: self.spec.clone(),
            external_ref: self.external_ref.clone(),
            empty_description: self.empty_description,
            created: parse_time_range(
                ctx,
                "created",
                self.times.created_after.as_deref(),
                self.times.created_before.as_deref(),
            )?,
            updated: parse_time_range(
                ctx,
                "updated",
                self.times.updated_after.as_deref(),
                self.times.updated_before.as_deref(),
            )?,
            closed: parse_time_range(
                ctx,
                "closed",
                self.times.closed_after.as_deref(),
                self.times.closed_before.as_deref(),
            )?,
            ..self.selection.to_filter(ctx)?
        })
    }
}

fn parse_priority(text: Option<&str>) -> Result<Option<i64>, UsageError> {
    text.map(parse_priority_arg).transpose()
}

fn parse_label_regex(text: &str) -> Result<LabelRegex, UsageError> {
    regex::Regex::new(text).map(LabelRegex).map_err(|error| {
        let error = error.to_string();
        let why = error.lines().last().unwrap_or("");
        UsageError(format!("invalid --label-regex \"{text}\": {why}"))
    })
}

/// The times of a bead that are never in the future.
const PAST_TIMES: [&str; 3] = ["created", "updated", "closed"];

/// Parses a time range from two flags. An age such as `2d` is in the past for the times that are
/// never in the future.
pub(crate) fn parse_time_range(
    ctx: &Context,
    name: &str,
    after: Option<&str>,
    before: Option<&str>,
) -> Result<TimeRange, UsageError> {
    let parse = |side: &str, text: &str| {
        let flag = format!("--{name}-{side}");
        // Without a sign, `2d` would be a time at which nothing can have happened yet.
        if PAST_TIMES.contains(&name) && !text.starts_with(['+', '-']) {
            ctx.parse_past_time(&flag, text)
        } else {
            ctx.parse_time(&flag, text)
        }
    };
    Ok(TimeRange {
        after: after.map(|text| parse("after", text)).transpose()?,
        before: before.map(|text| parse("before", text)).transpose()?,
    })
}
