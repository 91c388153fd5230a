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
pub use show::GetRun;
pub use skill::{AddSkill, AddSkillParams, ReadSkill, SkillAdded, SkillEntry, SkillLeftOut, SkillText};
pub use start::{StartRun, StartRunParams};
pub use wire::{HistoryRow, RunAccepted, RunAnswer, RunFlags, RunSource, RunView, Telemetry, UnknownView};
pub use work::{Answer, LoopWork, RunCall, SentTurn, WaitingCall};
