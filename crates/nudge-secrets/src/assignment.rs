//! Values assigned to credential names, in any notation.
//!
//! `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `X-Api-Key: …`, `password = '…'`, `?sig=…`,
//! `<password>…</password>`, `{"name": "TOKEN", "value": "…"}`, "the password is …".

use super::apart;
use super::finding::Finding;
use super::finding::Notation;
use super::finding::{Budget, Window};
use super::keyword::Index;
use super::name::{
    CredentialKind, credential_kind, is_key_of_service, is_public_key_id, is_secret_parameter,
};
use super::nearby;
use super::phrase;
use super::strength::{Strength, strength};
use super::surprise::surprise;
use super::value::{Span, is_secret, read};

mod link;

use link::{Link, QUOTE_ENDS, links};

/// Stems that the names have in common; only names with one of these are checked.
static STEMS: Index<34> = Index::folded([
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "auth",
    "cred",
    "jwt",
    "bearer",
    "pat",
    "mnemonic",
    "phrase",
    "sig",
    "code",
    "sessi",
    "psk",
    "pw",
    "pin",
    "puk",
    "otp",
    "seed",
    "salt",
    "saml",
    "community",
    "senha",
    "kennwort",
    "wachtwoord",
    "mdp",
    "psw",
    "ticket",
    "hmac",
    "sid",
    "appid",
    "app_id",
]);

/// Finds values assigned to credential names.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut done = 0;
    let budget = Budget::of(text);
    let mut window = Window::new();
    STEMS.each(text, |_, at| {
        if at < done {
            return;
        }
        let (start, end) = name_around(text, at, done);
        done = end;
        // The letters of a name can be in a generated value too.
        let generated = end - start >= MIN_GENERATED && surprise(&text[start..end]) >= 12.0;
        if generated || link::is_prompt(text, start, end) {
            return;
        }
        let parameter = link::is_parameter(text, start);
        // In an address even a plain `key` opens something.
        let opens = parameter && is_secret_parameter(&text[start..end]);
        let weight =
            credential_kind(&text[start..end]).filter(|weight| !(opens && *weight == CredentialKind::Vague));
        let weight = weight.or_else(|| opens.then_some(CredentialKind::Key));
        let Some(weight) = weight.map(|weight| {
            let pass = ends_with_pass(&text[start..end]) && link::is_row(text, start, end);
            if pass || is_beside_user(text, start, end) { CredentialKind::Password } else { weight }
        }) else {
            return;
        };
        // Without blanks every name would be read to the end of the text.
        let dense =
            !text[end..].iter().take(MAX_REST).any(u8::is_ascii_whitespace) && text.len() - end > MAX_REST;
        if dense && !budget.take(MAX_REST) {
            return;
        }
        if let Some(finding) = assigned(text, start, end, weight, &budget) {
            done = done.max(finding.end);
            found.push(finding);
            found.extend(changed_to(text, finding.end));
        } else if parameter || weight == CredentialKind::Vague || !window.admits(start) {
            // Names that follow each other this closely say nothing about each other.
        } else if let Some(finding) = apart::of_name(text, start, end, weight) {
            found.push(finding);
        } else if !is_public_key_id(&text[start..end], first_word(&text[end..])) {
            let stated = nearby::stated(text, end, weight);
            found.extend(
                stated.or_else(|| weight.is_chosen().then(|| nearby::stated_before(text, start)).flatten()),
            );
        }
    });
}

/// Shorter names can look strange.
const MIN_GENERATED: usize = 36;

/// The word after a name and a blank.
fn first_word(rest: &[u8]) -> &[u8] {
    /// Longer than a fingerprint, in bytes.
    const MAX_BYTES: usize = 48;
    let rest = &rest[..rest.len().min(MAX_BYTES)];
    rest.trim_ascii_start().split(u8::is_ascii_whitespace).next().unwrap_or_default()
}

/// The fallback for an unset variable: `process.env.SECRET ?? "…"`.
fn fallback(text: &[u8], span: &Span, weight: CredentialKind) -> Option<Finding> {
    const MAX_BYTES: usize = 60;
    let line = &text[span.start..text.len().min(span.end + MAX_BYTES)];
    let line = &line[..line.iter().position(|b| *b == b'\n').unwrap_or(line.len())];
    let reads = [&b"env"[..], b"config", b"ENV"]
        .iter()
        .any(|name| super::token::find(&line[..line.len().min(24)], name, 0).is_some());
    let (at, length) = [&b" ?? "[..], b" || ", b" or ", b" ?: "]
        .iter()
        .find_map(|mark| Some((super::token::find(line, mark, 0)?, mark.len())))
        .filter(|_| reads && !span.quoted)?;
    let quote = *line.get(at + length).filter(|b| b"\"'`".contains(b))?;
    let start = span.start + at + length + 1;
    let end = start + text[start..].iter().take(128).position(|b| *b == quote)?;
    is_secret(weight, &text[start..end], Notation::Literal).then_some(Finding {
        rule: "assignment",
        start,
        end,
    })
}

/// The new value in a plan: `"…" -> "…"`.
fn changed_to(text: &[u8], end: usize) -> Option<Finding> {
    let start = end + 6;
    text[end..].starts_with(b"\" -> \"").then_some(())?;
    let length = text[start..].iter().take(256).position(|b| *b == b'"')?;
    (length >= 4 && !super::placeholder::is_placeholder(&text[start..start + length])).then_some(Finding {
        rule: "assignment",
        start,
        end: start + length,
    })
}

/// The most bytes read after a name to see how its line continues.
const MAX_REST: usize = 256;

/// Checks a whole text that is stored under a name.
pub(super) fn check_whole_text(key: &[u8], text: &[u8], found: &mut Vec<Finding>) {
    let Some(weight) = credential_kind(key) else { return };
    let weight = if key.eq_ignore_ascii_case(b"pass") { CredentialKind::Password } else { weight };
    let start = text.len() - text.trim_ascii_start().len();
    let Some(Span { start, end, .. }) = read(text, start, b"") else { return };
    let rest = text[end..].trim_ascii();
    if rest.iter().all(|b| b"\"'`".contains(b)) && is_secret(weight, &text[start..end], Notation::Literal) {
        found.push(Finding { rule: "assignment", start, end });
    } else if is_secret(weight, text.trim_ascii(), Notation::Literal) {
        let start = text.len() - text.trim_ascii_start().len();
        found.push(Finding { rule: "assignment", start, end: start + text.trim_ascii().len() });
    }
}

/// Whether the last word of the name is `pass`, as in the names of settings.
fn ends_with_pass(name: &[u8]) -> bool {
    name.len() > 5 && name[name.len() - 5..].eq_ignore_ascii_case(b"_pass")
}

/// Whether this is `pass` next to a user: a compiler's pass has none.
fn is_beside_user(text: &[u8], start: usize, end: usize) -> bool {
    /// About a line of settings, in bytes.
    const MAX_BYTES: usize = 60;
    let before = &text[start.saturating_sub(MAX_BYTES)..start];
    text[start..end].eq_ignore_ascii_case(b"pass")
        && before
            .windows(4)
            .any(|word| word.eq_ignore_ascii_case(b"user") || word.eq_ignore_ascii_case(b"logi"))
}

/// The name around a stem: letters, digits and the punctuation of names.
fn name_around(text: &[u8], at: usize, from: usize) -> (usize, usize) {
    let in_name = |b: &u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let mut start = at - text[from..at].iter().rev().take_while(|b| in_name(b)).count();
    if start > 0 && text[start - 1] == b'\\' && matches!(text[start], b'n' | b'r' | b't') && start < at {
        start += 1;
    }
    let mut end = at + text[at..].iter().take_while(|b| in_name(b)).count();
    while end > at && matches!(text[end - 1], b'-' | b'.') {
        end -= 1;
    }
    (with_kind(text, start, end), with_id(text, start, end))
}

/// The end of "Secret ID" before an operator. Of a client secret it is only the name.
fn with_id(text: &[u8], start: usize, end: usize) -> usize {
    let id = end + 3;
    let named = text[start..end].eq_ignore_ascii_case(b"secret")
        && text.get(end..id).is_some_and(|word| word.eq_ignore_ascii_case(b" id"));
    let operator = text[id.min(text.len())..].iter().take(16).find(|b| !b" \t".contains(b));
    let client = text[start.saturating_sub(7)..start].eq_ignore_ascii_case(b"client ");
    if named && !client && matches!(operator, Some(b'=' | b':')) { id } else { end }
}

/// The start of "api key": the word before `key` says which kind of key it is.
fn with_kind(text: &[u8], start: usize, end: usize) -> usize {
    let name = &text[start..end];
    const WANTING: [&[u8]; 9] =
        [b"key", b"phrase", b"code", b"codes", b"seed", b"words", b"community", b"pass", b"response"];
    let wanting = WANTING.iter().any(|word| name.eq_ignore_ascii_case(word));
    if !wanting || start == 0 || text[start - 1] != b' ' {
        return start;
    }
    let before = text[..start - 1].iter().rev().take(16).take_while(|b| b.is_ascii_alphabetic()).count();
    let kind = start - 1 - before;
    // "Pass" is a common verb; only certain words make it a password.
    if name.eq_ignore_ascii_case(b"pass")
        && credential_kind(&text[kind..end]) != Some(CredentialKind::Password)
    {
        start
    } else {
        kind
    }
}

/// Tries each way of reading the text after the name; returns the first credential.
fn assigned(
    text: &[u8],
    start: usize,
    end: usize,
    weight: CredentialKind,
    budget: &Budget,
) -> Option<Finding> {
    links(text, start, end).into_iter().flatten().find_map(|Link { at, setting, until }| {
        if weight == CredentialKind::Passphrase
            && let Some(finding) = find_unquoted_passphrase(text, at)
        {
            return Some(finding);
        }
        if let Some(finding) = find_connection_password(text, start, at, weight) {
            return Some(finding);
        }
        let span = read(text, at, until).filter(|span| budget.take(span.end - span.start))?;
        let value = &text[span.start..span.end];
        let row = span.quoted && strength(value) > Strength::Plain && link::is_row(text, start, end);
        let setting = if row { Notation::Literal } else { setting };
        let spaced = setting == Notation::Prose && weight.is_chosen() && value.contains(&b' ');
        let setting =
            if span.quoted && (setting == Notation::Bare || spaced) { Notation::Literal } else { setting };
        if let Some(finding) = fallback(text, &span, weight) {
            return Some(finding);
        }
        let chosen =
            weight.is_chosen() && is_given(&text[start..end], value, &span, setting, until == QUOTE_ENDS);
        let chosen = chosen || span.quoted && is_secret_of_session(text, start, end, value);
        // A value that is part of the name is another name: `Security_Credentials = ["Security"]`.
        let named = text[start..end].starts_with(value)
            || is_public_key_id(&text[start..end], value)
            // A remark, such as how long a test took.
            || !span.quoted && value.starts_with(b"(");
        let issued = weight == CredentialKind::Vague
            && (is_issued_by_service(&text[start..end], value)
                || is_issued_digest(value) && is_in_cipher_block(text, start, end));
        (!named && !is_call(text, &span) && (chosen || issued || is_secret(weight, value, setting)))
            .then_some(Finding { rule: "assignment", start: span.start, end: span.end })
    })
}

/// Whether a service issued the value for a name of its key: as many hexadecimal digits as a digest
/// has.
fn is_issued_by_service(name: &[u8], value: &[u8]) -> bool {
    is_issued_digest(value) && is_key_of_service(name)
}

/// Whether it is a member `key` of a block about ciphers: `'crypt' => ['key' => '…']`.
fn is_in_cipher_block(text: &[u8], start: usize, end: usize) -> bool {
    /// The name of the block and a line end, in bytes.
    const MAX_BYTES: usize = 40;
    let before = text[start.saturating_sub(MAX_BYTES)..start].to_ascii_lowercase();
    let marks =
        before.iter().rev().take_while(|b| b.is_ascii_whitespace() || b"\"'[{(=>:".contains(b)).count();
    let block = &before[..before.len() - marks];
    text[start..end].eq_ignore_ascii_case(b"key")
        && before[before.len() - marks..].iter().any(|b| b"[{(:".contains(b))
        && [&b"crypt"[..], b"encryption", b"cipher"].iter().any(|name| block.ends_with(name))
}

/// As many hexadecimal digits as a digest has.
fn is_issued_digest(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    [32, 40, 64].contains(&value.len())
        && value.iter().all(u8::is_ascii_hexdigit)
        && (1..value.len()).contains(&digits)
}

/// Whether a value of plain words is where neither code nor a sentence can be: after a flag, in an
/// environment variable, in quotes.
fn is_given(name: &[u8], value: &[u8], span: &Span, setting: Notation, whole_line: bool) -> bool {
    let variable = !name.iter().any(u8::is_ascii_lowercase) || name.starts_with(b"-");
    setting == Notation::Literal
        && (variable && span.quoted && phrase::is_quoted_phrase(value)
            || (variable || span.quoted || whole_line) && phrase::is_dotted(value))
}

/// Whether the value is a sentence that signs cookies: `session({ secret: '…' })`.
fn is_secret_of_session(text: &[u8], start: usize, end: usize, value: &[u8]) -> bool {
    /// A few members before, in bytes.
    const MAX_BYTES: usize = 60;
    let before = &text[start.saturating_sub(MAX_BYTES)..start];
    let opened = before.iter().rposition(|b| b"()".contains(b)).filter(|at| before[*at] == b'(');
    let called = opened.is_some_and(|at| before[..at].to_ascii_lowercase().ends_with(b"session"));
    called
        && text[start..end].eq_ignore_ascii_case(b"secret")
        && phrase::is_quoted_phrase(value)
        && !super::placeholder::is_placeholder(value)
}

/// A password with spaces in a connection string, ended by a semicolon: `Uid=sa;Pwd=…;`.
fn find_connection_password(text: &[u8], start: usize, at: usize, weight: CredentialKind) -> Option<Finding> {
    /// Longer than a typed password, in bytes.
    const MAX_BYTES: usize = 96;
    // ODBC puts braces around a value.
    if weight.is_chosen() && text[..at].ends_with(b"=") && text.get(at) == Some(&b'{') {
        let close = text[at..].iter().take(MAX_BYTES).enumerate().position(|(step, b)| {
            *b == b'}' && matches!(text.get(at + step + 1), None | Some(b';' | b'"' | b'\''))
        });
        let close = at + close.filter(|length| *length >= 5)?;
        let value = &text[at + 1..close];
        // In code the next brace opens something else.
        let plain = !super::placeholder::is_placeholder(value) && !value.contains(&b'{');
        return plain.then_some(Finding { rule: "assignment", start: at + 1, end: close });
    }
    let part =
        weight.is_chosen() && text[..at].ends_with(b"=") && text[..start].trim_ascii_end().ends_with(b";");
    let length = text[at..].iter().take(MAX_BYTES).position(|b| b"\n\"';<>".contains(b)).filter(|_| part)?;
    let value = &text[at..at + length];
    // Elsewhere `&` begins the next parameter of an address.
    let marked = value.iter().any(|b| b.is_ascii_whitespace() || *b == b'&');
    let closed = text[at + length] == b';' && marked;
    (closed && is_secret(weight, value, Notation::Literal)).then_some(Finding {
        rule: "assignment",
        start: at,
        end: at + length,
    })
}

/// A passphrase without quotes: the rest of its clause, unless that is a sentence.
fn find_unquoted_passphrase(text: &[u8], start: usize) -> Option<Finding> {
    let end = phrase::clause_end(text, start);
    let spaced = text[start..end].iter().any(u8::is_ascii_whitespace);
    (spaced && is_secret(CredentialKind::Passphrase, &text[start..end], Notation::Prose)).then_some(Finding {
        rule: "assignment",
        start,
        end,
    })
}

/// Whether the unquoted value is a call or an index: `token()`, `parts[1]`, `options["password"]`.
fn is_call(text: &[u8], span: &Span) -> bool {
    let value = &text[span.start..span.end];
    let name = value.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_.".contains(b)).count();
    let opened = matches!(value.get(name).or(text.get(span.end)), Some(b'(' | b'['));
    let closed = matches!(value.last(), Some(b')' | b']' | b'[' | b'(')) || name == value.len();
    !span.quoted && name >= 2 && value[0].is_ascii_alphabetic() && opened && closed
}
