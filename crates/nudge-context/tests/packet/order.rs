//! The blocks of a packet and the order of what is in them.

use nudge_context::{PacketEntry, packet};

use crate::setup::{
    INSTRUCTIONS, SYSTEM, all_categories, block, entry, facts, messages, packed, paths, prompt, summarized,
};

/// Every category has its block, and the blocks have their order. @packet_order
#[test]
fn every_category_is_in_its_block() {
    let packet = packed(&all_categories());
    insta::assert_snapshot!(messages(&packet));
    assert_eq!(packet.loop_start_turn, 9);
}

/// @packet_order
#[test]
fn a_small_packet_has_no_empty_blocks() {
    insta::assert_snapshot!(messages(&packed(&[entry("known://a", 1, "One fact.")])));
}

/// @packet_order
#[test]
fn a_run_without_entries_still_has_a_budget() {
    let packet = packet(&facts(None, &[]));
    insta::assert_snapshot!(messages(&packet));
    assert_eq!((packet.rows, packet.loop_start_turn), (Vec::new(), 0));
}

/// The user message holds the blocks in the order of their priorities. @packet_order
#[test]
fn blocks_follow_their_priorities() {
    let packet = packed(&all_categories());
    let names = ["prompt ", "summary>", "visible>", "log>", "unknowns>", "instructions>", "budget "];
    let places = names.map(|name| packet.user.find(&format!("<{name}")).expect(name));
    assert!(places.is_sorted(), "{places:?}");
    assert!(packet.user.starts_with("<prompt tokenUsage="), "{}", packet.user);
    assert!(packet.user.ends_with("</budget>\n"), "{}", packet.user);
}

/// Earlier prompts join the log; what happened in one turn stays in its order. @packet_order
#[test]
fn the_log_is_chronological_and_holds_earlier_prompts() {
    let latest = prompt(3, 7, "And now?");
    let entries = [
        entry("log://turn_6/set/b", 6, "b"),
        latest.clone(),
        prompt(2, 4, "Then this."),
        entry("log://turn_4/set/z", 4, "z"),
        entry("log://turn_4/set/a", 4, "a"),
        prompt(1, 1, "First this."),
    ];
    let packet = packet(&facts(Some(&latest), &entries));
    let log = ["prompt://1", "prompt://2", "log://turn_4/set/z", "log://turn_4/set/a", "log://turn_6/set/b"];
    assert_eq!(paths(block(&packet, "log")), log);
    assert_eq!(packet.user.matches("And now?").count(), 1);
    assert_eq!(packet.loop_start_turn, 7);
}

/// @packet_order
#[test]
fn instructions_have_the_same_bytes_on_every_turn() {
    let expected = format!("<instructions>\n{INSTRUCTIONS}");
    assert_eq!(block(&packed(&[]), "instructions"), expected);
    assert_eq!(block(&packed(&all_categories()), "instructions"), expected);
}

/// Bodies of skills are in the system message; without a skill it is the system prompt alone.
/// @packet_order
#[test]
fn skills_are_in_the_system_message() {
    let mut skill = entry("skill://tests", 1, "Run one crate at a time.");
    let by_model = packed(std::slice::from_ref(&skill));
    assert_eq!(by_model.system, SYSTEM);
    assert!(block(&by_model, "visible").contains("Run one crate at a time."));
    skill.by_user = true;
    let packet = packed(std::slice::from_ref(&skill));
    assert!(packet.system.starts_with(SYSTEM), "{}", packet.system);
    assert!(packet.system.contains("Run one crate at a time.\n:::skill://tests\n</skill>\n"));
    assert_eq!(paths(block(&packet, "summary")), ["skill://tests"]);
    assert_eq!(block(&packet, "visible"), "");
    assert_eq!(packed(&[summarized(skill)]).system, SYSTEM);
}

/// A promoted entry comes last in `visible`, and `summary` keeps its order. @packet_order
#[test]
fn the_summary_is_by_path_and_bodies_are_by_turn() {
    let entries = [entry("b.rs", 5, "b"), entry("c.rs", 2, "c"), entry("a.rs", 9, "a")];
    let packet = packed(&entries);
    assert_eq!(paths(block(&packet, "summary")), ["a.rs", "b.rs", "c.rs"]);
    assert_eq!(paths(block(&packet, "visible")), ["c.rs", "b.rs", "a.rs"]);
    let reversed: Vec<PacketEntry> = entries.into_iter().rev().collect();
    assert_eq!(packed(&reversed).user, packet.user);
}
