//! What the model sees of an entry.

use nudge_context::{PacketEntry, packet};
use nudge_core::entry_state::{EntryState, Visibility};

use crate::setup::{archived, block, entry, facts, packed, paths, prompt, summarized};

/// A visible entry has a line and a body, a summarized one a line, an archived one nothing.
/// @packet_visibility
#[test]
fn visibility_decides_what_is_shown() {
    let entries = [
        entry("known://whole", 1, "whole body"),
        summarized(entry("known://line", 1, "line body")),
        archived(entry("known://none", 1, "no body")),
    ];
    let packet = packed(&entries);
    assert_eq!(paths(block(&packet, "summary")), ["known://line", "known://whole"]);
    assert_eq!(paths(block(&packet, "visible")), ["known://whole"]);
    assert!(!packet.user.contains("none") && !packet.user.contains("no body"), "{}", packet.user);
    let costed: Vec<&str> = packet.rows.iter().map(|row| row.path.as_str()).collect();
    assert_eq!(costed, ["prompt://9", "known://whole", "known://line"]);
}

/// Proposals, schemes that are not for the model and audit records are in no block.
/// @packet_visibility
#[test]
fn proposals_and_audit_records_are_never_shown() {
    for path in
        ["known://secret", "log://turn_1/set/secret", "unknown://secret", "secret.rs", "skill://secret"]
    {
        let hidden = entry(path, 1, "secret body");
        let hidden = [
            PacketEntry { status: 202, ..hidden.clone() },
            PacketEntry { state: EntryState::Proposed, ..hidden.clone() },
            PacketEntry { model_visible: false, ..hidden },
            entry("system://1", 1, "secret body"),
        ];
        let packet = packed(&hidden);
        assert!(!packet.user.contains("secret") && !packet.system.contains("secret"), "{}", packet.user);
        assert_eq!(packet.rows.len(), 1);
    }
}

/// Promotion and demotion leave the summary as it is. @packet_visibility
#[test]
fn the_summary_changes_only_when_an_entry_lands() {
    let one = PacketEntry { summary: Some("The first".to_owned()), ..entry("known://one", 1, "First body.") };
    let two = entry("known://two", 2, "Second body.");
    let before = packed(&[one.clone(), two.clone()]);
    let demoted = packed(&[summarized(one.clone()), two.clone()]);
    let promoted = packed(&[one.clone(), PacketEntry { turn: 8, ..two.clone() }]);
    assert_eq!(block(&demoted, "summary"), block(&before, "summary"));
    assert_eq!(block(&promoted, "summary"), block(&before, "summary"));
    assert_ne!(block(&demoted, "visible"), block(&before, "visible"));
    let landed = packed(&[one, two, entry("known://zero", 8, "Third body.")]);
    assert_ne!(block(&landed, "summary"), block(&before, "summary"));
}

/// The description stands for the body while it is hidden; else the beginning of the body does.
/// @packet_visibility
#[test]
fn a_summarized_entry_is_one_line() {
    let long = "word ".repeat(400);
    let described = PacketEntry { summary: Some("x".repeat(90)), ..entry("known://described", 1, &long) };
    let file = entry("src/a.rs", 1, "//! A.\n\n{\n}\nuse b::C;\nfn d() {}\n");
    let entries = [summarized(described), summarized(entry("known://long", 1, &long)), summarized(file)];
    let packet = packed(&entries);
    let lines: Vec<&str> = block(&packet, "summary").lines().skip(1).collect();
    let text = |line: &str| line.split_once('>').map(|(_, rest)| rest.split('<').next().map(str::to_owned));
    let texts: Vec<String> = lines.iter().filter_map(|line| text(line).flatten()).collect();
    assert_eq!(texts[0].chars().count(), 80);
    assert_eq!(texts[1].chars().count(), 500);
    assert_eq!(texts[2], "//! A. / use b::C; / fn d() {}");
    assert_eq!(lines.len(), 3);
}

/// The prompt is there on every turn, in one line if it was demoted, and not at all if it was
/// archived. @packet_visibility
#[test]
fn the_prompt_follows_its_visibility() {
    let typed = prompt(1, 3, "First line.\nSecond line.");
    let user = |prompt: &PacketEntry| packet(&facts(Some(prompt), &[])).user;
    assert!(user(&typed).contains("\nFirst line.\nSecond line.\n:::prompt://1\n</prompt>\n"));
    assert!(user(&summarized(typed.clone())).contains(">First line. Second line.</prompt>\n"));
    let hidden = archived(typed);
    assert_eq!(hidden.visibility, Visibility::Archived);
    assert!(!user(&hidden).contains("<prompt"));
    assert_eq!(packet(&facts(Some(&hidden), &[])).loop_start_turn, 3);
}
