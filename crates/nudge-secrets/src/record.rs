//! Lines of files with passwords in fields: `host:port:database:user:password`.

use super::Finding;
use super::placeholder::is_placeholder;
use super::token::find;

/// The longest line that is read.
const LONGEST: usize = 512;

/// Finds the last field of lines in the form of `.pgpass`.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let chpasswd = find(text, b"chpasswd", 0).is_some();
    let mut at = 0;
    for line in text.split(|b| *b == b'\n') {
        let start = at;
        at += line.len() + 1;
        let line = line.trim_ascii_end();
        if line.len() <= LONGEST && !line.starts_with(b"#") {
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
