//! The state of the database, and how to recover it.

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

/// Whether the database is intact. A problem comes with the steps to fix it: every other failure
/// sends the user to this check, so this check must not send them to itself.
pub(super) fn check_store(home: &Home) -> Finding {
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
        return Finding::fail(NAME, format!("damaged: {first}{rest}"), recovery_steps(home, true));
    }
    let facts = format!(
        "intact: {}, {}, {} KiB, schema {}",
        count(health.hints, "hint"),
        if health.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", health.entries) },
        health.bytes.div_ceil(1024),
        health.schema
    );
    match &health.read_only {
        None => check_write_access(home, facts),
        Some(why) => {
            let way_out = if health.schema > health.known_schema {
                "update nudge: a newer one wrote this memory".to_owned()
            } else {
                let dir = home.root().display();
                format!("make {dir} and its files writable for you, or run this where they are")
            };
            Finding::warn(NAME, format!("{facts}; it can be read but not written: {why}"), way_out)
        }
    }
}

/// An intact memory, and whether other processes let us write to it.
fn check_write_access(home: &Home, facts: String) -> Finding {
    match open::wait_for_write_lock(home) {
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
            let users = users::processes_with_open(&home.db())
                .map_or_else(String::new, |users| format!(" ({users})"));
            format!("wait for the process that is writing{users}, or end it; `server` below names ours")
        }
        Fault::FILE => "make the file readable and writable for you, or pass --home".to_owned(),
        Fault::MEMORY_GONE => recovery_steps(home, false),
        Fault::DAMAGED | Fault::MIGRATION_CHANGED | Fault::DATABASE => recovery_steps(home, true),
        _ => match &fault.next {
            Some(next) if !next.contains("nudge doctor") => next.clone(),
            _ => recovery_steps(home, true),
        },
    }
}

/// The steps to recover a memory, with the name of the backup to use.
fn recovery_steps(home: &Home, is_there: bool) -> String {
    let readable =
        if is_there { " `nudge export --output FILE` saves the hints that can still be read." } else { "" };
    match upkeep::newest_intact_backup(home) {
        Some(file) => format!(
            "restore the newest intact backup: `nudge restore {} --yes`; the present files are saved in backups",
            quoted(&file.to_string_lossy())
        ),
        None => format!(
            "there is no intact backup in {}. If you have one elsewhere: `nudge restore FILE --yes`.\
             {readable} To start with an empty memory: \
             `nudge restore --anew --yes`, which saves the present files in backups",
            home.backups_dir().display()
        ),
    }
}
