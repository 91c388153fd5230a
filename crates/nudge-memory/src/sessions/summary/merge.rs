//! Renews a summary after some of the session's rows were deleted: the summary keeps what only it
//! still knows.

use std::collections::BTreeMap;

use nudge_core::Speaker;
use nudge_core::{EntryId, Timestamp};
use nudge_store::{ObservationRow, PromptRow, SessionRow};

use super::episode::EPISODES;
use super::{Counted, NAMED, Summary};

impl Summary {
    /// Summarises a session again that was summarised up to the entry `upto`. If all rows still
    /// exist, it starts from the beginning; otherwise newer rows are added to the old summary.
    pub fn renewed(
        self,
        upto: EntryId,
        session: &SessionRow,
        prompts: &[PromptRow],
        observations: &[ObservationRow],
    ) -> Self {
        if self.short || !self.has_lost(upto, prompts, observations) {
            return Self::of(session, prompts, observations);
        }
        let said: Vec<PromptRow> = prompts.iter().filter(|row| row.id > upto).cloned().collect();
        let done: Vec<ObservationRow> = observations.iter().filter(|row| row.id > upto).cloned().collect();
        let mut summary = self.with(Self::whole(session, &said, &done));
        let ended = Timestamp::parse(&summary.ended_at).unwrap_or(session.started_at);
        summary.duration_s = ended.since(session.started_at).as_secs();
        summary
    }

    /// Whether some of the rows it was made from are deleted.
    fn has_lost(&self, upto: EntryId, prompts: &[PromptRow], observations: &[ObservationRow]) -> bool {
        let summarised = observations.iter().filter(|row| row.id <= upto).count();
        let said = prompts.iter().filter(|row| row.id <= upto && row.speaker == Speaker::Person).count();
        summarised < self.observations || said < self.prompts
    }

    fn with(mut self, more: Self) -> Self {
        self.intent = self.intent.or(more.intent);
        self.ended_at = self.ended_at.max(more.ended_at);
        self.prompts += more.prompts;
        self.observations += more.observations;
        self.files_edited = added(self.files_edited, more.files_edited);
        self.files_read = added(self.files_read, more.files_read);
        self.commands += more.commands;
        self.failed += more.failed;
        chain(&mut self.failures, more.failures);
        chain(&mut self.commits, more.commits);
        chain(&mut self.pushes, more.pushes);
        for (tool, count) in more.tools {
            *self.tools.entry(tool).or_default() += count;
        }
        self.subagents.extend(more.subagents);
        self.subagents.sort_unstable();
        self.subagents.dedup();
        self.subagents.truncate(NAMED);
        self.episodes.extend(more.episodes);
        // The newest episodes describe the session's state best.
        let old = self.episodes.len().saturating_sub(EPISODES);
        self.episodes.drain(..old);
        self
    }
}

fn added(one: Vec<Counted>, other: Vec<Counted>) -> Vec<Counted> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in one.into_iter().chain(other) {
        *counts.entry(file.path).or_default() += file.count;
    }
    let mut files: Vec<Counted> = counts.into_iter().map(|(path, count)| Counted { path, count }).collect();
    files.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.path.cmp(&other.path)));
    files.truncate(NAMED);
    files
}

fn chain<T>(list: &mut Vec<T>, more: Vec<T>) {
    list.extend(more);
    list.truncate(NAMED);
}
