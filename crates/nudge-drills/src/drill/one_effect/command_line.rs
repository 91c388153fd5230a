//! The command line as an agent uses it: `nudge entry`, one process for each verb.

use anyhow::Context;
use serde_json::Value;

use super::surface::Surface;
use super::verb::Verb;
use crate::stage::Home;

/// The exit code for a wrong command line, and for input that is refused.
const USAGE: i32 = 2;

/// A home without a server.
pub(super) struct CommandLine(Home);

impl CommandLine {
    pub(super) fn open(home: &Home) -> Self {
        Self(Home::at(home.path().to_owned(), home.binary().to_owned()))
    }
}

impl Surface for CommandLine {
    fn name(&self) -> &'static str {
        "the command line"
    }

    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool> {
        let args = arguments(verb);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output =
            self.0.nudge(&args).env("CLAUDECODE", "1").output().context("nudge cannot be started")?;
        // Every answer is JSON, and every fault too. Anything else is a command line that is wrong.
        let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let is_json = said.iter().any(|text| serde_json::from_str::<Value>(text.trim()).is_ok());
        anyhow::ensure!(is_json, "nudge {} says {}", args.join(" "), said.concat().trim());
        Ok(output.status.code() == Some(USAGE) || said[0].trim().is_empty())
    }

    fn close(self: Box<Self>) -> anyhow::Result<()> {
        Ok(())
    }
}

/// The arguments after `nudge`.
fn arguments(verb: &Verb) -> Vec<String> {
    let mut args = vec!["entry".to_owned(), verb.name.to_owned(), "--json".to_owned()];
    for name in ["line", "limit", "max", "status"] {
        if let Some(number) = verb.params.get(name) {
            args.push(format!("--{name}={number}"));
        }
    }
    for name in ["visibility", "state", "outcome", "summary", "filter", "run"] {
        if let Some(text) = verb.text(name) {
            args.push(format!("--{name}={text}"));
        }
    }
    for (name, flag) in [("preview", "--preview"), ("manifest", "--preview"), ("raw", "--raw")] {
        if verb.is(name) {
            args.push(flag.to_owned());
        }
    }
    for (name, value) in verb.attributes() {
        args.push(format!("--attr={name}={value}"));
    }
    if matches!(verb.name, "rm" | "set") {
        args.push("--yes".to_owned());
    }
    args.push("--".to_owned());
    args.extend(["path", "to", "body"].iter().filter_map(|name| verb.text(name)).map(str::to_owned));
    args
}
