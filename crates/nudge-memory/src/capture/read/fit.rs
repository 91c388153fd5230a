//! Enforces the total size: a captured event crosses processes in one piece, whatever its payload.

use std::io::{self, Write};

use crate::capture::captured_event::{Action, CapturedEvent, EventBody};
use crate::capture::extract::text;

/// The largest captured event, as JSON. Every field has its own limit and real events reach a tenth
/// of this. Only texts full of characters that JSON must escape come close.
pub(super) const EVENT_MAX_BYTES: usize = 64 * 1024;

/// The length of a text that had to be cut again.
const TEXT_LEAST: usize = 1_000;

/// The captured event, with as little as possible left out to make it fit.
pub(super) fn fit(mut captured: CapturedEvent) -> CapturedEvent {
    let steps: [fn(&mut CapturedEvent); 6] = [
        |captured| in_action(captured, |action| action.files.truncate(1)),
        |captured| in_action(captured, |action| action.metadata.clear()),
        shorten,
        |captured| captured.transcript = None,
        |captured| in_action(captured, |action| action.files.clear()),
        |captured| captured.cwd = None,
    ];
    for step in steps {
        if size(&captured) <= EVENT_MAX_BYTES {
            break;
        }
        step(&mut captured);
    }
    captured
}

fn in_action(captured: &mut CapturedEvent, change: fn(&mut Action)) {
    if let EventBody::Action(action) = &mut captured.what {
        change(action);
    }
}

fn shorten(captured: &mut CapturedEvent) {
    let said = match &mut captured.what {
        EventBody::Action(action) => &mut action.body,
        EventBody::Prompt { text, .. } | EventBody::Said { text, .. } | EventBody::Concluded { text, .. } => {
            text
        }
        _ => return,
    };
    *said = text::head(said, TEXT_LEAST).text;
}

fn size(captured: &CapturedEvent) -> usize {
    let mut count = Count(0);
    serde_json::to_writer(&mut count, captured).map_or(usize::MAX, |()| count.0)
}

struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
