//! `gt map`.

use bd::graph::picture::{PictureState, draw_in_columns, find_critical_path};
use gt::view::map::{MapPlace, TownMap, list_picture_places, shorten_address};
use gt::view::overview::TownOverview;
use kit::ui::{Page, counted, escape};

use super::{CommandResult, build_report};
use crate::context::Context;

/// Draw the agents and queues, and who waits for whom
///
/// Each box stands below the ones that it waits for: a worker below you if only you can answer it, the
/// merge queue below the worker that repairs its target, the queued beads below the workers that
/// they wait for. Below stand those that wait for no one, and the mail of the last day.
///
/// With `--json` {places[{kind (user, agent, merge_queue, queued_beads), id, rig?, text, state,
/// waits_for[]}], picture (as in `gt convoy graph --json`, or null), mail[{from, to, messages}]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let overview = TownOverview::read(&town)?;
    let map = TownMap::read(&town, &overview)?;
    build_report(map, write_map)
}

/// Writes the map, as `gt map` and `gt top` show it.
pub(super) fn write_map(map: &TownMap, page: &mut Page) {
    let style = page.style().clone();
    let columns = page.known_width().unwrap_or(usize::MAX);
    let boxes = list_picture_places(&map.places);
    let drawing = draw_in_columns(&boxes, columns, |place, text| match place.state {
        PictureState::Working | PictureState::Merging => style.yellow(text),
        PictureState::Stopped | PictureState::Failed => style.red(text),
        PictureState::Done => style.green(text),
        PictureState::Blocked | PictureState::Deferred => style.dim(text),
        PictureState::Ready | PictureState::Unknown => text.to_owned(),
    });
    match drawing {
        _ if boxes.is_empty() => page.line("No one waits for another."),
        Some(lines) => {
            for line in lines {
                page.line(line);
            }
            if !find_critical_path(&boxes).is_empty() {
                page.line(style.dim("  * the longest chain of those who wait"));
            }
        }
        None => {
            let waiting = map
                .places
                .iter()
                .filter(|place| !place.waits_for.is_empty());
            for place in waiting {
                let others: Vec<String> = place
                    .waits_for
                    .iter()
                    .map(|id| shorten_address(id))
                    .collect();
                write_place(place, &format!(", waits for {}", others.join(", ")), page);
            }
        }
    }
    let others = map.list_unconnected();
    if !others.is_empty() {
        page.blank();
        page.line(style.bold("Waiting for no one"));
        for place in others {
            write_place(place, "", page);
        }
    }
    if !map.mail.is_empty() {
        page.blank();
        page.line(style.bold("Mail of the last day"));
        for flow in &map.mail {
            let [from, to] = [&flow.from, &flow.to].map(|address| shorten_address(address));
            let count = counted(flow.messages, "message");
            page.cut_line(escape::escape_line(&format!("  {from} → {to}: {count}")));
        }
    }
}

fn write_place(place: &MapPlace, more: &str, page: &mut Page) {
    let symbol = place.state.symbol();
    let name = shorten_address(&place.id);
    let text = format!("  {symbol} {name}: {}{more}", place.text);
    page.cut_line(escape::escape_line(&text));
}

#[cfg(test)]
mod tests {
    use gt::view::map::{MailFlow, MapPlaceKind};
    use kit::ui::Style;

    use super::*;

    fn place(kind: MapPlaceKind, id: &str, state: PictureState, waits_for: &[&str]) -> MapPlace {
        MapPlace {
            kind,
            id: id.to_owned(),
            rig: None,
            text: "1 request".to_owned(),
            state,
            waits_for: waits_for.iter().map(|id| (*id).to_owned()).collect(),
        }
    }

    #[test]
    fn a_map_fits_narrow_and_wide_screens() {
        let places = vec![
            place(MapPlaceKind::User, "you", PictureState::Stopped, &[]),
            place(
                MapPlaceKind::Agent,
                "web/polecats/amber",
                PictureState::Stopped,
                &["you"],
            ),
            place(
                MapPlaceKind::Agent,
                "web/polecats/\u{1b}[31m",
                PictureState::Working,
                &[],
            ),
            place(
                MapPlaceKind::MergeQueue,
                "web queue",
                PictureState::Blocked,
                &["web/polecats/amber"],
            ),
            place(
                MapPlaceKind::QueuedBeads,
                "web queued",
                PictureState::Blocked,
                &["web queue", "you"],
            ),
        ];
        let map = TownMap {
            places,
            picture: None,
            mail: vec![MailFlow {
                from: "web/polecats/amber".to_owned(),
                to: "overseer".to_owned(),
                messages: 2,
            }],
        };
        for columns in [20, 60, 100, 200] {
            let mut page = Page::new(Some(columns), Style::plain());
            write_map(&map, &mut page);
            assert!(!page.text().contains('\u{1b}'));
            insta::assert_snapshot!(format!("map_{columns}_columns"), page.text());
        }
    }
}
