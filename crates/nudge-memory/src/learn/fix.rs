//! `find_fix`: what is known of an error or a command that fails, on request.

use nudge_context::clean;
use nudge_core::{EntryId, Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failures::{self, Found};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::recall::{Asked, ProjectParam, Searching, seconds};

/// How much of a command or an error is shown.
const SHOWN: usize = 200;

/// How failed commands are called, how many that are merely alike are given, and how much of the words they must have.
const FAILED: &str = "command_error";
const ALIKE: usize = 3;
const COVERED: f32 = 0.6;

/// An error, and where to look.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixParams {
    /// What was printed, or the command that fails.
    pub error: String,
    /// A project's name. Without it the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// What is known, the most telling first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FixAnswer {
    /// Failures like this one.
    pub known: Vec<KnownFix>,
    /// Where there are none: failed commands that have most of its words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<AlikeFix>,
}

/// A failed command that has the words of an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlikeFix {
    /// The observation.
    pub id: i64,
    /// The command.
    pub command: String,
    /// The text around the words.
    pub text: String,
    /// When, in seconds since the epoch.
    pub last: i64,
    /// What followed and passed, as it was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed: Option<String>,
}

/// A failure that was seen before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KnownFix {
    /// The newest observation of it.
    pub id: i64,
    /// The error line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The command that failed last.
    pub command: String,
    /// How often it was seen.
    pub times: u64,
    /// In how many sessions.
    pub sessions: u64,
    /// When last, in seconds since the epoch.
    pub last: i64,
    /// What followed and passed, as it was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed: Option<String>,
}

/// Tells what helped when the same failed before.
pub struct FindFix;

impl Op for FindFix {
    const NAME: &'static str = "find_fix";
    const ALIASES: &'static [&'static str] = &["nudge.find_fix"];
    const TITLE: &'static str = "What helped before";
    const DOC: &'static str = "Find earlier failures with the same error or command, and what followed them.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = FixParams;
    type Answer = FixAnswer;

    fn run(ctx: &OpContext<'_>, params: FixParams) -> Result<FixAnswer, Fault> {
        if params.error.trim().is_empty() {
            let fault = Fault::invalid("error", "error must not be empty").with("field", "error");
            return Err(fault.next("give the error text or the command that failed"));
        }
        match Asked::of(ctx, &params.project)? {
            Asked::In(place) => {
                let found = failures::find(ctx.store(), place.project.id, &params.error, ctx.now())?;
                if found.is_empty() {
                    return Ok(FixAnswer { known: Vec::new(), alike: alike(ctx, &params)? });
                }
                Ok(FixAnswer { known: found.into_iter().map(known).collect(), alike: Vec::new() })
            }
            Asked::All => {
                let fault = Fault::invalid("project", "an error is looked for in one project")
                    .with("field", "project");
                Err(fault.next("name the project, or run this inside it"))
            }
            Asked::Nowhere => Ok(FixAnswer::default()),
        }
    }
}

/// Failed commands that have most of the words.
fn alike(ctx: &OpContext<'_>, params: &FixParams) -> Result<Vec<AlikeFix>, Fault> {
    let Some(searching) = Searching::begin(ctx, &params.project, &params.error)? else {
        return Ok(Vec::new());
    };
    let found = searching.best(&[FAILED], ALIKE, SHOWN)?;
    let found = found.into_iter().filter(|found| found.covered >= COVERED);
    found
        .map(|found| {
            let id = found.entry.id;
            Ok(AlikeFix {
                id,
                command: clean(&found.entry.content, SHOWN),
                text: clean(&found.text, SHOWN),
                last: found.entry.timestamp,
                followed: failures::followed(ctx.store(), EntryId(id), ctx.now())?,
            })
        })
        .collect()
}

fn known(found: Found) -> KnownFix {
    KnownFix {
        id: found.entry.0,
        error: found.error.map(|line| clean(&line, SHOWN)),
        command: clean(&found.command, SHOWN),
        times: found.times as u64,
        sessions: found.sessions as u64,
        last: seconds(found.at),
        followed: found.followed,
    }
}
