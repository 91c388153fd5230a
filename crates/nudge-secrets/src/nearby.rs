//! Passwords, codes and keys in the words around a name, where nothing assigns them.
//!
//! "Password for the elastic user (reset with …):" and the value on the next line, "log in as admin /
//! …", "the API key is set to …", "the PIN, it's …". A name is followed for the rest of its
//! sentence, and a word that looks like a credential on the way is one.

use super::Finding;
use super::budget::Window;
use super::keyword::Index;
use super::name::Weight;
use super::placeholder::is_placeholder;
use super::prose::is_ordinary;
use super::random::{is_excused, is_random};
use super::strength::{Strength, is_technical, strength};
use super::surprise::surprise;
use super::token::{Classes, begins};
use super::value::{is_mixture, is_numbered as joins_number, is_word_and_number};

mod words;

use words::{Word, after};

/// How far a sentence is followed behind a name.
const REACH: usize = 140;

/// Names of passwords outside ASCII, and the ways to speak of logging in.
static WORDS: Index<19> = Index::folded([
    "login",
    "log in",
    "logged in",
    "sign in",
    "signin",
    "credential",
    "creds",
    "zugangsdaten",
    "anmeld",
    "account",
    "auth",
    "connect",
    "admin",
    "root",
    "has\u{142}o",
    "l\u{f6}senord",
    "contrase\u{f1}a",
    "mot de passe",
    "key ",
]);

/// The first of `WORDS` that name a password; those before it only speak of logging in.
const FIRST_PASSWORD: usize = 14;
/// The first of `WORDS` that is a user whom every system has.
const FIRST_USER: usize = 12;

/// The last of `WORDS` that is an act of logging in.
const LAST_LOGIN: usize = 4;

/// The last of `WORDS`: in a sentence, a key of whatever kind.
const KEY: usize = 18;

/// Finds what is said beside words that no name has.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut done = 0;
    let mut window = Window::new();
    WORDS.each(text, |number, at| {
        // `getConnection`: a word begins at the capital too.
        let seam = at > 0 && text[at].is_ascii_uppercase() && text[at - 1].is_ascii_lowercase();
        let begun = begins(text, at) || seam && number < FIRST_USER;
        if at < done || !begun || !window.admits(at) {
            return;
        }
        if seam {
            found.extend(called(text, at + WORDS.length(number), number <= LAST_LOGIN));
            return;
        }
        let end = at + WORDS.length(number);
        done = end;
        // In the name of a file or a function the word says nothing.
        let user = (FIRST_USER..FIRST_PASSWORD).contains(&number);
        if text.get(end).is_some_and(|b| b.is_ascii_digit() || b"_.-".contains(b) || *b == b'/' && !user) {
            return;
        }
        if number == KEY {
            // Fingerprints of keys are hexadecimal.
            let hex = |finding: &Finding| text[finding.start..finding.end].iter().all(u8::is_ascii_hexdigit);
            let before = text[at.saturating_sub(8)..at].to_ascii_lowercase();
            let public = before.ends_with(b"public ") || before.ends_with(b"pub ");
            found.extend(told(text, end - 1, Weight::Key).filter(|finding| !hex(finding) && !public));
        } else if number >= FIRST_PASSWORD {
            found.extend(told(text, end, Weight::Password));
        } else if number >= FIRST_USER {
            found.extend(of_user(text, end));
        } else {
            // The word goes on: `authorization`, `connecting`.
            let rest = text[end..].iter().take(24).take_while(|b| b.is_ascii_alphabetic()).count();
            found.extend(called(text, end, number <= LAST_LOGIN).or_else(|| paired(text, end + rest)));
        }
    });
}

/// Whether the value is the word for a password in some language, as the label of a field is.
pub(super) fn names_password(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const LABELS: [&str; 12] = [
        "contraseña", "hasło", "lösenord", "пароль", "密码", "密碼", "パスワード", "jelszó", "şifre", "mật khẩu", "κωδικός", "비밀번호",
    ];
    std::str::from_utf8(value).is_ok_and(|value| LABELS.contains(&value.to_lowercase().as_str()))
}

/// The credential that the sentence behind a name tells.
pub(super) fn told(text: &[u8], end: usize, weight: Weight) -> Option<Finding> {
    // Inside a token the letters of a name are no name.
    if text.get(end).is_some_and(|b| b"+/@&%$#~^".contains(b)) {
        return None;
    }
    let finding = |word: &Word| Finding { rule: "told", start: word.start, end: word.end };
    let mut previous: &[u8] = b"";
    for word in after(text, end, REACH) {
        let value = &text[word.start..word.end];
        let fits = match weight {
            Weight::Password | Weight::Passphrase if is_placeholder(value) => false,
            Weight::Password | Weight::Passphrase => {
                let told = previous.is_empty() || previous.ends_with(b":") || previous.ends_with(b",");
                let numbered = is_word_and_number(value) || joins_number(value, 3) && !is_technical(value);
                let quoted = is_quoted(text, &word) && is_mixture(value) && !is_technical(value);
                let mixed = is_mixture(value) && value.len() >= 8 && !is_technical(value);
                let said = is_copula(previous) && (is_made(value) || numbered && has_number(value) || mixed);
                strength(value) > Strength::Plain || told && (is_issued(value) || numbered) || quoted || said
            }
            Weight::Vague => false,
            Weight::Key | Weight::Phrase if strength(value) == Strength::Strong && is_owned(text, end) => {
                true
            }
            Weight::Key | Weight::Phrase => {
                // A digest behind the name of a key is a key; other words must have nothing that excuses them.
                let hex = value.iter().all(u8::is_ascii_hexdigit);
                is_issued(value)
                    && !names_digest(previous)
                    && (hex || !is_excused(text, word.start, word.end))
            }
            Weight::Pin => {
                (is_number(value) || is_dashed_number(value) || is_label(value)) && announces(previous)
            }
        };
        if fits {
            return Some(finding(&word));
        }
        if weight == Weight::Pin
            && let Some(end) = second_half(text, &word, previous)
        {
            return Some(Finding { end, ..finding(&word) });
        }
        previous = &text[word.start..word.closed];
    }
    if !weight.is_chosen() {
        return None;
    }
    plain(text, end).or_else(|| prompted(text, end)).map(|word| finding(&word))
}

/// Whether the name is followed by "'s" or "is", directly: "my token's …".
fn is_owned(text: &[u8], end: usize) -> bool {
    [&b"'s "[..], b" is ", b" is: ", b" was ", "\u{2019}s ".as_bytes()]
        .iter()
        .any(|verb| text[end..].starts_with(verb))
}

/// Whether the word says that what it follows is what comes: "lautet", "is", "é".
fn is_copula(word: &[u8]) -> bool {
    let copula: [&str; 19] = [
        "s", "は", "是", "为", "이", "is", "was", "=", "ist", "lautet", "est", "es", "é", "è", "är", "er",
        "jest", "to:", "это",
    ];
    copula.iter().any(|copula| word == copula.as_bytes())
}

/// Words and numbers joined as nobody joins them but in a password: `kAffee-um-halb8`, `roter.bus.42`.
fn is_made(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let file = value.rsplit(|b| *b == b'.').next().is_some_and(|end| !end.iter().any(u8::is_ascii_digit));
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_.".contains(b) || *b >= 0x80;
    (10..=40).contains(&value.len())
        && value.iter().all(plain)
        && value.iter().any(|b| b"-_.".contains(b))
        && !(value.contains(&b'.') && file)
        && has_number(value)
        && classes.letters() >= classes.digits * 2
        && !value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"-_".contains(b))
        && value[0].is_ascii_alphabetic()
        && !is_placeholder(value)
}

/// Whether two digits stand together; a single one numbers a version.
fn has_number(value: &[u8]) -> bool {
    value.windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit))
}

/// Whether quotes stand around the word, as around what is quoted literally; backticks stand around code.
fn is_quoted(text: &[u8], word: &Word) -> bool {
    let opened = word.start.checked_sub(1).map(|at| text[at]).filter(|b| b"\"'".contains(b));
    opened.is_some() && opened == text.get(word.end).copied() && word.end - word.start >= 8
}

/// A password in front of its name: "try … as the password", "… is the password".
pub(super) fn told_before(text: &[u8], start: usize) -> Option<Finding> {
    /// About half a sentence.
    const BACK: usize = 60;
    let line = text[start.saturating_sub(BACK)..start].rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let from = start - line.len();
    // The first word may be the end of one.
    let whole = from + line.iter().position(|b| *b == b' ').filter(|_| line.len() == BACK).unwrap_or(0);
    let names = |word: &Word| {
        let value = &text[word.start..word.end];
        let generated = || {
            is_random(value)
                && surprise(value) >= 8.0
                && value.len() >= 12
                && !is_excused(text, word.start, word.end)
        };
        let strength = strength(value);
        word.end < start && (strength == Strength::Strong || strength == Strength::Mixed && generated())
    };
    let word = after(text, whole, start - whole).find(names)?;
    Some(Finding { rule: "told", start: word.start, end: word.end })
}

/// A password said in so many words, whatever it looks like: "the password is …,", "пароль: …".
fn plain(text: &[u8], end: usize) -> Option<Word> {
    let colon = text[end..].iter().take(4).take_while(|b| b" :=".contains(b)).count();
    let marked = text[end..end + colon].iter().any(|b| b":=".contains(b));
    let mut words = after(text, end + if marked { colon } else { 0 }, 48);
    let mut word = words.next()?;
    // Of the other languages no list tells what sentences go on with.
    let mut foreign = false;
    if !marked {
        foreign = matches!(&text[word.start..word.end], b"ist" | b"est" | b"es");
        let said = match &text[word.start..word.end] {
            b"is" | b"was" | b"ist" | b"lautet" | b"est" | b"es" => true,
            b"to" => is_set_before(text, end),
            // \u{e3}\u{81}\u{af}: "is", as Japanese and Chinese write it, stands before a space.
            other => (2..=6).contains(&other.len()) && other.iter().all(|b| *b >= 0x80),
        };
        word = words.next().filter(|_| said)?;
    }
    let value = &text[word.start..word.end];
    let ends_clause = word.closed > word.end || word.closed == text.len() || text[word.closed] == b'\n';
    let letters = value.iter().all(u8::is_ascii_alphabetic) && (6..=32).contains(&value.len());
    let numbered = is_word_and_number(value);
    (numbered || letters && ends_clause && !marked && !foreign && !is_ordinary(value)).then_some(word)
}

/// What was typed or shown at the end of a line that names the user or the place: `Password for …: …`.
fn prompted(text: &[u8], end: usize) -> Option<Word> {
    let line = &text[end..text.len().min(end + REACH)];
    let line = &line[..line.iter().position(|b| *b == b'\n').unwrap_or(line.len())];
    let colon = line.windows(2).rposition(|pair| pair == b": ")?;
    let value = line[colon + 2..].trim_ascii();
    let single = value.len() >= 5 && !value.iter().any(u8::is_ascii_whitespace);
    let letters = value.iter().all(u8::is_ascii_alphabetic);
    let fits = if letters { line.starts_with(b" for ") && !is_ordinary(value) } else { is_mixture(value) };
    let named = line[..colon].windows(5).any(|word| word == b" for ");
    let start = end + line.len() - line[colon + 2..].trim_ascii_start().len();
    (single && fits && named && !is_placeholder(value)).then_some(Word {
        start,
        end: start + value.len(),
        closed: start + value.len(),
    })
}

/// Whether somebody sets something shortly before: "sets the root password to …".
fn is_set_before(text: &[u8], end: usize) -> bool {
    let before = text[end.saturating_sub(64)..end].to_ascii_lowercase();
    [&b"set "[..], b"sets ", b"change", b"reset ", b"defaults ", b"setting "]
        .iter()
        .any(|verb| before.windows(verb.len()).any(|window| window == *verb))
}

/// What stands behind a well-known user and a mark: `admin:…`, `root / …`.
fn of_user(text: &[u8], end: usize) -> Option<Finding> {
    let marks = text[end..].iter().take(3).take_while(|b| b" :/|".contains(b)).count();
    let divided = text[end..end + marks].iter().any(|b| b":/|".contains(b));
    let word = after(text, end + marks, 1).next().filter(|word| divided && word.start == end + marks)?;
    let strength = strength(&text[word.start..word.end]);
    (strength > Strength::Plain).then_some(Finding { rule: "told", start: word.start, end: word.end })
}

/// A call with user and password: `login("marta", "…")`, `auth=("marta", "…")`, `connect(url, "marta", "…")`.
fn called(text: &[u8], end: usize, opens: bool) -> Option<Finding> {
    /// Longest argument that is read, and the most of them.
    const LONGEST: usize = 80;
    const MOST: usize = 5;
    let name =
        text[end..].iter().take(24).take_while(|b| b.is_ascii_alphanumeric() || b"_ =".contains(b)).count();
    let mut at = end + name + 1;
    text.get(end + name).filter(|b| **b == b'(')?;
    for number in 0..MOST {
        at += text[at..].iter().take(32).take_while(|b| b.is_ascii_whitespace()).count();
        let quote = text.get(at).copied().filter(|b| b"\"'`".contains(b));
        let start = at + usize::from(quote.is_some());
        let length = text[start..].iter().take(LONGEST).position(|b| match quote {
            Some(quote) => *b == quote,
            None => b",()\n".contains(b),
        })?;
        let value = &text[start..start + length];
        let chosen = value.len() >= 8 && is_mixture(value) && !is_technical(value);
        let single = quote.is_some() && !value.iter().any(u8::is_ascii_whitespace);
        // Hosts and clusters are numbered words too; one does not log in with them.
        let chosen = chosen || opens && is_made(value);
        if number > 0 && single && (chosen || strength(value) > Strength::Plain) {
            return Some(Finding { rule: "told", start, end: start + length });
        }
        at = start + length + usize::from(quote.is_some());
        at += text.get(at).filter(|b| **b == b',').map(|_| 1)?;
    }
    None
}

/// A name and a password beside each other: `admin / …`, `admin:…`.
fn paired(text: &[u8], end: usize) -> Option<Finding> {
    let mut divided = false;
    for word in after(text, end, REACH) {
        let value = &text[word.start..word.end];
        if let Some(mark) = value.iter().position(|b| b"/:".contains(b)).filter(|at| *at >= 2) {
            let (user, secret) = (&value[..mark], &value[mark + 1..]);
            let name = user.iter().all(|b| b.is_ascii_alphanumeric() || b"_.@-".contains(b));
            if name && strength(secret) > Strength::Plain {
                return Some(Finding { rule: "told", start: word.start + mark + 1, end: word.end });
            }
        }
        let strength = strength(value);
        let generated = strength == Strength::Mixed
            && value.len() >= 12
            && surprise(value) >= 8.0
            && !is_excused(text, word.start, word.end);
        if strength == Strength::Strong || divided && strength == Strength::Mixed || generated {
            return Some(Finding { rule: "told", start: word.start, end: word.end });
        }
        divided = matches!(value, b"/" | b"|" | b":" | b"with" | b"using" | b"pass" | b"pw");
    }
    None
}

/// A word that only a program issues.
fn is_issued(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let hex = value.iter().all(u8::is_ascii_hexdigit);
    if hex {
        return value.len() >= 24 && classes.digits > 0 && classes.letters() > 0;
    }
    let base32 = value.len() >= 16
        && classes.digits > 0
        && value.iter().all(|b| matches!(b, b'A'..=b'Z' | b'2'..=b'7'));
    if base32 {
        return true;
    }
    let address = value.iter().any(|b| b":#@?&".contains(b));
    let joined = address || classes.others * 6 > value.len();
    value.len() >= 16 && classes.digits > 0 && !joined && is_random(value) && surprise(value) >= 10.0
}

/// Whether the word before says that a digest or an identifier follows.
fn names_digest(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const NAMES: [&[u8]; 24] = [
        b"commit", b"sha", b"sha1", b"sha256", b"md5", b"rev", b"revision", b"hash", b"digest", b"checksum", b"id", b"image", b"tag",
        b"fingerprint", b"blob", b"object", b"etag", b"revert", b"trace", b"build", b"session", b"request", b"from", b"in",
    ];
    let word = word.strip_suffix(b":").unwrap_or(word).to_ascii_lowercase();
    NAMES.contains(&&word[..]) || word.ends_with(b"_id") || word.ends_with(b"id=")
}

/// Where a code ends that is written in two halves: `482 913`.
fn second_half(text: &[u8], word: &Word, previous: &[u8]) -> Option<usize> {
    let digits = |from: usize| text[from..].iter().take(5).take_while(|b| b.is_ascii_digit()).count();
    let (first, second) = (digits(word.start), text.get(word.end + 1).map_or(0, |_| digits(word.end + 1)));
    let halves = word.end - word.start == first && text.get(word.end) == Some(&b' ') && first == second;
    (halves && (3..=4).contains(&first) && announces(previous)).then_some(word.end + 1 + second)
}

/// Digits as a PIN or a code has them.
fn is_number(value: &[u8]) -> bool {
    let value = value.strip_suffix(b"#").unwrap_or(value);
    let year = value.len() == 4 && (value.starts_with(b"19") || value.starts_with(b"20"));
    (4..=10).contains(&value.len()) && value.iter().all(u8::is_ascii_digit) && !year
}

/// Digits in two or three short groups: `4711-0815`. A date begins with its year.
fn is_dashed_number(value: &[u8]) -> bool {
    let groups = value.split(|b| *b == b'-');
    let short = |group: &[u8]| (2..=4).contains(&group.len()) && group.iter().all(u8::is_ascii_digit);
    let date = value.starts_with(b"19") || value.starts_with(b"20");
    (2..=3).contains(&groups.clone().count()) && groups.clone().all(short) && !date && value.len() >= 6
}

/// Capitals and digits in groups, as codes are printed: `A7X9-22KQ`.
fn is_label(value: &[u8]) -> bool {
    let classes = Classes::of(value);
    let plain = value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'-');
    plain && value.len() >= 6 && classes.upper >= 2 && classes.digits >= 2
}

/// Whether the word before a number says that it is the one: nothing, a verb or a colon.
fn announces(word: &[u8]) -> bool {
    let lower = word.to_ascii_lowercase();
    matches!(&lower[..], b"" | b"is" | b"it's" | b"its" | b"was" | b"=" | b":" | b"code" | b"ist" | b"to")
        || lower.ends_with(b":")
}
