//! Large stores.

use std::time::Instant;

use nudge_core::Scope;
use nudge_store::{SecretPolicy, bulk};

use crate::support::{Home, NOW};

/// @kernel_flat_reads: prints how fast a large store is created and read: `cargo test --profile ci
/// -p nudge-store --test store -- --ignored --nocapture scale::`
#[test]
#[ignore = "takes a minute; prints figures"]
#[allow(clippy::print_stderr)]
fn rates() {
    let home = Home::new();
    let store = home.open();
    let mut made = 0;
    for size in [10_000, 100_000, 1_000_000] {
        let started = Instant::now();
        bulk::fill(&store, made, size, SecretPolicy::Redact, NOW).expect("filled");
        let rate = (size - made) as f64 / started.elapsed().as_secs_f64();
        made = size;
        let head = store.read(|reader| reader.feed_head()).expect("read");
        let by_path = timed(|n| {
            let number = (n * 7_919) % size;
            let scope = Scope::Project(format!("project-{}", number % 40));
            assert!(
                store.read(|reader| reader.entry(&scope, &bulk::path_of(number))).expect("read").is_some()
            );
        });
        let newest = timed(|_| assert_eq!(store.read(|r| r.newest("log", 50)).expect("read").len(), 50));
        let feed = timed(|n| {
            let position = head - 1_000 - (n as i64 * 31) % 5_000;
            assert_eq!(store.read(|r| r.feed_after(position, 50)).expect("read").changes.len(), 50);
        });
        let bytes = store.stats().expect("counted").database_bytes;
        eprintln!(
            "{size} entries, {bytes} bytes: {rate:.0} rows/s; p50/p99 µs: path {by_path:?}, newest {newest:?}, feed {feed:?}"
        );
    }
}

fn timed(mut run: impl FnMut(u64)) -> (u128, u128) {
    let mut times: Vec<u128> = (0..2_000)
        .map(|n| {
            let started = Instant::now();
            run(n);
            started.elapsed().as_micros()
        })
        .collect();
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 99 / 100])
}
