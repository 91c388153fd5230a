//! `cargo xtask fuzz`: sends damaged payloads and transcripts through every reader, queries through
//! the search, and damaged outputs of models through the grammar of the verbs. No panic, no hang.
//!
//! Inputs are captured ones with random damage to bytes, structure and text. Queries consist of
//! words, operators and text that is hard to parse, and are asked of an index and of a scan. A
//! failing input is printed with the number that makes it again (`--seed`). `--only KIND` runs one
//! kind: inputs, queries, tags, patterns or edits.

mod damage;
mod grammar;
mod queries;

use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use damage::Random;
use grammar::Outputs;
use nudge_core::Timestamp;
use nudge_harness::{Harness, Reply, tool_use, transcript};
use nudge_memory::capture::{self, CapturedEvent, CapturedVia, ProjectRef, ReadContext};
use queries::Library;

use crate::repository;

/// Longer than any input may take on a busy machine: the largest has some hundred kilobytes.
const TOO_LONG: Duration = Duration::from_secs(2);

/// After this time a reader counts as hung.
const HUNG_AFTER: Duration = Duration::from_secs(20);

/// Panics so far, including those caught inside: a search that loses its index to one continues
/// without it.
static PANICS: AtomicUsize = AtomicUsize::new(0);

/// The arguments.
#[derive(Copy, Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// How long to run; by default, the time that CI has for it.
    #[arg(long, value_name = "N", default_value_t = 30)]
    seconds: u64,
    /// The number of the first input.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Sends one kind of input.
    #[arg(long, value_name = "KIND")]
    only: Option<Kind>,
}

nudge_core::named_enum! {
    /// The kinds of input.
    #[derive(clap::ValueEnum)]
    enum Kind {
        Inputs => "inputs",
        Queries => "queries",
        Tags => "tags",
        Patterns => "patterns",
        Edits => "edits",
    }
}

/// The sources of the inputs.
struct Stock {
    samples: Vec<Sample>,
    library: Library,
    outputs: Outputs,
}

/// Runs for the requested time and returns whether nothing failed.
pub(crate) fn run(options: Options) -> anyhow::Result<bool> {
    let Options { seconds, seed, only } = options;
    let samples = samples(&repository::root().join("crates/nudge-harness/tests/fixtures"))?;
    let outputs = Outputs::read(&repository::root())?;
    println!(
        "{} captured inputs, {} readers, {} outputs of models, and queries; {seconds} s from seed {seed}",
        samples.len(),
        READERS.len(),
        outputs.len()
    );
    let stock = Stock { samples, library: Library::open()?, outputs };
    // A panic is caught and counted here; its message would bury the report.
    panic::set_hook(Box::new(|_| {
        PANICS.fetch_add(1, Ordering::Relaxed);
    }));
    let until = Instant::now() + Duration::from_secs(seconds);
    let (mut counts, mut failures, mut slowest) = ([0_u64; Kind::ALL.len()], Vec::new(), Duration::ZERO);
    // The readers run on a separate thread, so that one that never returns is noticed here.
    let (tell, hear) = mpsc::channel();
    std::thread::spawn(move || (seed..).all(|number| tell.send(one(&stock, only, number)).is_ok()));
    while Instant::now() < until && failures.len() < 10 {
        let Ok((kind, took, failed)) = hear.recv_timeout(HUNG_AFTER) else {
            let number = seed + counts.iter().sum::<u64>();
            failures
                .push(format!("a reader has not returned for {HUNG_AFTER:?}; again with --seed {number}"));
            break;
        };
        slowest = slowest.max(took);
        failures.extend(failed);
        counts[kind as usize] += 1;
    }
    drop(panic::take_hook());
    let counted = Kind::ALL.iter().zip(counts).filter(|(_, count)| *count > 0);
    let counted: Vec<String> = counted.map(|(kind, count)| format!("{count} {}", kind.name())).collect();
    println!("{}, slowest {} ms, {} failures", counted.join(", "), slowest.as_millis(), failures.len());
    for failure in &failures {
        println!("{failure}");
    }
    Ok(failures.is_empty())
}

/// Makes the input with this number and passes it to everything that can receive it.
fn one(stock: &Stock, only: Option<Kind>, number: u64) -> (Kind, Duration, Vec<String>) {
    let kind = only.unwrap_or(Kind::ALL[(number % Kind::ALL.len() as u64) as usize]);
    // These judge their own time.
    let read = |name, read: fn(&Outputs, u64)| {
        let (took, failure) = judged(name, "an output", number, HUNG_AFTER, || read(&stock.outputs, number));
        (took, Vec::from_iter(failure))
    };
    let (took, failures) = match kind {
        Kind::Inputs => damaged_sample(&stock.samples, number),
        Kind::Queries => {
            let text = queries::query(number);
            let (took, failure) = judged("search", &format!("{:?}", shown(&text)), number, TOO_LONG, || {
                queries::ask(&stock.library, &text, number)
            });
            (took, Vec::from_iter(failure))
        }
        Kind::Tags => read("tags", grammar::tags),
        Kind::Patterns => read("patterns", grammar::patterns),
        Kind::Edits => read("edits", grammar::edits),
    };
    (kind, took, failures)
}

/// Enough of a query to identify it.
fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

/// Damages one sample and passes it to every reader that can receive it.
fn damaged_sample(samples: &[Sample], number: u64) -> (Duration, Vec<String>) {
    let mut random = Random::new(number);
    let sample = &samples[random.below(samples.len())];
    let other = &samples[random.below(samples.len())];
    let text = damage::damaged(&sample.text, &other.text, &mut random);
    judge(READERS, sample, &text, number)
}

/// Passes a text to the readers; returns the slowest time, and what went wrong.
fn judge(readers: &[Reader], sample: &Sample, text: &str, number: u64) -> (Duration, Vec<String>) {
    let mut slowest = Duration::ZERO;
    let mut failures = Vec::new();
    for Reader { name, read } in readers {
        let (took, failure) = judged(name, &sample.name, number, TOO_LONG, || read(sample, text));
        slowest = slowest.max(took);
        failures.extend(failure);
    }
    (slowest, failures)
}

/// Runs one reader, which may take at most this long; returns how long it took, and what went
/// wrong.
fn judged(
    name: &str,
    what: &str,
    number: u64,
    most: Duration,
    read: impl FnOnce(),
) -> (Duration, Option<String>) {
    let (began, panics) = (Instant::now(), PANICS.load(Ordering::Relaxed));
    let outcome = panic::catch_unwind(AssertUnwindSafe(read));
    let took = began.elapsed();
    let problem = match outcome {
        Err(why) => Some(format!("panicked ({})", panic_message(&*why))),
        Ok(()) if PANICS.load(Ordering::Relaxed) > panics => Some("panicked inside".to_owned()),
        Ok(()) if took > most => Some(format!("took {took:?}")),
        Ok(()) => None,
    };
    (took, problem.map(|problem| format!("{name} {problem} on {what}; again with --seed {number}")))
}

/// The first line of a panic's message.
fn panic_message(why: &(dyn std::any::Any + Send)) -> &str {
    let text = why.downcast_ref::<String>().map(String::as_str).or(why.downcast_ref::<&str>().copied());
    text.and_then(|text| text.lines().next()).unwrap_or("no message")
}

/// The text of a file, with invalid bytes replaced.
fn text_of(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("{}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

// The readers of text that other programs wrote.

/// A captured input.
struct Sample {
    name: String,
    harness: Harness,
    text: String,
}

/// A function that reads a sample.
struct Reader {
    name: &'static str,
    read: fn(&Sample, &str),
}

/// All readers. Their results do not matter here.
const READERS: &[Reader] = &[
    Reader { name: "hook", read: hook },
    Reader { name: "import", read: import },
    Reader { name: "growth", read: |sample, text| drop(transcript::tail(sample.harness, text)) },
    Reader { name: "detector", read: |_, text| drop(nudge_secrets::redact(head(text))) },
    Reader { name: "spool", read: |_, text| drop(serde_json::from_str::<CapturedEvent>(text)) },
];

/// All captured payloads and transcripts.
fn samples(fixtures: &Path) -> anyhow::Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for harness in Harness::ALL {
        for version in std::fs::read_dir(fixtures.join(harness.name()))? {
            let version = version?.path();
            if !version.is_dir() {
                continue;
            }
            for file in std::fs::read_dir(version)? {
                let path = file?.path();
                let name =
                    format!("{}/{}", harness.name(), path.file_name().unwrap_or_default().to_string_lossy());
                samples.push(Sample { name, harness, text: text_of(&path)? });
            }
        }
    }
    samples.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(samples)
}

/// Everything that a hook does with its input, up to the store.
fn hook(sample: &Sample, text: &str) {
    let Ok(event) = nudge_harness::parse(sample.harness, text) else { return };
    drop(tool_use(&event));
    drop(nudge_harness::reply(sample.harness, &event, &Reply::NOTHING));
    if let Some(captured) = capture::read(&event, text, &here(CapturedVia::Hook)) {
        let sent = serde_json::to_string(&captured).expect("a moment is JSON");
        let back = serde_json::from_str(&sent).expect("and reads back");
        assert_eq!(captured, back, "a moment changes on its way");
    }
}

/// Everything that an import does with a transcript, up to the store.
fn import(sample: &Sample, text: &str) {
    let Some(mut reader) = transcript::reader(sample.harness, "/home/dev/transcript.jsonl") else { return };
    let reported = text.lines().flat_map(|line| reader.line(line)).collect::<Vec<_>>();
    for item in reported.into_iter().chain(reader.finish()) {
        if let transcript::Item::Event(event) = item {
            drop(capture::read(&event, "", &here(CapturedVia::Import)));
        }
    }
}

/// The first 64 KiB of a text: the most that a field passes to the detector.
fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(64 * 1024)]
}

fn here(via: CapturedVia) -> ReadContext {
    let project =
        ProjectRef { key: "/p".into(), name: "p".into(), root: "/p".into(), ..ProjectRef::default() };
    ReadContext {
        now: Timestamp::from_millis(1_794_723_027_123),
        project,
        headless: None,
        via,
        own_root: Some("/home/dev/.local/share/nudge".into()),
        is_own_tool: nudge_agent::registry::has,
    }
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
        let make = |number| damage::damaged("{\"a\": [1, 2, \"x\"]}", "{}", &mut Random::new(number));
        assert_eq!(make(7), make(7));
        assert!((0..50).map(make).collect::<std::collections::HashSet<_>>().len() > 10);
    }

    #[test]
    fn a_reader_that_panics_or_dawdles_is_reported() {
        let panics = Reader { name: "panics", read: |_, _| panic!("on purpose") };
        let dawdles = Reader { name: "dawdles", read: |_, _| std::thread::sleep(TOO_LONG * 2) };
        let sound = Reader { name: "sound", read: |_, _| () };
        let reported = judge(&[panics, dawdles, sound], &sample(), "{}", 7).1;
        let reported: Vec<&str> = reported.iter().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(reported, ["panics", "dawdles"]);
    }
}
