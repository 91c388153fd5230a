//! The reactions to a stored event, in the order in which they run.
//!
//! A feature that reacts to events adds a line here; nothing else about event handling changes.

use crate::capture::reaction::{Reaction, When};
use crate::{capture, failures, hints, hypotheses, inject, sessions, statements};

/// All reactions.
pub(crate) const REACTIONS: &[Reaction] = &[
    // Must come before calls are recorded as announced, so that each is counted once.
    Reaction { name: "tools are counted", when: When::Stored(hypotheses::count_tool) },
    Reaction { name: "sessions are touched", when: When::Stored(sessions::touch) },
    Reaction { name: "instructions are heard", when: When::Heard(statements::listen) },
    Reaction { name: "hints learn", when: When::Ended(hints::learn_from_command) },
    Reaction { name: "failures are known again", when: When::Ended(failures::record) },
    Reaction { name: "cures are proposed", when: When::Ended(failures::propose_lesson) },
    Reaction { name: "runs are judged", when: When::Ended(hypotheses::judge) },
    Reaction { name: "transcript is read", when: When::Committed(capture::transcript_tail::catch_up) },
    Reaction { name: "sessions are summarised", when: When::Committed(sessions::summarise_at_start) },
    Reaction { name: "use is settled", when: When::Committed(inject::settle_use) },
];
