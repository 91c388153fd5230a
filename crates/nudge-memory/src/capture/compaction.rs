//! One compaction, however many events tell of it: before it, after it, and by the start that follows.

use nudge_core::{Fault, ObservationKind, Outcome};
use nudge_store::Near;
use serde_json::{Map, json};

use super::keep::{Kept, Scene};
use super::moment::Via;

/// Events of one compaction are no further apart than this. It takes an agent a minute or two.
const WITHIN_MS: i64 = 10 * 60 * 1_000;

/// Where the stage stands among what is kept of a compaction.
const STAGE: &str = "stage";

/// What of a compaction an event tells.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// It is about to begin.
    Ahead,
    /// It is done.
    Done,
    /// The session goes on after it.
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

impl Scene<'_> {
    /// Keeps a compaction, unless the newest one of the session is told of once more: an event of a later stage belongs to the
    /// compaction before it. What a transcript tells belongs to any that a hook told of.
    pub(super) fn compaction(&self, body: &str, stage: Stage) -> Result<Kept, Fault> {
        let near = self.writer.near_in_session(
            self.session.id,
            ObservationKind::SessionCompact,
            self.at,
            WITHIN_MS,
        )?;
        let told = Map::from_iter([(STAGE.to_owned(), json!(stage.word()))]);
        let stage_of = |near: Near| {
            let stage = near.attributes.get(STAGE)?.as_str().and_then(Stage::from_word)?;
            Some((near.id, stage))
        };
        let before = near.and_then(stage_of);
        if let Some((id, before)) = before {
            if before < stage {
                let kind = ObservationKind::SessionCompact;
                self.writer.settle_observation(id, kind, Outcome::Unknown, &told, self.at)?;
                return Ok(Kept::Duplicate);
            }
            if self.moment.via != Via::Hook && before != stage {
                return Ok(Kept::Duplicate);
            }
        }
        self.note(ObservationKind::SessionCompact, body, told)
    }
}
