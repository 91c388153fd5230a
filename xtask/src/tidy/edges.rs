//! Which crate may use which: the allowed dependencies of the architecture.

use toml::{Table, Value};

use crate::finding::Finding;
use crate::tree::{TextFile, Tree};

/// A crate and our crates that it may use. A dependency only points to a line above.
const EDGES: &[(&str, &[&str])] = &[
    ("workspace-hack", &[]),
    ("nudge-core", &[]),
    ("nudge-secrets", &["nudge-core"]),
    ("nudge-store", &["nudge-core", "nudge-secrets"]),
    ("nudge-index", &["nudge-core"]),
    ("nudge-context", &["nudge-core"]),
    ("nudge-grammar", &["nudge-core"]),
    ("nudge-harness", &["nudge-core"]),
    ("nudge-home", &["nudge-core"]),
    ("nudge-models", &["nudge-core", "nudge-secrets"]),
    ("nudge-outcomes", &["nudge-core"]),
    ("nudge-sandbox", &[]),
    ("nudge-web", &[]),
    (
        "nudge-memory",
        &[
            "nudge-core",
            "nudge-secrets",
            "nudge-store",
            "nudge-index",
            "nudge-context",
            "nudge-grammar",
            "nudge-harness",
            "nudge-home",
            "nudge-outcomes",
        ],
    ),
    (
        "nudge-agent",
        &[
            "nudge-core",
            "nudge-secrets",
            "nudge-store",
            "nudge-context",
            "nudge-grammar",
            "nudge-home",
            "nudge-outcomes",
            "nudge-sandbox",
            "nudge-memory",
        ],
    ),
    ("nudge-team", &["nudge-core", "nudge-store", "nudge-memory"]),
    (
        "nudge-client",
        &["nudge-core", "nudge-store", "nudge-harness", "nudge-home", "nudge-memory", "nudge-agent"],
    ),
    (
        "nudge-server",
        &[
            "nudge-core",
            "nudge-secrets",
            "nudge-store",
            "nudge-harness",
            "nudge-home",
            "nudge-models",
            "nudge-sandbox",
            "nudge-memory",
            "nudge-agent",
            "nudge-team",
            "nudge-client",
            "nudge-web",
        ],
    ),
    (
        "nudge-cli",
        &[
            "nudge-core",
            "nudge-secrets",
            "nudge-harness",
            "nudge-home",
            "nudge-models",
            "nudge-sandbox",
            "nudge-memory",
            "nudge-agent",
            "nudge-client",
            "nudge-server",
        ],
    ),
];

/// Used only by tests; may itself use everything it sets up.
const TESTKIT: &str = "nudge-testkit";

/// Drills, benches, fuzzing and agents: no crate uses it, and it may use everything it drives.
const DRILLS: &str = "nudge-drills";

/// The baselines and clients of benches and drills: a separate crate, so that nothing of it ships.
const BARE: &str = "nudge-bare";

/// The checks, which link none of the crates they check.
const XTASK: &str = "xtask";

/// The manifest of the baselines, inside the drills' directory.
const BARE_MANIFEST: &str = "crates/nudge-drills/bare/Cargo.toml";

/// Finds every dependency that the table does not allow, and every crate it does not list.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.manifests().flat_map(check_manifest).collect()
}

fn check_manifest(file: &TextFile) -> Vec<Finding> {
    let manifest = match file.text.parse::<Table>() {
        Ok(manifest) => manifest,
        Err(error) => {
            return vec![Finding::new(&file.path, 0, format!("not TOML: {error}"), "mend the manifest")];
        }
    };
    let folder = if file.path == BARE_MANIFEST { BARE } else { file.crate_name().unwrap_or_default() };
    let name = manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
    let mut findings = Vec::new();
    if name != Some(folder) {
        let problem = format!("package is named {name:?} in folder `{folder}`");
        findings.push(Finding::new(
            &file.path,
            line(file, "name"),
            problem,
            "give folder and crate one name",
        ));
    }
    if !known(folder) {
        let way_out =
            "add it to the table of xtask/src/tidy/edges.rs and to ARCHITECTURE.md, or fold it into a crate";
        findings.push(Finding::new(&file.path, 0, format!("unknown crate `{folder}`"), way_out));
        return findings;
    }
    for (dev, dependency) in dependencies(&manifest) {
        if let Some((problem, way_out)) = verdict(folder, &dependency, dev) {
            findings.push(Finding::new(&file.path, line(file, &dependency), problem, way_out));
        }
    }
    findings
}

/// What is wrong with one dependency, and what to do instead.
fn verdict(from: &str, to: &str, dev: bool) -> Option<(String, String)> {
    if !to.starts_with("nudge-") {
        return None;
    }
    if !known(to) {
        return Some((
            format!("`{from}` uses unknown crate `{to}`"),
            "only crates of the architecture's table exist; name one of them".into(),
        ));
    }
    if to == TESTKIT && ![DRILLS, BARE].contains(&from) {
        return (!dev).then(|| {
            (format!("`{from}` uses `{to}` outside its tests"), "move it to [dev-dependencies]".to_owned())
        });
    }
    if to == DRILLS || (to == BARE && from != DRILLS) {
        let what = if to == BARE { "yardsticks" } else { "drills" };
        return Some((format!("`{from}` uses the {what}"), "they are for benches and drills alone".into()));
    }
    if [TESTKIT, DRILLS, BARE].contains(&from) {
        return None;
    }
    let allowed = EDGES.iter().find(|(name, _)| *name == from).map_or(&[][..], |(_, allowed)| allowed);
    (!allowed.contains(&to)).then(|| {
        let may = if allowed.is_empty() { "no crate of ours".to_owned() } else { allowed.join(", ") };
        (
            format!("`{from}` may not use `{to}`"),
            format!("it may use {may}; move the code to the crate that may, or pass the value in"),
        )
    })
}

fn known(name: &str) -> bool {
    [XTASK, TESTKIT, DRILLS, BARE].contains(&name) || EDGES.iter().any(|(known, _)| *known == name)
}

/// Every dependency of a manifest by its package name, and whether only tests use it.
pub(crate) fn dependencies(manifest: &Table) -> Vec<(bool, String)> {
    let mut found = of_sections(manifest);
    let targets = manifest.get("target").and_then(Value::as_table);
    for target in targets.into_iter().flat_map(Table::values).filter_map(Value::as_table) {
        found.extend(of_sections(target));
    }
    found
}

fn of_sections(table: &Table) -> Vec<(bool, String)> {
    let sections = [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)];
    let mut found = Vec::new();
    for (section, dev) in sections {
        for (key, value) in table.get(section).and_then(Value::as_table).into_iter().flatten() {
            let renamed = value.get("package").and_then(Value::as_str);
            found.push((dev, renamed.unwrap_or(key).to_owned()));
        }
    }
    found
}

/// The first line that begins with this key or mentions this package.
pub(crate) fn line(file: &TextFile, key: &str) -> usize {
    let starts = file.text.lines().position(|line| line.trim_start().starts_with(key));
    let mentions = || file.text.lines().position(|line| line.contains(key));
    starts.or_else(mentions).map_or(0, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(name: &str, body: &str) -> Vec<String> {
        let path = format!("crates/{name}/Cargo.toml");
        let text = format!("[package]\nname = \"{name}\"\n{body}");
        check(&Tree::of(&[(&path, &text)]))
            .into_iter()
            .map(|f| format!("{}: {}", f.line, f.problem))
            .collect()
    }

    #[test]
    fn an_arrow_that_is_not_in_the_table_is_refused() {
        let found = problems("nudge-cli", "[dependencies]\nnudge-store.workspace = true\n");
        assert_eq!(found, ["4: `nudge-cli` may not use `nudge-store`"]);
        let found =
            problems("nudge-core", "[target.'cfg(unix)'.dependencies]\nx = { package = \"nudge-store\" }\n");
        assert_eq!(found, ["4: `nudge-core` may not use `nudge-store`"]);
        let found = problems("nudge-store", "[dev-dependencies]\nnudge-memory.workspace = true\n");
        assert_eq!(found, ["4: `nudge-store` may not use `nudge-memory`"]);
    }

    #[test]
    fn arrows_of_the_table_pass() {
        assert_eq!(problems("nudge-server", "[dependencies]\nnudge-store.workspace = true\n"), [""; 0]);
        assert_eq!(problems("nudge-core", "[dev-dependencies]\nnudge-testkit.workspace = true\n"), [""; 0]);
    }

    #[test]
    fn the_testkit_is_for_tests_only() {
        let found = problems("nudge-cli", "[dependencies]\nnudge-testkit.workspace = true\n");
        assert_eq!(found, ["4: `nudge-cli` uses `nudge-testkit` outside its tests"]);
    }

    #[test]
    fn the_drills_use_what_they_drive_and_nobody_uses_them() {
        let all = "[dependencies]\nnudge-store.workspace = true\nnudge-testkit.workspace = true\n";
        assert_eq!(problems("nudge-drills", all), [""; 0]);
        let found = problems("nudge-cli", "[dev-dependencies]\nnudge-drills.workspace = true\n");
        assert_eq!(found, ["4: `nudge-cli` uses the drills"]);
    }

    #[test]
    fn the_checks_link_nothing_of_what_they_check() {
        let manifest = "[package]\nname = \"xtask\"\n[dependencies]\nnudge-core.workspace = true\n";
        let found = check(&Tree::of(&[("xtask/Cargo.toml", manifest)]));
        assert_eq!(found[0].problem, "`xtask` may not use `nudge-core`");
    }

    #[test]
    fn the_yardsticks_are_for_the_drills_only() {
        let found = problems("nudge-server", "[dependencies]\nnudge-bare.workspace = true\n");
        assert_eq!(found, ["4: `nudge-server` uses the yardsticks"]);
        let bare = "[package]\nname = \"nudge-bare\"\n[dependencies]\nnudge-store.workspace = true\n";
        assert_eq!(check(&Tree::of(&[(BARE_MANIFEST, bare)])), []);
    }

    #[test]
    fn unknown_crates_are_refused_on_both_ends() {
        assert_eq!(problems("nudge-extra", ""), ["0: unknown crate `nudge-extra`"]);
        let found = problems("nudge-memory", "[dependencies]\nnudge-extra = \"1\"\n");
        assert_eq!(found, ["4: `nudge-memory` uses unknown crate `nudge-extra`"]);
    }

    #[test]
    fn folder_and_package_have_one_name() {
        let tree = Tree::of(&[("crates/nudge-core/Cargo.toml", "[package]\nname = \"core\"\n")]);
        assert_eq!(check(&tree)[0].problem, "package is named Some(\"core\") in folder `nudge-core`");
    }
}
