//! Reads and draws the pictures of the subjects with the renderers of the commands: the graph of a
//! convoy, the map, timelines, and the plot of the costs.

use bd::graph::picture;
use gt::flow::work::convoy::ProgressBoard;
use gt::host::LiveTown;
use gt::record::convoy::is_convoy;
use gt::record::town_view::TownView;
use gt::view::convoy_graph::list_picture_beads;
use gt::view::map::{TownMap, list_picture_places};
use gt::view::overview::{OverviewMemory, TownOverview};
use gt::view::timeline::{TimelineSubject, find_subject, read_timeline};
use jiff::Timestamp;
use kit::ui::{Page, Style};

use super::super::convoy::graph;
use super::super::costs::plot;
use super::super::{map, timeline};
use super::news::CostNews;
use super::rows::{MoreLine, PageLine, Tone};
use super::subject::{PageTab, Subject};

/// Reads the picture of a subject. It is drawn for `columns` columns, and wider if not even the ids
/// of its boxes fit.
pub(super) fn read_picture(
    town: &LiveTown,
    subject: &Subject,
    tab: PageTab,
    columns: usize,
    memory: &OverviewMemory,
) -> anyhow::Result<Vec<PageLine>> {
    let now = town.clock.now();
    match (tab, subject) {
        (PageTab::Graph, Subject::Convoy(id)) => {
            let view = TownView::read(town)?;
            let found = view.stores.town.get_live(id).filter(|bead| is_convoy(bead));
            let found =
                found.ok_or_else(|| anyhow::anyhow!("there is no convoy `{id}`: not found"))?;
            let convoy = ProgressBoard::from_view(&view).progress(found);
            let beads = list_picture_beads(&convoy);
            let columns = columns.max(picture::min_columns(&beads).unwrap_or(0));
            Ok(draw_lines(columns, now, |page| {
                graph::write_graph(&convoy, &beads, page);
            }))
        }
        (PageTab::Map, _) => {
            let overview = TownOverview::read_again(town, memory)?;
            let found = TownMap::read(town, &overview)?;
            let boxes = list_picture_places(&found.places);
            let columns = columns.max(picture::min_columns(&boxes).unwrap_or(0));
            Ok(draw_lines(columns, now, |page| {
                map::write_map(&found, page);
            }))
        }
        _ => {
            let subject = match subject {
                Subject::Town => TimelineSubject::Town,
                other => find_subject(town, other.name())?,
            };
            let since = timeline::begin_of_range(&subject, None, now)?;
            let found = read_timeline(town, &subject, since)?;
            Ok(draw_lines(columns, now, |page| {
                timeline::write_timeline(&found, page);
            }))
        }
    }
}

/// Draws the costs of the last days.
pub(super) fn draw_costs(
    costs: &Result<CostNews, String>,
    columns: usize,
    now: Timestamp,
) -> Vec<PageLine> {
    match costs {
        Ok(costs) => draw_lines(columns, now, |page| plot::write_plot(&costs.daily, page)),
        Err(problem) => vec![PageLine::plain(format!(
            "the costs cannot be read: {problem}"
        ))],
    }
}

/// Returns the lines that a command would print in `columns` columns, with its colours as tones.
pub(super) fn draw_lines(
    columns: usize,
    now: Timestamp,
    write: impl FnOnce(&mut Page),
) -> Vec<PageLine> {
    let mut page = Page::new(Some(columns), Style::coloured()).with_now(now);
    write(&mut page);
    page.text().lines().map(split_tones).collect()
}

/// Splits a line with colour sequences into parts with their tones. Texts of beads have none: they
/// are escaped.
fn split_tones(line: &str) -> PageLine {
    let mut parts: Vec<MoreLine> = Vec::new();
    let mut tone = Tone::Plain;
    let mut rest = line;
    loop {
        let end = rest.find('\u{1b}').unwrap_or(rest.len());
        if end > 0 {
            parts.push(MoreLine {
                tone,
                text: rest[..end].to_owned(),
            });
        }
        let Some((sequence, after)) = rest[end..].split_once('m') else {
            break;
        };
        tone = match sequence.trim_start_matches("\u{1b}[") {
            "1" => Tone::Strong,
            "2" => Tone::Dim,
            "31" => Tone::Bad,
            "32" => Tone::Good,
            "33" => Tone::Caution,
            "36" => Tone::Name,
            _ => Tone::Plain,
        };
        rest = after;
    }
    PageLine {
        parts: parts.clone(),
        ..PageLine::plain(parts.into_iter().map(|part| part.text).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_the_commands_become_tones_and_leave_no_sequence() {
        let style = Style::coloured();
        let painted = format!(
            "{} and {} plain, {}{}",
            style.red("red"),
            style.bold("strong"),
            style.cyan("a name"),
            style.dim(" and little")
        );
        let line = split_tones(&painted);
        assert_eq!(line.text, "red and strong plain, a name and little");
        let tones: Vec<Tone> = line.parts.iter().map(|part| part.tone).collect();
        let expected = [
            Tone::Bad,
            Tone::Plain,
            Tone::Strong,
            Tone::Plain,
            Tone::Name,
            Tone::Dim,
        ];
        assert_eq!(tones, expected);
        assert_eq!(split_tones("plain").text, "plain");
        assert_eq!(split_tones("").text, "");
    }
}
