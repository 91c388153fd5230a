//! How long hooks took in the last seven days, by the hour: a file of fixed size, with counts and
//! nothing of the events.
//!
//! Each hour has a slot, which the same hour of the next week takes over. If a count cannot be
//! written at once, it is left out: counting must never make a hook late.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::Duration;

use nudge_core::Timestamp;
use nudge_home::home::{Home, private_dir, private_file};
use serde::Serialize;

use super::drops;

/// How many hours are kept.
const HOURS: u64 = 7 * 24;

/// How many counts an hour has. The first is for hooks under 1 ms, the next for those under 2 ms,
/// then 4, 8 and so on; the last is for all longer ones.
pub const BUCKETS: usize = 16;

/// A slot: the number of its hour since the epoch, then its counts, as 32 bits each.
const SLOT_BYTES: usize = 4 * (1 + BUCKETS);

const HOUR_MS: i64 = 60 * 60 * 1_000;

/// How long counting waits for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_millis(2);

/// The hooks of one hour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HookHour {
    /// When the hour began.
    pub hour: String,
    /// How many hooks took less than 1 ms, 2 ms, 4 ms and so on.
    pub counts: [u32; BUCKETS],
}

/// Counts a hook.
pub fn note(home: &Home, took: Duration, now: Timestamp) {
    let _ = try_note(home, took, now);
}

/// The hours of the last seven days that had hooks, oldest first.
pub fn read(home: &Home, now: Timestamp) -> Vec<HookHour> {
    let Ok(file) = private_file::read(&path(home)) else { return Vec::new() };
    let this = hour_of(now);
    let mut hours: Vec<(u32, [u32; BUCKETS])> = (0..HOURS)
        .filter_map(|place| slot(&file, place).ok())
        .filter(|(hour, counts)| {
            u64::from(*hour) <= this
                && u64::from(*hour) + HOURS > this
                && counts.iter().any(|count| *count > 0)
        })
        .collect();
    hours.sort_unstable();
    let began = |hour: u32| Timestamp::from_millis(i64::from(hour) * HOUR_MS).to_string();
    hours.into_iter().map(|(hour, counts)| HookHour { hour: began(hour), counts }).collect()
}

fn try_note(home: &Home, took: Duration, now: Timestamp) -> io::Result<()> {
    let path = path(home);
    let file = match private_file::read_write(&path) {
        Ok(file) => file,
        Err(_) => {
            private_dir::create(&home.log_dir())?;
            private_file::read_write(&path)?
        }
    };
    drops::lock(&file, LOCK_TIMEOUT)?;
    let this = hour_of(now);
    let place = this % HOURS;
    let hour = u32::try_from(this).unwrap_or(u32::MAX);
    // What a slot has of an hour of last week is no longer kept.
    let mut counts = match slot(&file, place) {
        Ok((known, counts)) if known == hour => counts,
        _ => [0; BUCKETS],
    };
    let count = &mut counts[bucket(took)];
    *count = count.saturating_add(1);
    let mut bytes = Vec::with_capacity(SLOT_BYTES);
    bytes.extend(hour.to_le_bytes());
    counts.iter().for_each(|count| bytes.extend(count.to_le_bytes()));
    file.write_all_at(&bytes, place * SLOT_BYTES as u64)
}

fn slot(file: &File, place: u64) -> io::Result<(u32, [u32; BUCKETS])> {
    let mut bytes = [0; SLOT_BYTES];
    file.read_exact_at(&mut bytes, place * SLOT_BYTES as u64)?;
    let mut numbers =
        bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    let hour = numbers.next().unwrap_or_default();
    let mut counts = [0; BUCKETS];
    counts.iter_mut().zip(numbers).for_each(|(count, number)| *count = number);
    Ok((hour, counts))
}

fn bucket(took: Duration) -> usize {
    let bits = u128::BITS - took.as_millis().leading_zeros();
    (bits as usize).min(BUCKETS - 1)
}

fn hour_of(now: Timestamp) -> u64 {
    u64::try_from(now.as_millis() / HOUR_MS).unwrap_or(0)
}

fn path(home: &Home) -> PathBuf {
    home.log_dir().join("hook-times")
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    const NOW: i64 = 1_794_723_027_123;

    #[test]
    fn hooks_are_counted_by_hour_and_time() {
        let dir = TempDir::new().expect("temporary directory");
        let home = Home::locate(Some(dir.path()), &|_| None).expect("absolute");
        home.prepare().expect("made");
        let at = |hours: i64| Timestamp::from_millis(NOW + hours * HOUR_MS);
        assert_eq!(read(&home, at(0)), []);
        for took in [0, 1, 3, 3, 1_000_000] {
            note(&home, Duration::from_millis(took), at(0));
        }
        note(&home, Duration::from_millis(9), at(1));
        let found = read(&home, at(1));
        let counted = |place: usize| {
            let counts = found[place].counts.iter().enumerate().filter(|(_, count)| **count > 0);
            counts.map(|(bucket, count)| (bucket, *count)).collect::<Vec<_>>()
        };
        assert_eq!(found.len(), 2);
        assert_eq!((counted(0), counted(1)), (vec![(0, 1), (1, 1), (2, 2), (15, 1)], vec![(4, 1)]));
        assert_eq!(found[0].hour, "2026-11-15T06:00:00.000Z");
        // A week later the slot is another hour's.
        note(&home, Duration::ZERO, at(7 * 24));
        let found = read(&home, at(7 * 24));
        assert_eq!(found.iter().map(|one| one.counts.iter().sum::<u32>()).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(read(&home, at(15 * 24)), []);
    }

    #[test]
    fn a_damaged_file_counts_nothing_and_is_written_over() {
        let dir = TempDir::new().expect("temporary directory");
        let home = Home::locate(Some(dir.path()), &|_| None).expect("absolute");
        home.prepare().expect("made");
        private_dir::create(&home.log_dir()).expect("made");
        std::fs::write(path(&home), b"short").expect("written");
        let now = Timestamp::from_millis(NOW);
        assert_eq!(read(&home, now), []);
        note(&home, Duration::from_millis(5), now);
        assert_eq!(read(&home, now).len(), 1);
    }
}
