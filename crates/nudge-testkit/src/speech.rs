//! What the user says to agents and may mean as a rule, as the event path passes it on.

use std::path::Path;

use nudge_core::{EntryId, Provenance, Source, Tier, Timestamp};
use nudge_memory::projects::of_directory;
use nudge_memory::statements::proposals::{Kind, Proposed, UserWords, propose};
use nudge_memory::statements::{Category, STATEMENT_SIMILARITY, Saying, Similarity};
use nudge_store::{Durability, Store};

/// Something that the user said in a directory.
#[derive(Clone, Debug)]
pub struct Speech<'s> {
    /// Where.
    pub dir: &'s Path,
    /// The words.
    pub text: &'s str,
    /// What kind of statement it is.
    pub kind: Kind,
    /// When and in which sessions.
    pub sayings: Vec<Saying>,
    /// How it is compared with earlier statements.
    pub like: Similarity,
}

impl<'s> Speech<'s> {
    /// A prompt in a session.
    pub fn prompt(dir: &'s Path, session: &str, at: Timestamp, text: &'s str) -> Self {
        let sayings = vec![Saying::to_agent(session, at, "prompt", Some(EntryId(7)))];
        Self { dir, text, kind: Kind::Statement, sayings, like: STATEMENT_SIMILARITY }
    }

    /// A request that was repeated in these sessions, a millisecond apart.
    pub fn request(dir: &'s Path, sessions: &[&str], at: Timestamp, text: &'s str) -> Self {
        let mut at = at;
        let mut sayings = Vec::new();
        for session in sessions {
            sayings.push(Saying::to_agent(session, at, "prompt", None));
            at = at.plus(std::time::Duration::from_millis(1));
        }
        Self { dir, text, kind: Kind::Routine, sayings, like: STATEMENT_SIMILARITY }
    }

    /// Stores it.
    #[track_caller]
    pub fn keep(self, store: &Store) -> Proposed {
        let place = of_directory(self.dir);
        let at = self.sayings.first().map_or(Timestamp::from_millis(0), |one| Timestamp::from_millis(one.at));
        let provenance = Provenance {
            source: Source::User,
            tier: Tier::System,
            client: Some("claude".to_owned()),
            session: self.sayings.first().and_then(|one| one.session.clone()),
            project: Some(place.key.clone()),
            machine: None,
        };
        let proposed = store.write(Durability::Passive, |writer| {
            let project = writer.enter_project(&place.key, &place.name, &place.root, at)?;
            let words = UserWords {
                anchors: Vec::new(),
                kind: self.kind,
                text: self.text,
                category: Category::Preference,
                directory: None,
                sayings: self.sayings.clone(),
                project_key: &place.key,
                project,
                provenance: &provenance,
            };
            propose(writer, &words, &self.like)
        });
        proposed.expect("proposed")
    }
}

/// The number of the proposal.
#[track_caller]
pub fn number(proposed: Proposed) -> i64 {
    match proposed {
        Proposed::New(id) | Proposed::Counted(id) | Proposed::TurnedDown(id) => id.0,
        Proposed::TooFew | Proposed::Unfit => panic!("not proposed: {proposed:?}"),
    }
}
