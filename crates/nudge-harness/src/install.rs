//! Putting Nudge into an agent's own settings, and taking it out again.
//!
//! Text in, text out: given what a settings file says now, the functions here say what it should say. What they do not
//! have to touch stays as it is, byte for byte: order, indentation, line ends. Reading and writing is the caller's work.

use std::borrow::Cow;

pub use crate::edit::EditError;

/// How Nudge is put into one agent.
#[derive(Debug)]
pub struct Installer {
    /// The variable that names the directory of the agent's settings, where a person sets one.
    pub directory_variable: &'static str,
    /// The files, and what goes into each.
    pub files: &'static [SettingsFile],
}

/// One file of an agent's settings, and what goes into it.
#[derive(Debug)]
pub struct SettingsFile {
    /// What goes into it.
    pub part: Part,
    /// Its name in the directory of the settings.
    pub in_directory: &'static str,
    /// Its path from the person's home, where no directory is named.
    pub in_home: &'static str,
    /// How many entries of ours it holds.
    pub entries: usize,
    /// What to do when the name of our entry is taken.
    pub when_taken: &'static str,
    /// What the file says once ours is in it; a file that has it already stays as it is.
    pub with: fn(Option<&str>, &Registration<'_>) -> Result<String, InstallError>,
    /// What the file says once ours is out of it, whichever program of that path or of our name it
    /// calls.
    pub without: fn(&str, &str) -> Result<String, InstallError>,
}

/// What is put into a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Hooks.
    Hooks,
    /// The MCP server.
    Server,
}

/// Who is registered: this program, and the memory it is to use.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Registration<'a> {
    /// Absolute path of the program.
    pub program: &'a str,
    /// Absolute directory of the memory, if it is not the one that every process finds by itself.
    pub home: Option<&'a str>,
}

impl Registration<'_> {
    /// The arguments after the program: these words, and where the memory lies.
    pub(crate) fn args(&self, words: &[&str]) -> Vec<String> {
        let mut args: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        if let Some(home) = self.home {
            args.extend(["--home".to_owned(), home.to_owned()]);
        }
        args
    }

    /// The same as one line for a shell.
    pub(crate) fn line(&self, words: &[&str]) -> String {
        let args = self.args(words);
        let all = std::iter::once(self.program).chain(args.iter().map(String::as_str));
        all.map(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// A word that a POSIX shell reads as it stands.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
}

/// Why a settings file cannot be changed. Never repeats what the file says: it may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// It is not what a settings file is.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The name we would use belongs to something else.
    #[error("`{0}` is there already and is not what Nudge writes")]
    Taken(Cow<'static, str>),
}

/// Whether a program is ours: the one that is being registered, or one that is called like it (`nudge`, `nudge-0.2`).
pub(crate) fn is_ours(program: &str, own: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let rest = name.strip_prefix("nudge").map(|rest| rest.strip_suffix(".exe").unwrap_or(rest));
    program == own || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}
