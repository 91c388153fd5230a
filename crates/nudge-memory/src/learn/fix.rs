//! `find_fix`: what is known about an error or a failing command, on request.

use nudge_context::clean;
use nudge_core::{EntryId, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failures::{self, Found};
use crate::operation::{Effect, Op, OpContext};
use crate::recall::{Asked, ProjectParam, Searching, unix_seconds};

/// How much of a command or an error is shown, in characters.
const MAX_SHOWN_CHARS: usize = 200;

/// The name of failed commands, how many merely similar ones are returned, and the share of the
/// words that these must contain.
const FAILED_KIND: &str = "command_error";
const MAX_ALIKE: usize = 3;
const MIN_COVERED: f32 = 0.6;

/// Parameters of `find_fix`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixParams {
    /// The error text, or the command that fails.
    pub error: String,
    /// Project name, id or directory. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Answer of `find_fix`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FixAnswer {
    /// Earlier failures with the same error or command, most relevant first.
    pub known: Vec<KnownFix>,
    /// If there are none: failed commands that share most words with the error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<AlikeFix>,
}

/// A failed command with similar words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlikeFix {
    /// Observation id, for get_observations.
    pub id: i64,
    /// The command.
    pub command: String,
    /// The text around the matching words.
    pub text: String,
    /// Time of the failure, in Unix seconds.
    pub last: i64,
    /// What ran or changed next and passed, as observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed: Option<String>,
}

/// A failure that was seen before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KnownFix {
    /// Id of the newest observation, for get_observations.
    pub id: i64,
    /// The error line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The command that failed most recently.
    pub command: String,
    /// How often it was seen.
    pub times: u64,
    /// Number of sessions it was seen in.
    pub sessions: u64,
    /// Time of the last failure, in Unix seconds.
    pub last: i64,
    /// What ran or changed next and passed, as observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed: Option<String>,
}

/// Finds what helped when the same thing failed before.
pub struct FindFix;

impl Op for FindFix {
    const NAME: &'static str = "find_fix";
    const TITLE: &'static str = "Find a fix";
    const DOC: &'static str = "Find earlier failures with the same error or command, and what ran or \
        changed before they passed. Call when a command fails.";
    const REFERENCE: &'static str = "Find earlier failures with the same error or command, and what was \
        done before the command passed again. The result is a report, not advice.";
    const EFFECT: Effect = Effect::Read;
    type Params = FixParams;
    type Answer = FixAnswer;

    fn run(ctx: &OpContext<'_>, params: FixParams) -> Result<FixAnswer, Fault> {
        if params.error.trim().is_empty() {
            let fault = Fault::invalid("error", "the error text is empty").with("field", "error");
            return Err(fault.next("pass the error text or the command that failed"));
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
                let fault =
                    Fault::invalid("project", "errors are searched in one project").with("field", "project");
                Err(fault.next("name the project, or run this inside it"))
            }
            Asked::Nowhere => Ok(FixAnswer::default()),
        }
    }
}

/// Failed commands that contain most of the words.
fn alike(ctx: &OpContext<'_>, params: &FixParams) -> Result<Vec<AlikeFix>, Fault> {
    let Some(searching) = Searching::begin(ctx, &params.project, &params.error)? else {
        return Ok(Vec::new());
    };
    let found = searching.best(&[FAILED_KIND], MAX_ALIKE, MAX_SHOWN_CHARS)?;
    let found = found.into_iter().filter(|found| found.covered >= MIN_COVERED);
    found
        .map(|found| {
            let id = found.entry.id;
            Ok(AlikeFix {
                id,
                command: clean(&found.entry.content, MAX_SHOWN_CHARS),
                text: clean(&found.text, MAX_SHOWN_CHARS),
                last: found.entry.timestamp,
                followed: failures::followed(ctx.store(), EntryId(id), ctx.now())?,
            })
        })
        .collect()
}

fn known(found: Found) -> KnownFix {
    KnownFix {
        id: found.entry.0,
        error: found.error.map(|line| clean(&line, MAX_SHOWN_CHARS)),
        command: clean(&found.command, MAX_SHOWN_CHARS),
        times: found.times as u64,
        sessions: found.sessions as u64,
        last: unix_seconds(found.at),
        followed: found.followed,
    }
}
