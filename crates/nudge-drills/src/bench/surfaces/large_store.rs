//! Reads a hint in a large store, compared with a store that has only the hints.

use super::size::Size;
use super::table::{Aim, Table, grouped};
use super::{mcp, process, store};
use crate::stage::{Programs, free_port};

/// The maximum number of hints that the limits allow.
const HINTS: u64 = 5_000;

/// A component from the middle.
const COMPONENT: &str = "component-12";
const KEY: &str = "key-100";

pub(super) fn measure(programs: &Programs, size: Size, table: &mut Table) -> anyhow::Result<()> {
    let crowded = store::generated(programs, size.entries(), HINTS)?;
    let alone = store::generated(programs, HINTS, HINTS)?;
    let what = format!("among {} entries", grouped(size.entries()));

    let get = |home: &crate::stage::Home| home.nudge(&["get", COMPONENT, KEY]);
    let [ours, theirs] = process::alternate([&|| get(&crowded), &|| get(&alone)], size.processes())?;
    table.compare(
        &format!("`nudge get` of 5,000 hints {what}"),
        ours,
        ("the hints alone", theirs),
        Aim::Median(1.5),
    );

    let ports = [free_port()?.to_string(), free_port()?.to_string()];
    let sides = [(&crowded, &ports[0]), (&alone, &ports[1])]
        .map(|(home, port)| mcp::get_hint(home, &["serve", "--port", port], COMPONENT, KEY));
    let [ours, theirs] = mcp::time(programs, &alone, size, sides)?;
    table.compare(
        &format!("`get_hint` of 5,000 hints {what}"),
        ours,
        ("the hints alone", theirs),
        Aim::Median(1.5),
    );
    Ok(())
}
