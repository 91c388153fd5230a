//! What the tools' parsers collect from an output.

use super::runner::Task;
use super::text::stored_line;

/// How well a line explains a failure; lower is better.
pub(crate) type Rank = u8;

/// It names the failed test or target.
pub(crate) const NAMES: Rank = 0;
/// It gives the reason.
pub(crate) const WHY: Rank = 1;
/// It gives the location.
pub(crate) const WHERE: Rank = 2;
/// It only says that something failed.
pub(crate) const THAT: Rank = 3;

/// What one tool reported in an output.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) passed: Option<u32>,
    pub(crate) failed: Option<u32>,
    /// Whether there is a failure line that only this tool prints.
    pub(crate) sure: bool,
    /// The position of the last failure line that counts unless a success follows it.
    pub(crate) likely: Option<usize>,
    /// The position of the last failure line that any program may have printed. In output filtered
    /// by a search, its source is unknown.
    pub(crate) doubtful: Option<usize>,
    best: Option<(Rank, String)>,
    tested: Option<Success>,
    built: Option<Success>,
    /// How many summaries say that a run passed.
    pub(crate) results: usize,
    /// The tool says that there was nothing to test.
    pub(crate) nothing_ran: bool,
    /// Examples of the failure lines that belong to the summary; a search must match all of them.
    pub(crate) canonical: &'static [&'static str],
}

/// The tool's own line saying that everything passed.
#[derive(Clone, Debug)]
pub(crate) struct Success {
    pub(crate) at: usize,
    pub(crate) line: String,
    /// This line alone would have reported any failure of the run.
    pub(crate) whole: bool,
    /// Nothing of the run comes after it.
    pub(crate) last: bool,
    /// Failures may be reported only above it, where a tail does not show them.
    pub(crate) open: bool,
}

impl Reading {
    pub(crate) fn of(canonical: &'static [&'static str]) -> Self {
        Self { canonical, ..Self::default() }
    }

    /// Records a failure that the tool reports.
    pub(crate) fn fail(&mut self, rank: Rank, line: &str) {
        self.sure = true;
        self.hint(rank, line);
    }

    /// Records a failure, unless the tool reports a success after it.
    pub(crate) fn suspect(&mut self, at: usize, rank: Rank, line: &str) {
        self.likely = Some(at);
        self.hint(rank, line);
    }

    /// Like [`Self::suspect`], but only if the surrounding lines are visible.
    pub(crate) fn doubt(&mut self, at: usize, rank: Rank, line: &str) {
        self.doubtful = Some(at);
        self.hint(rank, line);
    }

    /// Records a line that explains the failure, if there is one.
    pub(crate) fn hint(&mut self, rank: Rank, line: &str) {
        if self.best.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.best = Some((rank, stored_line(line)));
        }
    }

    pub(crate) fn count(&mut self, passed: u32, failed: u32) {
        self.count_stated(Some(passed), Some(failed));
    }

    /// Records the counts in the summary. If it states what passed, nothing else failed.
    pub(crate) fn count_stated(&mut self, passed: Option<u32>, failed: Option<u32>) {
        let added = |all: Option<u32>, more: Option<u32>| match (all, more) {
            (Some(all), Some(more)) => Some(all.saturating_add(more)),
            (all, more) => all.or(more),
        };
        self.passed = added(self.passed, passed);
        self.failed = added(self.failed, failed.or(passed.map(|_| 0)));
    }

    /// Records that tests passed, by a line that would also have reported a failure. With `last`,
    /// it is the only one of its run, and nothing comes after it.
    pub(crate) fn tests_passed(&mut self, at: usize, line: &str, last: bool) {
        self.results += 1;
        self.tested = Some(Success { at, line: stored_line(line), whole: last, last, open: false });
    }

    /// Marks that the success line does not cover failures above it.
    pub(crate) fn open_above(&mut self) {
        if let Some(tested) = &mut self.tested {
            tested.whole = false;
            tested.open = true;
        }
    }

    /// Discards the report that tests passed.
    pub(crate) fn forget_tests(&mut self) {
        self.tested = None;
    }

    /// Whether the tool printed anything.
    pub(crate) fn is_seen(&self) -> bool {
        self.best.is_some()
            || self.tested.is_some()
            || self.built.is_some()
            || self.passed.is_some()
            || self.failed.is_some()
    }

    /// Records a successful build.
    pub(crate) fn built(&mut self, at: usize, line: &str) {
        self.built = Some(Success { at, line: stored_line(line), whole: false, last: true, open: false });
    }

    pub(crate) fn success(&self, task: Task) -> Option<&Success> {
        match task {
            Task::Test => self.tested.as_ref(),
            Task::Build => self.built.as_ref().or(self.tested.as_ref()),
            Task::Script => self.tested.as_ref().or(self.built.as_ref()),
        }
    }

    /// The line that best explains the failure.
    pub(crate) fn failure(&self) -> Option<(Rank, &str)> {
        self.best.as_ref().map(|(rank, line)| (*rank, line.as_str()))
    }
}

/// The numbers of a summary such as `1 failed, 41 passed (1 flaky)`; `None` if it is not one.
pub(crate) fn tally(text: &str) -> Option<Vec<(u32, &str)>> {
    let parts = text.split([',', ';', '|']).map(|part| {
        let (number, word) = part.trim().split_once(' ')?;
        Some((number.parse().ok()?, word.trim()))
    });
    parts.collect()
}

/// The sum of the numbers before words with these prefixes.
pub(crate) fn sum(tally: &[(u32, &str)], words: &[&str]) -> u32 {
    let fitting = tally.iter().filter(|(_, name)| words.iter().any(|word| name.starts_with(word)));
    fitting.fold(0, |all, (number, _)| all.saturating_add(*number))
}

/// Like [`sum`]; `None` if there is no such word.
pub(crate) fn stated(tally: &[(u32, &str)], words: &[&str]) -> Option<u32> {
    let is_stated = tally.iter().any(|(_, name)| words.iter().any(|word| name.starts_with(word)));
    is_stated.then(|| sum(tally, words))
}

/// The count and the words after it of a line such as `Found 2 errors.`
pub(crate) fn found(line: &str) -> Option<(u32, &str)> {
    let (count, rest) = line.strip_prefix("Found ")?.split_once(' ')?;
    Some((count.parse().ok()?, rest))
}

/// Whether a text is a line, or a line and a column: `3` or `3:2`.
pub(crate) fn is_position(text: &str) -> bool {
    text.split(':').all(|number| number.parse::<u32>().is_ok())
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
