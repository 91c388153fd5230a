//! The statements whose cost must not grow with the store, for the tests that ask SQLite for their plans.

use crate::{agent_session, entry, feed, hint, observation};

/// What each is for, and its text, exactly as [`crate::Reader`] runs it.
pub const FLAT: [(&str, &str); 11] = [
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
];
