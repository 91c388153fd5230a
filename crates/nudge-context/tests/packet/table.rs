//! The budget table.

use nudge_context::{BudgetRow, BudgetTable, EntryCost, PacketEntry, PacketTokens, budget_table, cost};
use proptest::prelude::*;

use crate::setup::{all_categories, archived, entry, packed, summarized};

/// The table of these entries, which cost 500 tokens together.
fn table(entries: &[PacketEntry], tokens: PacketTokens) -> BudgetTable {
    let costs: Vec<EntryCost> = entries.iter().map(cost).collect();
    budget_table(entries.iter().zip(&costs), 500, tokens)
}

/// Visible schemes have rows, the most expensive first; the rest has lines. @packet_budget_table
#[test]
fn visible_schemes_have_rows_and_the_rest_has_lines() {
    let entries = [
        entry("known://short", 1, "Short."),
        entry("src/long.rs", 1, &"let long = 1;\n".repeat(50)),
        entry("known://other", 1, "Another."),
        summarized(entry("https://example.org/a", 1, "A page.")),
        archived(entry("sh://turn_1/a", 1, "Output.")),
        entry("system://1", 1, "An audit record."),
    ];
    let table = table(&entries, PacketTokens::new(2_000, 28_800));
    insta::assert_snapshot!(table.text());
    let schemes: Vec<(&str, u32)> = table.rows.iter().map(|row| (row.scheme.as_str(), row.visible)).collect();
    assert_eq!(schemes, [("file", 1), ("known", 2)]);
    let premium = cost(&entries[0]).premium + cost(&entries[2]).premium;
    assert_eq!(
        table.rows[1],
        BudgetRow {
            scheme: "known".to_owned(),
            visible: 2,
            tokens: premium,
            percent: premium * 100 / 28_800
        }
    );
    assert_eq!((table.total.visible, table.total.summarized), (3, 1));
}

/// The model reads the same table that programs get as data. @packet_budget_table
#[test]
fn the_packet_shows_its_table() {
    let packet = packed(&all_categories());
    let text = packet.budget.text();
    assert!(packet.user.ends_with(&format!("{text}</budget>\n")), "{text}\n{}", packet.user);
    assert_eq!(packet.budget.total.tokens, packet.tokens);
}

/// What is not an entry is the same however many entries there are, but for the longer table.
/// @packet_budget_table
#[test]
fn many_entries_do_not_hide_the_system() {
    let entries: Vec<PacketEntry> =
        (0..500).map(|n| entry(&format!("src/f{n}.rs"), 1, "fn f() {}\n")).collect();
    let (few, many) = (packed(&entries[..1]).budget.system, packed(&entries).budget.system);
    assert!(few.tokens.abs_diff(many.tokens) < 10, "{few:?} {many:?}");
}

/// @packet_budget_table
#[test]
fn a_ceiling_of_nothing_has_no_percentages() {
    let table = table(&[entry("known://a", 1, "A.")], PacketTokens::new(50, 0));
    assert_eq!((table.rows[0].percent, table.system.percent, table.total.tokens.free), (0, 0, 0));
}

proptest! {
    /// Rows, summarized and system add up to the usage, however many entries there are.
    /// @packet_budget_table
    #[test]
    fn the_parts_add_up_to_the_usage(
        names in prop::collection::btree_map("[a-z]{1,3}", any::<bool>(), 0..40),
        body in "[a-z ]{0,20}",
    ) {
        let of_name = |(name, is_visible): (&String, &bool)| {
            let entry = entry(&format!("known://{name}"), 1, &body);
            if *is_visible { entry } else { summarized(entry) }
        };
        let entries: Vec<PacketEntry> = names.iter().map(of_name).collect();
        let packet = packed(&entries);
        let table = packet.budget;
        let rows: u32 = table.rows.iter().map(|row| row.tokens).sum();
        prop_assert_eq!(rows + table.summarized.tokens + table.system.tokens, packet.tokens.usage);
        prop_assert!(table.system.tokens > 0);
        prop_assert_eq!(table.total.visible + table.total.summarized, u32::try_from(entries.len() + 1).unwrap());
    }
}
