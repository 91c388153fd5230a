//! `nudge install` and `nudge uninstall` as whole processes in a fresh home.

mod access;
mod agents;
mod claude;
mod history;
mod project;
mod refuses;
mod restores;
mod round_trip;
mod server;
mod update;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use nudge_testkit::TestHome;
use serde_json::Value;

/// A user's settings, in their own formatting.
const SETTINGS: &str = "{\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}\n        ]\n    },\n    \"env\": { \"LANG\": \"C\" }\n}";

/// Claude's own state file.
const STATE: &str = "{\n  \"numStartups\": 7,\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"other\"\n    }\n  },\n  \"projects\": {}\n}";

fn home() -> TestHome {
    TestHome::new(env!("CARGO_BIN_EXE_nudge"))
}

/// A home in which Claude has been used.
fn lived_in() -> TestHome {
    let home = home();
    home.file(".claude/settings.json", SETTINGS);
    home.file(".claude.json", STATE);
    home.file(".config/nudge/config.toml", "# mine\nlog_level = \"warn\"\n");
    home
}

/// Every file and directory below `dir`, with its mode and bytes.
fn tree(dir: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(next) = dirs.pop() {
        for item in fs::read_dir(&next).expect("a directory of the test can be listed") {
            let path = item.expect("an item of a directory").path();
            let facts = fs::symlink_metadata(&path).expect("an item that was listed");
            let bytes =
                if facts.is_file() { fs::read(&path).expect("a file that was listed") } else { Vec::new() };
            if facts.is_dir() {
                dirs.push(path.clone());
            }
            let name = path.strip_prefix(dir).expect("below").to_string_lossy().into_owned();
            all.insert(name, (facts.permissions().mode(), bytes));
        }
    }
    all
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("the file is there")).expect("the file is JSON")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("the file is there")
}
