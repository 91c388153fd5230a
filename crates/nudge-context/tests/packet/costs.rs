//! What entries and packets cost.

use nudge_context::{Packet, PacketEntry, PacketFacts, cost, count_tokens, packet};
use nudge_core::entry_state::Visibility;
use proptest::prelude::*;

use crate::setup::{all_categories, block, entry, facts, packed, prompt, summarized};

/// Whether the figures are those of the bytes, wherever the packet shows them.
fn is_true(packet: &Packet) -> bool {
    let usage = count_tokens(&packet.system) + count_tokens(&packet.user);
    let free = packet.tokens.ceiling.saturating_sub(usage);
    (packet.tokens.usage, packet.tokens.free) == (usage, free)
        && shown(packet, " tokenUsage=\"") == [usage, usage]
        && shown(packet, " tokensFree=\"") == [free, free]
}

/// The values of an attribute, in order.
fn shown(packet: &Packet, attribute: &str) -> Vec<u32> {
    let after = packet.user.split(attribute).skip(1);
    after.filter_map(|rest| rest.split('"').next()?.parse().ok()).collect()
}

/// The figures are those of the assembled bytes, the same at both ends. @packet_costs
#[test]
fn the_usage_is_the_cost_of_both_messages() {
    let packet = packed(&all_categories());
    assert!(is_true(&packet), "{}", packet.user);
    assert_eq!(packet.tokens.ceiling, 28_800);
}

/// @packet_costs
#[test]
fn a_packet_over_its_ceiling_has_nothing_free() {
    let prompt = prompt(1, 1, &"word ".repeat(200));
    let tiny = PacketFacts { context_size: 100, ..facts(Some(&prompt), &[]) };
    let packet = packet(&tiny);
    assert!(is_true(&packet), "{}", packet.user);
    assert_eq!((packet.tokens.free, packet.tokens.ceiling), (0, 90));
    assert!(packet.tokens.usage > 200);
}

/// `tokens` of a tag is the premium, and the three numbers are those of the rendered bytes.
/// @packet_costs
#[test]
fn an_entry_costs_what_its_rendering_costs() {
    let known = entry("known://a", 1, &"One more fact. ".repeat(40));
    let costed = cost(&known);
    let packet = packed(std::slice::from_ref(&known));
    let inner = |name: &str| block(&packet, name).split_once('\n').map(|(_, inner)| inner.to_owned());
    let line = inner("summary").expect("a line");
    let whole = inner("visible").expect("a body");
    assert_eq!(costed.summarized, count_tokens(&line));
    assert_eq!(costed.visible, count_tokens(&line) + count_tokens(&whole));
    assert_eq!(costed.premium, count_tokens(&whole));
    assert!(whole.contains(&format!(" tokens=\"{}\"", costed.premium)), "{whole}");
    assert_eq!(packet.rows[1], costed);
}

/// Demotion frees what the tag says, but for the rounding of three texts. @packet_costs
#[test]
fn demotion_frees_the_premium() {
    let kept = entry("known://kept", 1, "One fact stays visible.");
    for path in ["known://demoted", "log://turn_2/set/demoted", "unknown://demoted"] {
        let other = entry(&path.replace("demoted", "other"), 1, "Another.");
        let demoted = entry(path, 2, &"A sentence that takes some room. ".repeat(60));
        let before = packed(&[kept.clone(), other.clone(), demoted.clone()]).tokens.usage;
        let after = packed(&[kept.clone(), other, summarized(demoted.clone())]).tokens.usage;
        let freed = before - after;
        assert!(freed.abs_diff(cost(&demoted).premium) <= 3, "{path}: freed {freed}, {:?}", cost(&demoted));
    }
}

/// A long description of a short record costs more than the record: the premium is 0 then.
/// @packet_costs
#[test]
fn the_premium_is_never_negative() {
    let described = PacketEntry {
        summary: Some("A description that is longer than the record itself".to_owned()),
        ..entry("log://turn_1/set/a", 1, "")
    };
    let costed = cost(&described);
    assert!(costed.visible < costed.summarized && costed.premium == 0, "{costed:?}");
    assert!(is_true(&packed(&[described])));
}

/// The cost of an entry does not depend on its visibility, so `get` can show it for any entry.
/// @packet_costs
#[test]
fn the_cost_is_the_same_in_each_visibility() {
    let visible = entry("src/a.rs", 1, "fn a() {}\n");
    for visibility in [Visibility::Summarized, Visibility::Archived] {
        assert_eq!(cost(&PacketEntry { visibility, ..visible.clone() }), cost(&visible));
    }
}

fn visibility() -> impl Strategy<Value = Visibility> {
    prop_oneof![Just(Visibility::Visible), Just(Visibility::Summarized), Just(Visibility::Archived),]
}

fn any_entry() -> impl Strategy<Value = PacketEntry> {
    let schemes = ["", "known://", "skill://", "log://", "unknown://", "prompt://", "sh://", "system://"];
    let body = prop_oneof!["[ -~\n]{0,300}", "\\PC{0,80}", Just(String::new())];
    let path = (prop::sample::select(schemes.to_vec()), "[a-z]{1,8}")
        .prop_map(|(scheme, name)| scheme.to_owned() + &name);
    (path, body, visibility(), 0_u32..9, prop::option::of("[ -~]{0,90}")).prop_map(
        |(path, body, visibility, turn, summary)| PacketEntry {
            visibility,
            summary,
            ..entry(&path, turn, &body)
        },
    )
}

proptest! {
    /// @packet_costs
    #[test]
    fn the_figures_of_any_packet_are_true(
        entries in prop::collection::vec(any_entry(), 0..8),
        context_size in 0_u32..3_000,
    ) {
        let prompt = prompt(9, 9, "Fix the retry.");
        let packet = packet(&PacketFacts { context_size, ..facts(Some(&prompt), &entries) });
        prop_assert!(is_true(&packet), "{}", packet.user);
    }

    /// @packet_costs
    #[test]
    fn premium_and_floor_add_up(entry in any_entry()) {
        let costed = cost(&entry);
        prop_assert_eq!(costed.premium, costed.visible.saturating_sub(costed.summarized));
        prop_assert!(costed.summarized > 0 && costed.visible > 0);
        if matches!(entry.scheme.as_str(), "" | "known" | "skill" | "sh") {
            prop_assert!(costed.visible >= costed.summarized);
        }
    }
}
