//! The readers of text that other programs wrote.

use std::path::Path;

use nudge_core::Timestamp;
use nudge_harness::{Harness, Reply, tool_use, transcript};
use nudge_memory::capture::{self, CapturedEvent, CapturedVia, ProjectRef, ReadContext};

use super::text_of;

/// A captured input.
pub(super) struct Sample {
    pub(super) name: String,
    pub(super) harness: Harness,
    pub(super) text: String,
}

/// A function that reads a sample.
pub(super) struct Reader {
    pub(super) name: &'static str,
    pub(super) read: fn(&Sample, &str),
}

/// All readers. Their results do not matter here.
pub(super) const READERS: &[Reader] = &[
    Reader { name: "hook", read: hook },
    Reader { name: "import", read: import },
    Reader { name: "growth", read: |sample, text| drop(transcript::tail(sample.harness, text)) },
    Reader { name: "detector", read: |_, text| drop(nudge_secrets::redact(head(text))) },
    Reader { name: "spool", read: |_, text| drop(serde_json::from_str::<CapturedEvent>(text)) },
];

/// All captured payloads and transcripts.
pub(super) fn samples(fixtures: &Path) -> anyhow::Result<Vec<Sample>> {
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
        is_own_tool: nudge_memory::registry::has,
    }
}
