//! The statements whose cost must not grow with the store, for the tests that ask SQLite for their plans.

use crate::{entry, feed, hint};

/// What each is for, and its text, exactly as [`crate::Reader`] runs it.
pub const FLAT: [(&str, &str); 6] = [
    ("an entry by its path", entry::BY_PATH),
    ("the newest of a scheme", entry::NEWEST),
    ("the feed after a position", feed::AFTER),
    ("the head of the feed", feed::HEAD),
    ("the floor of the feed", feed::FLOOR),
    ("the hints of a key", hint::OF_KEY),
];
