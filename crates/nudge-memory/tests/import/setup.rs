//! A home, and transcripts for it.

use std::fs;
use std::path::{Path, PathBuf};

use nudge_core::Timestamp;
use nudge_harness::Harness;
use nudge_home::Home;
use nudge_memory::import::{self, Report, Request};
use nudge_store::{HostIdentity, Location, ObservationRow, OpenOptions, PromptRow, Store};
use tempfile::TempDir;

/// A day after the captured sessions.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_794_800_000_000);

pub(crate) struct ImportBench {
    dir: TempDir,
}

impl ImportBench {
    pub(crate) fn new() -> Self {
        Self { dir: TempDir::new().expect("a temporary directory") }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn home(&self) -> Home {
        let root = self.path().join("nudge");
        Home::locate(Some(&root), &|_| None).expect("a home")
    }

    /// A file with that text.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(&path, text).expect("written");
        path
    }

    pub(crate) fn request(&self, harness: Harness, path: &Path) -> Request {
        Request {
            harness,
            path: path.to_owned(),
            is_own: false,
            dry_run: false,
            since: None,
            project: None,
            is_own_tool: nudge_testkit::registry::has,
            now: NOW,
        }
    }

    pub(crate) fn import(&self, harness: Harness, path: &Path) -> Report {
        self.run(&self.request(harness, path))
    }

    pub(crate) fn run(&self, request: &Request) -> Report {
        import::transcripts(&self.home(), request, &mut |_| {}).expect("imported")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&OpenOptions {
            location: Location::File(self.home().db()),
            read_only: false,
            host: HostIdentity::default(),
            now: NOW,
            busy: std::time::Duration::from_secs(5),
            backups: None,
        })
        .expect("opens")
    }

    pub(crate) fn session(&self, name: &str) -> (Vec<PromptRow>, Vec<ObservationRow>) {
        self.store()
            .read(|reader| {
                let session = reader.agent_session_by_name(name)?.expect("a session").id;
                let rows = (
                    reader.prompts_of_session(session, 1000)?,
                    reader.observations_of_session(session, 1000)?,
                );
                Ok::<_, nudge_store::StoreError>(rows)
            })
            .expect("read")
    }
}

/// A captured transcript of the harness crate.
pub(crate) fn captured(harness: Harness, name: &str) -> String {
    let spec = harness.spec();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nudge-harness/tests/fixtures");
    fs::read_to_string(folder.join(spec.name).join(spec.measured).join(name)).expect("captured")
}
