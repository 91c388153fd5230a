//! Texts that a command reads from a file or from standard input, byte for byte.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use nudge_core::{Fault, FaultKind};

/// The largest text to read, in bytes. An entry holds at most as much, and a prompt less.
const MOST: u64 = 16 * 1024 * 1024;

/// All of standard input.
pub(crate) fn stdin() -> Result<String, Fault> {
    text(std::io::stdin().lock(), "standard input")
}

/// The words of a prompt as one text. A last word of `-` stands for standard input.
pub(crate) fn prompt(words: &[String]) -> Result<String, Fault> {
    Ok(match words {
        [only] if only == "-" => stdin()?,
        [before @ .., last] if last == "-" => format!("{}\n\n{}", before.join(" "), stdin()?),
        words => words.join(" "),
    })
}

/// All of a file.
pub(crate) fn file(path: &Path) -> Result<String, Fault> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| {
        let kind = if error.kind() == std::io::ErrorKind::NotFound {
            FaultKind::NotFound
        } else {
            FaultKind::Unavailable
        };
        Fault::new(kind, "unreadable", format!("cannot read {name}: {error}"))
    })?;
    text(file, &name)
}

fn text(from: impl Read, name: &str) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    from.take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::invalid("unreadable_file", format!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > MOST {
        let why = format!("{name} has more than {MOST} bytes");
        return Err(Fault::new(FaultKind::TooLarge, "overflow", why).next("split it into several parts"));
    }
    String::from_utf8(bytes).map_err(|_| Fault::invalid("not_text", format!("{name} is not UTF-8 text")))
}
