//! The checks, in the order that a user would make them.

use std::os::unix::fs::PermissionsExt;

use nudge_client::status::{ServerStatus, status};
use nudge_client::token;
use nudge_client::version::is_newer;
use nudge_home::Home;
use nudge_home::home::private_dir;
use nudge_memory::manage_projects::claim_words;
use nudge_memory::recall::{IndexState, LONG_TAIL};
use nudge_memory::upkeep::{self, RetentionHold};

use crate::VERSION;
use crate::command::doctor::finding::{Finding, Fix, Severity};
use crate::command::doctor::{agents, capture, store};
use crate::context_args::working_directory;
use crate::flags::claims;
use crate::invocation::{Invocation, now};
use crate::own_notes::{self, AgentNotesFile};
use crate::pages::time;
use crate::pages::words::count;
use crate::registration::InstallContext;

/// Every finding. Checks that need a home are skipped if there is none.
pub(crate) fn all(invocation: &Invocation, may_probe: bool, is_deep: bool) -> Vec<Finding> {
    let home = match invocation.home() {
        Ok(home) => home,
        Err(fault) => return vec![Finding::fault("home", fault)],
    };
    let server = status(&home);
    let mut findings = vec![
        directory(&home),
        store::check_storage(&home, &server),
        store::check_store(&home, is_deep),
        check_index(&home),
        run_dir(&home),
        about_server(&server),
        about_token(&home),
    ];
    findings.push(versions(&server));
    findings.push(settings(invocation));
    let is_sound = findings.iter().all(|finding| finding.severity != Severity::Fail);
    findings.extend(agents::all(invocation, &home, may_probe && is_sound));
    findings.extend(check_own_notes(&home));
    findings.push(capture::hooks(&home));
    findings.push(capture::drops(&home));
    findings.extend(capture::recent(&home));
    findings.extend(check_retention(&home));
    findings.extend(disputed_names(invocation));
    findings
}

/// Directories that claim the name of another project; `None` if there are none.
fn disputed_names(invocation: &Invocation) -> Option<Finding> {
    let claims = claims(invocation);
    let said: Vec<String> = claims
        .iter()
        .filter_map(|view| Some(format!("{} {}", view.label(), claim_words(view.claim.as_deref()?))))
        .collect();
    (!said.is_empty()).then(|| {
        Finding::warn("projects", said.join("; "), "if it is another project, rename it in its .nudge.toml")
    })
}

fn directory(home: &Home) -> Finding {
    let root = home.root();
    let shown = root.display();
    match root.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Finding::ok("home", format!("{shown} (made when the first hint is left)"))
        }
        Err(error) => {
            Finding::fail("home", format!("{shown}: {error}"), "make it readable for you, or pass --home")
        }
        Ok(found) if !found.is_dir() => {
            Finding::fail("home", format!("{shown} is not a directory"), "move it away, or pass --home")
        }
        Ok(found) if found.permissions().mode() & 0o077 != 0 => Finding::warn(
            "home",
            format!("{shown} is open to other users"),
            format!("close it: chmod 700 {shown}"),
        )
        .fixed_by(Fix::Close(root.to_owned())),
        Ok(_) => Finding::ok("home", shown.to_string()),
    }
}

fn run_dir(home: &Home) -> Finding {
    match private_dir::inspect(&home.run_dir()) {
        Ok(true) => Finding::ok("run", "private"),
        Ok(false) => Finding::ok("run", "not made yet"),
        Err(fault) => Finding::fault("run", fault),
    }
}

fn about_server(server: &ServerStatus) -> Finding {
    if let Some(problem) = &server.problem {
        return Finding::fail("server", problem.clone(), "see what is said of `run` above");
    }
    if !server.running {
        return Finding::ok("server", "not running; commands open the memory themselves");
    }
    let pid = server.pid.map_or_else(|| "a process".to_owned(), |pid| format!("pid {pid}"));
    if !server.responding {
        let way_out = server.pid.map_or_else(
            || format!("find who holds the lock in {}/run and end it", server.home),
            // A stopped or stuck process does not react to a gentler signal.
            |pid| format!("end it with `kill -9 {pid}`; the next `nudge serve` takes over"),
        );
        return Finding::fail("server", format!("{pid} holds the lock and does not answer"), way_out);
    }
    let port = server.port.unwrap_or_default();
    if server.port_pending {
        return Finding::warn(
            "server",
            format!("{pid} runs, but another program sits on port {port}"),
            "end that program, or stop the server and start it with another --port",
        );
    }
    let kind = if server.ephemeral == Some(true) { ", ephemeral" } else { "" };
    Finding::ok("server", format!("{pid} on port {port}{kind}"))
}

fn about_token(home: &Home) -> Finding {
    let path = home.token_file();
    if path.symlink_metadata().is_err() {
        return Finding::ok("token", "none yet; the first server makes one");
    }
    match token::read(home) {
        Ok(_) => Finding::ok("token", format!("{} (yours alone)", path.display())),
        Err(fault) => Finding::fault("token", fault),
    }
}

fn versions(server: &ServerStatus) -> Finding {
    match &server.version {
        Some(version) if is_newer(VERSION, version) => Finding::warn(
            "versions",
            format!("this is nudge {VERSION}, the server is {version}"),
            "start `nudge serve --daemon`: it takes over from the older server",
        ),
        Some(version) if version != VERSION => Finding::warn(
            "versions",
            format!("this is nudge {VERSION}, the server is {version}"),
            "stop the server with `nudge stop` and start it again",
        ),
        Some(version) => Finding::ok("versions", format!("nudge {VERSION}, server {version}")),
        None => Finding::ok("versions", format!("nudge {VERSION}")),
    }
}

fn settings(invocation: &Invocation) -> Finding {
    let resolved = match invocation.resolved() {
        Ok(resolved) => resolved,
        Err(fault) => return Finding::fault("settings", fault),
    };
    if !resolved.unsure.is_empty() {
        return Finding::fail(
            "settings",
            format!(
                "nothing is captured, since it is unsure what to keep out: {}",
                resolved.warnings.join("; ")
            ),
            "mend what is named; `nudge config` shows every key",
        );
    }
    match &resolved.warnings[..] {
        [] => Finding::ok("settings", "no problems"),
        warnings => Finding::warn(
            "settings",
            warnings.join("; "),
            "mend what is named; `nudge config` shows every key",
        ),
    }
}

// Whether retention removes old rows on time.

const RETENTION_CHECK: &str = "retention";

/// Why retention does not remove old rows. Empty if it does.
fn check_retention(home: &Home) -> Vec<Finding> {
    // The `store` check reports problems with the store.
    let Ok(Some(memory)) = upkeep::open_for_reading(home, now()) else { return Vec::new() };
    let Ok(Some(hold)) = upkeep::retention_hold(&memory, now()) else { return Vec::new() };
    jumped(&hold).into_iter().chain(stopped(&hold)).collect()
}

fn jumped(hold: &RetentionHold) -> Option<Finding> {
    let (from, to) =
        (time::exact_of_text(hold.counts_from.as_ref()?), time::exact_of_text(hold.jumped_to.as_ref()?));
    Some(Finding::warn(
        RETENTION_CHECK,
        format!("the clock jumped from {from} to {to}; retention counts from before that"),
        "if the clock is right, say so with `nudge maintain --clock-is-right`; if not, set it right",
    ))
}

fn stopped(hold: &RetentionHold) -> Option<Finding> {
    let (due, kept) = (hold.due?, hold.kept?);
    Some(Finding::warn(
        RETENTION_CHECK,
        format!("the sweep stopped: {due} of {kept} rows are due, more than a tenth of what is kept"),
        "see that the clock and `nudge config` are right, then run `nudge maintain --remove-all-due`",
    ))
}

// Notes that agents keep by themselves, outside Nudge. Nudge never writes to them or switches them
// off.

/// Names the files that agents read by themselves. `None` if there are none.
fn check_own_notes(home: &Home) -> Option<Finding> {
    let place = InstallContext::find(home.clone()).ok()?;
    let found = own_notes::find(place.user_home(), &working_directory());
    if found.is_empty() {
        return None;
    }
    let lines = |note: &AgentNotesFile| count(i64::try_from(note.lines).unwrap_or(i64::MAX), "line");
    let name = |note: &AgentNotesFile| format!("{} ({}, {})", note.path.display(), note.reader, lines(note));
    let names: Vec<String> = found.iter().map(name).collect();
    Some(Finding::ok(
        "memories",
        format!(
            "agents also read: {}. Nudge leaves them alone; `nudge import notes` takes them in as statements, \
             and then the same line may reach an agent twice",
            names.join(", ")
        ),
    ))
}

const INDEX_CHECK: &str = "index";

/// Whether searches are fast. Results are correct in any case.
fn check_index(home: &Home) -> Finding {
    let memory = match upkeep::open_for_reading(home, now()) {
        Ok(Some(memory)) => memory,
        // The `store` check reports problems with the store.
        Ok(None) | Err(_) => return Finding::ok(INDEX_CHECK, "none yet"),
    };
    let lag = memory.index_lag().unwrap_or(0);
    let is_long = usize::try_from(lag).is_ok_and(|lag| lag > LONG_TAIL);
    let standing = memory.index().status();
    let facts = match standing.state {
        IndexState::Ready => format!("{} entries, {lag} changes behind", standing.documents),
        IndexState::Building => format!("being built: {} entries so far", standing.documents),
        IndexState::Missing => "none yet: searches scan the memory".to_owned(),
        other => format!("{}: searches scan the memory", word(other)),
    };
    let is_slow =
        is_long || !matches!(standing.state, IndexState::Ready | IndexState::Missing | IndexState::Building);
    if is_slow {
        return Finding::warn(
            INDEX_CHECK,
            facts,
            "searches are right but slow; `nudge maintain` brings it up",
        )
        .fixed_by(Fix::Maintain);
    }
    Finding::ok(INDEX_CHECK, facts)
}

const fn word(state: IndexState) -> &'static str {
    match state {
        IndexState::OtherStore => "of another memory",
        IndexState::OtherVersion => "of another version",
        _ => "damaged",
    }
}
