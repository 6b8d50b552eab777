//! `gt namepool themes`.

use super::super::{Answer, answer};
use crate::record::polecat;

pub(super) fn run() -> Answer {
    let themes: Vec<&str> = polecat::themes().collect();
    answer(themes, |themes, page| {
        for theme in themes {
            page.line(theme);
        }
    })
}
