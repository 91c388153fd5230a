//! How the budget is divided.

use super::BlockLayout;

/// Gives each source a share by its weight; what one does not need goes to the others by theirs.
pub(super) fn give(sheets: &mut [BlockLayout], budget: u32) {
    let mut open: Vec<usize> = (0..sheets.len()).filter(|place| sheets[*place].need() > 0).collect();
    let mut left = budget;
    while !open.is_empty() {
        let weights: u32 = open.iter().map(|place| sheets[*place].source.weight).sum();
        let share = |sheet: &BlockLayout| share(left, sheet.source.weight, weights);
        let content: Vec<usize> =
            open.iter().copied().filter(|place| sheets[*place].need() <= share(&sheets[*place])).collect();
        if content.is_empty() {
            for place in open {
                sheets[place].share = share(&sheets[place]);
            }
            return;
        }
        for place in &content {
            let need = sheets[*place].need();
            sheets[*place].share = need;
            left -= need;
        }
        open.retain(|place| !content.contains(place));
    }
}

fn share(left: u32, weight: u32, weights: u32) -> u32 {
    let share = u64::from(left) * u64::from(weight) / u64::from(weights.max(1));
    u32::try_from(share).unwrap_or(u32::MAX)
}
