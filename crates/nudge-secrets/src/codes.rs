//! Lists of codes, grouped keys and wallet phrases: backup codes, recovery keys, licence keys,
//! authenticator seeds, the words that form the key of a wallet.

use super::finding::Finding;
use super::keyword::Index;
use super::phrase::is_function;
use super::surprise::surprise;
use super::token::{Classes, begins, distinct, ends, find};

/// Words that introduce such lists.
static PHRASE_INTRODUCTIONS: Index<30> = Index::folded([
    "backup code",
    "backup-code",
    "backup_code",
    "recovery code",
    "recovery-code",
    "recovery_code",
    "recoverycode",
    "backupcode",
    "scratch code",
    "rescue code",
    "emergency code",
    "one-time code",
    "recovery key",
    "2fa code",
    "security code",
    "codes de secours",
    "codes de r\u{e9}cup\u{e9}ration",
    "c\u{f3}digos de recupera",
    "c\u{f3}digos de respaldo",
    "codigos de recupera",
    "codici di backup",
    "codici di recupero",
    "wiederherstellungscode",
    "notfallcode",
    "ersatzcode",
    "sicherungscode",
    "einmalcode",
    "herstelcode",
    "kody zapasowe",
    "\u{440}\u{435}\u{437}\u{435}\u{440}\u{432}\u{43d}\u{44b}\u{435} \u{43a}\u{43e}\u{434}\u{44b}",
]);

/// The longest list that is read, and how far after its name it may begin.
const MAX_LIST_BYTES: usize = 1500;

const MAX_DISTANCE: usize = 120;

/// Finds lists of codes and grouped keys.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut done = 0;
    PHRASE_INTRODUCTIONS.each(text, |number, at| {
        if at >= done {
            done = list(text, at + PHRASE_INTRODUCTIONS.length(number), found);
        }
    });
    groups(text, found);
}

/// Reads the codes after `from`. Returns where they end.
fn list(text: &[u8], from: usize, found: &mut Vec<Finding>) -> usize {
    let limit = text.len().min(from + MAX_LIST_BYTES);
    let (mut at, mut last) = (from, from);
    let mut any: Option<&[u8]> = None;
    while at < limit {
        if !text[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let length = text[at..limit].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
        let word = &text[at..at + length];
        let counted = matches!(text.get(at + length), Some(b'.' | b')' | b':')) && word.len() <= 2;
        if is_code(word) || any.is_some_and(|code| is_alike(code, word)) {
            any = Some(word);
            last = at + length;
            found.push(Finding { rule: "code", start: at, end: last });
        } else if any.is_some() && !counted && word.len() > 2 || at > from + MAX_DISTANCE && any.is_none() {
            break;
        }
        at += length;
    }
    last
}

/// A code of letters only, recognised by the one before it: the same length, the same dashes.
fn is_alike(code: &[u8], word: &[u8]) -> bool {
    let dashes =
        |text: &[u8]| text.iter().enumerate().filter(|(_, b)| **b == b'-').map(|(at, _)| at).sum::<usize>();
    code.contains(&b'-') && code.len() == word.len() && dashes(code) == dashes(word)
}

/// A few characters with digits among them, not a year and not a date.
fn is_code(word: &[u8]) -> bool {
    let word = word.strip_suffix(b"-").unwrap_or(word);
    let classes = Classes::of(word);
    let dashed = word.split(|b| *b == b'-').all(|group| group.len() >= 3);
    let grouped = classes.others > 0 && classes.lower * classes.upper == 0 && classes.digits > 0;
    let digits = classes.letters() == 0 && classes.digits >= 4;
    let mixed = classes.letters() > 0 && classes.digits > 0 && word.len() >= 4;
    (4..=40).contains(&word.len()) && dashed && (digits || mixed || grouped) && distinct(word) > 1
}

/// The fewest groups of a key without a name, and the fewest characters in each.
const MIN_GROUPS: usize = 4;

/// Finds keys in groups of equal length: `XXXXX-XXXXX-XXXXX-XXXXX`, `abcd efgh ijkl mnop` with
/// digits.
fn groups(text: &[u8], found: &mut Vec<Finding>) {
    let mut at = 0;
    while at < text.len() {
        if !is_symbol(text[at]) || !begins(text, at) {
            at += 1;
            continue;
        }
        let size = group(text, at);
        let mark = text.get(at + size).copied().unwrap_or(0);
        let mut end = at + size;
        let (mut count, mut mixed) = (1, usize::from(is_mixed(&text[at..end])));
        if (4..=6).contains(&size) && (mark == b'-' || mark == b' ') {
            while text.get(end) == Some(&mark) && group(text, end + 1) == size {
                mixed += usize::from(is_mixed(&text[end + 1..end + 1 + size]));
                end += 1 + size;
                count += 1;
            }
        }
        if count >= MIN_GROUPS
            && is_key(&text[at..end], mark, count, mixed)
            && ends(text, end)
            && text.get(end) != Some(&b'-')
        {
            found.push(Finding { rule: "grouped-key", start: at, end });
        }
        if size == APP_GROUP && (APP_GROUPS..=2 * APP_GROUPS).contains(&count) {
            found.extend(app_password(text, at, count));
        }
        at = end.max(at + 1);
    }
}

/// Groups of a password that a provider issues for one program, and the letters in each.
const APP_GROUPS: usize = 4;

const APP_GROUP: usize = 4;

/// Four groups of four letters after a word for password: `app password abcd efgh ijkl mnop`. Words
/// of the sentence can be as long: the groups are those that look least like words.
fn app_password(text: &[u8], at: usize, count: usize) -> Option<Finding> {
    /// How far before the groups the word may be, in bytes.
    const MAX_DISTANCE: usize = 48;
    /// Bits; four words of a sentence have less.
    const EVIDENCE: f32 = 4.0;
    const LENGTH: usize = APP_GROUPS * (APP_GROUP + 1) - 1;
    let evidence = |start: usize| {
        let letters: Vec<u8> =
            text[start..start + LENGTH].iter().copied().filter(|b| !b" -".contains(b)).collect();
        if letters.iter().all(u8::is_ascii_lowercase) { surprise(&letters) } else { 0.0 }
    };
    let starts = (0..=count - APP_GROUPS).map(|number| at + number * (APP_GROUP + 1));
    let (most, start) = starts.map(|start| (evidence(start), start)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let line =
        text[start.saturating_sub(MAX_DISTANCE)..start].rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let line = line.to_ascii_lowercase();
    let named = [
        "pass",
        "kennwort",
        "wachtwoord",
        "contrase",
        "senha",
        "senord",
        "hasł",
        "парол",
        "密码",
        "密碼",
        "パスワード",
    ]
    .iter()
    .any(|name| find(&line, name.as_bytes(), 0).is_some());
    (named && most >= EVIDENCE).then_some(Finding { rule: "app-password", start, end: start + LENGTH })
}

/// Letters of one case and digits, most groups with both; hexadecimal groups are identifiers.
fn is_key(key: &[u8], mark: u8, count: usize, mixed: usize) -> bool {
    let classes = Classes::of(key);
    // A recovery key for a disk: forty-eight digits.
    if mark == b'-' && count == 8 && classes.digits == 48 {
        return true;
    }
    let one_case = classes.lower == 0 || classes.upper == 0;
    let hex = key.iter().all(|b| b.is_ascii_hexdigit() || *b == mark);
    // Prose has words of four letters in a row; but groups with digits are not prose.
    let seed = mark == b' '
        && classes.lower == 0
        && classes.digits > 0
        && count >= 4
        && key.len() / count <= 5
        && mixed * 2 >= count;
    let enough =
        seed || if mark == b' ' { mixed * 2 >= count && classes.digits >= 3 } else { mixed * 2 >= count };
    one_case && !hex && enough && !is_family(key, mark) && classes.letters() >= 4 && distinct(key) >= 9
}

/// Whether two groups begin alike, as numbered names do: `rv2sv rv2hv`, `NUM32 NUM33`.
fn is_family(key: &[u8], mark: u8) -> bool {
    let mut heads: Vec<&[u8]> = key.split(|b| *b == mark).filter_map(|group| group.get(..3)).collect();
    let count = heads.len();
    heads.sort_unstable();
    heads.dedup();
    heads.len() < count
}

/// Letters and digits, not just a word with a number.
fn is_mixed(group: &[u8]) -> bool {
    let classes = Classes::of(group);
    let counted = classes.digits == 1 && group[group.len() - 1].is_ascii_digit() && classes.lower > 0;
    classes.digits > 0 && classes.letters() > 0 && !counted
}

fn group(text: &[u8], start: usize) -> usize {
    /// One more than the longest group that counts.
    const MAX_GROUP_BYTES: usize = 7;
    text.get(start..).unwrap_or_default().iter().take(MAX_GROUP_BYTES).take_while(|b| is_symbol(**b)).count()
}

fn is_symbol(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}

// Mnemonic phrases: the words that form the key of a wallet.
//
// The word lists in use have words of three to eight lower-case letters, and no function words;
// twelve or more of them in a row are not a sentence.

/// The word counts of the standard.
const WORD_COUNTS: [usize; 5] = [12, 15, 18, 21, 24];

/// How far before the words their name is searched, in bytes.
const MAX_NAME_DISTANCE: usize = 160;

/// Finds phrases with a name, and those alone on their line or in quotes.
pub(super) fn detect_mnemonic(text: &[u8], found: &mut Vec<Finding>) {
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_lowercase() || at > 0 && is_part(text[at - 1]) {
            at += 1;
            continue;
        }
        let (end, count, breaks) = run(text, at);
        if count >= WORD_COUNTS[0]
            && (count <= 25 && is_announced(text, at) || is_alone(text, at, end, count, breaks))
        {
            found.push(Finding { rule: "mnemonic", start: at, end });
        }
        at = end.max(at + 1);
    }
}

/// The run of words from `start`: its end, the number of words, and the number of kinds of gaps.
fn run(text: &[u8], start: usize) -> (usize, usize, usize) {
    let (mut end, mut count, mut spaces, mut others) = (start, 0, 0, 0);
    let mut at = start;
    loop {
        let length = text[at..].iter().take(9).take_while(|b| b.is_ascii_lowercase()).count();
        let whole = !text.get(at + length).is_some_and(|b| is_part(*b));
        if !(3..=8).contains(&length) || !whole || is_function(&text[at..at + length]) {
            // A word that does not fit is skipped whole: no phrase begins inside it.
            let word = text[at..].iter().take_while(|b| is_part(**b)).count();
            return if count == 0 {
                (at + word, 0, 0)
            } else {
                (end, count, usize::from(spaces > 0) + usize::from(others > 0))
            };
        }
        end = at + length;
        count += 1;
        let gap = text[end..].iter().take(8).take_while(|b| is_gap(**b)).count();
        if gap == 0 {
            return (end, count, usize::from(spaces > 0) + usize::from(others > 0));
        }
        if gap == 1 && text[end] == b' ' {
            spaces += 1
        } else {
            others += 1
        }
        at = end + gap;
    }
}

/// White space, commas, and the numbers of a numbered list.
fn is_gap(b: u8) -> bool {
    b.is_ascii_whitespace() || b.is_ascii_digit() || b",.)\"'".contains(&b)
}

fn is_part(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-' || b >= 0x80
}

fn is_announced(text: &[u8], start: usize) -> bool {
    // The name can be the first words of the run itself.
    let before =
        text[start.saturating_sub(MAX_NAME_DISTANCE)..text.len().min(start + 24)].to_ascii_lowercase();
    [&b"mnemonic"[..], b"seed", b"recovery", b"wallet", b"phrase", b"bip39", b"bip-39", b"secret words"]
        .iter()
        .any(|name| find(&before, name, 0).is_some())
}

/// Whether the line or the quotes contain nothing else, with the same gap throughout.
fn is_alone(text: &[u8], start: usize, end: usize, count: usize, gaps: usize) -> bool {
    let before = start.checked_sub(1).map(|at| text[at]);
    let opened = matches!(before, None | Some(b'\n' | b'"' | b'\'' | b'=')) || text[..start].ends_with(b"= ");
    let closed = matches!(text.get(end), None | Some(b'\n' | b'"' | b'\''));
    WORD_COUNTS.contains(&count)
        && gaps == 1
        && opened
        && closed
        && !text[start..end].contains(&b'\n')
        && !text[start..end].contains(&b',')
        && is_varied(&text[start..end])
}

/// No word is frequent: lists of keywords and sound effects repeat themselves.
fn is_varied(words: &[u8]) -> bool {
    let mut list: Vec<&[u8]> =
        words.split(|b| !b.is_ascii_lowercase()).filter(|word| !word.is_empty()).collect();
    let count = list.len();
    list.sort_unstable();
    list.dedup();
    list.len() + 2 >= count
}
