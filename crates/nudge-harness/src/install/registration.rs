//! What we register with an agent.

use super::command::quoted;

/// This program, its data directory, and how its server is reached.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Registration<'a> {
    /// Absolute path of the program.
    pub program: &'a str,
    /// Absolute path of the data directory, if it is not the default.
    pub home: Option<&'a str>,
    /// The HTTP server to register, instead of standard input and output.
    pub http: Option<Http<'a>>,
    /// The root of the project, if the registration is for one project.
    pub project: Option<&'a str>,
}

/// A server that is reached over HTTP.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Http<'a> {
    /// Its address.
    pub url: &'a str,
    /// The file with its token. The token itself is not written anywhere else.
    pub token_file: &'a str,
}

impl Registration<'_> {
    /// The program's arguments: these words, and the data directory.
    pub(crate) fn args(&self, words: &[&str]) -> Vec<String> {
        let mut args: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        if let Some(home) = self.home {
            args.extend(["--home".to_owned(), home.to_owned()]);
        }
        args
    }

    /// The shell line of a hook. It succeeds silently even if the program is missing or cannot run:
    /// otherwise an agent would report an error at every event, and one agent would forbid every
    /// tool.
    pub(crate) fn hook_shell_line(&self, harness: &str) -> String {
        let line = self.line(&["hook", harness]);
        format!("[ ! -x {} ] || {line} 2>/dev/null || :", quoted(self.program))
    }

    /// The same as one shell line.
    pub(crate) fn line(&self, words: &[&str]) -> String {
        let args = self.args(words);
        let all = std::iter::once(self.program).chain(args.iter().map(String::as_str));
        all.map(quoted).collect::<Vec<_>>().join(" ")
    }
}
