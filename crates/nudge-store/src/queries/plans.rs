//! The statements with a cost that must not grow with the store, for tests that check their SQLite
//! query plans.

use crate::queries::in_view;
use crate::queries::last_words;
use crate::queries::paths;
use crate::queries::recall;
use crate::queries::recent;
use crate::queries::repeats;
use crate::tables::agent_session;
use crate::tables::attempt;
use crate::tables::entry;
use crate::tables::feed;
use crate::tables::hint;
use crate::tables::hypothesis;
use crate::tables::injection;
use crate::tables::observation;
use crate::tables::run::{run_loop, turn};
use crate::tables::silenced;
use crate::tables::statement;
use crate::tables::view;

/// The purpose of each, and its text exactly as [`crate::Reader`] runs it.
pub const FLAT: [(&str, &str); 55] = [
    ("an entry by its path", entry::BY_PATH),
    ("the newest of a scheme", entry::NEWEST),
    ("the feed after a position", feed::AFTER),
    ("the head of the feed", feed::HEAD),
    ("the floor of the feed", feed::FLOOR),
    ("the hints of a key", hint::OF_KEY),
    ("the hints of a command", hint::OF_COMMAND),
    ("a session by its name", agent_session::BY_NAME),
    ("an observation by its identity", observation::BY_IDENTITY),
    ("the observations of a session", observation::OF_SESSION),
    ("the observations of a file", observation::OF_FILE),
    ("what was done before a moment", recall::OBSERVATIONS_BEFORE),
    ("what was done after a moment", recall::OBSERVATIONS_AFTER),
    ("what was said before a moment", recall::PROMPTS_BEFORE),
    ("what was said after a moment", recall::PROMPTS_AFTER),
    ("the newest of a session", recall::OF_SESSION),
    ("the newest of a kind", recall::OF_KIND),
    ("what was said last in a session", recall::PROMPTS_OF_SESSION),
    ("what was said last", recall::NEWEST_PROMPTS),
    ("the file of an observation", recall::FIRST_FILE),
    ("the scope of an entry", recall::SCOPE_OF),
    ("the sessions that began last in a project", recall::BEGAN_IN),
    ("who came last into any place", recall::NEWEST_PROVENANCES),
    ("who was lately at work", recall::LATELY_AT_WORK),
    ("whether a session was in a place", recall::WAS_THERE),
    ("a session within a time", recall::TRACE_OBSERVATIONS),
    ("the prompts of a session within a time", recall::TRACE_PROMPTS),
    ("the touches of a file", recall::TOUCHES),
    ("the newest steps of a session", repeats::STEPS),
    ("the next steps of a session", repeats::STEPS_AFTER),
    ("what was said first in a session", recent::FIRST_PROMPTS),
    ("what was last done in a session", recent::OF_SESSION),
    ("what was last said in a session", recent::PROMPTS),
    ("what a session left", last_words::LAST_WORDS),
    ("the commands of a session", last_words::COMMANDS),
    ("what was injected in a project and acted on", injection::ACTED_ON),
    ("what was injected into a session", injection::OF_SESSION),
    ("what was injected in a project", injection::OF_PROJECT),
    ("the statements of a project in a stage", statement::IN_STAGE),
    ("the statements of a project", statement::OF_PROJECT),
    ("what is silenced in a project", silenced::OF_PROJECT),
    ("the runs with a mark", attempt::OF_MARK),
    ("whether a mark is known", attempt::IS_KNOWN),
    ("the hypothesis of a session", hypothesis::ACTIVE),
    ("the hypotheses of a project that are open", hypothesis::ACTIVE_IN),
    ("the entries of a scope", entry::IN_SCOPE),
    ("the paths that begin alike", paths::PATHS_FROM),
    ("the scopes of a path", paths::ONE_PATH),
    ("how a viewer sees an entry", view::OF_ENTRY),
    ("what a viewer has in view", view::OF_VIEWER),
    ("what a model reads", in_view::IN_VIEW),
    ("the prompt of a run that is next", run_loop::FIRST_OPEN),
    ("the prompts of a run", run_loop::OF_RUN),
    ("the turns of a prompt", turn::OF_LOOP),
    ("the turns of a run", turn::OF_RUN),
];
