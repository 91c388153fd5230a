//! How the database stands, and the way back where it does not.

use nudge_client::open;
use nudge_core::Fault;
use nudge_harness::install::quoted;
use nudge_home::Home;
use nudge_memory::upkeep::{self, Health};

use crate::command::doctor::finding::Finding;
use crate::command::doctor::users;
use crate::invocation::now;
use crate::pages::words::count;

const NAME: &str = "store";

/// Whether the database is sound. What is wrong with it is said with the steps that mend it: this is where every other
/// failure sends a person, so it does not send them on to itself.
pub(super) fn standing(home: &Home) -> Finding {
    match upkeep::examine(home, now()) {
        Ok(None) => Finding::ok(NAME, "empty"),
        Ok(Some(health)) => examined(home, &health),
        Err(fault) => {
            let way_out = way_out(home, &fault);
            Finding::fail(NAME, fault.message, way_out)
        }
    }
}

fn examined(home: &Home, health: &Health) -> Finding {
    if let Some(first) = health.damage.first() {
        let more = health.damage.len() - 1;
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        return Finding::fail(NAME, format!("damaged: {first}{rest}"), way_back(home, true));
    }
    let facts = format!(
        "sound: {}, {}, {} KiB, schema {}",
        count(health.hints, "hint"),
        if health.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", health.entries) },
        health.bytes.div_ceil(1024),
        health.schema
    );
    match &health.read_only {
        None => to_write(home, facts),
        Some(why) => {
            let way_out = if health.schema > health.known_schema {
                "update nudge: a newer one wrote this memory".to_owned()
            } else {
                let dir = home.root().display();
                format!("make {dir} and the files in it writable for you, or run where they are")
            };
            Finding::warn(NAME, format!("{facts}; it can be read but not written: {why}"), way_out)
        }
    }
}

/// A sound memory, and whether others let us write it.
fn to_write(home: &Home, facts: String) -> Finding {
    match open::await_turn(home) {
        Ok(()) => Finding::ok(NAME, facts),
        Err(fault) => {
            let is_held = fault.reason == Fault::BUSY;
            let why = if is_held { "another process holds the write lock" } else { &fault.message };
            Finding::warn(NAME, format!("{facts}; {why}"), way_out(home, &fault))
        }
    }
}

fn way_out(home: &Home, fault: &Fault) -> String {
    match fault.reason.as_str() {
        Fault::BUSY => {
            let users = users::of(&home.db()).map_or_else(String::new, |users| format!(" ({users})"));
            format!("wait for the process that is writing{users}, or end it; `server` below names ours")
        }
        Fault::FILE => "make the file readable and writable for you, or pass --home".to_owned(),
        Fault::MEMORY_GONE => way_back(home, false),
        Fault::DAMAGED | Fault::MIGRATION_CHANGED | Fault::DATABASE => way_back(home, true),
        _ => match &fault.next {
            Some(next) if !next.contains("nudge doctor") => next.clone(),
            _ => way_back(home, true),
        },
    }
}

/// The steps that bring a memory back, with the backup to take by its name.
fn way_back(home: &Home, is_there: bool) -> String {
    let readable = if is_there { " What can still be read, `nudge export --output FILE` saves." } else { "" };
    match upkeep::newest_sound_backup(home) {
        Some(file) => format!(
            "bring back the newest sound backup: `nudge restore {} --yes`; what is there now is kept in backups",
            quoted(&file.to_string_lossy())
        ),
        None => format!(
            "there is no sound backup in {}. If you have one elsewhere: `nudge restore FILE --yes`.\
             {readable} To go on with an empty memory: \
             `nudge restore --anew --yes`, which keeps what is there now in backups",
            home.backups_dir().display()
        ),
    }
}
