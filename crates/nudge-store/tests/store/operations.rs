//! Finished operations.

use crate::support::{Home, NOW, after, read, write};

/// @kernel_operation_ids: the answer of a write is kept ten minutes, and the first one counts.
#[test]
fn a_finished_operation_is_kept_for_ten_minutes() {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| writer.finish_operation("op-1", "first", NOW));
    write(&store, |writer| writer.finish_operation("op-1", "second", after(1)));
    let answer = || read(&store, |reader| reader.finished_operation("op-1"));
    assert_eq!(answer().as_deref(), Some("first"));

    write(&store, |writer| writer.sweep(after(600_000)));
    assert_eq!(answer().as_deref(), Some("first"));
    assert_eq!(write(&store, |writer| writer.sweep(after(600_001))).operations, 1);
    assert_eq!(answer(), None);
}
