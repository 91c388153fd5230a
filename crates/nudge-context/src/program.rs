//! Which program a command line runs, and nothing else about it.

use nudge_core::shell::{self, Reading, Token};

/// The longest name that is shown: no program has a longer one, so a longer word is something else.
const MAX_NAME_CHARS: usize = 40;

/// Replaces a program that cannot be named without revealing more.
const HIDDEN_PROGRAM: &str = "…";

/// A program that runs another one.
struct Wrapper {
    name: &'static str,
    /// Its one-letter options without a value.
    flags: &'static str,
    /// Its one-letter options with a value in the next word.
    valued: &'static str,
}

const WRAPPERS: [Wrapper; 2] = [
    Wrapper { name: "env", flags: "i0v", valued: "uC" },
    Wrapper { name: "sudo", flags: "AbEeHiKklnPSsVv", valued: "CDghpRrTtUu" },
];

/// The name of the program that a command line runs: at most 40 of `[A-Za-z0-9._+-]`.
///
/// Variables set for it (`TOKEN="a b" make`), `env` and `sudo` before it, and its directories are
/// left out. A word that is not such a name could contain anything that was typed, so it becomes
/// `…`.
pub fn program_of(command: &str) -> String {
    let mut words = words(command);
    let mut wrapper: Option<&Wrapper> = None;
    while let Some(word) = words.next() {
        if is_assignment(word) {
            continue;
        }
        if let (Some(around), true) = (wrapper, word.starts_with('-')) {
            match around.takes(word) {
                Takes::Nothing => {}
                Takes::Next => drop(words.next()),
                // The word after an unknown option may be its value.
                Takes::Unknown => return around.name.to_owned(),
            }
            continue;
        }
        let Some(name) = name_in(word) else { return HIDDEN_PROGRAM.to_owned() };
        match WRAPPERS.iter().find(|known| known.name == name) {
            Some(found) => wrapper = Some(found),
            None => return name.to_owned(),
        }
    }
    wrapper.map_or(HIDDEN_PROGRAM, |alone| alone.name).to_owned()
}

/// The words of a command line, across all its commands.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let places = shell::tokens(line.as_bytes(), 0, Reading::Shell).filter_map(Token::word);
    places.map(|place| &line[place])
}

enum Takes {
    Nothing,
    Next,
    Unknown,
}

impl Wrapper {
    fn takes(&self, option: &str) -> Takes {
        let letters = &option[1..];
        if letters.is_empty() || option == "--" || (letters.starts_with('-') && letters.contains('=')) {
            return Takes::Nothing;
        }
        let alone = letters.trim_start_matches(|c| self.flags.contains(c));
        match alone.chars().next() {
            None => Takes::Nothing,
            Some(letter) if !self.valued.contains(letter) => Takes::Unknown,
            // The value may be in the same word.
            Some(letter) if alone.len() > letter.len_utf8() => Takes::Nothing,
            Some(_) => Takes::Next,
        }
    }
}

/// The program name in a word: its last part, if that is a plain name. Redirections, assignments,
/// comments and addresses have none, however they end.
fn name_in(word: &str) -> Option<&str> {
    let quoted = |mark: char| word.strip_prefix(mark)?.strip_suffix(mark);
    let word = quoted('"').or_else(|| quoted('\'')).unwrap_or(word);
    if word.contains(['<', '>', '#', '=']) || word.contains("://") {
        return None;
    }
    let name = word.rsplit(['/', '\\']).next()?;
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-');
    (!name.is_empty() && name.len() <= MAX_NAME_CHARS && name.chars().all(is_of_name)).then_some(name)
}

/// `NAME=…`, `NAME+=…`, `NAME[…]=…`
fn is_assignment(word: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let after = word.trim_start_matches(is_of_name);
    let named = after.len() < word.len() && !word.starts_with(|c: char| c.is_ascii_digit());
    let after = match after.strip_prefix('[') {
        Some(index) => index.split_once(']').map_or("", |(_, after)| after),
        None => after,
    };
    named && after.strip_prefix('+').unwrap_or(after).starts_with('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_program_is_injected() {
        for (command, injected) in [
            ("cargo test -p engine", "cargo"),
            ("TOKEN=x /usr/bin/psql -h db", "psql"),
            ("CUSTOMER=AcmeSecretCorp ./deploy.sh", "deploy.sh"),
            ("MSG=\"merger with Acme\" make", "make"),
            ("MSG='merger with Acme' A=1 make", "make"),
            ("MSG=\"the \\\"merger\\\" of\" make", "make"),
            ("MSG=\"$(echo \"a merger b\")\" make", "make"),
            ("MSG=$(cat the merger) make", "make"),
            ("MSG=`cat the merger` make", "make"),
            ("MSG=$'it\\'s a merger' make", "make"),
            ("MSG=the\\ merger make", "make"),
            ("LIST=(a merger) PATH+=:/x A[0]=merger make", "make"),
            ("MSG=merger; make", "make"),
            ("env -u CUSTOMER -i MSG=\"a merger\" make", "make"),
            ("sudo -u acme -nE MSG=merger /bin/make", "make"),
            ("sudo --user=acme make", "make"),
            ("sudo -uacme env A=b make", "make"),
            ("sudo --user acme make", "sudo"),
            ("(cd /x && make)", "cd"),
            ("\"C:\\Program Files\\make.exe\" all", "make.exe"),
            ("g++ -c x.cc", "g++"),
            ("env", "env"),
        ] {
            assert_eq!(program_of(command), injected, "{command}");
        }
    }

    #[test]
    fn what_is_no_name_is_not_injected() {
        for command in [
            "",
            "  ",
            "MSG=\"merger",
            "MSG='merger of two",
            "MSG=merger",
            "\"the merger\"",
            "$(cat merger)",
            "<merger.txt cat",
            "# merger",
            "#/clients/merger\nls",
            "</clients/merger psql shop",
            ">/tmp/merger make",
            "&>/tmp/merger make",
            "2>>/var/merger make",
            "X=1 </a/merger y",
            "sudo </a/merger y",
            "my-var=/x/merger ls",
            "https://merger.com/merger",
            "env -S \"MSG=merger make\"",
            "$env:MSG='merger'; make",
            "`merger`",
        ] {
            let injected = program_of(command);
            assert!(matches!(injected.as_str(), "…" | "env"), "{command}: {injected}");
        }
        assert_eq!(program_of(&"x".repeat(41)), "…");
        assert_eq!(program_of(&"x".repeat(40)).len(), 40);
    }
}
