//! Passwords as systems store them: as hashes, in Kubernetes manifests, in lines of fields.
//!
//! Hashes are `$6$…`, `$2b$12$…`, `$argon2id$…`, `{SSHA}…`, `pbkdf2_sha256$…`. A hash can be
//! attacked offline until it reveals the password, so it is a credential too.

use super::finding::{Budget, Finding};
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::random::decode;
use super::token::{Classes, distinct, find};

/// The longest stored password of any scheme, with room to spare.
const MAX_HASH_BYTES: usize = 512;

/// The fewest characters of the last part: the hash itself.
const MIN_HASH: usize = 16;

/// Schemes recognised by their name.
static NAMED_SCHEMES: Index<6> =
    Index::exact(["pbkdf2", "scrypt:", "bcrypt_sha256$", "SCRAM-SHA-", "argon2$", "scrypt$"]);

/// Finds stored passwords.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let budget = Budget::of(text);
    let mut at = 0;
    while let Some(step) = text[at..].iter().position(|b| *b == b'$' || *b == b'{') {
        let start = at + step;
        let hash = if !budget.take(64) {
            None
        } else if text[start] == b'$' {
            modular(text, start)
        } else {
            braced(text, start)
        };
        at = hash.unwrap_or(start + 1);
        found.extend(hash.map(|end| Finding { rule: "password-hash", start, end }));
    }
    let mut done = 0;
    NAMED_SCHEMES.each(text, |_, start| {
        if start >= done {
            let end = run(text, start);
            let dollars = text[start..end].iter().filter(|b| **b == b'$').count();
            if dollars >= 1
                && end - start >= 40
                && is_hash(text[start..end].rsplit(|b| b"$:".contains(b)).next())
            {
                found.push(Finding { rule: "password-hash", start, end });
            }
            done = end;
        }
    });
}

/// `$scheme$…$hash`: where it ends.
fn modular(text: &[u8], start: usize) -> Option<usize> {
    /// Longer than the name of any scheme.
    const MAX_SCHEME: usize = 16;
    const SCHEMES: [&[u8]; 11] =
        [b"apr1", b"argon2", b"scrypt", b"pbkdf2", b"bcrypt", b"sha", b"md5", b"gy", b"sm3", b"krb5", b"ml"];
    let scheme = text[start + 1..]
        .iter()
        .take(MAX_SCHEME)
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'-')
        .count();
    if scheme == 0 || text.get(start + 1 + scheme) != Some(&b'$') {
        return None;
    }
    let name = &text[start + 1..start + 1 + scheme];
    // One or two characters are the systems' own schemes: `1`, `2b`, `5`, `6`, `y`, `P`. `$LT$` and
    // `$GT$` occur in symbol names.
    if name.len() == 2 && name.iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    if name.len() > 2 && !SCHEMES.iter().any(|known| name.starts_with(known)) {
        return None;
    }
    let end = run(text, start);
    is_hash(text[start..end].rsplit(|b| *b == b'$').next()).then_some(end)
}

/// `{SCHEME}hash`: where it ends.
fn braced(text: &[u8], start: usize) -> Option<usize> {
    const SCHEMES: [&[u8]; 9] =
        [b"SSHA", b"SHA", b"SMD5", b"MD5", b"CRYPT", b"PBKDF2", b"BCRYPT", b"ARGON2", b"BLF-CRYPT"];
    let close = find(&text[..text.len().min(start + 20)], b"}", start)?;
    let scheme = &text[start + 1..close];
    let known = SCHEMES
        .iter()
        .any(|known| scheme.len() >= known.len() && scheme[..known.len()].eq_ignore_ascii_case(known));
    let end = run(text, close + 1);
    (known && is_hash(Some(&text[close + 1..end]))).then_some(end)
}

/// The end of the characters that stored passwords consist of.
fn run(text: &[u8], start: usize) -> usize {
    let length = text[start..]
        .iter()
        .take(MAX_HASH_BYTES)
        .take_while(|b| b.is_ascii_alphanumeric() || b"$./+=,_-:".contains(b))
        .count();
    // A colon separates parts in some schemes and ends the field of a file in the others.
    let named = text[start..].starts_with(b"$") || text[start..].starts_with(b"{");
    let field =
        text[start..start + length].iter().position(|b| *b == b':').filter(|_| named).unwrap_or(length);
    let run = &text[start..start + field];
    start + run.len() - run.iter().rev().take_while(|b| b".,:-".contains(b)).count()
}

fn is_hash(part: Option<&[u8]>) -> bool {
    part.is_some_and(|part| {
        let classes = Classes::of(part);
        part.len() >= MIN_HASH && distinct(part) >= 8 && classes.letters() > 0 && classes.digits > 0
    })
}

// Kubernetes manifests: everything under `data:` and `stringData:` of a secret is a secret,
// whatever its name.

static DATA_FIELDS: Index<3> = Index::exact(["stringData", "data:", "data\":"]);

/// The most bytes of a manifest that are read after the word.
const MAX_BYTES: usize = 8 * 1024;

/// Finds the values of secrets in manifests, in YAML and in JSON.
pub(super) fn detect_manifest(text: &[u8], found: &mut Vec<Finding>) {
    let mut secret = None;
    let mut done = 0;
    DATA_FIELDS.each(text, |number, at| {
        let is_string_data = number == 0;
        let is_secret = *secret.get_or_insert_with(|| has_kind_secret(text));
        let begins_word = at == 0 || !text[at - 1].is_ascii_alphanumeric() && !b"_-.".contains(&text[at - 1]);
        if at < done || !begins_word || !(is_string_data || is_secret) {
            return;
        }
        let end = at + DATA_FIELDS.length(number);
        let punctuation = text[end..].iter().take(6).take_while(|b| b"\": ".contains(b)).count();
        done = if text.get(end + punctuation) == Some(&b'{') {
            object(text, end + punctuation + 1, is_string_data, found)
        } else {
            block(text, at, end + punctuation, is_string_data, found)
        };
    });
}

fn has_kind_secret(text: &[u8]) -> bool {
    [
        &b"kind: Secret\n"[..],
        b"kind: Secret\r",
        b"\"kind\": \"Secret\"",
        b"\"kind\":\"Secret\"",
        b"kind: \"Secret\"",
    ]
    .iter()
    .any(|kind| find(text, kind, 0).is_some())
        || text.ends_with(b"kind: Secret")
}

/// Reads the lines that are indented deeper than the word.
fn block(text: &[u8], word: usize, from: usize, is_string_data: bool, found: &mut Vec<Finding>) -> usize {
    let line = text[..word].iter().rev().take(64).take_while(|b| **b != b'\n').count();
    let indent = text[word - line..word].iter().take_while(|b| **b == b' ').count();
    let Some(newline) = text[from..].iter().take(4).position(|b| *b == b'\n') else { return from };
    let mut at = from + newline + 1;
    let limit = text.len().min(at + MAX_BYTES);
    while at < limit {
        let length = text[at..].iter().position(|b| *b == b'\n').unwrap_or(text.len() - at);
        let line = &text[at..at + length];
        let depth = line.iter().take_while(|b| **b == b' ').count();
        if depth <= indent && !line.trim_ascii().is_empty() {
            break;
        }
        if let Some(colon) = find(line, b": ", depth) {
            value(text, at + colon + 2, at + length, is_string_data, found);
        }
        at += length + 1;
    }
    at
}

/// Reads the members of an object.
fn object(text: &[u8], from: usize, is_string_data: bool, found: &mut Vec<Finding>) -> usize {
    let limit = text.len().min(from + MAX_BYTES);
    let close = text[from..limit].iter().position(|b| *b == b'}').map_or(limit, |at| from + at);
    let mut at = from;
    while let Some(colon) = find(&text[..close], b":", at) {
        let start = colon + 1 + text[colon + 1..close].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let end = match text.get(start) {
            Some(b'"') => find(&text[..close], b"\"", start + 1).unwrap_or(close),
            _ => find(&text[..close], b",", start).unwrap_or(close),
        };
        value(text, start, end, is_string_data, found);
        at = end.max(colon + 1);
    }
    close
}

fn value(text: &[u8], start: usize, end: usize, is_string_data: bool, found: &mut Vec<Finding>) {
    let raw = &text[start..end];
    let lead = raw.iter().take_while(|b| b" \t\"'".contains(b)).count();
    let tail = raw[lead..].iter().rev().take_while(|b| b" \t\r\"',".contains(b)).count();
    let value = &raw[lead..raw.len() - tail];
    let digits = value.strip_suffix(b"==").or_else(|| value.strip_suffix(b"=")).unwrap_or(value);
    let is_base64 = value.len() >= 8 && value.len().is_multiple_of(4) && decode(digits).is_some();
    let is_plain_text = is_string_data
        && value.len() >= 5
        && !value.iter().any(u8::is_ascii_whitespace)
        && !b"|>&*!".contains(&value[0]);
    if (is_base64 || is_plain_text) && !is_placeholder(value) && find(value, b"://", 0).is_none() {
        found.push(Finding { rule: "manifest", start: start + lead, end: start + lead + value.len() });
    }
}

// Lines of files with passwords in fields: `host:port:database:user:password`.

/// The longest line that is read.
const MAX_RECORD_BYTES: usize = 512;

/// Finds the last field of lines in the form of `.pgpass`.
pub(super) fn detect_fields(text: &[u8], found: &mut Vec<Finding>) {
    let chpasswd = find(text, b"chpasswd", 0).is_some();
    let mut at = 0;
    for line in text.split(|b| *b == b'\n') {
        let start = at;
        at += line.len() + 1;
        let line = line.trim_ascii_end();
        if line.len() <= MAX_RECORD_BYTES && !line.starts_with(b"#") {
            let second = if chpasswd { of_user(line) } else { of_relay(line) };
            found.extend(second.or_else(|| of_peer(line)).map(|(from, to)| Finding {
                rule: "record-password",
                start: start + from,
                end: start + to,
            }));
            found.extend(password_start(line).map(|field| Finding {
                rule: "record-password",
                start: start + field,
                end: start + line.len(),
            }));
        }
    }
}

/// `user:password` in a list for `chpasswd`.
fn of_user(line: &[u8]) -> Option<(usize, usize)> {
    let lead = line.iter().take_while(|b| b" \t-\"'".contains(b)).count();
    let colon = lead + line[lead..].iter().position(|b| *b == b':')?;
    let name = &line[lead..colon];
    let value = &line[colon + 1..];
    let user = !name.is_empty()
        && name.len() <= 32
        && name.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-.".contains(b));
    let odd = value.iter().any(|b| b.is_ascii_digit() || b"!@#$%^&*".contains(b));
    let single = value.len() >= 5 && !value.iter().any(u8::is_ascii_whitespace);
    (user && odd && single && !is_placeholder(value)).then_some((colon + 1, line.len()))
}

/// `[host]:587 user:password`, as in files of mail servers.
fn of_relay(line: &[u8]) -> Option<(usize, usize)> {
    let close = line.strip_prefix(b"[")?.iter().take(80).position(|b| *b == b']')? + 2;
    let port = line.get(close..)?.strip_prefix(b":")?.iter().take_while(|b| b.is_ascii_digit()).count();
    let behind = close + 1 + port;
    let blanks = line[behind..].iter().take_while(|b| b" \t".contains(b)).count();
    let field = behind + blanks;
    let colon = field + line[field..].iter().position(|b| *b == b':')?;
    let user = line[field..colon].iter().all(|b| b.is_ascii_graphic());
    let fits = port > 0 && blanks > 0 && user && colon > field && line.len() > colon + 4;
    (fits && !is_placeholder(&line[colon + 1..])).then_some((colon + 1, line.len()))
}

/// `: PSK "…"`, the shared key of a tunnel.
fn of_peer(line: &[u8]) -> Option<(usize, usize)> {
    let kind = [&b": PSK \""[..], b": EAP \"", b": XAUTH \"", b": NTLM \"", b": PIN \""]
        .into_iter()
        .find_map(|kind| Some(find(line, kind, 0)? + kind.len()))?;
    let length = line[kind..].iter().position(|b| *b == b'"')?;
    (length >= 4 && !is_placeholder(&line[kind..kind + length])).then_some((kind, kind + length))
}

/// The start of the password, if the fields before it are a host, a port, a database and a user.
fn password_start(line: &[u8]) -> Option<usize> {
    let mut fields = line.splitn(5, |b| *b == b':');
    let (host, port, database, user, secret) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let is_name = |field: &[u8]| {
        !field.is_empty() && field.iter().all(|b| b.is_ascii_alphanumeric() || b"*_.-/@$".contains(b))
    };
    let is_port = port == b"*" || (2..=5).contains(&port.len()) && port.iter().all(u8::is_ascii_digit);
    // `path:line:column: message` has its numbers elsewhere.
    let is_user = is_name(user) && !user.iter().all(u8::is_ascii_digit);
    // A changed line has a diff sign before it.
    let host = host.strip_prefix(b"+").or_else(|| host.strip_prefix(b"-")).unwrap_or(host);
    let host = host.rsplit(|b| b.is_ascii_whitespace() || b"'\"".contains(b)).next().unwrap_or(host);
    let closed = secret.iter().any(u8::is_ascii_whitespace) || secret.contains(&b':');
    let fits = is_name(host) && is_port && is_name(database) && is_user && !closed && secret.len() >= 4;
    (fits && !is_placeholder(secret)).then_some(line.len() - secret.len())
}

#[cfg(test)]
mod tests {
    use super::super::scan;

    #[test]
    fn stored_passwords_are_found_and_templates_are_not() {
        let hash = concat!("kq8Zr2", "vXw9LrT4", "mBn8YcPd3HsQ7tW");
        for text in [
            format!("deploy:$6$saltsalt${hash}:19876:0:99999:7:::"),
            format!("marta:$apr1$x8Zk2vQw${hash}"),
            format!("hash $argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ${hash} ok"),
            format!("userPassword: {{SSHA}}{hash}=="),
            format!("pbkdf2_sha256$600000$saltsalt${hash}="),
        ] {
            let found = scan(&text);
            assert!(found.iter().any(|f| text[f.start..f.end].contains(hash)), "{text}: {found:?}");
        }
        for text in ["$foo$barbazquxquuxcorge", "echo $HOME$PATH", "cost $5$ and $10$", "{MD5}", "s/^$1$/x/"]
        {
            assert!(scan(text).is_empty(), "{text}");
        }
    }
}
