//! `cargo xtask fuzz`: damaged payloads and transcripts through everything that reads them. No panic, no hang.
//!
//! Inputs are the captured ones, damaged at random: bytes, structure and text. A failing input is printed with the number that makes
//! it again (`--seed`).

mod damage;
mod readers;

use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::tree;
use damage::Dice;
use readers::{READERS, Reader, Sample};

/// Longer than any input here may take, on a busy machine: the largest is some hundred kilobytes.
const TOO_LONG: Duration = Duration::from_secs(2);

/// After this time a reader is taken to hang.
const HUNG: Duration = Duration::from_secs(20);

/// How long it runs when nothing is said: what CI has for it.
const SECONDS: u64 = 30;

/// Runs for the time asked for and answers whether nothing failed.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let (seconds, seed) = parse(args)?;
    let samples = readers::samples(&tree::root().join("crates/nudge-harness/tests/fixtures"))?;
    println!("{} captured inputs, {} readers, {seconds} s from seed {seed}", samples.len(), READERS.len());
    // A panic is caught and counted here; its message would bury the report.
    panic::set_hook(Box::new(|_| {}));
    let until = Instant::now() + Duration::from_secs(seconds);
    let (mut inputs, mut failures, mut slowest) = (0_u64, Vec::new(), Duration::ZERO);
    // The readers run on a thread of their own: one that never returns is seen from here.
    let (tell, hear) = mpsc::channel();
    std::thread::spawn(move || (seed..).all(|number| tell.send(one(&samples, number)).is_ok()));
    while Instant::now() < until && failures.len() < 10 {
        let Ok((took, failed)) = hear.recv_timeout(HUNG) else {
            failures
                .push(format!("a reader has not returned for {HUNG:?}; again with --seed {}", seed + inputs));
            break;
        };
        slowest = slowest.max(took);
        failures.extend(failed);
        inputs += 1;
    }
    drop(panic::take_hook());
    println!("{inputs} inputs, slowest {} ms, {} failures", slowest.as_millis(), failures.len());
    for failure in &failures {
        println!("{failure}");
    }
    Ok(failures.is_empty())
}

/// Damages one sample and gives it to every reader it may reach.
fn one(samples: &[Sample], number: u64) -> (Duration, Vec<String>) {
    let mut dice = Dice::new(number);
    let sample = &samples[dice.below(samples.len())];
    let other = &samples[dice.below(samples.len())];
    let text = damage::damaged(&sample.text, &other.text, &mut dice);
    judge(READERS, sample, &text, number)
}

/// Gives a text to readers; the slowest time, and what went wrong.
fn judge(readers: &[Reader], sample: &Sample, text: &str, number: u64) -> (Duration, Vec<String>) {
    let mut slowest = Duration::ZERO;
    let mut failures = Vec::new();
    for Reader { name, read } in readers {
        let began = Instant::now();
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| read(sample, text)));
        let took = began.elapsed();
        slowest = slowest.max(took);
        if outcome.is_err() {
            failures.push(format!("{name} panicked on {}; again with --seed {number}", sample.name));
        } else if took > TOO_LONG {
            failures.push(format!("{name} took {took:?} on {}; again with --seed {number}", sample.name));
        }
    }
    (slowest, failures)
}

fn parse(args: &[String]) -> anyhow::Result<(u64, u64)> {
    let (mut seconds, mut seed) = (SECONDS, 1);
    let mut args = args.iter();
    while let Some(flag) = args.next() {
        let value = args.next().with_context(|| format!("{flag} needs a number"))?;
        let value: u64 = value.parse().with_context(|| format!("{flag} {value} is no number"))?;
        match flag.as_str() {
            "--seconds" => seconds = value,
            "--seed" => seed = value,
            unknown => anyhow::bail!("unknown argument `{unknown}`; fuzz takes --seconds N and --seed N"),
        }
    }
    Ok((seconds, seed))
}

/// The text of a file, whatever its bytes are.
fn text_of(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("{}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nudge_harness::Harness;

    fn sample() -> Sample {
        Sample { name: "made-up".to_owned(), harness: Harness::Claude, text: "{}".to_owned() }
    }

    #[test]
    fn the_same_number_makes_the_same_input() {
        let make = |number| damage::damaged("{\"a\": [1, 2, \"x\"]}", "{}", &mut Dice::new(number));
        assert_eq!(make(7), make(7));
        assert!((0..50).map(make).collect::<std::collections::HashSet<_>>().len() > 10);
    }

    #[test]
    fn a_reader_that_panics_or_dawdles_is_reported() {
        let panics = Reader { name: "panics", read: |_, _| panic!("on purpose") };
        let dawdles = Reader { name: "dawdles", read: |_, _| std::thread::sleep(TOO_LONG * 2) };
        let sound = Reader { name: "sound", read: |_, _| () };
        let told = judge(&[panics, dawdles, sound], &sample(), "{}", 7).1;
        let told: Vec<&str> = told.iter().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(told, ["panics", "dawdles"]);
    }

    #[test]
    fn arguments_are_numbers() {
        let parsed = |args: &[&str]| parse(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>());
        assert_eq!(parsed(&["--seconds", "5", "--seed", "9"]).expect("parsed"), (5, 9));
        assert!(parsed(&["--seconds"]).is_err());
        assert!(parsed(&["--second", "5"]).is_err());
    }
}
