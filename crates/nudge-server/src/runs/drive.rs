//! Takes the runs that have work, and drives each until it has none.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nudge_agent::proposals::Sandbox;
use nudge_agent::runs::{CommandTurn, LoopWork, PluginTurn};
use nudge_agent::{CallDone, Driver, FailureKind, Input, ModelFacts, ModelTurn, Need};
use nudge_core::run::{Mode, RunState};
use nudge_core::{EntryPath, Fault, Timestamp};
use nudge_home::Home;
use nudge_memory::Memory;
use nudge_models::{Client, Keys, ModelSpec};
use nudge_store::RunId;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::{self, JoinSet};
use tokio_util::sync::CancellationToken;

use super::call::{Call, Called};
use super::command::Running;
use super::command::cancelled;
use super::plugins::{Calling, Plugins};
use super::{call, command};
use crate::backend::{self, Local};
use crate::log;
use crate::reach::{Reach, spec};
use crate::run_feed::{DECIDED, NOTIFY, PROPOSAL, RunNote, STATE, STREAM_CANCELLED};

/// The requester in the log for runs.
const RUN_REQUESTER: &str = "run";

/// How many runs are driven at once. Others wait. One that waits for the user takes no place.
const AT_ONCE: usize = 8;

/// How often the store is asked for work that another process queued. Clients ask PRIMARY, which
/// wakes the driver, so this finds only what a process wrote before there was a PRIMARY.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long a run waits after the store failed it.
const RETRY_DELAY: Duration = Duration::from_secs(5);

/// The status of a call that waits for the user.
const STATUS_WAITS: u16 = 202;

/// Drives all runs until `stop` is cancelled.
pub(crate) async fn drive_all(home: Home, local: Arc<Local>, by_agent: bool, stop: CancellationToken) {
    let reach = Arc::new(Reach { home: home.clone(), by_agent });
    local.set_reach(reach.clone());
    let client = Client::new();
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut tasks = JoinSet::new();
    let mut driven: HashMap<task::Id, RunId> = HashMap::new();
    loop {
        let woken = local.runs().woken();
        for run in waiting(&local).await {
            if !driven.values().any(|driven| *driven == run) {
                let (home, local, client) = (home.clone(), local.clone(), client.clone());
                let one = One { home, local, reach: reach.clone(), client, places: places.clone(), run };
                let stop = stop.clone();
                let task = tasks.spawn(async move { one.drive(&stop).await });
                driven.insert(task.id(), run);
            }
        }
        tokio::select! {
            () = stop.cancelled() => break,
            () = woken => {}
            Some(ended) = tasks.join_next_with_id() => {
                driven.remove(&ended.map_or_else(|error| error.id(), |(id, ())| id));
            }
            () = tokio::time::sleep(POLL_INTERVAL) => {}
        }
    }
    // Each notes what it lost, and ends.
    while tasks.join_next().await.is_some() {}
}

/// The runs that have work.
async fn waiting(local: &Arc<Local>) -> Vec<RunId> {
    let (at_work, began) = (local.clone(), Instant::now());
    match backend::run_blocking(move || nudge_agent::runs::runs_to_drive(at_work.memory())).await {
        Ok(Ok(waiting)) => waiting,
        Ok(Err(fault)) => {
            log::failed("runs", RUN_REQUESTER, began, &fault);
            Vec::new()
        }
        Err(_) => Vec::new(),
    }
}

/// One run.
struct One {
    home: Home,
    local: Arc<Local>,
    reach: Arc<Reach>,
    client: Client,
    places: Arc<Semaphore>,
    run: RunId,
}

/// Why a run is not driven any further.
enum Left {
    /// It has no work, or this process stops.
    Done,
    /// The store failed.
    Failed(Fault),
}

impl From<Fault> for Left {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

impl One {
    /// Drives the run, prompt after prompt, until it has no work.
    async fn drive(&self, stop: &CancellationToken) {
        // A server that stops waits until what was lost is noted.
        let _busy = self.local.busy();
        let began = Instant::now();
        loop {
            match self.drive_loop(stop).await {
                Ok(()) => {}
                Err(Left::Done) => return,
                Err(Left::Failed(fault)) => {
                    log::failed("run", RUN_REQUESTER, began, &fault);
                    tokio::select! {
                        () = stop.cancelled() => {}
                        () = tokio::time::sleep(RETRY_DELAY) => {}
                    }
                    return;
                }
            }
        }
    }

    /// Drives one loop to its end.
    async fn drive_loop(&self, stop: &CancellationToken) -> Result<(), Left> {
        let mut place = self.place(stop).await?;
        let run = self.run;
        let Some(work) = self.blocking(move |local| LoopWork::next(local.memory(), run)).await? else {
            return Err(Left::Done);
        };
        let project: Arc<str> = self.project_of(&work).await?.into();
        let sandbox = self.sandbox(&work).await?;
        let model = match work.flags().yolo && !sandbox.is_full {
            true => Err(format!("`yolo` needs a whole sandbox, and here {}", sandbox.sentence)),
            false => self.model(&work).await,
        };
        let facts = match &model {
            Ok((spec, _, context)) => ModelFacts { context: *context, constrained: spec.constrained },
            Err(_) => ModelFacts { context: u32::MAX / 100, constrained: false },
        };
        let is_new = work.row.state == RunState::Queued;
        let settings = self.local.memory().settings();
        let plugins = match &model {
            Ok(_) => tokio::select! {
                () = stop.cancelled() => return Err(Left::Done),
                plugins = Plugins::start(settings, &work) => plugins,
            },
            Err(_) => Plugins::default(),
        };
        let tools = plugins.tools.clone();
        let mut driver = Driver::open(work, call::limits(settings), facts, sandbox, tools);
        self.follow(&mut driver, &project);
        let mut input = Input::Go;
        loop {
            let input_was_go = input == Input::Go;
            let (back, need) = self.advance(driver, input).await?;
            driver = back;
            self.note_state(&project).await;
            // The model does not wait for the capture of the prompt.
            let begun = async {
                if is_new && input_was_go {
                    self.capture(driver.work(), LoopWork::capture_begin).await;
                }
            };
            input = match need {
                Need::Nothing => {
                    begun.await;
                    self.capture(driver.work(), LoopWork::capture_end).await;
                    return Ok(());
                }
                Need::User { path } => {
                    begun.await;
                    self.send(
                        &project,
                        PROPOSAL,
                        json!({"run": driver.work().run.alias, "path": path.as_str()}),
                    );
                    drop(place);
                    driver = self.decided(driver, &path, &project, stop).await?;
                    place = self.place(stop).await?;
                    Input::Decided
                }
                Need::Command(turn) => {
                    begun.await;
                    let (local, home, work) = (&self.local, &self.home, driver.work());
                    let running = Running { local, home, work, project: &project, stop };
                    match running.run(&turn).await? {
                        Some(status) => {
                            self.capture_command(driver.work(), &turn).await;
                            Input::Ran { status }
                        }
                        None => {
                            self.note_state(&project).await;
                            return Err(Left::Done);
                        }
                    }
                }
                Need::Plugin(turn) => {
                    begun.await;
                    let calling =
                        Calling { local: &self.local, work: driver.work(), plugins: &plugins, stop };
                    match calling.run(&turn).await? {
                        Some(status) => {
                            self.capture_plugin_call(driver.work(), &turn, status).await;
                            Input::Ran { status }
                        }
                        None => {
                            self.note_state(&project).await;
                            return Err(Left::Done);
                        }
                    }
                }
                Need::Model(turn) => match &model {
                    Err(why) => {
                        begun.await;
                        Input::Failed { kind: FailureKind::NotConfigured, message: why.clone() }
                    }
                    Ok((spec, keys, _)) => {
                        let call = self.call(driver.work(), &turn, spec, keys, &project, stop);
                        tokio::join!(call, begun).0?
                    }
                },
            };
        }
    }

    /// A place among those that are driven.
    async fn place(&self, stop: &CancellationToken) -> Result<SemaphorePermit<'_>, Left> {
        tokio::select! {
            biased;
            () = stop.cancelled() => Err(Left::Done),
            place = self.places.acquire() => place.map_err(|_| Left::Done),
        }
    }

    async fn call(
        &self,
        work: &LoopWork,
        turn: &ModelTurn,
        spec: &ModelSpec,
        keys: &Keys,
        project: &Arc<str>,
        stop: &CancellationToken,
    ) -> Result<Input, Left> {
        let (local, client) = (&self.local, &self.client);
        match (Call { local, client, keys, spec, work, project, stop }).run(turn).await {
            Called::Input(input) => Ok(input),
            Called::Ended => {
                self.note_state(project).await;
                Err(Left::Done)
            }
            Called::Stopped => {
                self.lose().await;
                self.note_state(project).await;
                Err(Left::Done)
            }
        }
    }

    /// Notes that the answer of the turn under way is lost, because this process stops.
    async fn lose(&self) {
        let run = self.run;
        let _ = self
            .blocking(move |local| {
                let memory = local.memory();
                let Some(work) = LoopWork::next(memory, run)? else { return Ok(()) };
                let Some(turn) = work.lost_turn().cloned() else { return Ok(()) };
                work.lose(memory, &turn, nudge_client::now())
            })
            .await;
    }

    /// Waits until the user has decided on what the driver waits for.
    async fn decided(
        &self,
        mut driver: Driver,
        path: &EntryPath,
        project: &Arc<str>,
        stop: &CancellationToken,
    ) -> Result<Driver, Left> {
        loop {
            let woken = self.local.runs().woken();
            let looked = self
                .blocking(move |local| {
                    let is_decided = driver.is_decided(local.memory(), nudge_client::now());
                    Ok((driver, is_decided))
                })
                .await?;
            driver = looked.0;
            match looked.1 {
                Ok(true) => return Ok(driver),
                Ok(false) => {}
                Err(fault) if LoopWork::is_aborted(&fault) => {
                    self.send(project, STREAM_CANCELLED, cancelled(driver.work(), path));
                    self.note_state(project).await;
                    return Err(Left::Done);
                }
                Err(fault) => return Err(fault.into()),
            }
            tokio::select! {
                // The question stays; a successor waits for the answer.
                () = stop.cancelled() => return Err(Left::Done),
                () = woken => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
        }
    }

    /// What keeps the commands of a loop in. Only a loop that acts has any.
    async fn sandbox(&self, work: &LoopWork) -> Result<Sandbox, Fault> {
        if work.mode() != Mode::Act {
            return Ok(Sandbox::default());
        }
        self.blocking(|local| Ok(command::sandbox(&local.memory().settings().runs))).await
    }

    /// Captures a command as a hook of an agent would.
    async fn capture_command(&self, work: &LoopWork, turn: &CommandTurn) {
        let (work, turn, home) = (work.clone(), turn.clone(), self.home.clone());
        let _ = self
            .blocking(move |local| {
                work.capture_command(local.memory(), &home, &turn, nudge_client::now());
                Ok(())
            })
            .await;
    }

    /// Captures a call of a plugin as a hook of an agent would.
    async fn capture_plugin_call(&self, work: &LoopWork, turn: &PluginTurn, status: u16) {
        let (work, turn, home) = (work.clone(), turn.clone(), self.home.clone());
        let _ = self
            .blocking(move |local| {
                work.capture_plugin_call(local.memory(), &home, &turn, status, nudge_client::now());
                Ok(())
            })
            .await;
    }

    async fn advance(&self, mut driver: Driver, input: Input) -> Result<(Driver, Need), Left> {
        let advanced = self
            .blocking(move |local| {
                let need = driver.advance(local.memory(), input, nudge_client::now())?;
                Ok((driver, need))
            })
            .await?;
        Ok(advanced)
    }

    /// The model of a loop, how its provider is reached, and what it can read. The error is for the
    /// user.
    async fn model(&self, work: &LoopWork) -> Result<(ModelSpec, Keys, u32), String> {
        let alias = &work.row.model;
        let Some(known) = work.model() else { return Err(format!("there is no model `{alias}`")) };
        let spec = spec(&known).map_err(|error| error.to_string())?;
        let keys = self.reach.keys().map_err(|error| error.to_string())?;
        let context = match spec.context {
            Some(context) => context,
            None => {
                let reported = self.client.context_length(&spec, &keys).await;
                reported.unwrap_or_else(|| call::default_context(&spec))
            }
        };
        Ok((spec, keys, context))
    }

    /// Captures what the loop did, as a hook would.
    async fn capture(&self, work: &LoopWork, what: fn(&LoopWork, &Memory, &Home, Timestamp)) {
        let (work, home) = (work.clone(), self.home.clone());
        let _ = self
            .blocking(move |local| {
                what(&work, local.memory(), &home, nudge_client::now());
                Ok(())
            })
            .await;
    }

    async fn project_of(&self, work: &LoopWork) -> Result<String, Fault> {
        let project = work.run.project;
        self.blocking(move |local| {
            local.memory().store().read(|reader| {
                let row = reader.project_uncounted(project)?;
                Ok(row.and_then(|row| row.keys.into_iter().next()).unwrap_or_default())
            })
        })
        .await
    }

    /// Sends the state of the run to the clients after each call, and at the end of each turn.
    fn follow(&self, driver: &mut Driver, project: &Arc<str>) {
        let note = || {
            let (local, run, project) = (self.local.clone(), self.run, project.clone());
            move || note_state(&local, run, &project)
        };
        let (after_call, after_turn) = (note(), note());
        driver.events.proposal_prepare.on(STATE, move |done| {
            // A question is noted when the driver waits for its answer.
            if done.status != STATUS_WAITS {
                after_call();
            }
        });
        driver.events.turn_ended.on(STATE, move |_| after_turn());
        let alias: Arc<str> = driver.work().run.alias.as_str().into();
        let decided = |accepted: bool| {
            let (local, project, alias) = (self.local.clone(), project.clone(), alias.clone());
            move |done: &CallDone| {
                let CallDone { path, status } = done;
                let params =
                    json!({"run": *alias, "path": path.as_str(), "accepted": accepted, "status": status});
                send(&local, &project, DECIDED, params);
            }
        };
        driver.events.proposal_accepted.on(DECIDED, decided(true));
        driver.events.proposal_rejected.on(DECIDED, decided(false));
        let (local, home, work) = (self.local.clone(), self.home.clone(), driver.work().clone());
        driver.events.proposal_prepare.on("known failures", move |done| {
            if done.status == STATUS_WAITS {
                work.capture_proposal(local.memory(), &home, &done.path, nudge_client::now());
            }
        });
    }

    /// Sends the state of the run to the clients.
    async fn note_state(&self, project: &Arc<str>) {
        if !self.local.runs().has_listeners() {
            return;
        }
        let (run, project) = (self.run, project.clone());
        let noted = self.blocking(move |local| {
            note_state(local, run, &project);
            Ok(())
        });
        let _ = noted.await;
    }

    fn send(&self, project: &Arc<str>, method: &'static str, params: Value) {
        send(&self.local, project, method, params);
    }

    /// Runs work on the pool.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Local) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        super::blocking(&self.local, work).await
    }
}

/// Sends the state of a run to the clients. A failure to read it is a missing note.
fn note_state(local: &Local, run: RunId, project: &Arc<str>) {
    if !local.runs().has_listeners() {
        return;
    }
    let Ok(Some(view)) = nudge_agent::runs::run_view(local.memory(), run) else { return };
    if view.status >= 400 {
        let text = view.loops.last().map(|one| one.reason.clone()).unwrap_or_default();
        send(local, project, NOTIFY, json!({"run": view.run, "text": text, "level": "error"}));
    }
    send(local, project, STATE, serde_json::to_value(view).unwrap_or_default());
}

fn send(local: &Local, project: &Arc<str>, method: &'static str, params: Value) {
    local.runs().send(RunNote { project: project.clone(), method, params });
}
