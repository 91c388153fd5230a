//! `nudge completions`: what a shell needs to complete commands and flags.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell to complete in
    shell: Shell,
}

impl CompletionsArgs {
    /// Prints the script for `command`; put it where the shell looks for completions.
    pub(crate) fn run(self, invocation: &Invocation, mut command: Command) -> Result<Exit, Failure> {
        command.build();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "nudge", &mut script);
        invocation.output.document(&String::from_utf8_lossy(&script));
        Ok(Exit::Ok)
    }
}
