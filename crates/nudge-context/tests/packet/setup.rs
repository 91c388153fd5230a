//! Entries and packets for the tests.

use nudge_context::{Packet, PacketEntry, PacketFacts, packet};
use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::scheme::Category;

pub const SYSTEM: &str = "You work on the project with the tools below.\n";
pub const INSTRUCTIONS: &str = "End each turn with an update.\n";

/// An entry that is visible and has succeeded. Its path decides scheme and category.
pub fn entry(path: &str, turn: u32, body: &str) -> PacketEntry {
    let scheme = path.split_once("://").map_or("", |(scheme, _)| scheme);
    PacketEntry {
        path: path.to_owned(),
        scheme: scheme.to_owned(),
        category: category(scheme),
        visibility: Visibility::Visible,
        status: 200,
        state: EntryState::Resolved,
        outcome: None,
        turn,
        summary: None,
        attributes: Vec::new(),
        body: body.to_owned(),
        by_user: false,
        model_visible: true,
    }
}

fn category(scheme: &str) -> Category {
    match scheme {
        "" | "known" | "skill" | "https" | "sh" => Category::Data,
        "unknown" => Category::Unknown,
        "prompt" => Category::Prompt,
        "system" => Category::Audit,
        _ => Category::Logging,
    }
}

pub fn summarized(entry: PacketEntry) -> PacketEntry {
    PacketEntry { visibility: Visibility::Summarized, ..entry }
}

pub fn archived(entry: PacketEntry) -> PacketEntry {
    PacketEntry { visibility: Visibility::Archived, ..entry }
}

pub fn failed(entry: PacketEntry, outcome: &str) -> PacketEntry {
    PacketEntry { status: 404, state: EntryState::Failed, outcome: Some(outcome.to_owned()), ..entry }
}

/// What the user typed.
pub fn prompt(number: u32, turn: u32, body: &str) -> PacketEntry {
    let attributes = vec![("mode".to_owned(), "ask".to_owned())];
    PacketEntry { by_user: true, attributes, ..entry(&format!("prompt://{number}"), turn, body) }
}

pub fn facts<'a>(prompt: Option<&'a PacketEntry>, entries: &'a [PacketEntry]) -> PacketFacts<'a> {
    PacketFacts {
        prompt,
        entries,
        system: SYSTEM,
        instructions: INSTRUCTIONS,
        context_size: 32_000,
        ceiling_percent: 90,
    }
}

/// The packet of these entries, under the prompt `Fix the retry.`
pub fn packed(entries: &[PacketEntry]) -> Packet {
    packet(&facts(Some(&prompt(9, 9, "Fix the retry.")), entries))
}

/// Both messages, as a person reads them.
pub fn messages(packet: &Packet) -> String {
    format!("[system]\n{}\n[user]\n{}", packet.system, packet.user)
}

/// The content of a block of the user message, or nothing.
pub fn block<'p>(packet: &'p Packet, name: &str) -> &'p str {
    let user = packet.user.as_str();
    let content = || {
        let from = user.find(&format!("\n<{name}>\n"))?;
        let to = user.rfind(&format!("\n</{name}>\n"))?;
        user.get(from + 1..to + 1)
    };
    content().unwrap_or_default()
}

/// The paths in the tags of a text, in order.
pub fn paths(text: &str) -> Vec<&str> {
    let tags = text.lines().filter(|line| line.starts_with('<'));
    tags.filter_map(|line| line.split_once(" path=\"")?.1.split_once('"')).map(|(path, _)| path).collect()
}

/// An entry of each category, in each visibility.
pub fn all_categories() -> Vec<PacketEntry> {
    let described = PacketEntry {
        summary: Some("How long the worker waits".to_owned()),
        ..entry("known://retry/backoff", 4, "The worker waits 2 s, then 4 s, then 8 s.\n")
    };
    vec![
        prompt(1, 1, "Why does the queue stall?"),
        entry("log://turn_1/get/worker", 1, "src/worker.rs, 3 lines"),
        failed(entry("log://turn_2/get/gone", 2, "No such entry."), "not_found"),
        summarized(entry("update://turn_2", 2, "Looking at the worker.")),
        entry("src/worker.rs", 3, "//! The worker.\n\nfn wait<T>(queue: Vec<T>) {\n    todo()\n}\n"),
        summarized(entry("src/queue.rs", 2, "//! The queue.\n\npub struct Queue;\n")),
        described,
        archived(entry("known://old", 1, "Nobody needs this.")),
        entry("skill://tests", 1, "Run the tests of one crate at a time."),
        entry("unknown://limit", 5, "Is there a limit of retries?"),
        summarized(entry("unknown://owner", 4, "Who owns the queue?")),
        entry("system://4", 4, "An audit record."),
    ]
}
