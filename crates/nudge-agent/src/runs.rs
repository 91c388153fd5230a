//! Runs: a model works on a prompt over several turns, from memory and the project's files.
//!
//! The operations here only write down what is wanted: a run, a prompt in its queue, the end of it.
//! PRIMARY drives the runs with [`LoopWork`], one short transaction for each step, so that no
//! transaction waits for a model and a successor can go on after any of them.

mod abort;
mod ask;
mod command;
mod dispatch;
mod gather;
mod keep;
mod log;
mod models;
mod named;
mod plugin_call;
mod propose;
mod records;
mod resolve;
mod settle;
mod show;
mod skill;
mod start;
mod wire;
mod work;

pub use abort::{AbortRun, RemoveRun, ResumeRun, RunRemoved};
pub use ask::SetEntry;
pub use ask::{Act, Ask, AskParams};
pub use ask::{InjectRun, InjectRunParams};
pub use command::{
    AbortStream, CANCELLED, CommandEnd, CommandTurn, CompleteStream, MAX_CHANNEL_BYTES, StreamAbortedParams,
    StreamCompletedParams, StreamOutput, StreamParams,
};
pub use dispatch::Dispatched;
pub use keep::{KeepRun, KeepRunParams, KeptEntry, RunKept};
pub use models::{
    AddModel, AddModelParams, GetModels, GetModelsParams, KnownModel, ModelList, ModelView, RemoveModel,
    RemoveModelParams, known_models,
};
pub use plugin_call::{Page, Part, PluginEnd, PluginTurn};
pub use resolve::{Resolution, ResolveRun, ResolveRunParams};
pub use settle::Settled;
pub use show::{GetRun, run_view};
pub use show::{GetRuns, GetRunsParams, RunList};
pub use skill::{AddSkill, AddSkillParams, ReadSkill, SkillAdded, SkillEntry, SkillLeftOut, SkillText};
pub use start::{ConfigureRun, ConfigureRunParams, RenameRun, RenameRunParams};
pub use start::{ForkRun, ForkRunParams};
pub use start::{StartRun, StartRunParams};
pub use wire::{
    HistoryRow, OutputView, RunAccepted, RunAnswer, RunFlags, RunParams, RunSource, RunView, Telemetry,
    UnknownView,
};
pub use work::{Answer, LoopWork, RunCall, SentTurn, runs_to_drive};

use nudge_memory::Operation;

/// The operations of runs, skills and models, in the order in which surfaces show them.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::of::<Ask>(),
    Operation::of::<Act>(),
    Operation::of::<StartRun>(),
    Operation::of::<GetRuns>(),
    Operation::of::<GetRun>(),
    Operation::of::<AbortRun>(),
    Operation::of::<ResumeRun>(),
    Operation::of::<ForkRun>(),
    Operation::of::<ResolveRun>(),
    Operation::of::<StreamOutput>(),
    Operation::of::<CompleteStream>(),
    Operation::of::<AbortStream>(),
    Operation::of::<InjectRun>(),
    Operation::of::<ConfigureRun>(),
    Operation::of::<RenameRun>(),
    Operation::of::<KeepRun>(),
    Operation::of::<RemoveRun>(),
    Operation::of::<AddSkill>(),
    Operation::of::<GetModels>(),
    Operation::of::<AddModel>(),
    Operation::of::<RemoveModel>(),
];
