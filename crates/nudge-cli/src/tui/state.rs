//! The browser's state: the view, the lists and the user's position in them.

use nudge_memory::inject::WhyInjection;
use nudge_memory::recall::{ListedSession, SearchAnswer, SearchRow};
use nudge_memory::review::ProposalView;

use super::clock::Clock;
use super::document::Document;
use super::message::{Problem, Ticket};

nudge_core::named_enum! {
    /// The four views, in the order of their keys, `1` to `4`.
    pub(super) enum View {
        Sessions => "Sessions",
        Search => "Search",
        Review => "Review",
        Why => "Why",
    }
}

impl View {
    /// The view so many steps ahead, wrapping at the end.
    pub(super) fn step(self, steps: usize) -> Self {
        let at = Self::ALL.iter().position(|view| *view == self).unwrap_or_default();
        Self::ALL[(at + steps) % Self::ALL.len()]
    }
}

/// The load state of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Load {
    #[default]
    Unasked,
    Waiting,
    Ready,
    Failed(Problem),
}

/// A list and its selected row.
#[derive(Clone, Debug)]
pub(super) struct Listing<T> {
    pub(super) rows: Vec<T>,
    pub(super) cursor: usize,
    pub(super) load: Load,
    /// The last request for it.
    pub(super) ticket: Ticket,
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), cursor: 0, load: Load::Unasked, ticket: 0 }
    }
}

impl<T> Listing<T> {
    pub(super) fn selected(&self) -> Option<&T> {
        self.rows.get(self.cursor)
    }

    /// Replaces the rows. The selection keeps its position if the list is long enough.
    pub(super) fn fill(&mut self, rows: Vec<T>) {
        self.cursor = self.cursor.min(rows.len().saturating_sub(1));
        self.rows = rows;
        self.load = Load::Ready;
    }
}

/// The search view.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    pub(super) query: String,
    /// Counts the edits of the query. A search starts only after a pause that follows the last
    /// edit.
    pub(super) edits: u64,
    pub(super) found: Option<SearchAnswer>,
    pub(super) cursor: usize,
    pub(super) load: Load,
    pub(super) ticket: Ticket,
}

impl Search {
    pub(super) fn rows(&self) -> usize {
        self.found.as_ref().map_or(0, |found| found.results.len())
    }

    pub(super) fn selected(&self) -> Option<&SearchRow> {
        self.found.as_ref()?.results.get(self.cursor)
    }
}

/// A document that fills the screen below the views.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub(super) document: Document,
    pub(super) scroll: usize,
}

/// One line about what just happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    Done(String),
    Failed(String),
}

/// The whole state.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) view: View,
    /// Whether to show all projects instead of the current one.
    pub(super) all: bool,
    /// The name of the current project.
    pub(super) project: String,
    pub(super) clock: Clock,
    /// The columns and rows of the terminal.
    pub(super) size: (u16, u16),
    pub(super) sessions: Listing<ListedSession>,
    pub(super) search: Search,
    pub(super) proposals: Listing<ProposalView>,
    pub(super) injections: Listing<WhyInjection>,
    pub(super) reader: Option<Reader>,
    pub(super) help: bool,
    pub(super) notice: Option<Notice>,
    /// The last request for a document, until its answer arrives.
    pub(super) opening: Option<Ticket>,
    /// The request for a decision on a proposal, until its answer arrives.
    pub(super) deciding: Option<Ticket>,
    pub(super) last_ticket: Ticket,
}

impl State {
    pub(super) fn new(project: String, all: bool, clock: Clock, size: (u16, u16)) -> Self {
        Self {
            view: View::Sessions,
            all,
            project,
            clock,
            size,
            sessions: Listing::default(),
            search: Search::default(),
            proposals: Listing::default(),
            injections: Listing::default(),
            reader: None,
            help: false,
            notice: None,
            opening: None,
            deciding: None,
            last_ticket: 0,
        }
    }

    /// The number for the next request.
    pub(super) const fn ticket(&mut self) -> Ticket {
        self.last_ticket += 1;
        self.last_ticket
    }

    /// The number of rows between the bars.
    pub(super) fn body_rows(&self) -> usize {
        body_rows(self.size.1)
    }

    /// The columns of text: one stays free on each side.
    pub(super) fn text_columns(&self) -> usize {
        usize::from(self.size.0).saturating_sub(2)
    }

    /// The number of rows in the list of this view.
    pub(super) fn row_count(&self) -> usize {
        match self.view {
            View::Sessions => self.sessions.rows.len(),
            View::Search => self.search.rows(),
            View::Review => self.proposals.rows.len(),
            View::Why => self.injections.rows.len(),
        }
    }

    /// The selected row of this view.
    pub(super) const fn cursor(&mut self) -> &mut usize {
        match self.view {
            View::Sessions => &mut self.sessions.cursor,
            View::Search => &mut self.search.cursor,
            View::Review => &mut self.proposals.cursor,
            View::Why => &mut self.injections.cursor,
        }
    }
}

/// The rows of the body in a terminal with that many rows: all but the views, rule, status and
/// keys, and a free one above the status unless rows are scarce.
pub(super) fn body_rows(rows: u16) -> usize {
    let free = if rows < 16 { 0 } else { 1 };
    usize::from(rows).saturating_sub(4 + free)
}
