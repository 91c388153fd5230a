//! What is registered with an agent.

use super::command::quoted;

/// Who is registered: this program, the memory it is to use, and how its server is reached.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Registration<'a> {
    /// Absolute path of the program.
    pub program: &'a str,
    /// Absolute directory of the memory, if it is not the one that every process finds by itself.
    pub home: Option<&'a str>,
    /// The server over HTTP instead of standard input and output.
    pub http: Option<Http<'a>>,
    /// The root of the project that this is for, where it is for one.
    pub project: Option<&'a str>,
}

/// A server that is reached over HTTP.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Http<'a> {
    /// Its address.
    pub url: &'a str,
    /// The file that holds its token. The token itself is written nowhere else.
    pub token_file: &'a str,
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

    /// The line of a hook. It succeeds and is silent also where the program is gone or cannot run: an agent would
    /// report an error at every event, and one of them would forbid every tool.
    pub(crate) fn guarded(&self, harness: &str) -> String {
        let line = self.line(&["hook", harness]);
        format!("[ ! -x {} ] || {line} 2>/dev/null || :", quoted(self.program))
    }

    /// The same as one line for a shell.
    pub(crate) fn line(&self, words: &[&str]) -> String {
        let args = self.args(words);
        let all = std::iter::once(self.program).chain(args.iter().map(String::as_str));
        all.map(quoted).collect::<Vec<_>>().join(" ")
    }
}
