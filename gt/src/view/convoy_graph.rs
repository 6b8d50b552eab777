//! The beads of a convoy as a picture.

use bd::graph::picture::{PictureBead, PictureState};

use crate::flow::work::convoy::{BeadStanding, ConvoyProgress, TrackedBead};

/// Returns the beads of a convoy with the edges between them, also those to closed beads.
pub fn list_picture_beads(convoy: &ConvoyProgress) -> Vec<PictureBead> {
    let find_position = |id: &String| convoy.tracked.iter().position(|bead| bead.id == *id);
    convoy
        .tracked
        .iter()
        .map(|bead| {
            let mut needs: Vec<usize> = bead
                .blockers
                .iter()
                .chain(&bead.waits_for)
                .filter_map(find_position)
                .collect();
            needs.sort_unstable();
            needs.dedup();
            PictureBead {
                id: bead.id.clone(),
                title: bead.title.clone(),
                state: picture_state(bead),
                needs,
            }
        })
        .collect()
}

fn picture_state(bead: &TrackedBead) -> PictureState {
    match bead.standing {
        BeadStanding::Open => PictureState::Ready,
        BeadStanding::Blocked => PictureState::Blocked,
        BeadStanding::Working if !bead.why.is_empty() => PictureState::Stopped,
        BeadStanding::Working => PictureState::Working,
        BeadStanding::Merging => PictureState::Merging,
        BeadStanding::NeedsStep => PictureState::Stopped,
        BeadStanding::Done => PictureState::Done,
        BeadStanding::Failed => PictureState::Failed,
        BeadStanding::Unknown => PictureState::Unknown,
    }
}
