//! One entry as text: a tag named after its scheme, with its line or its body inside.

use super::entry::PacketEntry;
use super::projection::projection;
use super::quoting;

/// Attributes that the packet writes itself. An entry cannot write them.
const OWN: [&str; 7] = ["path", "tokens", "status", "state", "outcome", "tokenUsage", "tokensFree"];

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
        push(&mut out, "state", &entry.state);
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
        && !OWN.iter().any(|own| own.eq_ignore_ascii_case(name))
}
