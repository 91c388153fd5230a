//! Matching of globs with `!(…)`: which positions of a text each part can end at.

use super::error::PatternError;
use super::wild::Wild;

/// The longest text that is matched, in bytes.
pub(super) const MAX_TEXT: usize = 8192;

/// How many positions may be looked at, for one path or for all lines of one body.
const MAX_WORK: usize = 20_000_000;

/// The work that is left for one path or body.
pub(super) struct Budget(usize);

impl Budget {
    /// All of it.
    pub(super) const fn full() -> Self {
        Self(MAX_WORK)
    }
}

/// Whether the parts fit the whole text.
pub(super) fn fits(parts: &[Wild], whole: &str, budget: &mut Budget) -> Result<bool, PatternError> {
    if whole.len() > MAX_TEXT {
        return Err(PatternError::too_costly("glob", format!("`!(…)` reads at most {MAX_TEXT} bytes")));
    }
    let chars: Vec<char> = whole.chars().collect();
    let mut matcher = Matcher { text: &chars, budget };
    let mut starts = vec![false; chars.len() + 1];
    starts[0] = true;
    let ends = matcher.ends(parts, starts)?;
    Ok(ends[chars.len()])
}

struct Matcher<'a> {
    text: &'a [char],
    budget: &'a mut Budget,
}

/// One flag for each position between two characters.
type Positions = Vec<bool>;

impl Matcher<'_> {
    /// Where the parts can end when they begin at one of `starts`.
    fn ends(&mut self, parts: &[Wild], starts: Positions) -> Result<Positions, PatternError> {
        let mut now = starts;
        for part in parts {
            self.spend(now.len())?;
            now = self.after(part, &now)?;
        }
        Ok(now)
    }

    fn spend(&mut self, work: usize) -> Result<(), PatternError> {
        let left = self.budget.0.checked_sub(work);
        self.budget.0 = left.unwrap_or(0);
        left.map(drop).ok_or_else(|| PatternError::too_costly("glob", "its negations multiply"))
    }

    fn after(&mut self, part: &Wild, starts: &Positions) -> Result<Positions, PatternError> {
        Ok(match part {
            Wild::Text(text) => self.after_text(text, starts),
            Wild::One => self.after_one(starts, |c| c != '/'),
            Wild::Class(class) => self.after_one(starts, |c| class.accepts(c)),
            Wild::Star => self.spread(starts, |c| c != '/'),
            Wild::Deep => self.spread(starts, |_| true),
            Wild::Segments => {
                let deep = self.spread(starts, |_| true);
                let ends_segment = |at: usize| at > 0 && deep[at - 1] && self.text[at - 1] == '/';
                (0..starts.len()).map(|at| starts[at] || ends_segment(at)).collect()
            }
            Wild::Either(choices) => self.after_choices(choices, starts)?,
            Wild::Not { choices, is_deep } => self.after_not(choices, *is_deep, starts)?,
        })
    }

    fn after_text(&self, text: &str, starts: &Positions) -> Positions {
        let wanted: Vec<char> = text.chars().collect();
        let mut ends = vec![false; starts.len()];
        for at in positions(starts) {
            if self.text[at..].starts_with(&wanted) {
                ends[at + wanted.len()] = true;
            }
        }
        ends
    }

    fn after_one(&self, starts: &Positions, accepts: impl Fn(char) -> bool) -> Positions {
        let mut ends = vec![false; starts.len()];
        for at in positions(starts) {
            if self.text.get(at).is_some_and(|c| accepts(*c)) {
                ends[at + 1] = true;
            }
        }
        ends
    }

    /// Every position that can be reached over accepted characters, also over none.
    fn spread(&self, starts: &Positions, accepts: impl Fn(char) -> bool) -> Positions {
        let mut ends = starts.clone();
        for at in 0..self.text.len() {
            if ends[at] && accepts(self.text[at]) {
                ends[at + 1] = true;
            }
        }
        ends
    }

    fn after_choices(
        &mut self,
        choices: &[Vec<Wild>],
        starts: &Positions,
    ) -> Result<Positions, PatternError> {
        let mut ends = vec![false; starts.len()];
        for choice in choices {
            for at in positions(&self.ends(choice, starts.clone())?) {
                ends[at] = true;
            }
        }
        Ok(ends)
    }

    /// Every end in reach that none of the choices has.
    fn after_not(
        &mut self,
        choices: &[Vec<Wild>],
        is_deep: bool,
        starts: &Positions,
    ) -> Result<Positions, PatternError> {
        let mut ends = vec![false; starts.len()];
        for at in positions(starts) {
            self.spend(starts.len())?;
            let mut only = vec![false; starts.len()];
            only[at] = true;
            let reach = self.spread(&only, |c| is_deep || c != '/');
            let taken = self.after_choices(choices, &only)?;
            for end in positions(&reach) {
                ends[end] |= !taken[end];
            }
        }
        Ok(ends)
    }
}

fn positions(flags: &Positions) -> Vec<usize> {
    flags.iter().enumerate().filter_map(|(at, is_set)| is_set.then_some(at)).collect()
}
