//! One of an agent's settings files, what goes into it, and the block of lines that is ours.

use super::command::{InstallError, Registration};
use super::groups::HookGroups;
use super::json_server::JsonServer;
use super::toml_server::TomlServer;

/// One of an agent's settings files, and what goes into it.
#[derive(Debug)]
pub struct SettingsFile {
    /// What goes into it.
    pub part: Part,
    /// Where it is.
    pub place: FilePlace,
    /// How many entries of ours it contains.
    pub entries: usize,
    /// What the user should do if our entry's name is taken.
    pub when_taken: &'static str,
    /// Adds and removes our entries.
    pub(crate) edit: FileEdit,
}

/// Where a settings file is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FilePlace {
    /// In the agent's directory: the first of these names that exists, or else the first.
    Directory(&'static [&'static str]),
    /// In the directory that the variable names, or else at this path in the home directory.
    DirectoryOr(&'static str, &'static str),
    /// Below a project's root: the first of these that exists, or else the first.
    Project(&'static [&'static str]),
}

impl FilePlace {
    /// The names that the file can have, relative to its directory.
    pub const fn names(&self) -> &[&'static str] {
        match self {
            Self::Directory(names) | Self::Project(names) => names,
            Self::DirectoryOr(name, _) => std::slice::from_ref(name),
        }
    }
}

nudge_core::named_enum! {
    /// What is added to a file.
    pub enum Part {
        /// Hooks.
        Hooks => "hooks",
        /// The MCP server.
        Server => "server",
        /// A setting that keeps the agent from waiting because of our hooks.
        NoWait => "no_wait",
    }
}

/// How our entries are added to a file.
#[derive(Debug)]
pub(crate) enum FileEdit {
    /// Groups of hooks in JSON.
    Groups(HookGroups),
    /// A member of a JSON object.
    JsonServer(JsonServer),
    /// A TOML table.
    TomlServer(TomlServer),
    /// A block between two markers.
    Block(Block),
}

impl SettingsFile {
    /// The file's text with our entries; unchanged if it has them already.
    pub fn with_entries(&self, text: Option<&str>, who: &Registration<'_>) -> Result<String, InstallError> {
        match &self.edit {
            FileEdit::Groups(groups) => groups.with(text, who),
            FileEdit::JsonServer(server) => server.with(text, who),
            FileEdit::TomlServer(server) => server.with(text, who),
            FileEdit::Block(block) => Ok(block.with(text, who)),
        }
    }

    /// The file's text without our entries, for any program with that path or with our name.
    pub fn without_entries(&self, text: &str, who: &Registration<'_>) -> Result<String, InstallError> {
        match &self.edit {
            FileEdit::Groups(groups) => groups.without(text, who.program),
            FileEdit::JsonServer(server) => server.without(text, who),
            FileEdit::TomlServer(server) => server.without(text, who.program),
            FileEdit::Block(block) => Ok(block.without(text)),
        }
    }

    /// Whether a text is empty apart from formatting, as a file that we created is after removal.
    pub fn is_effectively_empty(&self, text: &str) -> bool {
        let is_json = matches!(self.edit, FileEdit::Groups(_) | FileEdit::JsonServer(_));
        let members = is_json.then(|| serde_json::from_str::<serde_json::Value>(text).ok()).flatten();
        let says_nothing = |value: &serde_json::Value| {
            value.as_object().is_some_and(|object| object.keys().all(|key| key == "version"))
        };
        text.trim().is_empty() || members.is_some_and(|value| says_nothing(&value))
    }

    /// The programs that our entries in this text start, without duplicates.
    pub fn programs(&self, text: &str, own: &str) -> Vec<String> {
        let mut programs = match &self.edit {
            FileEdit::Groups(groups) => groups.programs(text, own),
            FileEdit::JsonServer(server) => server.programs(text, own),
            FileEdit::TomlServer(server) => server.programs(text, own),
            FileEdit::Block(block) => block.programs(text),
        };
        programs.sort_unstable();
        programs.dedup();
        programs
    }

    /// The shell line that the agent runs for an event, where its hooks are shell lines.
    pub fn hook_line(&self, who: &Registration<'_>, harness: &str) -> Option<String> {
        match &self.edit {
            FileEdit::Groups(_) => Some(who.hook_shell_line(harness)),
            FileEdit::Block(_) if self.part == Part::Hooks => Some(who.line(&["hook", harness])),
            FileEdit::Block(_) | FileEdit::JsonServer(_) | FileEdit::TomlServer(_) => None,
        }
    }
}

// A block of lines between two markers, in a file that otherwise belongs to others or that we
// created.

/// The content between the markers.
#[derive(Debug)]
pub(crate) struct Block {
    /// The start of a comment.
    pub(crate) comment: &'static str,
    /// If this word occurs elsewhere in the file, the user has already decided and we add nothing.
    pub(crate) skip_if_present: Option<&'static str>,
    /// The lines for a registration.
    pub(crate) lines: fn(&Registration<'_>) -> String,
    /// The program that such lines start.
    pub(crate) program: fn(&str) -> Option<String>,
}

const BEGIN_COMMENT: &str = " Written by `nudge install`. `nudge uninstall` removes it.\n";

const END_COMMENT: &str = " End of what `nudge install` wrote.\n";

impl Block {
    pub(super) fn with(&self, text: Option<&str>, who: &Registration<'_>) -> String {
        let mark = self.comment;
        let ours = format!("{mark}{BEGIN_COMMENT}{}{mark}{END_COMMENT}", (self.lines)(who));
        let Some(text) = text else { return ours };
        let others = self.without(text);
        if text.contains(&ours) || self.skip_if_present.is_some_and(|word| others.contains(word)) {
            return text.to_owned();
        }
        format!("{ours}{others}")
    }

    pub(super) fn without(&self, text: &str) -> String {
        match self.split(text) {
            Some((before, _, after)) => format!("{before}{after}"),
            None => text.to_owned(),
        }
    }

    pub(super) fn programs(&self, text: &str) -> Vec<String> {
        self.split(text).and_then(|(_, ours, _)| (self.program)(ours)).into_iter().collect()
    }

    /// The text before, between and after the markers.
    fn split<'a>(&self, text: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
        let (before, rest) = text.split_once(&format!("{}{BEGIN_COMMENT}", self.comment))?;
        let (ours, after) = rest.split_once(&format!("{}{END_COMMENT}", self.comment))?;
        Some((before, ours, after))
    }
}
