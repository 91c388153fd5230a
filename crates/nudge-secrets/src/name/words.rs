//! A name split into words: `dbPassword`, `DB_PASSWORD` and `db-password` alike.

/// A name split into lower-case words, without an allocation for each.
pub(super) struct Words {
    lower: String,
    ends: Vec<(usize, usize)>,
}

impl Words {
    /// Splits at punctuation, at a capital after a lower-case letter, before the last of several
    /// capitals, and at digits.
    pub(super) fn of(name: &[u8]) -> Self {
        /// Longer names are cut to their end, which decides. In bytes.
        const LONGEST: usize = 96;
        let name = &name[name.len().saturating_sub(LONGEST)..];
        let lower: String =
            name.iter().map(|b| b.to_ascii_lowercase() as char).filter(char::is_ascii).collect();
        let mut ends = Vec::new();
        if lower.len() == name.len() {
            let mut start = 0;
            for at in 0..=name.len() {
                if at == name.len() || !name[at].is_ascii_alphabetic() {
                    if at > start {
                        ends.push((start, at));
                    }
                    start = at + 1;
                } else if at > start && is_seam(name, at) {
                    ends.push((start, at));
                    start = at;
                }
            }
        }
        Self { lower, ends }
    }

    pub(super) fn list(&self) -> Box<[&str]> {
        self.ends.iter().map(|&(start, end)| &self.lower[start..end]).collect()
    }
}

fn is_seam(name: &[u8], at: usize) -> bool {
    let rises = name[at - 1].is_ascii_lowercase() && name[at].is_ascii_uppercase();
    let falls = name[at - 1].is_ascii_uppercase()
        && name[at].is_ascii_uppercase()
        && name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    rises || falls
}
