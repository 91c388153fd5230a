//! Lines of files that keep passwords in fields: `host:port:database:user:password`.

use super::Finding;
use super::placeholder::is_placeholder;

/// Longest line that is read.
const LONGEST: usize = 512;

/// Finds the last field of lines as `.pgpass` has them.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut at = 0;
    for line in text.split(|b| *b == b'\n') {
        let start = at;
        at += line.len() + 1;
        let line = line.trim_ascii_end();
        if line.len() <= LONGEST && !line.starts_with(b"#") {
            found.extend(fifth(line).map(|field| Finding {
                rule: "record-password",
                start: start + field,
                end: start + line.len(),
            }));
        }
    }
}

/// Where the password begins, when the fields before it are a host, a port, a database and a user.
fn fifth(line: &[u8]) -> Option<usize> {
    let mut fields = line.splitn(5, |b| *b == b':');
    let (host, port, database, user, secret) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let is_name = |field: &[u8]| {
        !field.is_empty() && field.iter().all(|b| b.is_ascii_alphanumeric() || b"*_.-/@$".contains(b))
    };
    let is_port = port == b"*" || (2..=5).contains(&port.len()) && port.iter().all(u8::is_ascii_digit);
    // `path:line:column: message` has its numbers elsewhere.
    let is_user = is_name(user) && !user.iter().all(u8::is_ascii_digit);
    // A changed line has its sign before it.
    let host = host.strip_prefix(b"+").or_else(|| host.strip_prefix(b"-")).unwrap_or(host);
    let host = host.rsplit(|b| b.is_ascii_whitespace() || b"'\"".contains(b)).next().unwrap_or(host);
    let closed = secret.iter().any(u8::is_ascii_whitespace) || secret.contains(&b':');
    let fits = is_name(host) && is_port && is_name(database) && is_user && !closed && secret.len() >= 4;
    (fits && !is_placeholder(secret)).then_some(line.len() - secret.len())
}
