//! Signs before lines: of a diff, of quoted mail, of numbered lines and of search results.

/// The signs before most lines of a text.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Signs {
    /// `+`, `-` and a blank, as in a diff.
    Diff,
    /// `> `, `| `, `# `, `// ` or `* `.
    Mark,
    /// `12:`, `12-`, `12|`, `12→` or `12` and a tab, with blanks before it.
    Number,
    /// `path:12:` or `path-12-`, or `path:` alone.
    Place,
}

impl Signs {
    /// The signs of a text; `None` when it has one line, or most lines have none.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        /// How many lines are checked; it bounds the work.
        const LINES: usize = 200;
        let all = [Self::Diff, Self::Mark, Self::Number, Self::Place];
        let (mut counts, mut total, mut changed) = ([0; 4], 0, 0);
        for line in text.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty()).take(LINES) {
            total += 1;
            changed += usize::from(matches!(line[0], b'+' | b'-') && Self::Diff.length(line) == Some(1));
            for (count, signs) in counts.iter_mut().zip(all) {
                *count += usize::from(signs.length(line).is_some());
            }
        }
        // Every line of indented text begins with a blank; a diff has changes.
        if changed == 0 {
            counts[0] = 0;
        }
        let most =
            all.into_iter().zip(counts).max_by_key(|(signs, count)| (*count, *signs != Self::Place))?;
        // A single line counts only with a plus: a dash may be a flag, a number anything.
        if total == 1 && text.starts_with(b"+") && !text.starts_with(b"++") {
            return Some(Self::Diff);
        }
        (total >= 2 && most.1 * 10 >= total * 8).then_some(most.0)
    }

    /// The length of the sign before this line.
    pub(super) fn length(self, line: &[u8]) -> Option<usize> {
        match self {
            Self::Diff => match line {
                [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] | [b'@', b'@', ..] => Some(0),
                // The first or last line of a key; with a diff sign it has six dashes.
                [b'-', b'-', b'-', b'-', b'-', next, ..] if *next != b'-' => None,
                [b'+' | b'-' | b' ', ..] => Some(1),
                _ => None,
            },
            Self::Mark => {
                const MARKS: [&[u8]; 8] = [b"> ", b"| ", b"# ", b"// ", b"* ", b";; ", b"-- ", b"//! "];
                let blanks = blanks(line);
                let mark = MARKS.iter().find(|mark| line[blanks..].starts_with(mark))?;
                Some(blanks + mark.len())
            }
            Self::Number => numbered(line),
            Self::Place => placed(line),
        }
    }
}

/// The number of blanks before the text of a line, within reason.
fn blanks(line: &[u8]) -> usize {
    line.iter().take(12).take_while(|b| b" \t".contains(b)).count()
}

/// A number and its separator.
fn numbered(line: &[u8]) -> Option<usize> {
    let blanks = blanks(line);
    let digits = line[blanks..].iter().take(7).take_while(|b| b.is_ascii_digit()).count();
    let end = blanks + digits;
    let rest = line.get(end..).filter(|_| (1..7).contains(&digits))?;
    match rest {
        [b'\t', ..] => Some(end + 1),
        [b':', b' ', b' ', ..] => Some(end + 1),
        [b':' | b'-', next, ..] if !next.is_ascii_digit() => Some(end + 1),
        [b':' | b'-'] => Some(end + 1),
        [b' ', b'|', ..] => Some(end + 2),
        [b'|', ..] => Some(end + 1),
        [0xe2, 0x86, 0x92, ..] => Some(end + 3),
        // A line of a shell history, or a listing.
        [b' ', b' ', ..] => Some(end + 2),
        _ => None,
    }
}

/// A path, and a number if there is one.
fn placed(line: &[u8]) -> Option<usize> {
    /// Longer than a path in output, in bytes.
    const REACH: usize = 120;
    let path =
        line.iter().take(REACH).take_while(|b| b.is_ascii_alphanumeric() || b"_./-@".contains(b)).count();
    // `a/b-12-text`: the path includes the number.
    let word = &line[..path];
    let is_path = |word: &[u8]| word.iter().any(|b| b"./".contains(b)) && word[0] != b'-';
    if let Some(end) = number_in(word, line).filter(|(path, _)| is_path(&word[..*path])) {
        return Some(end.1);
    }
    if line.get(path) != Some(&b':') || path == 0 || !is_path(word) {
        return None;
    }
    let digits = line[path + 1..].iter().take(7).take_while(|b| b.is_ascii_digit()).count();
    match line.get(path + 1 + digits) {
        Some(b':') if digits > 0 => Some(path + digits + 2),
        _ => Some(path + 1),
    }
}

/// The position of `-12-` in a word: the end of the path, and the end of the sign.
fn number_in(word: &[u8], line: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    while let Some(step) = word.get(at..)?.iter().position(|b| *b == b'-') {
        let dash = at + step;
        let digits = word[dash + 1..].iter().take(7).take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 && dash > 0 && line.get(dash + 1 + digits) == Some(&b'-') {
            return Some((dash, dash + digits + 2));
        }
        at = dash + 1;
    }
    None
}
