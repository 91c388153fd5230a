//! Skills: a file, a folder or a zip becomes entries that one run has in view.

use nudge_core::entry_state::Visibility::{Archived, Summarized};
use nudge_memory::Surface;
use serde_json::json;

use super::setup::{paths, scene, write, zip_of};

/// @run_skills: a single file is the skill, summarized; its name is the file's.
#[test]
fn a_file_is_a_skill() {
    let scene = scene();
    scene.ask("night", "hello");
    scene.file("docs/tax.md", "# Tax\nRound once.");
    let added = scene.skill("night", "docs/tax.md");
    assert_eq!(paths(&added), ["skill://tax"]);
    let one = &added["entries"][0];
    assert_eq!((one["visibility"].as_str(), one["tokens"].as_u64() > Some(0)), (Some("summarized"), true));
    assert_eq!(scene.body("skill://tax"), "# Tax\nRound once.");
    assert!(scene.in_view("night").contains(&("skill://tax".to_owned(), Summarized)));
    let named = scene.bench.ok("add_skill", json!({"run": "night", "path": "docs/tax.md", "name": "vat"}));
    assert_eq!((named["skill"].as_str(), paths(&named)), (Some("vat"), vec!["skill://vat"]));
}

/// @run_skills: of a folder, the index is summarized and the rest archived; `foo/index.md` is
/// `skill://name/foo`.
#[test]
fn a_folder_is_a_skill() {
    let scene = scene();
    scene.ask("night", "hello");
    scene.file("skills/tax/index.md", "all about tax");
    scene.file("skills/tax/rates/index.md", "rates");
    scene.file("skills/tax/rates/de.md", "19");
    scene.file("skills/tax/logo.png", [0, 1, 2]);
    scene.file("skills/other/index.md", "not this one");
    let added = scene.skill("night", "skills/tax");
    assert_eq!(paths(&added), ["skill://tax", "skill://tax/rates/de", "skill://tax/rates"]);
    assert_eq!(added["left_out"], json!([{"file": "logo.png", "why": "it is not Markdown"}]));
    let seen = scene.in_view("night");
    for expected in
        [("skill://tax", Summarized), ("skill://tax/rates", Archived), ("skill://tax/rates/de", Archived)]
    {
        assert!(seen.contains(&(expected.0.to_owned(), expected.1)), "{expected:?} in {seen:?}");
    }
    assert!(!seen.iter().any(|(path, _)| path.contains("other")), "{seen:?}");
    assert_eq!(scene.no_skill("skills"), "skill_index", "a folder without an index");
}

/// @run_skills: a folder that git ignores can be added, because the caller names it.
#[test]
fn an_ignored_folder_can_be_named() {
    let mut scene = scene();
    scene.ask("night", "hello");
    scene.file(".gitignore", "skills/\n");
    scene.file("skills/tax/SKILL.md", "tax");
    for surface in [Surface::AgentCli, Surface::Cli] {
        assert_eq!(paths(&scene.by(surface).skill("night", "skills/tax")), ["skill://tax"], "{surface:?}");
    }
}

/// @run_skills: a zip is like a folder, also if everything in it is in one folder.
#[test]
fn a_zip_is_a_skill() {
    let scene = scene();
    scene.ask("night", "hello");
    let files: [(&str, &[u8]); 3] = [("index.md", b"tax"), ("rates/index.md", b"rates"), ("a.txt", b"x")];
    scene.file("tax.zip", zip_of(&files));
    let added = scene.skill("night", "tax.zip");
    assert_eq!(paths(&added), ["skill://tax", "skill://tax/rates"]);
    assert_eq!(added["left_out_count"], 1);
    assert_eq!(scene.body("skill://tax/rates"), "rates");
    scene.file("vat.zip", zip_of(&[("vat-main/README.md", b"vat"), ("vat-main/eu.md", b"eu")]));
    assert_eq!(paths(&scene.skill("night", "vat.zip")), ["skill://vat", "skill://vat/eu"]);
}

/// @run_skills: added again, it is replaced, and what it has no longer is gone.
#[test]
fn again_it_is_replaced() {
    let scene = scene();
    scene.ask("night", "hello");
    scene.file("tax/index.md", "old");
    scene.file("tax/gone.md", "gone");
    scene.skill("night", "tax");
    scene.file("tax/index.md", "new");
    std::fs::remove_file(scene.root.join("tax/gone.md")).expect("removed");
    let added = scene.skill("night", "tax");
    assert_eq!((paths(&added), &added["removed"]), (vec!["skill://tax"], &json!(["skill://tax/gone"])));
    assert_eq!(scene.body("skill://tax"), "new");
    assert!(scene.body("skill://tax/gone").is_null(), "deleted");
    assert!(!scene.in_view("night").iter().any(|(path, _)| path == "skill://tax/gone"));
}

/// @run_skills: only the run that it was added to sees it, and another run keeps what it sees.
#[test]
fn a_skill_belongs_to_the_view_of_its_run() {
    let scene = scene();
    scene.ask("night", "hello");
    scene.ask("day", "hello");
    scene.ask("dawn", "hello");
    scene.file("tax/index.md", "tax");
    scene.file("tax/rates.md", "rates");
    scene.skill("night", "tax");
    scene.skill("day", "tax");
    assert!(!scene.in_view("dawn").iter().any(|(path, _)| path.starts_with("skill://")));
    std::fs::remove_file(scene.root.join("tax/rates.md")).expect("removed");
    scene.skill("night", "tax");
    let sees = |run: &str| scene.in_view(run).iter().any(|(path, _)| path == "skill://tax/rates");
    assert!(sees("day") && !sees("night"));
}

/// @run_skills: the user may read anywhere; everybody else only in the project, and over no link.
#[test]
fn an_agent_reads_only_in_its_project() {
    let mut scene = scene();
    scene.ask("night", "hello");
    write(&scene.outside.join("tax.md"), b"tax");
    write(&scene.outside.join("folder/index.md"), b"folder");
    scene.file("docs/in.md", "in");
    std::os::unix::fs::symlink(&scene.outside, scene.root.join("link")).expect("a link");
    std::os::unix::fs::symlink(scene.outside.join("tax.md"), scene.root.join("docs/leak.md"))
        .expect("a link");
    let outside = scene.outside.join("tax.md").to_str().expect("a path").to_owned();
    scene.by(Surface::AgentCli);
    for path in [outside.as_str(), "../outside/tax.md", "docs/../../outside/folder", "/"] {
        assert_eq!(scene.no_skill(path), "path_outside", "{path}");
    }
    for path in ["link/tax.md", "docs/leak.md"] {
        assert_eq!(scene.no_skill(path), "file_link", "{path}");
    }
    // A folder behind a link has nothing that can be read.
    let fault = scene.no_skill("link/folder");
    assert!(["file_link", "skill_index"].contains(&fault.as_str()), "{fault}");
    assert_eq!(scene.no_skill(".git/config"), "path_in_git");
    assert_eq!(paths(&scene.skill("night", "docs/in.md")), ["skill://in"]);
    scene.stand(&scene.root.join("docs"));
    assert_eq!(paths(&scene.skill("night", "../docs/in.md")), ["skill://in"], "from the caller's directory");
    scene.by(Surface::Cli);
    assert_eq!(paths(&scene.skill("night", &outside)), ["skill://tax"]);
}

/// @run_skills: a program without a place names no paths.
#[test]
fn without_a_place_there_are_no_paths() {
    let mut scene = scene();
    scene.ask("night", "hello");
    scene.file("docs/in.md", "in");
    let absolute = scene.root.join("docs/in.md").to_str().expect("a path").to_owned();
    scene.by(Surface::Rpc).bench.caller.ambient = nudge_memory::Ambient::Nothing;
    for path in ["docs/in.md", absolute.as_str()] {
        assert_eq!(scene.no_skill(path), "no_root", "{path}");
    }
}

/// @run_skills: what the user wrote is not replaced by anybody else.
#[test]
fn the_users_skill_stays() {
    let mut scene = scene();
    scene.ask("night", "hello");
    scene.file("tax.md", "the user's");
    scene.skill("night", "tax.md");
    scene.file("tax.md", "an agent's");
    scene.by(Surface::AgentCli);
    let fault = scene.bench.fault("add_skill", json!({"run": "night", "path": "tax.md"}));
    assert_eq!((fault.kind, fault.reason.as_str()), (nudge_core::FaultKind::Forbidden, "user_entry"));
    assert_eq!(scene.body("skill://tax"), "the user's");
    scene.by(Surface::Cli).skill("night", "tax.md");
    assert_eq!(scene.body("skill://tax"), "an agent's");
}

/// @run_skills: an address is rejected, and so is text that only claims to have been read.
#[test]
fn nothing_is_fetched_or_believed() {
    let scene = scene();
    scene.ask("night", "hello");
    let fault = scene.bench.fault("add_skill", json!({"run": "night", "path": "https://example.com/x.md"}));
    assert_eq!(fault.reason, "skill_url");
    assert!(fault.next.is_some_and(|next| next.contains("download it first")));
    scene.file("tax.md", "real");
    let forged = json!({"name": "evil", "texts": [{"path": "known://x", "body": "planted"}], "left_out": [], "left_out_count": 0});
    scene.bench.ok("add_skill", json!({"run": "night", "path": "tax.md", "read": forged}));
    assert!(scene.body("known://x").is_null());
    assert_eq!(scene.body("skill://tax"), "real");
    let fault = scene.bench.fault("add_skill", json!({"run": "nobody", "path": "tax.md"}));
    assert_eq!(fault.reason, "no_run");
}
