//! Passwords as systems store them: `$6$…`, `$2b$12$…`, `$argon2id$…`, `{SSHA}…`,
//! `pbkdf2_sha256$…`.
//!
//! A hash can be attacked offline until it reveals the password, so it is a credential too.

use super::Finding;
use super::budget::Budget;
use super::keyword::Index;
use super::token::{Classes, distinct, find};

/// The longest stored password of any scheme, with room to spare.
const LONGEST: usize = 512;

/// The fewest characters of the last part: the hash itself.
const LEAST_HASH: usize = 16;

/// Schemes recognised by their name.
static NAMED: Index<6> =
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
    NAMED.each(text, |_, start| {
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
    const LONGEST_SCHEME: usize = 16;
    const SCHEMES: [&[u8]; 11] =
        [b"apr1", b"argon2", b"scrypt", b"pbkdf2", b"bcrypt", b"sha", b"md5", b"gy", b"sm3", b"krb5", b"ml"];
    let scheme = text[start + 1..]
        .iter()
        .take(LONGEST_SCHEME)
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
        .take(LONGEST)
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
        part.len() >= LEAST_HASH && distinct(part) >= 8 && classes.letters() > 0 && classes.digits > 0
    })
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
