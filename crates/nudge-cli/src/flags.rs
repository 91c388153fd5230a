//! Flags that several commands share: one spelling, one meaning, one sentence of help.
//!
//! The structs have no doc comments: clap would use one as the summary of the command.

use clap::Args;
use nudge_memory::recall::ProjectParam;

use crate::durations;
use crate::projects;

// One project.
#[derive(Debug, Default, Args)]
pub(crate) struct ProjectFlag {
    /// Project name, id or directory [default: the project you are in]
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
}

impl ProjectFlag {
    /// The named project, or the one of the working directory.
    pub(crate) fn param(self) -> ProjectParam {
        projects::named_or_here(self.project)
    }

    /// The named project, if one is named.
    pub(crate) fn named(self) -> Option<String> {
        self.project.map(|said| projects::named(&said))
    }
}

// One project, or all of them.
#[derive(Debug, Default, Args)]
pub(crate) struct ProjectsFlags {
    /// Project name, id or directory [default: the project you are in]
    #[arg(long, value_name = "PROJECT", conflicts_with = "all")]
    pub(crate) project: Option<String>,
    /// Include all projects
    #[arg(long)]
    pub(crate) all: bool,
}

impl ProjectsFlags {
    /// The named project, the one of the working directory, or all.
    pub(crate) fn param(self) -> ProjectParam {
        projects::named_here_or_all(self.project, self.all)
    }
}

// A period of time, in Unix seconds.
#[derive(Debug, Default, Args)]
pub(crate) struct PeriodFlags {
    /// Only from this time on: 2d, 2026-01-31 or Unix seconds
    #[arg(long, value_name = "WHEN", alias = "after", value_parser = durations::when)]
    pub(crate) since: Option<i64>,
    /// Only before this time
    #[arg(long, value_name = "WHEN", alias = "before", value_parser = durations::when)]
    pub(crate) until: Option<i64>,
}

// The session that a command works on.
#[derive(Debug, Default, Args)]
pub(crate) struct SessionFlag {
    /// Session id, or the start of it [default: the newest session here]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

// Confirmation without a question.
#[derive(Copy, Clone, Debug, Default, Args)]
pub(crate) struct YesFlag {
    /// Go ahead without asking
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
}

// A run without changes.
#[derive(Copy, Clone, Debug, Default, Args)]
pub(crate) struct DryRunFlag {
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

// The run whose view a command reads and changes.
#[derive(Debug, Default, Args)]
pub(crate) struct RunFlag {
    /// Run whose view this is about [default: the project's own view]
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
}

// How a run is followed.
#[derive(Copy, Clone, Debug, Default, Args)]
pub(crate) struct FollowFlags {
    /// Print the name of the run and return; it goes on in the server
    #[arg(long)]
    pub(crate) detach: bool,
    /// Print only the answer
    #[arg(short, long, conflicts_with = "detach")]
    pub(crate) quiet: bool,
}

// A list of matches without changes.
#[derive(Copy, Clone, Debug, Default, Args)]
pub(crate) struct PreviewFlag {
    /// List what matches, and change nothing
    #[arg(long, alias = "manifest", alias = "dry-run")]
    pub(crate) preview: bool,
}
