//! The payloads of one agent, sent in the order in which they would arrive.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use nudge_core::{EntryId, EventKind, Outcome};
use nudge_harness::Harness;
use nudge_testkit::store::{Reader, StoreError};
use nudge_testkit::{TestHome, memory};

use crate::payloads::reply;

/// The home directory that replaced the real one when the payloads were captured.
const CAPTURED_HOME: &str = "/home/dev";

/// An equal payload that comes sooner than this is a repeated delivery. Real runs are further
/// apart.
const REPEATED: Duration = Duration::from_millis(2_100);

/// One payload.
pub(crate) struct Payload {
    name: String,
    text: String,
    kind: EventKind,
}

/// A home that receives the payloads of one agent.
pub(crate) struct Replay {
    harness: Harness,
    home: TestHome,
    /// The position up to which the feed has been read.
    position: i64,
    /// When each payload was last sent.
    sent: HashMap<String, Instant>,
}

impl Replay {
    pub(crate) fn new(harness: Harness) -> Self {
        let home = TestHome::new(env!("CARGO_BIN_EXE_nudge"));
        fs::create_dir_all(home.path().join("project/.git")).expect("a project");
        Self { harness, home, position: 0, sent: HashMap::new() }
    }

    /// All payloads, run by run, each run in the order of its events. Writes the captured
    /// transcripts where the payloads say they are.
    pub(crate) fn payloads(&self) -> Vec<Payload> {
        let mut payloads = Vec::new();
        for folder in versions(self.harness) {
            let mut files: Vec<PathBuf> = fs::read_dir(&folder)
                .expect("readable")
                .map(|found| found.expect("readable").path())
                .collect();
            files.sort();
            for file in files {
                let name = file.file_name().expect("a name").to_string_lossy().into_owned();
                let text = fs::read_to_string(&file).expect("text").replace(CAPTURED_HOME, self.home_path());
                if name.starts_with("transcript") {
                    self.place_transcript(&name, &text, &folder);
                } else if !name.starts_with("env-") && name.ends_with(".json") {
                    let event = nudge_harness::parse(self.harness, &text);
                    let kind = event.map_or(EventKind::Other, |event| event.kind);
                    payloads.push(Payload { name, text, kind });
                }
            }
        }
        payloads.sort_by_key(|payload| (run(&payload.name).to_owned(), place(&payload.kind)));
        payloads
    }

    /// Sends one payload to the real program; returns what it left in the store.
    pub(crate) fn send(&mut self, payload: &Payload) -> String {
        if let Some(sent) = self.sent.insert(payload.text.clone(), Instant::now()) {
            thread::sleep(REPEATED.saturating_sub(sent.elapsed()));
        }
        let outcome = self
            .home
            .nudge(["hook", self.harness.name()])
            .cwd(self.home.path().join("project"))
            .stdin(payload.text.as_bytes())
            .run();
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{}", payload.name);
        reply::check(self.harness, &payload.name, &outcome.stdout);
        let mut page = format!("{}\n", payload.name);
        for line in self.new_entries() {
            let line = line.replace(self.home_path(), CAPTURED_HOME);
            writeln!(page, "    {line}").expect("a string");
        }
        page
    }

    fn home_path(&self) -> &str {
        self.home.path().to_str().expect("a path in UTF-8")
    }

    /// Writes a transcript where the payloads of its run say it is.
    fn place_transcript(&self, name: &str, text: &str, folder: &Path) {
        let said = fs::read_dir(folder)
            .expect("readable")
            .filter_map(|found| fs::read_to_string(found.expect("readable").path()).ok())
            .filter_map(|text| nudge_harness::parse(self.harness, &text).ok())
            .filter_map(|event| Some((event.session?, event.transcript?)));
        for (session, path) in said {
            let subagent = name.contains("subagent") != path.contains("subagent");
            if text.contains(&session) && !subagent {
                let path = PathBuf::from(path.replace(CAPTURED_HOME, self.home_path()));
                fs::create_dir_all(path.parent().expect("a directory")).expect("made");
                fs::write(path, text).expect("written");
            }
        }
    }

    /// The entries written since the last call, in the store's terms.
    fn new_entries(&mut self) -> Vec<String> {
        let Some(store) = memory::store_of(&self.home) else {
            return Vec::new();
        };
        let position = self.position;
        let (lines, head) = store
            .read(|reader| {
                let page = reader.feed_after(position, 1_000)?;
                let lines = page
                    .changes
                    .iter()
                    // Summaries are written when there is time, so they differ between runs.
                    .filter(|change| !["summary", "session", "project"].contains(&change.scheme.as_str()))
                    .map(|change| reported(reader, change.entry, &change.scheme, self.home_path()));
                Ok::<_, StoreError>((lines.collect::<Result<Vec<_>, _>>()?, page.head))
            })
            .expect("read");
        self.position = head;
        lines
    }
}

/// One entry: what it is, what it is about, how it ended, and what it belongs to.
fn reported(reader: &Reader<'_>, id: EntryId, scheme: &str, home: &str) -> Result<String, StoreError> {
    let entry = reader.entry_by_id(id)?.expect("an entry that was just written");
    let session = entry.origin.session.unwrap_or_default();
    let project = entry.scope.key().to_owned();
    let body: String = entry.body.replace(home, CAPTURED_HOME).chars().take(60).collect();
    let Some(observation) = reader.observation(id)? else {
        return Ok(format!(
            "{scheme} {body:?} session={session} project={project} by={}",
            entry.origin.source.name()
        ));
    };
    let prompt = observation.prompt.map(|prompt| reader.entry_by_id(prompt)).transpose()?.flatten();
    let prompt = prompt.map_or("none".to_owned(), |prompt| {
        format!("{:?}", prompt.body.chars().take(24).collect::<String>())
    });
    let ended = match observation.outcome {
        Outcome::Success => "success".to_owned(),
        Outcome::Failed { exit: Some(status) } => format!("failed({status})"),
        Outcome::Failed { exit: None } => "failed".to_owned(),
        Outcome::Unknown => "unknown".to_owned(),
    };
    let mut line = format!(
        "{} {body:?} file={} {ended} session={session} project={project} prompt={prompt}",
        observation.kind.name(),
        observation.files.first().map_or("none", String::as_str),
    );
    if let Some((agent, kind)) = observation.subagent {
        write!(line, " agent={agent}/{}", kind.unwrap_or_default()).expect("a string");
    }
    Ok(line)
}

fn versions(harness: Harness) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nudge-harness/tests/fixtures");
    let mut folders: Vec<PathBuf> = fs::read_dir(root.join(harness.name()))
        .expect("readable")
        .map(|found| found.expect("readable").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// The run of a payload: the part of its name before `--`.
fn run(name: &str) -> &str {
    name.split_once("--").map_or("", |(run, _)| run)
}

/// The order of an event within a run.
const fn place(kind: &EventKind) -> u8 {
    match kind {
        EventKind::SessionStart { .. } => 0,
        EventKind::Prompt => 1,
        EventKind::PreTool | EventKind::SubagentStart => 2,
        EventKind::PostTool | EventKind::ToolFailure => 3,
        EventKind::PreCompact { .. } => 5,
        EventKind::PostCompact { .. } => 6,
        EventKind::SubagentStop | EventKind::Stop => 7,
        EventKind::SessionEnd { .. } => 9,
        EventKind::Batch { .. } | EventKind::Notification | EventKind::Other => 4,
    }
}
