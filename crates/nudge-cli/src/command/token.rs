//! `nudge token`: the token that programs must send to the HTTP port.

use clap::{Args, Subcommand};
use nudge_client::client_tokens::{self, ClientToken};
use nudge_client::token;
use serde_json::json;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::pages::{Page, time};

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
    /// Make a token with your rights for a program such as an editor
    Client {
        /// Name of the program
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// List the client tokens
    Ls,
    /// End a client token at once
    Revoke {
        /// Name of the program
        #[arg(value_name = "NAME")]
        name: String,
    },
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
                refuse_agents(UserOnly::TokenRotate)?;
                token::rotate(&home)?;
                invocation.output.answer(&json!({"rotated": true, "path": path}), |page| {
                    page.good("✔").text(format!(" new token in {}", path.display())).end();
                });
            }
            Action::Client { name } => {
                refuse_agents(UserOnly::TokenClient)?;
                home.prepare()?;
                let token = client_tokens::make(&home, &name)?;
                invocation.output.answer(&json!({"name": name, "token": token}), |page| {
                    page.good("✔").text(format!(" token for {name}, shown only now:")).end();
                    page.strong(&token).end();
                    page.text("  It has your rights over /rpc, /ws and /api: do not give it to an agent.")
                        .end();
                    page.text("  The program sends it as `Authorization: Bearer TOKEN`.").end();
                    page.faint(format!("  `nudge token revoke {name}` ends it; so do 90 days without use"))
                        .end();
                });
            }
            Action::Ls => {
                refuse_agents(UserOnly::TokenLs)?;
                let tokens = client_tokens::list(&home)?;
                let row = |one: &ClientToken| {
                    json!({"name": one.name, "created_at": one.created_at, "used_at": one.used_at,
                        "ended": one.has_ended()})
                };
                let answer = json!({"tokens": tokens.iter().map(row).collect::<Vec<_>>()});
                invocation.output.answer(&answer, |page| listed(page, &tokens));
            }
            Action::Revoke { name } => {
                refuse_agents(UserOnly::TokenRevoke)?;
                client_tokens::revoke(&home, &name)?;
                invocation.output.answer(&json!({"revoked": name}), |page| {
                    page.good("✔").text(format!(" revoked the token of {name}")).end();
                });
            }
        }
        Ok(Exit::Ok)
    }
}

fn listed(page: &mut Page, tokens: &[ClientToken]) {
    if tokens.is_empty() {
        page.text("no client tokens; `nudge token client NAME` makes one").end();
    }
    for one in tokens {
        let used = match one.used_at == one.created_at {
            true => format!("made {}, never used", time::short_of_seconds(one.created_at, now())),
            false => format!("used {}", time::short_of_seconds(one.used_at, now())),
        };
        page.strong(&one.name).text(format!("  {used}"));
        if one.has_ended() {
            page.text("  ").warning("ended: not used for 90 days");
        }
        page.end();
    }
}
