//! `gt convoy graph`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use bd::graph::picture::{self, GraphPicture, PictureBead, PictureState};
use gt::flow::work::convoy::{self, ConvoyProgress, TrackedBead};
use gt::record::town_view::TownView;
use gt::view::convoy::list_waves;
use gt::view::convoy_graph;
use kit::ui::{Page, escape};

/// Draw the beads of a convoy and what they wait for
///
/// Each bead stands below the beads it waits for. A star marks the longest chain of beads that are
/// still to be done, which holds up the convoy longest. If the terminal is too narrow, or the
/// beads are too many, they are listed in waves. With `--json` the drawing, or null: {width, height, boxes: [{id, title, state,
/// needs, symbol, x, y, width, height, outline, is_critical}], arrows: [{from, to, curve, is_critical}]}.
/// `needs`, `from` and `to` are positions in `boxes`; `outline` and `curve` are SVG paths.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The convoy's id or title, or its number in `gt convoy list`
    convoy: String,
    /// Print an SVG file
    #[arg(long, conflicts_with = "html")]
    svg: bool,
    /// Print a page with the drawing and its beads as text
    #[arg(long)]
    html: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let view = TownView::read(&town)?;
    let found = super::find_convoy(&view, &args.convoy)?;
    let convoy = convoy::ProgressBoard::from_view(&view).progress(found);
    let beads = convoy_graph::list_picture_beads(&convoy);
    let drawn = picture::lay_out(beads.clone());
    if drawn.is_none() && (args.svg || args.html) {
        anyhow::bail!("the graph of {} is too large to be drawn", convoy.id);
    }
    build_report(drawn, move |drawn: &Option<GraphPicture>, page| {
        let title = format!("{}: {}", convoy.id, convoy.title);
        match drawn {
            Some(drawn) if args.svg => page.line(picture::format_svg(drawn, &title).trim_end()),
            Some(drawn) if args.html => page.line(picture::format_html(drawn, &title).trim_end()),
            _ => {
                write_graph(&convoy, &beads, page);
            }
        }
    })
}

/// Writes the heading and the drawing of a convoy, as `gt convoy graph` and `gt top` show it.
pub(in super::super) fn write_graph(
    convoy: &ConvoyProgress,
    beads: &[PictureBead],
    page: &mut Page,
) {
    super::write_heading(convoy, page);
    write_drawing(&convoy.tracked, beads, page);
}

/// Draws the beads, or lists them in waves if they do not fit.
pub(in super::super) fn write_drawing(
    tracked: &[TrackedBead],
    beads: &[PictureBead],
    page: &mut Page,
) {
    let style = page.style().clone();
    let width = page.known_width().unwrap_or(usize::MAX);
    let drawing = picture::draw_in_columns(beads, width, |bead, text| match bead.state {
        PictureState::Working | PictureState::Merging => style.yellow(text),
        PictureState::Stopped | PictureState::Failed => style.red(text),
        PictureState::Done => style.green(text),
        PictureState::Blocked | PictureState::Deferred => style.dim(text),
        PictureState::Ready | PictureState::Unknown => text.to_owned(),
    });
    if let Some(lines) = drawing {
        for line in lines {
            page.line(line);
        }
        if !picture::find_critical_path(beads).is_empty() {
            page.line(style.dim(&format!("  * {}", picture::CRITICAL_LEGEND)));
        }
        return;
    }
    for (number, wave) in list_waves(tracked).into_iter().enumerate() {
        page.line(format!("Wave {}", number + 1));
        for tracked in wave {
            let bead = beads.iter().find(|bead| bead.id == tracked.id);
            let symbol = bead.map_or('?', |bead| bead.state.symbol());
            let text = format!("{symbol} {} {}", tracked.id, tracked.title);
            page.cut_line(format!("  {}", escape::escape_line(&text)));
        }
    }
}
