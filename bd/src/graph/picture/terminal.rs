//! Draws a picture with the characters of a terminal.

use ascii_dag::RenderOptions;
use kit::ui::cut::{count_columns, cut_to_width, pad_to_width};
use kit::ui::escape;

use super::{
    BOX_FILLER, BoxSize, PictureBead, build_graph, find_critical_path, is_drawable, layout_config,
};

/// The widths of boxes that are tried, besides the width of the longest id.
const BOX_WIDTHS: [usize; 7] = [60, 50, 40, 32, 26, 20, 16];

/// Draws beads in at most `columns` columns, one line per row, with as much of the titles as fits. `paint` colours the text of a box. The beads of the critical path end with `*`. Returns
/// `None` if not even the ids fit, or if there are too many beads.
pub fn draw_in_columns(
    beads: &[PictureBead],
    columns: usize,
    paint: impl Fn(&PictureBead, &str) -> String,
) -> Option<Vec<String>> {
    if !is_drawable(beads) {
        return None;
    }
    let id_width = min_box_width(beads)?;
    let wide = BOX_WIDTHS.into_iter().filter(|width| *width > id_width);
    wide.chain([id_width]).find_map(|width| {
        let graph = build_graph(beads, BoxSize { width, height: 1 });
        let layout = graph.compute_layout_with_config(&layout_config());
        if layout.width() > columns {
            return None;
        }
        let critical = find_critical_path(beads);
        // From left to right in each line, as the boxes are filled.
        let mut order: Vec<_> = layout.nodes().iter().collect();
        order.sort_by_key(|node| (node.y, node.x));
        let mut texts = order.into_iter().map(|node| {
            let bead = &beads[node.id];
            let text = format_box(bead, width, critical.contains(&node.id));
            paint(bead, &text)
        });
        let drawing = layout.render_string(&RenderOptions::plain());
        let lines = drawing.trim_end().lines();
        Some(
            lines
                .map(|line| put_texts(line, width, &mut texts))
                .collect(),
        )
    })
}

/// Returns the columns of the narrowest drawing, in which each box has room for its id. None if
/// there are too many beads.
pub fn min_columns(beads: &[PictureBead]) -> Option<usize> {
    if !is_drawable(beads) {
        return None;
    }
    let width = min_box_width(beads)?;
    let graph = build_graph(beads, BoxSize { width, height: 1 });
    Some(graph.compute_layout_with_config(&layout_config()).width())
}

/// Returns the width of a box for the longest id, its symbol, the mark of the critical path, and the
/// spaces between. None without beads.
fn min_box_width(beads: &[PictureBead]) -> Option<usize> {
    let ids = beads
        .iter()
        .map(|bead| count_columns(&escape::escape_line(&bead.id)));
    Some(ids.max()? + 4)
}

fn format_box(bead: &PictureBead, width: usize, is_critical: bool) -> String {
    let text = format!("{} {} {}", bead.state.symbol(), bead.id, bead.title);
    let text = escape::escape_line(&text);
    let mark = if is_critical { "*" } else { "" };
    let room = width - mark.len();
    pad_to_width(
        &format!("{}{mark}", cut_to_width(&text, room).trim_end()),
        width,
    )
}

/// Puts the next texts in the place of the filled boxes of a line.
fn put_texts(line: &str, width: usize, texts: &mut impl Iterator<Item = String>) -> String {
    let filled = BOX_FILLER.to_string().repeat(width);
    let mut pieces = line.split(&filled);
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text.push_str(&texts.next().unwrap_or_default());
        text.push_str(piece);
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::PictureState;
    use super::super::tests::bead;
    use super::*;

    fn draw(columns: usize) -> Option<String> {
        let beads = [
            bead("a-1", PictureState::Done, &[]),
            bead("a-2", PictureState::Working, &[]),
            bead("a-3", PictureState::Blocked, &[0, 1]),
        ];
        draw_in_columns(&beads, columns, |bead, text| match bead.state {
            PictureState::Done => text.replace("Title", "TITLE"),
            _ => text.to_owned(),
        })
        .map(|lines| lines.join("\n"))
    }

    #[test]
    fn a_drawing_shows_as_much_of_the_titles_as_fits() {
        let wide = "  ✓ a-1 TITLE of a-1                ◐ a-2 Title of a-2*\n                  └────────────────┬────────────────┘\n                                   ↓\n                   ● a-3 Title of a-3*";
        assert_eq!(draw(80).as_deref(), Some(wide));
        let narrow = draw(40).unwrap();
        assert!(narrow.contains("◐ a-2 Title of…*"), "{narrow}");
        let ids = draw(24).unwrap();
        assert!(ids.lines().all(|line| line.chars().count() <= 24), "{ids}");
        assert_eq!(draw(12), None);
    }
}
