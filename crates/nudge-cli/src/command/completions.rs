//! `nudge completions`: prints a script that makes the shell ask Nudge for completions.

use clap::{Args, ValueEnum};
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};
use nudge_core::{Fault, FaultKind};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

/// Bash splits words at colons, and the paths of entries have some: this joins them before it asks,
/// and takes the part before the last colon from the answers.
const BASH_COLONS: &str = r#"
_nudge_complete() {
    local word cur first i=0 at=0 glued=0
    local -a words=()
    for word in "${COMP_WORDS[@]}"; do
        if (( ${#words[@]} > 0 )) && [[ -n $word && ( $glued == 1 || $word == :* ) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        glued=0
        [[ $word == *: ]] && glued=1
        (( i == COMP_CWORD )) && at=$(( ${#words[@]} - 1 ))
        i=$(( i + 1 ))
    done
    cur=${words[at]}
    local -a COMP_WORDS=("${words[@]}")
    local COMP_CWORD=$at
    _clap_complete_nudge nudge "$cur" ""
    [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]] || return 0
    first=${cur%"${cur##*:}"}
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]#"$first"}
    done
}
"#;

/// The variable that the script sets to ask for completions.
pub(crate) const COMPLETE_VARIABLE: &str = "NUDGE_COMPLETE";

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
            .write_registration(COMPLETE_VARIABLE, "nudge", "nudge", "nudge", &mut script)
            .map_err(|error| Fault::new(FaultKind::Internal, "completions", error.to_string()))?;
        let mut script = String::from_utf8_lossy(&script).into_owned();
        if matches!(self.shell, Shell::Bash) {
            script = script.replace("-F _clap_complete_nudge", "-F _nudge_complete");
            script.insert_str(0, BASH_COLONS);
        }
        invocation.output.document(&script);
        Ok(Exit::Ok)
    }
}
