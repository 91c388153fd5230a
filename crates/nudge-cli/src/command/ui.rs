//! `nudge ui`: opens the page in the browser, and signs the browser in.
//!
//! The link has a one-time code in its fragment, which no request contains. Another user of this
//! machine who reads it in the list of processes gains nothing: the server checks whose browser
//! uses it.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use nudge_client::connection::{Connection, Unreachable, barred};
use nudge_client::status::status;
use nudge_client::ui_sessions;
use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use serde_json::json;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::daemon;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::words::count;

/// How long the server may take to start.
const START_WITHIN: Duration = Duration::from_secs(20);

/// How long the program that opens a browser is watched for a failure.
const OPENED_WITHIN: Duration = Duration::from_millis(1_500);

/// The program that opens an address in the user's browser.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

#[derive(Debug, Args)]
#[command(after_long_help = "\
The link works once, within a minute, in a browser of this user. The browser
stays signed in for 30 days after its last use.

Examples:
  nudge ui
  nudge ui --print
  nudge ui --sign-out")]
pub(crate) struct UiArgs {
    /// Print the link instead of opening a browser
    #[arg(long)]
    print: bool,
    /// Sign in without the right to change anything
    #[arg(long)]
    read_only: bool,
    /// Sign all browsers out
    #[arg(long, conflicts_with_all = ["print", "read_only"])]
    sign_out: bool,
}

impl UiArgs {
    /// Signs a browser in, or all of them out.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Ui)?;
        let home = invocation.home()?;
        if self.sign_out {
            let ended = ui_sessions::end_all(&home)?;
            invocation.output.answer(&json!({"signed_out": ended}), |page| {
                let ended = i64::try_from(ended).unwrap_or(i64::MAX);
                page.good("✔").text(format!(" signed out {}", count(ended, "browser"))).end();
            });
            return Ok(Exit::Ok);
        }
        if !status(&home).running {
            daemon::start(&home, invocation.globals.port, START_WITHIN, |_| {})?;
        }
        let link = link(&home, self.read_only)?;
        if !self.print && opens(&link) {
            invocation.output.answer(&json!({"opened": true}), |page| {
                page.good("✔").text(" opened the page in your browser").end();
            });
            return Ok(Exit::Ok);
        }
        invocation.output.answer(&json!({"opened": false, "url": link}), |page| {
            page.text(&link).end();
        });
        if !self.print {
            invocation.output.note(|page| {
                page.faint("no browser could be started; open this link within a minute").end();
            });
        }
        Ok(Exit::Ok)
    }
}

/// A link that signs one browser in.
fn link(home: &Home, read_only: bool) -> Result<String, Fault> {
    let mut connection = Connection::reach(home).map_err(|why| match why {
        Unreachable::Refused(fault) => fault,
        Unreachable::Barred(error) => barred(error),
        Unreachable::Nobody => silent(),
    })?;
    let answer = connection.control("ui_code", &json!({"read_only": read_only})).map_err(|_| silent())??;
    match (answer["code"].as_str(), answer["port"].as_u64()) {
        (Some(code), Some(port)) => Ok(format!("http://127.0.0.1:{port}/login#{code}")),
        _ => Err(silent()),
    }
}

fn silent() -> Fault {
    Fault::new(FaultKind::Unavailable, "silent_server", "the server does not answer")
        .next("run `nudge status`; an older server may have to be stopped with `nudge stop`")
}

/// Whether a browser was started. Without a screen there is none to start.
fn opens(link: &str) -> bool {
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    if !has_screen && !cfg!(target_os = "macos") {
        return false;
    }
    let quiet = Stdio::null;
    let started = Command::new(OPENER).arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    let Ok(mut opener) = started else { return false };
    let began = Instant::now();
    while began.elapsed() < OPENED_WITHIN {
        match opener.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(_) => return false,
        }
    }
    // It is the browser itself, which runs on.
    true
}
