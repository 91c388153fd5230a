//! `nudge model key`: saves the key of a provider in a private file.

use std::io::{BufRead, IsTerminal, Read};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nudge_core::{Fault, FaultKind};
use nudge_models::{Key, Provider, write_key};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use serde_json::json;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

/// The longest input. A key has a few hundred characters.
const MAX_KEY_FILE: u64 = 64 * 1024;

#[derive(Debug, Args)]
#[command(after_long_help = "\
The key is read from standard input, never from the command line, which other
programs can see. It is saved in a file that only you can read, and used from
the next run on. A variable such as OPENAI_API_KEY wins over the file.

Examples:
  nudge model key openai
  pass show openai | nudge model key openai")]
pub(crate) struct KeyArgs {
    /// Provider of the key
    #[arg(value_parser = provider())]
    provider: Provider,
}

fn provider() -> impl TypedValueParser<Value = Provider> {
    let names = Provider::ALL.map(Provider::name);
    PossibleValuesParser::new(names)
        .map(|name| Provider::parse(&name).expect("the names are those of the providers"))
}

impl KeyArgs {
    /// Saves the key.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::ModelKey)?;
        let Self { provider } = self;
        let key = Key::new(&typed(invocation, provider)?)
            .map_err(|error| Fault::invalid("key", error.to_string()).next("paste only the key"))?;
        let home = invocation.home()?;
        let file = home.keys_file();
        home.prepare()?;
        write_key(&file, provider, &key).map_err(|error| {
            Fault::new(FaultKind::Unavailable, "unwritable", error.to_string())
                .next("repair or remove the file, and try again")
        })?;
        let answer = json!({"provider": provider.name(), "path": file});
        invocation.output.answer(&answer, |page| {
            page.good("✔").text(format!(" saved the key of {provider} in {}", file.display())).end();
            page.text("  it is used from the next run on; a running server needs no restart").end();
            if let Some(name) = provider.key_variable().filter(|name| std::env::var_os(name).is_some()) {
                page.warning("warning:").text(format!(" {name} is set here and wins over the file")).end();
            }
        });
        Ok(Exit::Ok)
    }
}

/// The key, without its newline. On a terminal it is not shown while it is typed.
fn typed(invocation: &Invocation, provider: Provider) -> Result<String, Fault> {
    let unreadable = |error: std::io::Error| {
        Fault::invalid("unreadable_file", format!("cannot read standard input: {error}"))
    };
    let mut text = String::new();
    if std::io::stdin().is_terminal() {
        invocation.output.note(|page| {
            page.text(format!("Key of {provider} (it is not shown), then Enter:")).end();
        });
        let hidden = Hidden::enter();
        let read = std::io::stdin().lock().take(MAX_KEY_FILE).read_line(&mut text);
        drop(hidden);
        read.map_err(unreadable)?;
    } else {
        std::io::stdin().lock().take(MAX_KEY_FILE).read_to_string(&mut text).map_err(unreadable)?;
    }
    Ok(text)
}

/// The terminal without echo. Dropping this restores the earlier mode.
struct Hidden {
    before: Option<Termios>,
}

impl Hidden {
    fn enter() -> Self {
        let stdin = rustix::stdio::stdin();
        let before = tcgetattr(stdin).ok();
        if let Some(before) = &before {
            let mut hidden = before.clone();
            hidden.local_modes.remove(LocalModes::ECHO);
            let _ = tcsetattr(stdin, OptionalActions::Flush, &hidden);
        }
        Self { before }
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, before);
        }
    }
}
