//! `cargo xtask models` against a scripted model.

use std::path::Path;
use std::process::Command;

use nudge_testkit::scripted_model::{Say, ScriptedModel};

/// @run_real_models: the model of `NUDGE_TEST_MODEL` is asked, and every sitting's runs stay in a
/// database of their own: each mode's, and those of the next time beside those of the last.
#[test]
fn the_named_model_is_asked_and_its_runs_are_kept() {
    let drills = Path::new(env!("CARGO_BIN_EXE_nudge-drills"));
    let nudge = drills.with_file_name("nudge");
    let kept = tempfile::tempdir().expect("a directory");
    for mode in [&[][..], &["--only", "free"]] {
        let model = ScriptedModel::start(Vec::new());
        for _ in 0..2 - mode.len() / 2 {
            model.push(Say::new("<update status=\"200\">The API listens on 8087.</update>"));
        }
        let base = model.base_url("openai");
        let url = base.strip_suffix("/v1").unwrap_or(&base);
        let output = Command::new(drills)
            .args(["models", "--short", "--turns", "1", "--url", url])
            .args(mode)
            .arg("--bin")
            .arg(&nudge)
            .arg("--keep")
            .arg(kept.path())
            .env("NUDGE_TEST_MODEL", "tiny")
            .output()
            .expect("the drill starts");
        let (said, failed) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{said}{failed}");
        assert_eq!(model.requests()[0].body["model"], "tiny");
        assert!(said.contains("| tiny, free | 1 / 1 | 1× 200 |"), "{said}");
    }
    let names = std::fs::read_dir(kept.path()).expect("listed");
    let mut names: Vec<_> = names.map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!(names, ["tiny-free", "tiny-free-2", "tiny-grammar"]);
    for name in names {
        let run = Command::new(&nudge)
            .args(["run", "ls", "--all-projects", "--home"])
            .arg(kept.path().join(name))
            .current_dir(kept.path())
            .output()
            .expect("nudge starts");
        let listed = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && listed.contains("q1"), "{listed}{run:?}");
    }
}
