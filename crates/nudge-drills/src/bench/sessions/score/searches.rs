//! Whether a search with the unchanged prompt finds what helps with it.

use std::collections::HashMap;

use super::tally::Tally;
use crate::bench::sessions::calls::Ends;
use crate::bench::sessions::data::{Event, Place, Project};
use crate::bench::sessions::heard::{Found, Heard};

/// How many characters of an event identify its entry where no hook does: an agent's own words are
/// only in its transcript.
const IDENTIFYING_CHARACTERS: usize = 60;

/// A project's prompts together with the entries found for them.
pub(super) struct Searches<'r> {
    project: &'r Project,
    heard: &'r Heard,
    events: HashMap<Place, &'r Event>,
    /// A command and its result are one entry.
    partners: HashMap<Place, Place>,
}

impl<'r> Searches<'r> {
    pub(super) fn of(project: &'r Project, heard: &'r Heard) -> Self {
        let mut sessions: HashMap<&str, Vec<Event>> = HashMap::new();
        for event in &project.events {
            sessions.entry(&event.session).or_default().push(event.clone());
        }
        let mut partners = HashMap::new();
        for events in sessions.values() {
            for (result, call) in Ends::of(events).call_of {
                partners.insert(place(&events[result]), place(&events[call]));
                partners.insert(place(&events[call]), place(&events[result]));
            }
        }
        let events = project.events.iter().map(|event| (place(event), event)).collect();
        Self { project, heard, events, partners }
    }

    /// Of the prompts that something helps with, how many find it; of all prompts, how many are
    /// rejected.
    pub(super) fn tallies(&self) -> (Tally, Tally) {
        let (mut hit, mut refused) = (Tally::default(), Tally::default());
        for pair in self.project.pairs.iter().filter(|pair| pair.is_helped_by_words()) {
            let found = self.heard.searches.get(&pair.place());
            let found = found.into_iter().flatten().flatten();
            let is_hit = |row: &&Found| pair.helpful.iter().any(|helpful| self.is_of(row, helpful));
            hit.count(pair.place(), found.clone().find(is_hit).map(|row| row.text.as_str()));
        }
        let mut asked: Vec<_> = self.heard.searches.iter().collect();
        asked.sort_by_key(|(place, _)| *place);
        for (place, found) in asked {
            refused.count(place.clone(), found.is_none().then_some("refused"));
        }
        (hit, refused)
    }

    fn is_of(&self, found: &Found, helpful: &Place) -> bool {
        let entries =
            |place: &Place| self.heard.entries.get(place).is_some_and(|ids| ids.contains(&found.id));
        if entries(helpful) || self.partners.get(helpful).is_some_and(entries) {
            return true;
        }
        let Some(event) = self.events.get(helpful) else { return false };
        let telling: String = plain(&event.text).chars().take(IDENTIFYING_CHARACTERS).collect();
        found.session.as_deref() == Some(&helpful.session)
            && !telling.is_empty()
            && plain(&found.text).contains(&telling)
    }
}

fn place(event: &Event) -> Place {
    Place { session: event.session.clone(), seq: event.seq }
}

/// A text without the characters that a store may change: spaces and brackets.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}
