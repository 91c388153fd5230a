//! Splits a command line into its simple commands, as far as needed to know what was run.
//!
//! Quotes, substitutions and here-documents are skipped as the shell would, so that text inside a
//! commit message is never mistaken for a command.
//!
//! It is not built on [`nudge_core::shell::tokens`], because that would change what is stored: here
//! a parenthesis ends a command, while there it holds a word together; `$'…'` and `${…}` are plain
//! text; a backquote ends at the next one, whatever is between; and comments, here-documents and
//! `2>&1` are recognised. A test pins these differences.

use std::collections::VecDeque;

use super::document::{document_end, document_text};
use nudge_core::text::first_bytes;

/// The rest of a longer line is ignored; people and agents write less.
const LOOK_AT_MOST: usize = 64 * 1024;

/// The depth of nested substitutions; deeper ones are plain text.
const DEEPEST: usize = 16;

/// The words of each simple command, without their quotes.
pub fn commands(line: &str) -> Vec<Vec<String>> {
    let mut reader = Reader {
        rest: first_bytes(line, LOOK_AT_MOST),
        awaited: VecDeque::new(),
        word: None,
        words: Vec::new(),
        found: Vec::new(),
    };
    while let Some(next) = reader.take() {
        reader.step(next);
    }
    reader.end_command();
    reader.found
}

struct Reader<'a> {
    rest: &'a str,
    /// The end words of pending here-documents, in the order they begin.
    awaited: VecDeque<String>,
    word: Option<String>,
    words: Vec<String>,
    found: Vec<Vec<String>>,
}

impl Reader<'_> {
    fn take(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn step(&mut self, next: char) {
        match next {
            '\n' => {
                self.end_command();
                self.skip_documents();
            }
            // `2>&1`, `>&2` and `&>` end nothing.
            '&' if self.word.as_deref().is_some_and(|word| word.ends_with('>'))
                || self.rest.starts_with('>') =>
            {
                self.push('&');
            }
            ';' | '|' | '&' | '(' | ')' => self.end_command(),
            '#' if self.word.is_none() => {
                let comment = self.rest.find('\n').unwrap_or(self.rest.len());
                self.rest = &self.rest[comment..];
            }
            '<' if self.rest.starts_with('<') && !self.rest.starts_with("<<") => self.document(),
            next if next.is_whitespace() => self.end_word(),
            next => self.in_word(next, 0),
        }
    }

    /// Handles a character of a word and everything it opens.
    fn in_word(&mut self, next: char, depth: usize) {
        match next {
            '\\' => match self.take() {
                Some('\n') | None => {}
                Some(escaped) => self.push(escaped),
            },
            '\'' => {
                let end = self.rest.find('\'').unwrap_or(self.rest.len());
                let quoted = self.rest[..end].to_owned();
                self.rest = self.rest.get(end + 1..).unwrap_or_default();
                self.word.get_or_insert_default().push_str(&quoted);
            }
            '"' => self.in_double_quotes(depth),
            '$' if self.rest.starts_with('(') && depth < DEEPEST => {
                self.take();
                self.substitution(depth + 1);
            }
            '`' => {
                let end = self.rest.find('`').map_or(self.rest.len(), |end| end + 1);
                self.rest = &self.rest[end..];
                self.word.get_or_insert_default();
            }
            next => self.push(next),
        }
    }

    fn in_double_quotes(&mut self, depth: usize) {
        self.word.get_or_insert_default();
        while let Some(next) = self.take() {
            match next {
                '"' => return,
                '\\' | '$' | '`' => self.in_word(next, depth),
                next => self.push(next),
            }
        }
    }

    /// Skips `$(…)`. Its output is unknown; but the text of a here-document inside is known and
    /// kept, because that is how messages are passed.
    fn substitution(&mut self, depth: usize) {
        let word = self.word.take().unwrap_or_default();
        let outer = std::mem::take(&mut self.awaited);
        let mut text = String::new();
        let mut open = 1;
        while let Some(next) = self.take() {
            match next {
                '(' => open += 1,
                ')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                '\n' => text.push_str(&self.skip_documents()),
                '<' if self.rest.starts_with('<') && !self.rest.starts_with("<<") => self.document(),
                next => self.in_word(next, depth),
            }
        }
        self.awaited = outer;
        self.word = Some(word + &text);
    }

    /// `<<WORD`, `<<-WORD` or `<<'WORD'`, after the first `<`.
    fn document(&mut self) {
        let (word, rest) = document_end(self.rest);
        self.rest = rest;
        if !word.is_empty() {
            self.awaited.push_back(word);
        }
    }

    /// Skips the here-documents that begin after this line; returns their text.
    fn skip_documents(&mut self) -> String {
        let mut text = String::new();
        while let Some(end) = self.awaited.pop_front() {
            let (said, rest) = document_text(self.rest, &end);
            self.rest = rest;
            text.push_str(&said);
        }
        text
    }

    fn push(&mut self, next: char) {
        self.word.get_or_insert_default().push(next);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.found.push(std::mem::take(&mut self.words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nudge_core::shell::{Reading, Token, tokens};

    fn check(line: &str, expected: &[&[&str]]) {
        assert_eq!(commands(line), expected, "{line}");
    }

    #[test]
    fn lines_fall_into_commands_outside_quotes() {
        check(
            "cd x && git push; ls | wc -l\ndate",
            &[&["cd", "x"], &["git", "push"], &["ls"], &["wc", "-l"], &["date"]],
        );
        check("echo 'a && b' \"c; d\" e\\;f", &[&["echo", "a && b", "c; d", "e;f"]]);
        check("git push 2>&1 | tail -1", &[&["git", "push", "2>&1"], &["tail", "-1"]]);
        check("make &> log & git push", &[&["make", "&>", "log"], &["git", "push"]]);
        check("(cd x; git push) # git commit", &[&["cd", "x"], &["git", "push"]]);
        check("a \\\n b ''", &[&["a", "b", ""]]);
    }

    #[test]
    fn messages_are_words_not_commands() {
        check(
            "git commit -m \"$(cat <<'EOF'\nfix: don't \"git push\" (yet)\n\ngit push\nEOF\n)\" && ls",
            &[&["git", "commit", "-m", "fix: don't \"git push\" (yet)\n\ngit push\n"], &["ls"]],
        );
        check("git commit -F - <<EOF\ngit push; x\nEOF\nls", &[&["git", "commit", "-F", "-"], &["ls"]]);
        check("echo `git push` $(git push) \"`x`\"", &[&["echo", "", "", ""]]);
    }

    /// Why this is not built on `tokens`: each of these lines would be stored differently.
    #[test]
    fn where_commands_and_tokens_differ() {
        let tokens = |line: &str| -> Vec<String> {
            let places = tokens(line.as_bytes(), 0, Reading::Shell).filter_map(Token::word);
            places.map(|place| line[place].to_owned()).collect()
        };
        for (line, found, words) in [
            ("a $'b\\'c d", &[&["a", "$b\\c", "d"][..]][..], &["a", "$'b\\'c d"][..]),
            ("a=${b c} d", &[&["a=${b", "c}", "d"]], &["a=${b c}", "d"]),
            ("a=(b c) d", &[&["a="], &["b", "c"], &["d"]], &["a=(b c)", "d"]),
            ("`a \\` b` c", &[&["", "b"]], &["`a \\` b`", "c"]),
            ("a # b", &[&["a"]], &["a", "#", "b"]),
            ("a 2>&1", &[&["a", "2>&1"]], &["a", "2>", "1"]),
            ("{ a; }", &[&["{", "a"], &["}"]], &["a"]),
        ] {
            assert_eq!(commands(line), found, "{line}");
            assert_eq!(tokens(line), words, "{line}");
        }
    }

    #[test]
    fn open_ends_end_somewhere() {
        for line in [
            "'",
            "\"",
            "$(",
            "`",
            "\\",
            "<<",
            "cat <<EOF\nx",
            "\"$(cat <<A\nb",
            &"$(".repeat(1000),
            &"\"$(".repeat(1000),
        ] {
            commands(line);
        }
    }
}
