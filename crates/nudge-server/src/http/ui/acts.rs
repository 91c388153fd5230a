//! What the page does that is no operation, because it reaches beyond the store: pausing capture,
//! deleting an entry for good, and reading what some commands print. Purging by text, restoring and
//! installing stay commands.

use std::process::Stdio;
use std::time::Duration;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Extension, Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use nudge_core::{EntryId, Fault, FaultKind};
use nudge_memory::capture::pause::{Pause, PauseScope, Pauses};
use nudge_memory::upkeep::purge;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::backend;
use crate::http::body;
use crate::http::mcp::Mounted;
use crate::http::state::Rights;

/// The longest pause from the page, in minutes. A longer one is a command.
const MAX_PAUSE_MINUTES: u32 = 24 * 60;

const MINUTE_MS: i64 = 60_000;

/// How long to pause.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct PauseFor {
    minutes: u32,
}

/// `GET /ui/pause`: what is paused.
pub(in crate::http) async fn pauses(State(mounted): State<Mounted>) -> Response {
    answered(&mounted, |mounted| Ok(shown(&Pauses::read(&mounted.state.home, nudge_client::now())))).await
}

/// `POST /ui/pause?minutes=60`: captures nothing for a while.
pub(in crate::http) async fn pause(
    State(mounted): State<Mounted>,
    Extension(rights): Extension<Rights>,
    wanted: Result<Query<PauseFor>, QueryRejection>,
) -> Response {
    let minutes = wanted.ok().map(|Query(wanted)| wanted.minutes);
    let Some(minutes) = minutes.filter(|minutes| (1..=MAX_PAUSE_MINUTES).contains(minutes)) else {
        let fault = Fault::invalid("minutes", "a pause has 1 to 1,440 minutes").with("field", "minutes");
        return body::fault_response(StatusCode::BAD_REQUEST, &fault);
    };
    change(&mounted, &rights, move |mounted| {
        let now = nudge_client::now();
        let mut pauses = Pauses::read(&mounted.state.home, now);
        let until = now.as_millis() + i64::from(minutes) * MINUTE_MS;
        pauses.add(Pause { scope: PauseScope::All, since: now.as_millis(), until: Some(until) });
        written(mounted, &pauses)
    })
    .await
}

/// `DELETE /ui/pause`: ends all pauses.
pub(in crate::http) async fn unpause(
    State(mounted): State<Mounted>,
    Extension(rights): Extension<Rights>,
) -> Response {
    change(&mounted, &rights, |mounted| written(mounted, &Pauses::default())).await
}

fn written(mounted: &Mounted, pauses: &Pauses) -> Result<Value, Fault> {
    pauses.write(&mounted.state.home).map_err(|error| {
        Fault::new(FaultKind::ReadOnly, "pause_not_written", format!("cannot save the pause: {error}"))
            .next("make the memory directory writable")
    })?;
    Ok(shown(pauses))
}

fn shown(pauses: &Pauses) -> Value {
    let everything = pauses.pauses.iter().find(|pause| pause.scope == PauseScope::All);
    json!({
        "paused": everything.is_some(),
        "until": everything.and_then(|pause| pause.until),
        "others": pauses.pauses.len() - usize::from(everything.is_some()),
    })
}

/// `DELETE /ui/entries/:id`: deletes an observation or a prompt for good: from the store, the
/// index, the log and the backups.
pub(in crate::http) async fn delete(
    State(mounted): State<Mounted>,
    Extension(rights): Extension<Rights>,
    id: Result<Path<i64>, PathRejection>,
) -> Response {
    let Ok(Path(id)) = id else {
        let fault = Fault::invalid("id", "the id of an entry is a number").with("field", "id");
        return body::fault_response(StatusCode::BAD_REQUEST, &fault);
    };
    change(&mounted, &rights, move |mounted| {
        if mounted.state.identity.ephemeral {
            let why = "this memory is not on a disk";
            return Err(Fault::invalid("ephemeral", why).next("it is gone when the server stops"));
        }
        let (home, now) = (&mounted.state.home, nudge_client::now());
        let Some(local) = mounted.state.backend.local() else {
            let why = "another server is taking over";
            return Err(Fault::new(FaultKind::Unavailable, "handing_over", why).next("try again"));
        };
        let filter = purge::Filter { ids: Some(vec![EntryId(id)]), ..purge::Filter::default() };
        let purged = purge::purge(local.memory(), home, &filter, now)?;
        if purged.is_nothing() {
            let why = format!("there is no entry {id} that can be deleted for good");
            return Err(Fault::new(FaultKind::NotFound, "no_entry", why)
                .next("use `nudge forget` for a statement and `nudge hint rm` for a hint"));
        }
        let backups = purged.backups.iter().filter(|copy| copy.failed.is_some()).count();
        Ok(json!({"deleted": id, "index_cleared": purged.index_cleared, "backups_left": backups}))
    })
    .await
}

/// `GET /ui/sessions`: the browsers that are signed in, and which of them asks. It says nothing
/// that would open the page.
pub(in crate::http) async fn browsers(
    State(mounted): State<Mounted>,
    Extension(rights): Extension<Rights>,
) -> Response {
    answered(&mounted, move |mounted| {
        let own = match &rights {
            Rights::Browser { session, .. } => &**session,
            Rights::Agent | Rights::User { .. } => "",
        };
        let found = mounted.state.browsers.list().into_iter().map(|one| {
            json!({
                "id": one.id,
                "browser": one.browser,
                "read_only": one.read_only,
                "since": one.created_at * 1_000,
                "used": one.used_at * 1_000,
                "is_this": one.id == own,
            })
        });
        Ok(json!({"browsers": found.collect::<Vec<_>>()}))
    })
    .await
}

/// `DELETE /ui/sessions/:id`: signs one browser out. Its open connections are closed.
pub(in crate::http) async fn end_browser(
    State(mounted): State<Mounted>,
    Extension(rights): Extension<Rights>,
    Path(id): Path<String>,
) -> Response {
    change(&mounted, &rights, move |mounted| match mounted.state.browsers.end(&id)? {
        true => {
            tracing::info!(session = id, "a browser was signed out");
            Ok(Value::Null)
        }
        false => {
            let why = "this browser is not signed in any more";
            Err(Fault::new(FaultKind::NotFound, "no_browser", why).next("reload the page"))
        }
    })
    .await
}

/// The commands whose answers the page shows. They only read, so that page and terminal never
/// differ.
const COMMANDS: [&str; 3] = ["doctor", "status", "config"];

/// How long such a command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(20);

/// `GET /ui/commands/:name`: what `nudge NAME --json` prints.
pub(in crate::http) async fn command(State(mounted): State<Mounted>, Path(name): Path<String>) -> Response {
    let Some(name) = COMMANDS.into_iter().find(|known| *known == name) else {
        let why = "the page shows no such command";
        let fault = Fault::new(FaultKind::NotFound, "no_command", why).next("run it in a terminal");
        return body::fault_response(StatusCode::NOT_FOUND, &fault);
    };
    let failed = |why: &str| {
        let fault = Fault::new(FaultKind::Unavailable, "command_failed", why)
            .next(format!("run `nudge {name}` in a terminal"));
        body::fault_response(StatusCode::SERVICE_UNAVAILABLE, &fault)
    };
    let Ok(command) = nudge_client::background::command(&mounted.state.home) else {
        return failed("the program cannot be found");
    };
    let mut command = tokio::process::Command::from(command);
    command
        .args(["--json", name])
        .current_dir(mounted.state.home.root())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    match tokio::time::timeout(COMMAND_TIMEOUT, command.output()).await {
        // `doctor` ends with a failure if it finds a problem.
        Ok(Ok(done)) => match serde_json::from_slice(&done.stdout) {
            Ok(answer) => body::json_response(StatusCode::OK, &answer),
            Err(_) => failed("the command printed no answer"),
        },
        Ok(Err(_)) => failed("the command could not be started"),
        Err(_) => failed("the command took too long"),
    }
}

/// Runs something that changes the memory, unless this browser may only read.
async fn change(
    mounted: &Mounted,
    rights: &Rights,
    act: impl FnOnce(&Mounted) -> Result<Value, Fault> + Send + 'static,
) -> Response {
    if !matches!(rights, Rights::Browser { read_only: false, .. }) {
        let why = "this browser may only read";
        let fault =
            Fault::new(FaultKind::Forbidden, "read_only", why).next("run `nudge ui` to sign in again");
        return body::fault_response(StatusCode::FORBIDDEN, &fault);
    }
    answered(mounted, act).await
}

async fn answered(
    mounted: &Mounted,
    act: impl FnOnce(&Mounted) -> Result<Value, Fault> + Send + 'static,
) -> Response {
    let mounted = mounted.clone();
    match backend::run_blocking(move || act(&mounted)).await {
        Ok(Ok(answer)) => body::json_response(StatusCode::OK, &answer),
        Ok(Err(fault)) => {
            let status = match fault.kind {
                FaultKind::NotFound => StatusCode::NOT_FOUND,
                FaultKind::Busy | FaultKind::Unavailable | FaultKind::ReadOnly => {
                    StatusCode::SERVICE_UNAVAILABLE
                }
                _ => StatusCode::BAD_REQUEST,
            };
            body::fault_response(status, &fault)
        }
        Err(_) => {
            let fault =
                Fault::new(FaultKind::Internal, "failed", "the server could not do it").next("try again");
            body::fault_response(StatusCode::INTERNAL_SERVER_ERROR, &fault)
        }
    }
}
