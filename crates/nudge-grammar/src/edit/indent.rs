//! Indentation: how the lines of a search are indented in a body, and a replacement like them.

use std::ops::Range;

/// Pairs of an indentation in the search and the one that the same line has in the body.
#[derive(Debug)]
pub(super) struct Indents {
    pairs: Vec<(String, String)>,
}

/// The white space that begins a line.
fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

impl Indents {
    /// Compares the search with the lines it was found at; `None` when all are indented alike.
    pub(super) fn between(search: &str, text: &str, found: &[Range<usize>]) -> Option<Self> {
        let wanted = search.lines().filter(|line| !line.trim().is_empty());
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (line, span) in wanted.zip(found) {
            let pair = (indent(line).to_owned(), indent(&text[span.clone()]).to_owned());
            if !pairs.iter().any(|known| known.0 == pair.0) {
                pairs.push(pair);
            }
        }
        pairs.iter().any(|(from, to)| from != to).then_some(Self { pairs })
    }

    /// The replacement with the indentation of the body.
    pub(super) fn heal(&self, replace: &str) -> String {
        let unit = self.unit(replace);
        let lines = replace.split_inclusive('\n').map(|line| {
            if line.trim().is_empty() {
                return line.to_owned();
            }
            let from = indent(line);
            format!("{}{}", self.map(from, unit), &line[from.len()..])
        });
        lines.collect()
    }

    /// How many spaces one level has in the search and the replacement.
    fn unit(&self, replace: &str) -> usize {
        let mut widths: Vec<usize> = self.pairs.iter().map(|(from, _)| from.len()).collect();
        widths.extend(replace.lines().filter(|line| !line.trim().is_empty()).map(|line| indent(line).len()));
        widths.sort_unstable();
        let steps = widths.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 1);
        steps.min().unwrap_or(4)
    }

    fn map(&self, from: &str, unit: usize) -> String {
        if let Some((_, to)) = self.pairs.iter().find(|pair| pair.0 == from) {
            return to.clone();
        }
        let inside = self.pairs.iter().filter(|pair| from.starts_with(&pair.0));
        if let Some((known, to)) = inside.max_by_key(|pair| pair.0.len()) {
            return format!("{to}{}", self.convert(&from[known.len()..], unit));
        }
        let outside = self.pairs.iter().filter(|pair| pair.0.starts_with(from));
        match outside.min_by_key(|pair| pair.0.len()) {
            Some((known, to)) => {
                let less = self.convert(&known[from.len()..], unit);
                to[..to.len().saturating_sub(less.len())].to_owned()
            }
            None => from.to_owned(),
        }
    }

    /// Indentation in the characters that the body uses.
    fn convert(&self, rest: &str, unit: usize) -> String {
        let has = |c: char| self.pairs.iter().any(|(_, to)| to.contains(c));
        if has('\t') && !has(' ') && rest.contains(' ') {
            let tabs = rest.matches('\t').count() + rest.matches(' ').count().div_ceil(unit);
            "\t".repeat(tabs)
        } else if has(' ') && !has('\t') && rest.contains('\t') {
            rest.replace('\t', &" ".repeat(4))
        } else {
            rest.to_owned()
        }
    }
}
