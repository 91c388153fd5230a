//! `nudge completions`: prints a script that makes the shell ask Nudge for completions.

use clap::{Args, ValueEnum};
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};
use nudge_core::{Fault, FaultKind};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

/// The variable that the script sets to ask for completions.
pub(crate) const VARIABLE: &str = "NUDGE_COMPLETE";

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(after_long_help = "\
The script completes commands, options and values: projects, sessions, hints,
entry types, settings and agents. Load it at the start of your shell:
  bash  source <(nudge completions bash)       in ~/.bashrc
  zsh   source <(nudge completions zsh)        in ~/.zshrc
  fish  nudge completions fish | source        in ~/.config/fish/config.fish")]
pub(crate) struct CompletionsArgs {
    /// Shell to print the script for
    shell: Shell,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

impl Shell {
    fn completer(self) -> &'static dyn EnvCompleter {
        match self {
            Self::Bash => &Bash,
            Self::Elvish => &Elvish,
            Self::Fish => &Fish,
            Self::Powershell => &Powershell,
            Self::Zsh => &Zsh,
        }
    }
}

impl CompletionsArgs {
    /// Prints the script. It finds `nudge` on the `PATH`, so an update needs no new script.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        self.shell
            .completer()
            .write_registration(VARIABLE, "nudge", "nudge", "nudge", &mut script)
            .map_err(|error| Fault::new(FaultKind::Internal, "completions", error.to_string()))?;
        invocation.output.document(&String::from_utf8_lossy(&script));
        Ok(Exit::Ok)
    }
}
