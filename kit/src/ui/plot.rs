//! Draws numbers as blocks or braille dots, readable without colours.

use super::cut::{count_columns, cut_to_width};

const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The parts of a block.
const BLOCK_PARTS: usize = 8;
/// The rows of dots of a braille character.
const BRAILLE_ROWS: usize = 4;
/// The dots of a braille character in its left and its right column, from below.
const BRAILLE_DOTS: [[u32; BRAILLE_ROWS]; 2] = [[0x40, 0x04, 0x02, 0x01], [0x80, 0x20, 0x10, 0x08]];
/// The first braille character, without a dot.
const BRAILLE_BLANK: u32 = 0x2800;
/// The maximum number of columns of one bar with the gap beside it.
const MAX_BAR_WIDTH: usize = 6;

/// Numbers to draw as bars.
#[derive(Debug, Clone, Copy)]
pub struct BarPlot<'a> {
    /// The heights of the bars. None for an unknown one.
    pub values: &'a [Option<f64>],
    /// The names of the bars.
    pub names: &'a [String],
    /// The number of rows of the bars.
    pub rows: usize,
}

/// The lines of a plot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlotLines {
    pub lines: Vec<String>,
    /// The number of bars that are shown. The first ones are left out if they do not fit.
    pub shown: usize,
}

impl BarPlot<'_> {
    /// Draws the bars in at most `width` columns: as blocks, or as braille dots with two bars per
    /// column if the bars do not fit otherwise. `format` writes a number of the axis.
    pub fn draw(&self, width: usize, format: impl Fn(f64) -> String) -> PlotLines {
        let whole = self.window(self.values.len(), width, &format);
        let bars = whole.bars;
        let shown = self.values.len().min(bars * 2);
        let window = self.window(shown, width, &format);
        let is_braille = shown > window.bars;
        let bar_width = match window.bars.checked_div(shown) {
            Some(wide) if !is_braille => wide.clamp(1, MAX_BAR_WIDTH),
            _ => 1,
        };
        let values = &self.values[self.values.len() - shown..];
        let mut lines = Vec::with_capacity(self.rows + 2);
        for row in (0..self.rows).rev() {
            let label = window.labels.get(&row).map_or("", |label| label.as_str());
            let bars = if is_braille {
                draw_braille_row(values, window.max, self.rows, row)
            } else {
                draw_block_row(values, window.max, self.rows, row, bar_width)
            };
            let padding = " ".repeat(window.margin - count_columns(label));
            let axis = if label.is_empty() { '│' } else { '┤' };
            lines.push(
                format!("{padding}{label} {axis}{bars}")
                    .trim_end()
                    .to_owned(),
            );
        }
        let columns = if is_braille {
            shown.div_ceil(2)
        } else {
            shown * bar_width
        };
        let padding = " ".repeat(window.margin - 1);
        lines.push(format!("{padding}0 └{}", "─".repeat(columns)));
        let names = &self.names[self.names.len() - shown..];
        let margin = window.margin + 2;
        lines.push(draw_names(names, margin, columns, width));
        PlotLines { lines, shown }
    }

    /// Returns the measures of a plot of the last bars.
    fn window(&self, shown: usize, width: usize, format: &impl Fn(f64) -> String) -> PlotWindow {
        let values = &self.values[self.values.len() - shown..];
        let max = values.iter().flatten().copied().fold(0.0, f64::max);
        let mut labels = std::collections::BTreeMap::new();
        if max > 0.0 {
            labels.insert(self.rows.saturating_sub(1), format(max));
            let half = format(max / 2.0);
            if self.rows >= 4 && half != format(max) {
                labels.insert(self.rows / 2 - 1, half);
            }
        }
        let margin = labels.values().map(|label| count_columns(label)).max();
        let margin = margin.unwrap_or(1).max(1);
        PlotWindow {
            max,
            bars: width.saturating_sub(margin + 2).max(1),
            margin,
            labels,
        }
    }
}

struct PlotWindow {
    /// The largest value.
    max: f64,
    /// The number of columns for bars.
    bars: usize,
    /// The number of columns of the labels.
    margin: usize,
    /// The label of a row, counted from below.
    labels: std::collections::BTreeMap<usize, String>,
}

/// Draws each value as one block. An unknown value and 0 are blank.
pub fn draw_sparkline(values: &[Option<f64>]) -> String {
    let max = values.iter().flatten().copied().fold(0.0, f64::max);
    draw_block_row(values, max, 1, 0, 1)
}

/// Returns the height of a bar in steps. Any number above 0 has at least one step.
fn count_steps(value: Option<f64>, max: f64, steps: usize) -> usize {
    let value = value.unwrap_or(0.0);
    if value <= 0.0 || max <= 0.0 {
        return 0;
    }
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a plot has few steps, and the part is between 0 and 1"
    )]
    let height = (value / max * steps as f64).round() as usize;
    height.clamp(1, steps)
}

fn draw_block_row(
    values: &[Option<f64>],
    max: f64,
    rows: usize,
    row: usize,
    bar_width: usize,
) -> String {
    let gap = usize::from(bar_width > 1);
    values
        .iter()
        .map(|value| {
            let steps = count_steps(*value, max, rows * BLOCK_PARTS);
            let part = steps.saturating_sub(row * BLOCK_PARTS).min(BLOCK_PARTS);
            let bar = BLOCKS[part].to_string().repeat(bar_width - gap);
            bar + &" ".repeat(gap)
        })
        .collect()
}

fn draw_braille_row(values: &[Option<f64>], max: f64, rows: usize, row: usize) -> String {
    values
        .chunks(2)
        .map(|pair| {
            let mut dots = 0;
            for (value, column) in pair.iter().zip(BRAILLE_DOTS) {
                let steps = count_steps(*value, max, rows * BRAILLE_ROWS);
                let part = steps.saturating_sub(row * BRAILLE_ROWS).min(BRAILLE_ROWS);
                dots |= column[..part].iter().sum::<u32>();
            }
            match dots {
                0 => ' ',
                dots => char::from_u32(BRAILLE_BLANK + dots).unwrap_or(' '),
            }
        })
        .collect()
}

/// Draws the names of the first and the last bar, and of the one in the middle if it fits.
fn draw_names(names: &[String], margin: usize, columns: usize, width: usize) -> String {
    let mut line = " ".repeat(margin);
    let [Some(first), Some(last)] = [names.first(), names.last()] else {
        return line;
    };
    line.push_str(first);
    let middle = &names[names.len() / 2];
    let middle_column = margin + columns / 2;
    let end = margin + columns;
    let last_column = end.saturating_sub(count_columns(last));
    let fits = |from: usize, name: &str, to: usize| from + count_columns(name) + 2 <= to;
    if names.len() > 2
        && count_columns(&line) + 2 <= middle_column
        && fits(middle_column, middle, last_column)
    {
        line.push_str(&" ".repeat(middle_column - count_columns(&line)));
        line.push_str(middle);
    }
    if names.len() > 1 && count_columns(&line) + 2 <= last_column {
        line.push_str(&" ".repeat(last_column - count_columns(&line)));
        line.push_str(last);
    }
    cut_to_width(&line, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(values: &[f64], width: usize, rows: usize) -> (Vec<String>, usize) {
        let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        let names: Vec<String> = (1..=values.len()).map(|day| format!("Nov {day}")).collect();
        let plot = BarPlot {
            values: &values,
            names: &names,
            rows,
        };
        let drawn = plot.draw(width, |value| format!("{value:.0}"));
        (drawn.lines, drawn.shown)
    }

    #[test]
    fn bars_are_drawn_in_blocks_with_axes_and_names() {
        let (lines, shown) = draw(&[0.0, 4.0, 8.0, 0.01, 2.0], 40, 4);
        let expected = [
            "8 ┤            █████",
            "  │            █████",
            "4 ┤      █████ █████",
            "  │      █████ █████ ▁▁▁▁▁ █████",
            "0 └──────────────────────────────",
            "   Nov 1          Nov 3     Nov 5",
        ];
        assert_eq!(lines, expected);
        assert_eq!(shown, 5);
    }

    #[test]
    fn bars_that_do_not_fit_are_dots_and_then_the_last_ones() {
        let values: Vec<f64> = (0..20).map(f64::from).collect();
        let (lines, shown) = draw(&values, 15, 2);
        assert_eq!(lines[0], "19 ┤     ⢀⣀⣤⣶⣿");
        assert_eq!(lines[1], "   │⢀⣀⣤⣶⣾⣿⣿⣿⣿⣿");
        assert_eq!(lines[2], " 0 └──────────");
        assert_eq!(shown, 20);
        let many: Vec<f64> = (0..100).map(f64::from).collect();
        let (lines, shown) = draw(&many, 15, 2);
        assert_eq!(shown, 22);
        assert!(
            lines.iter().all(|line| count_columns(line) <= 15),
            "{lines:?}"
        );
    }

    /// Returns the steps of each bar of one column.
    fn read_steps(lines: &[String], rows: usize, count: usize) -> Vec<usize> {
        let bars: Vec<Vec<char>> = lines[..rows]
            .iter()
            .map(|line| {
                let bars = line.chars().skip_while(|c| !"┤│".contains(*c));
                bars.skip(1).collect()
            })
            .collect();
        let part = |c: char| BLOCKS.iter().position(|block| *block == c).unwrap();
        (0..count)
            .map(|bar| {
                bars.iter()
                    .map(|row| row.get(bar).map_or(0, |c| part(*c)))
                    .sum()
            })
            .collect()
    }

    proptest::proptest! {
        #[test]
        fn the_height_of_each_bar_is_its_value(
            values in proptest::collection::vec(0.0..1e6_f64, 30),
        ) {
            let (lines, shown) = draw(&values, 45, 8);
            proptest::prop_assert_eq!(shown, 30);
            let max = values.iter().copied().fold(0.0, f64::max);
            let steps = read_steps(&lines, 8, 30);
            for (value, steps) in values.iter().zip(steps) {
                let height = f64::from(u32::try_from(steps).unwrap()) / 64.0;
                let is_right = (height - value / max).abs() <= 1.0 / 64.0;
                proptest::prop_assert!(is_right, "{} {}", value / max, height);
            }
        }
    }

    #[test]
    fn nothing_to_draw_is_an_empty_plot() {
        let (lines, shown) = draw(&[], 20, 2);
        assert_eq!((lines.len(), shown), (4, 0));
        let (lines, _) = draw(&[0.0, 0.0], 20, 1);
        assert_eq!(lines[0], "  │");
        assert_eq!(
            draw_sparkline(&[None, Some(0.0), Some(0.1), Some(8.0)]),
            "  ▁█"
        );
    }
}
