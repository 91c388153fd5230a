//! Runs: a model works on a prompt over several turns, from memory and the project's files.
//!
//! The operations here only write down what is wanted: a run, a prompt in its queue, the end of it.
//! PRIMARY drives the runs with [`LoopWork`], one short transaction for each step, so that no
//! transaction waits for a model and a successor can go on after any of them.

mod abort;
mod ask;
mod capture;
mod config;
mod dispatch;
mod find;
mod fork;
mod gather;
mod inject;
mod keep;
mod list;
mod log;
mod materialize;
mod models;
mod partial;
mod resolve;
mod result_text;
mod resume;
mod search_files;
mod set_entry;
mod show;
mod skill;
mod start;
mod wire;
mod work;

pub use abort::{AbortRun, RunParams};
pub use ask::{Ask, AskParams};
pub use config::{ConfigureRun, ConfigureRunParams, RenameRun, RenameRunParams};
pub use dispatch::Dispatched;
pub use fork::{ForkRun, ForkRunParams};
pub use inject::{InjectRun, InjectRunParams};
pub use keep::{KeepRun, KeepRunParams, KeptEntry, RunKept};
pub use list::{GetRuns, GetRunsParams, RunList};
pub use models::{
    AddModel, AddModelParams, GetModels, GetModelsParams, KnownModel, ModelList, ModelView, RemoveModel,
    RemoveModelParams, known_models,
};
pub use resolve::{Resolution, ResolveRun, ResolveRunParams};
pub use resume::ResumeRun;
pub use set_entry::SetEntry;
pub use show::{GetRun, run_view};
pub use skill::{AddSkill, AddSkillParams, ReadSkill, SkillAdded, SkillEntry, SkillLeftOut, SkillText};
pub use start::{StartRun, StartRunParams};
pub use wire::{HistoryRow, RunAccepted, RunAnswer, RunFlags, RunSource, RunView, Telemetry, UnknownView};
pub use work::{Answer, LoopWork, RunCall, SentTurn, WaitingCall, runs_to_drive};

use nudge_memory::Operation;

/// The operations of runs, skills and models, in the order in which surfaces show them.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::of::<Ask>(),
    Operation::of::<StartRun>(),
    Operation::of::<GetRuns>(),
    Operation::of::<GetRun>(),
    Operation::of::<AbortRun>(),
    Operation::of::<ResumeRun>(),
    Operation::of::<ForkRun>(),
    Operation::of::<ResolveRun>(),
    Operation::of::<InjectRun>(),
    Operation::of::<ConfigureRun>(),
    Operation::of::<RenameRun>(),
    Operation::of::<KeepRun>(),
    Operation::of::<AddSkill>(),
    Operation::of::<GetModels>(),
    Operation::of::<AddModel>(),
    Operation::of::<RemoveModel>(),
];
