//! One entry as text: a tag named after its scheme, with its line or its body inside.

use super::entry::PacketEntry;
use super::quoting;
use crate::clean::clean;

/// Attributes that the packet writes itself. An entry cannot write them.
const OWN_ATTRIBUTES: [&str; 7] =
    ["path", "tokens", "status", "state", "outcome", "tokenUsage", "tokensFree"];

/// An entry, quoted and ready to be written with any premium.
pub(super) struct Rendering<'a> {
    entry: &'a PacketEntry,
    tag: &'a str,
    path: String,
    attributes: String,
    line: String,
    body: String,
}

impl<'a> Rendering<'a> {
    /// Quotes an entry.
    pub(super) fn new(entry: &'a PacketEntry) -> Self {
        let tag = quoting::tag(&entry.scheme);
        let path = quoting::path(&entry.path);
        Self {
            entry,
            tag,
            attributes: attributes(entry),
            line: projection(entry),
            body: quoting::body(&entry.body, entry.by_user, tag, &path),
            path,
        }
    }

    /// The entry that it renders.
    pub(super) const fn entry(&self) -> &'a PacketEntry {
        self.entry
    }

    /// The entry in one line.
    pub(super) fn line(&self, premium: u32) -> String {
        self.line_with("", premium)
    }

    /// The entry with its body.
    pub(super) fn whole(&self, premium: u32) -> String {
        self.whole_with("", premium)
    }

    /// The entry in one line, with these attributes first.
    pub(super) fn line_with(&self, first: &str, premium: u32) -> String {
        let Self { tag, line, .. } = self;
        let head = self.head(first, premium);
        if line.is_empty() { format!("<{head}/>\n") } else { format!("<{head}>{line}</{tag}>\n") }
    }

    /// The entry with its body, with these attributes first.
    pub(super) fn whole_with(&self, first: &str, premium: u32) -> String {
        let Self { tag, path, body, .. } = self;
        let head = self.head(first, premium);
        if body.is_empty() {
            return format!("<{head}/>\n");
        }
        let end = if body.ends_with('\n') { "" } else { "\n" };
        format!("<{head}>\n<<:::{path}\n{body}{end}:::{path}\n</{tag}>\n")
    }

    fn head(&self, first: &str, premium: u32) -> String {
        let Self { tag, path, attributes, .. } = self;
        format!("{tag}{first} path=\"{path}\" tokens=\"{premium}\"{attributes}")
    }
}

/// What the tag says besides path and tokens: how the last operation ended, then the attributes of
/// the entry.
fn attributes(entry: &PacketEntry) -> String {
    let mut out = String::new();
    if entry.has_failed() {
        push(&mut out, "state", entry.state.name());
        if let Some(outcome) = &entry.outcome {
            push(&mut out, "outcome", outcome);
        }
    } else {
        push(&mut out, "status", &entry.status.to_string());
    }
    for (name, value) in entry.attributes.iter().filter(|(name, _)| is_free_name(name)) {
        push(&mut out, name, value);
    }
    out
}

fn push(out: &mut String, name: &str, value: &str) {
    out.push_str(&format!(" {name}=\"{}\"", quoting::value(value)));
}

/// Whether an entry may write an attribute of this name.
fn is_free_name(name: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(is_of_name)
        && !OWN_ATTRIBUTES.iter().any(|own| own.eq_ignore_ascii_case(name))
}

// The one line that stands for an entry while its body is hidden.

/// The most characters of a description.
const MAX_SUMMARY_CHARS: usize = 80;

/// The most characters of a line that is made from the body.
const MAX_PREVIEW_CHARS: usize = 500;

/// How many lines of a file are shown.
const FILE_LINES: usize = 8;

/// The line of an entry: its description, or what its scheme makes of the body.
fn projection(entry: &PacketEntry) -> String {
    let described = entry.summary.as_deref().map(|summary| clean(summary, MAX_SUMMARY_CHARS));
    match described {
        Some(summary) if !summary.is_empty() => summary,
        _ => of_scheme(&entry.scheme)(&entry.body),
    }
}

/// How a scheme condenses a body.
fn of_scheme(scheme: &str) -> fn(&str) -> String {
    match scheme {
        "" | "file" => first_lines,
        _ => truncated,
    }
}

/// The beginning of a text.
fn truncated(body: &str) -> String {
    clean(body, MAX_PREVIEW_CHARS)
}

/// The first lines of a file that have any letters: they name what is in it.
fn first_lines(body: &str) -> String {
    let says_something = |line: &&str| line.contains(char::is_alphanumeric);
    let lines: Vec<&str> = body.lines().filter(says_something).take(FILE_LINES).collect();
    clean(&lines.join(" / "), MAX_PREVIEW_CHARS)
}
