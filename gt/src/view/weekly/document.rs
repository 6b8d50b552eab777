//! The report as Markdown or as one HTML page. Texts of the town are data in both: they are never
//! markup.

use std::fmt::Write;

use bd::graph::picture::escape_markup;
use jiff::tz::TimeZone;
use kit::ui::time::{format_day, format_local, format_seconds};

use super::{LongWait, MergedBead, WeeklyReport};
use crate::record::career::ComparedGroup;
use crate::view::career::CareerCard;
use crate::view::daily::NumberSums;

/// The style of the page, which has no other file.
const PAGE_STYLE: &str = include_str!("report.css");

/// A part of the report.
struct ReportSection {
    title: &'static str,
    lines: Vec<String>,
    tables: Vec<ReportTable>,
}

struct ReportTable {
    title: String,
    columns: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// Formats the report in Markdown.
pub fn format_markdown(report: &WeeklyReport, zone: &TimeZone) -> String {
    let mut text = format!("# {}\n", escape_markdown(&describe_title(report, zone)));
    for section in list_sections(report, zone) {
        // Writing to a string cannot fail.
        writeln!(text, "\n## {}", section.title).ok();
        for line in &section.lines {
            writeln!(text, "\n{}", escape_markdown(line)).ok();
        }
        for table in &section.tables {
            write_markdown_table(&mut text, table);
        }
    }
    text
}

fn write_markdown_table(text: &mut String, table: &ReportTable) {
    if !table.title.is_empty() {
        writeln!(text, "\n### {}", escape_markdown(&table.title)).ok();
    }
    writeln!(text, "\n| {} |", table.columns.join(" | ")).ok();
    writeln!(text, "|{}", " --- |".repeat(table.columns.len())).ok();
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| escape_markdown(cell)).collect();
        writeln!(text, "| {} |", cells.join(" | ")).ok();
    }
}

/// Escapes a text for a line or a cell of Markdown. Control characters become spaces.
fn escape_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_control() => escaped.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '!' | '~' | '&' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// Formats the report as a page.
pub fn format_html(report: &WeeklyReport, zone: &TimeZone) -> String {
    let title = escape_markup(&describe_title(report, zone));
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{PAGE_STYLE}</style>\n<main>\n<h1>{title}</h1>\n"
    );
    for section in list_sections(report, zone) {
        writeln!(text, "<section>\n<h2>{}</h2>", section.title).ok();
        for line in &section.lines {
            writeln!(text, "<p>{}</p>", escape_markup(line)).ok();
        }
        for table in &section.tables {
            write_html_table(&mut text, table);
        }
        text.push_str("</section>\n");
    }
    text.push_str("</main>\n</html>\n");
    text
}

fn write_html_table(text: &mut String, table: &ReportTable) {
    text.push_str("<div class=\"scroll\" tabindex=\"0\"><table>\n");
    if !table.title.is_empty() {
        writeln!(text, "<caption>{}</caption>", escape_markup(&table.title)).ok();
    }
    let head = table
        .columns
        .iter()
        .map(|name| format!("<th scope=\"col\">{name}</th>"));
    writeln!(text, "<thead><tr>{}</tr></thead>", head.collect::<String>()).ok();
    text.push_str("<tbody>\n");
    for row in &table.rows {
        let cells = row
            .iter()
            .map(|cell| format!("<td>{}</td>", escape_markup(cell)));
        writeln!(text, "<tr>{}</tr>", cells.collect::<String>()).ok();
    }
    text.push_str("</tbody></table></div>\n");
}

fn describe_title(report: &WeeklyReport, zone: &TimeZone) -> String {
    let [from, to] = [report.from, report.to].map(|at| format_day(at, zone));
    format!("{}: {from} to {to}", report.town)
}

fn list_sections(report: &WeeklyReport, zone: &TimeZone) -> Vec<ReportSection> {
    vec![
        describe_needs(report),
        describe_landings(report, zone),
        describe_costs(report),
        describe_waits(report),
        describe_records(report),
    ]
}

fn describe_needs(report: &WeeklyReport) -> ReportSection {
    let rows: Vec<Vec<String>> = report
        .needs
        .iter()
        .map(|need| vec![need.subject.clone(), need.next.join(" or ")])
        .collect();
    let lines = if rows.is_empty() {
        vec!["Nothing needs you now.".to_owned()]
    } else {
        Vec::new()
    };
    ReportSection {
        title: "Needs you",
        lines,
        tables: build_table("", &["Matter", "Next step"], rows),
    }
}

fn describe_landings(report: &WeeklyReport, zone: &TimeZone) -> ReportSection {
    let merged: usize = report.merged.values().map(Vec::len).sum();
    let convoys = report
        .landed
        .iter()
        .map(|convoy| {
            vec![
                format_local(convoy.at, zone),
                convoy.id.clone(),
                convoy.title.clone(),
            ]
        })
        .collect();
    let mut tables = build_table("Landed convoys", &["Landed", "Convoy", "Title"], convoys);
    for (rig, beads) in &report.merged {
        let rows = beads
            .iter()
            .map(|bead| describe_merged(bead, zone))
            .collect();
        let title = format!("Merged in rig {rig}");
        tables.extend(build_table(
            &title,
            &["Merged", "Bead", "Title", "Worker"],
            rows,
        ));
    }
    ReportSection {
        title: "Landed",
        lines: vec![format!(
            "{} landed and {} merged.",
            kit::ui::counted(report.landed.len(), "convoy"),
            kit::ui::counted(merged, "bead")
        )],
        tables,
    }
}

fn describe_merged(bead: &MergedBead, zone: &TimeZone) -> Vec<String> {
    let at = format_local(bead.at, zone);
    vec![at, bead.id.clone(), bead.title.clone(), bead.worker.clone()]
}

fn describe_costs(report: &WeeklyReport) -> ReportSection {
    let total = &report.numbers.total;
    let mut lines = vec![format!("{} in all.", describe_money(total))];
    if let Some(merges) = u32::try_from(total.merges)
        .ok()
        .filter(|merges| *merges > 0 && total.requests > 0)
    {
        let each = total.cost_usd / f64::from(merges);
        lines.push(format!("${each:.2} for each of {merges} merged beads."));
    }
    let days = report
        .numbers
        .days
        .iter()
        .map(|day| {
            let sums = &day.sums;
            let money = if day.recorded {
                describe_money(sums)
            } else {
                "not recorded".to_owned()
            };
            vec![
                day.day.to_string(),
                money,
                sums.merges.to_string(),
                sums.mean_wait_seconds
                    .map_or_else(String::new, format_seconds),
                sums.red_gates.to_string(),
                sums.restarts.to_string(),
            ]
        })
        .collect();
    let columns = [
        "Day",
        "Cost",
        "Merges",
        "Mean wait",
        "Failed gates",
        "Restarts",
    ];
    let mut tables = build_table("By day", &columns, days);
    let models = report
        .numbers
        .groups
        .iter()
        .map(|group| {
            let name = if group.key.is_empty() {
                "(unknown)"
            } else {
                &group.key
            };
            vec![
                name.to_owned(),
                describe_money(&group.total),
                group.total.merges.to_string(),
            ]
        })
        .collect();
    tables.extend(build_table(
        "By model",
        &["Model", "Cost", "Merges"],
        models,
    ));
    ReportSection {
        title: "Costs",
        lines,
        tables,
    }
}

/// Describes costs. Tokens of models without a price are named, because their costs are not known.
fn describe_money(sums: &NumberSums) -> String {
    match sums.unpriced_tokens {
        0 => format!("${:.2}", sums.cost_usd),
        tokens => format!("${:.2} and {tokens} tokens without a price", sums.cost_usd),
    }
}

fn describe_waits(report: &WeeklyReport) -> ReportSection {
    let phases = report
        .phases
        .iter()
        .map(|total| vec![total.label.to_owned(), format_seconds(total.seconds)])
        .collect();
    let waits = report.waits.iter().map(describe_wait).collect();
    let mut tables = build_table("Time of all beads", &["Phase", "Time"], phases);
    tables.extend(build_table(
        "Longest waits",
        &["Bead", "Title", "Wait", "Time", "Reason"],
        waits,
    ));
    let lines = if tables.is_empty() {
        vec!["No bead was worked on.".to_owned()]
    } else {
        Vec::new()
    };
    ReportSection {
        title: "Waits",
        lines,
        tables,
    }
}

fn describe_wait(wait: &LongWait) -> Vec<String> {
    vec![
        wait.bead.clone(),
        wait.title.clone(),
        wait.label.to_owned(),
        format_seconds(wait.seconds),
        wait.reason.iter().cloned().collect(),
    ]
}

fn describe_records(report: &WeeklyReport) -> ReportSection {
    let mut lines = Vec::new();
    let mut tables = Vec::new();
    for kind in &report.comparisons {
        lines.push(format!("{}: {}", kind.comparison.kind, kind.text));
        let rows = kind.comparison.groups.iter().map(describe_group).collect();
        let title = format!("Models at {}", kind.comparison.kind);
        let columns = ["Model", "As submitted", "95 % interval"];
        tables.extend(build_table(&title, &columns, rows));
    }
    let workers = report.workers.iter().map(describe_worker).collect();
    let columns = [
        "Worker",
        "Finished",
        "Merged",
        "As submitted",
        "Stalls",
        "Rating",
    ];
    tables.extend(build_table("Workers", &columns, workers));
    if report.workers.is_empty() {
        lines.push("No work was finished.".to_owned());
    }
    ReportSection {
        title: "Records",
        lines,
        tables,
    }
}

fn describe_group(group: &ComparedGroup) -> Vec<String> {
    let counts = &group.counts;
    let name = if group.key.is_empty() {
        "(unknown)"
    } else {
        &group.key
    };
    let interval = match group.interval {
        Some(interval) if group.is_compared => {
            format!("{}–{} %", interval.low_percent, interval.high_percent)
        }
        _ => "too few".to_owned(),
    };
    vec![
        name.to_owned(),
        format!("{} of {}", counts.as_submitted, counts.finished),
        interval,
    ]
}

fn describe_worker(card: &CareerCard) -> Vec<String> {
    let counts = &card.counts;
    let rating = card.rating.map_or_else(String::new, |rating| {
        format!("{:.1} of 5 ({})", rating.mean, rating.count)
    });
    vec![
        card.key.clone(),
        counts.finished.to_string(),
        counts.merged.to_string(),
        counts.as_submitted.to_string(),
        counts.stalls.to_string(),
        rating,
    ]
}

/// Builds a table. An empty one is left out.
fn build_table(title: &str, columns: &[&'static str], rows: Vec<Vec<String>>) -> Vec<ReportTable> {
    if rows.is_empty() {
        return Vec::new();
    }
    vec![ReportTable {
        title: title.to_owned(),
        columns: columns.to_vec(),
        rows,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_town_are_no_markdown() {
        let evil = "[x](javascript:1) <b> | `a` \u{1b}[31m\n# Title";
        let escaped = escape_markdown(evil);
        assert_eq!(
            escaped,
            "\\[x\\](javascript:1) \\<b\\> \\| \\`a\\`  \\[31m \\# Title"
        );
    }
}
