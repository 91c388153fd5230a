//! Addresses of repositories, so that the ssh, https and short forms of the same one compare equal.

use percent_encoding::percent_decode_str;

/// Whether two addresses name the same repository.
///
/// `git:org/repo` (or a bare `org/repo`) names that repository on any host. Names of hosts and
/// repositories ignore case, as the large hosts do; paths on disk are exact.
pub fn same(one: &str, other: &str) -> bool {
    match (Address::parse(&canonical(one)), Address::parse(&canonical(other))) {
        (Address::Local(one), Address::Local(other)) => decoded(&one) == decoded(&other),
        (Address::Hosted { host: a, path: one }, Address::Hosted { host: b, path: other }) => {
            let hosts_agree = match (a, b) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            };
            hosts_agree && one.eq_ignore_ascii_case(&other)
        }
        _ => false,
    }
}

/// The canonical form of an address: `https://host/org/repo`, `git:org/repo` or `file:///path`.
///
/// Never contains credentials: everything before an `@` is dropped, and so are ssh ports, queries
/// and a trailing `.git`.
pub fn canonical(address: &str) -> String {
    let mut kept = rewritten(address);
    // Odd addresses nest (`x.git.git`, an address within an address): a few rounds settle all of
    // them.
    for _ in 0..8 {
        let next = rewritten(&kept);
        if next == kept {
            break;
        }
        kept = next;
    }
    kept
}

fn rewritten(address: &str) -> String {
    match Address::parse(address) {
        Address::Hosted { host: Some(host), path } => format!("https://{host}/{path}"),
        Address::Hosted { host: None, path } => format!("git:{path}"),
        Address::Local(path) => format!("file://{path}"),
    }
}

/// A parsed address.
enum Address {
    /// On a named host, or on any host.
    Hosted { host: Option<String>, path: String },
    /// A directory on this machine.
    Local(String),
}

impl Address {
    fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Some((scheme, rest)) = text.split_once("://")
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
        {
            return match scheme.to_ascii_lowercase().as_str() {
                "file" => Self::Local(local(rest)),
                scheme => Self::at(rest, !scheme.contains("http")),
            };
        }
        if let Some(path) = text.strip_prefix("file:") {
            return Self::Local(local(path));
        }
        if let Some(rest) = text.strip_prefix("git:") {
            return Self::short(rest);
        }
        if on_disk(text) {
            return Self::Local(local(text));
        }
        let (first, _) = text.split_once('/').unwrap_or((text, ""));
        if first.contains([':', '@']) { Self::scp(text) } else { Self::short(text) }
    }

    /// What follows `scheme://`: `user:token@host:port/path`.
    fn at(rest: &str, drop_port: bool) -> Self {
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let authority = without_user(authority);
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port),
            _ => (authority, ""),
        };
        if !port.bytes().all(|b| b.is_ascii_digit()) {
            // A password with a slash in it: the host follows the last `@`.
            let path = path.rsplit_once('@').map_or("", |(_, after)| after);
            let (host, path) = path.split_once('/').unwrap_or((path, ""));
            return Self::hosted(host, path);
        }
        let keep_port = !drop_port && !matches!(port, "" | "80" | "443");
        Self::hosted(if keep_port { authority } else { host }, path)
    }

    /// `user@host:path`, as ssh and scp write it.
    fn scp(text: &str) -> Self {
        let (first, rest) = text.split_once('/').unwrap_or((text, ""));
        let kept = without_user(first);
        match kept.split_once(':') {
            Some((host, path)) => Self::hosted(host, &format!("{path}/{rest}")),
            None => Self::hosted(kept, rest),
        }
    }

    /// `org/repo` on any host, or `host.tld/org/repo`.
    fn short(text: &str) -> Self {
        let path = tidy(text);
        match path.split_once('/') {
            Some((host, rest)) if host.contains('.') && rest.contains('/') => Self::hosted(host, rest),
            _ => Self::Hosted { host: None, path },
        }
    }

    fn hosted(host: &str, path: &str) -> Self {
        let host = host.trim().to_ascii_lowercase();
        Self::Hosted { host: (!host.is_empty()).then_some(host), path: tidy(path) }
    }
}

fn without_user(authority: &str) -> &str {
    authority.rsplit_once('@').map_or(authority, |(_, after)| after)
}

/// Drops the query, the fragment, empty segments, a trailing `.git`, and the credentials of an
/// address within the address.
fn tidy(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let segments: Vec<&str> =
        path.split('/').map(without_password).filter(|segment| !segment.is_empty()).collect();
    let joined = segments.join("/");
    joined.strip_suffix(".git").unwrap_or(&joined).trim_end_matches('/').to_owned()
}

/// `user:token@rest` without the secret part; `name@version` stays.
fn without_password(segment: &str) -> &str {
    match segment.rsplit_once('@') {
        Some((before, after)) if before.contains(':') => after.trim(),
        _ => segment.trim(),
    }
}

fn on_disk(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = bytes.len() >= 3
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\');
    drive || text.starts_with(['/', '.', '~', '\\'])
}

fn local(path: &str) -> String {
    let path = path.strip_prefix("localhost/").map_or_else(|| path.to_owned(), |rest| format!("/{rest}"));
    crate::glob::normalise_path(&path)
}

fn decoded(path: &str) -> String {
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests;
