//! `nudge token`: the token that programs must send to the HTTP port.

use clap::{Args, Subcommand};
use nudge_client::token;
use serde_json::json;

use crate::agent_above::refuse_agents;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the path of the token file
    Show {
        /// Print the token itself
        #[arg(long)]
        reveal: bool,
    },
    /// Print the HTTP header that clients must send, as JSON (agents run this)
    Header,
    /// Replace the token; the old one stops working at once
    Rotate,
}

impl TokenArgs {
    /// Shows or replaces the token.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let home = invocation.home()?;
        let path = home.token_file();
        match self.action {
            Action::Show { reveal } => {
                let token = token::read(&home)?;
                let mut answer = json!({"path": path});
                if reveal {
                    answer["token"] = token.clone().into();
                }
                invocation.output.answer(&answer, |page| {
                    let shown = if reveal { token } else { path.display().to_string() };
                    page.text(shown).end();
                });
            }
            Action::Header => {
                home.secure_run_dir()?;
                let token = token::ensure(&home)?;
                invocation.output.data(&json!({"Authorization": format!("Bearer {token}")}));
            }
            Action::Rotate => {
                refuse_agents("nudge token rotate")?;
                token::rotate(&home)?;
                invocation.output.answer(&json!({"rotated": true, "path": path}), |page| {
                    page.good("✔").text(format!(" new token in {}", path.display())).end();
                });
            }
        }
        Ok(Exit::Ok)
    }
}
