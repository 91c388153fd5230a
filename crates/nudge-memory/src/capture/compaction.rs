//! Records one compaction once, although several events may report it: before it, after it, and by
//! the session start that follows.

use nudge_core::{Fault, ObservationKind, Outcome};
use nudge_store::Near;
use serde_json::{Map, json};

use super::captured_event::CapturedVia;
use super::keep::{EventInSession, Kept};

/// Events of one compaction are at most this far apart. A compaction takes a minute or two.
const WITHIN_MS: i64 = 10 * 60 * 1_000;

/// The metadata key of the stage.
const STAGE: &str = "stage";

/// The stage of a compaction that an event reports.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// About to begin.
    Ahead,
    /// Done.
    Done,
    /// The session continues after it.
    Start,
}

impl Stage {
    const fn word(self) -> &'static str {
        match self {
            Self::Ahead => "before",
            Self::Done => "after",
            Self::Start => "start",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        [Self::Ahead, Self::Done, Self::Start].into_iter().find(|stage| stage.word() == word)
    }
}

impl EventInSession<'_> {
    /// Stores a compaction, unless the event reports the session's newest compaction again. An
    /// event of a later stage belongs to the compaction before it. A transcript's event belongs to
    /// any compaction that a hook reported.
    pub(super) fn compaction(&self, body: &str, stage: Stage) -> Result<Kept, Fault> {
        let near = self.writer.near_in_session(
            self.session.id,
            ObservationKind::SessionCompact,
            self.at,
            WITHIN_MS,
        )?;
        let reported = Map::from_iter([(STAGE.to_owned(), json!(stage.word()))]);
        let stage_of = |near: Near| {
            let stage = near.attributes.get(STAGE)?.as_str().and_then(Stage::from_word)?;
            Some((near.id, stage))
        };
        let before = near.and_then(stage_of);
        if let Some((id, before)) = before {
            if before < stage {
                let kind = ObservationKind::SessionCompact;
                self.writer.settle_observation(id, kind, Outcome::Unknown, &reported, self.at)?;
                return Ok(Kept::Duplicate);
            }
            if self.captured.via != CapturedVia::Hook && before != stage {
                return Ok(Kept::Duplicate);
            }
        }
        self.note(ObservationKind::SessionCompact, body, reported)
    }
}
