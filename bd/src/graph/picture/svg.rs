//! Writes a picture as an SVG file or as a page with the same as text. Both need nothing else.

use kit::ui::cut::cut_to_width;

use super::{CELL_HEIGHT, CELL_WIDTH, CRITICAL_LEGEND, GraphPicture, PAGE_BOX, PictureBox};

const STYLE: &str = include_str!("picture.css");

/// The space around the picture.
const MARGIN: usize = CELL_HEIGHT;

/// The number of columns of a title in a box. The font is narrower than a cell.
const TITLE_COLUMNS: usize = PAGE_BOX.width - 1;

/// Formats a picture as an SVG file.
pub fn format_svg(picture: &GraphPicture, title: &str) -> String {
    let width = picture.width + 2 * MARGIN;
    let height = picture.height + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"-{MARGIN} -{MARGIN} {width} {height}\" role=\"img\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8Z\" fill=\"#6b7280\"/></marker></defs>\n",
        escape_markup(title)
    );
    for arrow in &picture.arrows {
        let critical = if arrow.is_critical { " critical" } else { "" };
        svg.push_str(&format!(
            "<path class=\"arrow{critical}\" d=\"{}\" marker-end=\"url(#tip)\"/>\n",
            arrow.curve
        ));
    }
    for place in &picture.boxes {
        push_box(&mut svg, picture, place);
    }
    svg.push_str("</svg>\n");
    svg
}

fn push_box(svg: &mut String, picture: &GraphPicture, place: &PictureBox) {
    let bead = &place.bead;
    let critical = if place.is_critical { " critical" } else { "" };
    let x = place.x + CELL_WIDTH + CELL_WIDTH / 2;
    svg.push_str(&format!(
        "<g class=\"{}{critical}\"><title>{}</title><path class=\"box\" d=\"{}\"/><text class=\"id\" x=\"{x}\" y=\"{}\">{} {}</text><text x=\"{x}\" y=\"{}\">{}</text></g>\n",
        bead.state.name(),
        escape_markup(&describe_box(picture, place)),
        place.outline,
        place.y + CELL_HEIGHT + CELL_HEIGHT / 4,
        bead.state.symbol(),
        escape_markup(&bead.id),
        place.y + 2 * CELL_HEIGHT + CELL_HEIGHT / 4,
        escape_markup(&cut_to_width(&bead.title, TITLE_COLUMNS)),
    ));
}

/// Describes a bead of a picture in one line.
fn describe_box(picture: &GraphPicture, place: &PictureBox) -> String {
    let bead = &place.bead;
    let needs: Vec<&str> = bead
        .needs
        .iter()
        .map(|need| picture.boxes[*need].bead.id.as_str())
        .collect();
    let after = match needs.as_slice() {
        [] => String::new(),
        needs => format!(", after {}", needs.join(", ")),
    };
    format!("{}: {} ({}{after})", bead.id, bead.title, bead.state.name())
}

/// Formats a picture as a page, with its beads as a list below it.
pub fn format_html(picture: &GraphPicture, title: &str) -> String {
    let lines: String = picture
        .boxes
        .iter()
        .map(|place| {
            let line = escape_markup(&describe_box(picture, place));
            format!("<li>{} {line}</li>\n", place.bead.state.symbol())
        })
        .collect();
    let title_text = escape_markup(title);
    let legend = if picture.boxes.iter().any(|place| place.is_critical) {
        format!("<p>Thick line: {CRITICAL_LEGEND}</p>\n")
    } else {
        String::new()
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>{title_text}</title>\n<style>:root {{ color-scheme: light dark; }} body {{ font-family: system-ui, sans-serif; margin: 1rem; }} .picture {{ overflow: auto; max-height: 80vh; }}</style>\n<h1>{title_text}</h1>\n<div class=\"picture\" tabindex=\"0\" role=\"region\" aria-label=\"Graph\">\n{}</div>\n{legend}<ul>\n{lines}</ul>\n</html>\n",
        format_svg(picture, title)
    )
}

/// Escapes text for markup. Control characters, which no markup may contain, become spaces.
pub fn escape_markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push(' '),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::tests::bead;
    use super::super::{PictureState, lay_out};
    use super::*;

    #[test]
    fn text_of_beads_is_never_markup() {
        let mut evil = bead("a-1", PictureState::Ready, &[]);
        evil.title = "</text><script>alert(1)</script>\u{1b}".to_owned();
        let picture = lay_out(vec![evil, bead("a-2", PictureState::Done, &[0])]).unwrap();
        let page = format_html(&picture, "<b>&\"");
        assert!(!page.contains("<script") && !page.contains('\u{1b}'));
        assert!(page.contains("&lt;b&gt;&amp;&quot;"));
    }
}
