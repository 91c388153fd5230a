//! The last word on size: a moment crosses processes in one piece, whatever was in the payload.

use std::io::{self, Write};

use crate::capture::extract::text;
use crate::capture::moment::{Action, Moment, What};

/// The largest moment, as JSON. Every field has its own limit and real ones come to a tenth of this; only texts made of
/// characters that JSON must escape come near it.
pub(super) const MOMENT_MOST: usize = 64 * 1024;

/// What is left of a text that had to be cut once more.
const TEXT_LEAST: usize = 1_000;

/// The moment, with the least of it left out that brings it to size.
pub(super) fn fit(mut moment: Moment) -> Moment {
    let steps: [fn(&mut Moment); 6] = [
        |moment| in_action(moment, |action| action.files.truncate(1)),
        |moment| in_action(moment, |action| action.metadata.clear()),
        shorten,
        |moment| moment.transcript = None,
        |moment| in_action(moment, |action| action.files.clear()),
        |moment| moment.cwd = None,
    ];
    for step in steps {
        if size(&moment) <= MOMENT_MOST {
            break;
        }
        step(&mut moment);
    }
    moment
}

fn in_action(moment: &mut Moment, change: fn(&mut Action)) {
    if let What::Action(action) = &mut moment.what {
        change(action);
    }
}

fn shorten(moment: &mut Moment) {
    let said = match &mut moment.what {
        What::Action(action) => &mut action.body,
        What::Prompt { text, .. } | What::Said { text, .. } | What::Concluded { text, .. } => text,
        _ => return,
    };
    *said = text::head(said, TEXT_LEAST).text;
}

fn size(moment: &Moment) -> usize {
    let mut count = Count(0);
    serde_json::to_writer(&mut count, moment).map_or(usize::MAX, |()| count.0)
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
