//! What the parsers of the tools gather from an output.

use super::runner::Task;
use super::text::kept;

/// How well a line tells what failed; the lower the better.
pub(crate) type Rank = u8;

/// It names what failed.
pub(crate) const NAMES: Rank = 0;
/// It says why.
pub(crate) const WHY: Rank = 1;
/// It says where.
pub(crate) const WHERE: Rank = 2;
/// It only says that something failed.
pub(crate) const THAT: Rank = 3;

/// What one tool said in an output.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) passed: Option<u32>,
    pub(crate) failed: Option<u32>,
    /// A line of failure that only this tool writes.
    pub(crate) sure: bool,
    /// Where the last line of failure stands that counts unless a success comes behind it.
    pub(crate) likely: Option<usize>,
    /// Where the last one stands that anything may have printed: what a search has picked hides
    /// whose it is.
    pub(crate) doubtful: Option<usize>,
    best: Option<(Rank, String)>,
    tested: Option<Success>,
    built: Option<Success>,
    /// How many summaries say that tests went well.
    pub(crate) results: usize,
    /// A line of failure that the summary would have had; a search must show all of these.
    pub(crate) canonical: &'static [&'static str],
}

/// The tool's own line that all went well.
#[derive(Clone, Debug)]
pub(crate) struct Success {
    pub(crate) at: usize,
    pub(crate) line: String,
    /// The line alone would have told any failure of the run.
    pub(crate) whole: bool,
    /// Nothing of the run comes behind it.
    pub(crate) last: bool,
    /// Failures may be told above it only, where a tail does not show them.
    pub(crate) open: bool,
}

impl Reading {
    pub(crate) fn of(canonical: &'static [&'static str]) -> Self {
        Self { canonical, ..Self::default() }
    }

    /// The tool says that something failed.
    pub(crate) fn fail(&mut self, rank: Rank, line: &str) {
        self.sure = true;
        self.hint(rank, line);
    }

    /// A failure, unless a success of the tool stands behind it.
    pub(crate) fn suspect(&mut self, at: usize, rank: Rank, line: &str) {
        self.likely = Some(at);
        self.hint(rank, line);
    }

    /// Likewise, but only where the lines around it are seen.
    pub(crate) fn doubt(&mut self, at: usize, rank: Rank, line: &str) {
        self.doubtful = Some(at);
        self.hint(rank, line);
    }

    /// The line tells what failed, if anything did.
    pub(crate) fn hint(&mut self, rank: Rank, line: &str) {
        if self.best.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.best = Some((rank, kept(line)));
        }
    }

    pub(crate) fn count(&mut self, passed: u32, failed: u32) {
        self.count_stated(Some(passed), Some(failed));
    }

    /// Counts what the summary states. Where it states what passed, nothing else failed.
    pub(crate) fn count_stated(&mut self, passed: Option<u32>, failed: Option<u32>) {
        let added = |all: Option<u32>, more: Option<u32>| match (all, more) {
            (Some(all), Some(more)) => Some(all.saturating_add(more)),
            (all, more) => all.or(more),
        };
        self.passed = added(self.passed, passed);
        self.failed = added(self.failed, failed.or(passed.map(|_| 0)));
    }

    /// Tests went well, by a line that would have told a failure as well. With `last` it is the
    /// only one of its run, and nothing comes behind it.
    pub(crate) fn tests_passed(&mut self, at: usize, line: &str, last: bool) {
        self.results += 1;
        self.tested = Some(Success { at, line: kept(line), whole: last, last, open: false });
    }

    /// What told that tests went well does not tell of failures that stand above it.
    pub(crate) fn open_above(&mut self) {
        if let Some(tested) = &mut self.tested {
            tested.whole = false;
            tested.open = true;
        }
    }

    /// What told that tests went well does not count.
    pub(crate) fn forget_tests(&mut self) {
        self.tested = None;
    }

    /// Whether the tool was seen at all.
    pub(crate) fn is_seen(&self) -> bool {
        self.best.is_some()
            || self.tested.is_some()
            || self.built.is_some()
            || self.passed.is_some()
            || self.failed.is_some()
    }

    /// A build went well.
    pub(crate) fn built(&mut self, at: usize, line: &str) {
        self.built = Some(Success { at, line: kept(line), whole: false, last: true, open: false });
    }

    pub(crate) fn success(&self, task: Task) -> Option<&Success> {
        match task {
            Task::Test => self.tested.as_ref(),
            Task::Build => self.built.as_ref().or(self.tested.as_ref()),
            Task::Script => self.tested.as_ref().or(self.built.as_ref()),
        }
    }

    /// The line that tells best what failed.
    pub(crate) fn failure(&self) -> Option<(Rank, &str)> {
        self.best.as_ref().map(|(rank, line)| (*rank, line.as_str()))
    }
}

/// The numbers of a summary such as `1 failed, 41 passed (1 flaky)`; `None` when it is none.
pub(crate) fn tally(text: &str) -> Option<Vec<(u32, &str)>> {
    let parts = text.split([',', ';', '|']).map(|part| {
        let (number, word) = part.trim().split_once(' ')?;
        Some((number.parse().ok()?, word.trim()))
    });
    parts.collect()
}

/// The sum of the numbers before words that begin so.
pub(crate) fn sum(tally: &[(u32, &str)], words: &[&str]) -> u32 {
    let fitting = tally.iter().filter(|(_, name)| words.iter().any(|word| name.starts_with(word)));
    fitting.fold(0, |all, (number, _)| all.saturating_add(*number))
}

/// Likewise; `None` when there is no such word.
pub(crate) fn stated(tally: &[(u32, &str)], words: &[&str]) -> Option<u32> {
    let is_stated = tally.iter().any(|(_, name)| words.iter().any(|word| name.starts_with(word)));
    is_stated.then(|| sum(tally, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_are_whole_or_none() {
        assert_eq!(
            tally("1 failed, 41 passed (1 flaky)"),
            Some(vec![(1, "failed"), (41, "passed (1 flaky)")])
        );
        assert_eq!(tally("1 failed | 3 passed"), Some(vec![(1, "failed"), (3, "passed")]));
        assert_eq!(tally("1 failed, see above"), None);
        assert_eq!(sum(&[(1, "failed"), (2, "errors"), (3, "passed")], &["failed", "error"]), 3);
    }

    #[test]
    fn the_line_that_names_best_is_kept_first() {
        let mut reading = Reading::default();
        reading.fail(THAT, "make: ***");
        reading.hint(NAMES, "first");
        reading.hint(NAMES, "second");
        assert_eq!(reading.failure(), Some((NAMES, "first")));
    }
}
