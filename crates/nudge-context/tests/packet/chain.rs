//! Filters and events.

use std::sync::{Mutex, PoisonError};

use nudge_context::{Events, Filters};
use proptest::prelude::*;

/// A lower number runs first; of equal numbers, the first added. @filters_and_events
#[test]
fn filters_run_by_priority_then_by_addition() {
    let mut filters = Filters::new();
    filters.add(50, "c", |text: String| text + "c");
    filters.add(10, "a", |text: String| text + "a");
    filters.add(50, "d", |text: String| text + "d");
    filters.add(10, "b", |text: String| text + "b");
    assert_eq!(filters.apply("-".to_owned()), "-abcd");
    assert_eq!(filters.order().collect::<Vec<_>>(), [(10, "a"), (10, "b"), (50, "c"), (50, "d")]);
}

/// @filters_and_events
#[test]
fn a_chain_without_filters_changes_nothing() {
    assert_eq!(Filters::new().apply(7), 7);
}

/// A filter may veto: it gets the value that the filters before it left. @filters_and_events
#[test]
fn a_filter_sees_what_the_filters_before_it_left() {
    let mut filters: Filters<'_, Result<u32, &str>> = Filters::new();
    filters.add(20, "double", |value| value.map(|value| value * 2));
    filters.add(10, "limit", |value| {
        value.and_then(|value| if value > 9 { Err("too large") } else { Ok(value) })
    });
    assert_eq!((filters.apply(Ok(4)), filters.apply(Ok(10))), (Ok(8), Err("too large")));
}

/// Every handler gets the event, in order of addition; that one fails is seen neither by the others
/// nor by the emitter. @filters_and_events
#[test]
fn events_reach_every_handler_and_return_nothing() {
    let seen = Mutex::new(Vec::new());
    let mut events = Events::new();
    events.on("first", |turn: &u32| seen.lock().unwrap().push(("first", *turn)));
    events.on("fails", |turn: &u32| {
        seen.lock().unwrap().push(("fails", *turn));
        panic!("this handler fails");
    });
    events.on("last", |turn: &u32| seen.lock().unwrap().push(("last", *turn)));
    let () = events.emit(&3);
    assert_eq!(events.names().collect::<Vec<_>>(), ["first", "fails", "last"]);
    assert_eq!(
        *seen.lock().unwrap_or_else(PoisonError::into_inner),
        [("first", 3), ("fails", 3), ("last", 3)]
    );
}

proptest! {
    /// @filters_and_events
    #[test]
    fn any_chain_is_a_stable_order_by_priority(priorities in prop::collection::vec(0_u16..5, 0..20)) {
        let mut filters = Filters::new();
        for (place, priority) in priorities.iter().enumerate() {
            filters.add(*priority, "step", move |mut order: Vec<usize>| { order.push(place); order });
        }
        let mut expected: Vec<usize> = (0..priorities.len()).collect();
        expected.sort_by_key(|place| priorities[*place]);
        prop_assert_eq!(filters.apply(Vec::new()), expected);
    }
}
