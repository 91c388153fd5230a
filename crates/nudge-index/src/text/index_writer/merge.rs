//! Which segments to merge: few enough to search them all, none so large that removing an entry
//! from it takes long.

use tantivy::SegmentMeta;
use tantivy::index::SegmentId;

/// This many segments of about the same size are merged.
const TOGETHER: usize = 4;
/// Sizes within one power of this are about the same.
const STEP: u32 = 4;
/// Segments with fewer documents count as this size: commits of single documents are merged here
/// first.
const SMALLEST: u32 = 500;
/// No merged segment is larger than this. A purge rewrites the segments it touches, at some hundred
/// thousand documents a second.
const LARGEST: u32 = 128_000;
/// The limit grows when there would be more than about this many full segments, from three million
/// documents on: each adds four microseconds to a search for one word, and ten million documents in
/// thirty segments keep that near a tenth of a millisecond.
const MOST_FULL: u64 = 24;
/// A segment is rewritten when more than one in this many documents is deleted.
const DELETED: u32 = 4;

/// The properties of a segment that matter here.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Size {
    live: u32,
    deleted: u32,
}

/// The segments to merge next, smallest first; `None` when nothing needs merging.
pub(super) fn next(segments: &[SegmentMeta]) -> Option<Vec<SegmentId>> {
    let sizes: Vec<Size> = segments
        .iter()
        .map(|segment| Size { live: segment.num_docs(), deleted: segment.num_deleted_docs() })
        .collect();
    Some(choose(&sizes)?.into_iter().map(|number| segments[number].id()).collect())
}

fn choose(sizes: &[Size]) -> Option<Vec<usize>> {
    let cap = cap(sizes);
    let mut growing: Vec<usize> = (0..sizes.len()).filter(|&number| !is_full(sizes[number], cap)).collect();
    growing.sort_by_key(|&number| sizes[number].live);
    for level in growing.chunk_by(|&a, &b| level(sizes[a]) == level(sizes[b])) {
        let (taken, sum) = fitting(level, sizes, cap);
        if taken.len() > 1 && (level.len() >= TOGETHER || is_full(Size { live: sum, deleted: 0 }, cap)) {
            return Some(taken.to_vec());
        }
    }
    (0..sizes.len()).find(|&number| has_many_deletions(sizes[number])).map(|number| vec![number])
}

/// The largest size of a merged segment.
fn cap(sizes: &[Size]) -> u32 {
    let all: u64 = sizes.iter().map(|size| u64::from(size.live)).sum();
    LARGEST.max(u32::try_from(all / MOST_FULL).unwrap_or(u32::MAX))
}

/// Whether there is little room left in it.
fn is_full(size: Size, cap: u32) -> bool {
    size.live >= cap / 4 * 3
}

fn has_many_deletions(size: Size) -> bool {
    let all = size.live + size.deleted;
    all >= SMALLEST && size.deleted > all / DELETED
}

fn level(size: Size) -> u32 {
    (size.live / SMALLEST).max(1).ilog(STEP)
}

/// As many of `level` from its beginning as fit together, and their total.
fn fitting<'a>(level: &'a [usize], sizes: &[Size], cap: u32) -> (&'a [usize], u32) {
    let mut sum = 0;
    for (count, &number) in level.iter().enumerate() {
        if sum + sizes[number].live > cap {
            return (&level[..count], sum);
        }
        sum += sizes[number].live;
    }
    (level, sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds segments of these sizes one after the other and merges as `next` says. Returns the
    /// final sizes and how much was written.
    fn grown(added: impl Iterator<Item = u32>) -> (Vec<u32>, u64) {
        let (mut sizes, mut written): (Vec<Size>, u64) = (Vec::new(), 0);
        for live in added {
            sizes.push(Size { live, deleted: 0 });
            written += u64::from(live);
            while let Some(chosen) = choose(&sizes) {
                let sum = chosen.iter().map(|&number| sizes[number].live).sum();
                written += u64::from(sum);
                let mut number = 0;
                sizes.retain(|_| (!chosen.contains(&number), number += 1).0);
                sizes.push(Size { live: sum, deleted: 0 });
            }
        }
        (sizes.iter().map(|size| size.live).collect(), written)
    }

    #[test]
    fn single_documents_do_not_pile_up() {
        let mut most = 0;
        for count in [1, 10, 100, 1_000, 10_000, 100_000] {
            most = most.max(grown(std::iter::repeat_n(1, count)).0.len());
        }
        assert!(most <= 16, "{most} segments");
    }

    #[test]
    fn a_large_index_has_segments_of_one_size() {
        let (sizes, written) = grown(std::iter::repeat_n(50_000, 20));
        assert_eq!(sizes, [100_000; 10]);
        assert_eq!(written, 2_000_000);
        let (sizes, written) = grown(std::iter::repeat_n(50_000, 200));
        assert!(sizes.len() <= 40 && sizes.iter().all(|&live| live <= 420_000), "{sizes:?}");
        assert!(written < 4 * 10_000_000, "each document is written a few times: {written}");
    }

    #[test]
    fn what_is_deleted_is_left_behind() {
        let sound = Size { live: 90_000, deleted: 20_000 };
        let worn = Size { live: 80_000, deleted: 40_000 };
        assert_eq!(choose(&[sound, worn]), Some(vec![1]));
        assert_eq!(choose(&[sound]), None);
        assert_eq!(choose(&[Size { live: 3, deleted: 3 }]), None, "too small to matter");
    }
}
