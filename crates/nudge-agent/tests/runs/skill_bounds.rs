//! The bounds of skills, and zips that lie.

use super::setup::{forged, paths, scene, zip_of};

/// The most bytes of one file.
const MAX_FILE_BYTES: usize = 256 * 1024;

/// @run_skills: a file that is too large or no text is left out and named.
#[test]
fn what_does_not_fit_is_left_out() {
    let scene = scene();
    scene.ask("night", "hello");
    scene.file("tax/index.md", "tax");
    scene.file("tax/large.md", vec![b'a'; MAX_FILE_BYTES + 1]);
    scene.file("tax/fits.md", vec![b'a'; MAX_FILE_BYTES]);
    scene.file("tax/latin.md", [b'a', 0xe4]);
    std::os::unix::fs::symlink(scene.root.join("tax/fits.md"), scene.root.join("tax/link.md"))
        .expect("a link");
    let added = scene.skill("night", "tax");
    assert_eq!(paths(&added), ["skill://tax", "skill://tax/fits"]);
    let why = |number: usize| added["left_out"][number]["why"].as_str().unwrap_or_default().to_owned();
    assert_eq!((added["left_out_count"].as_u64(), why(1).as_str()), (Some(2), "it is not UTF-8"));
    assert!(why(0).starts_with("it is larger than"), "{}", why(0));
    scene.file("latin.md", [0xe4]);
    assert_eq!(scene.no_skill("latin.md"), "skill_text");
    scene.file("large.md", vec![b'a'; MAX_FILE_BYTES + 1]);
    assert_eq!(scene.no_skill("large.md"), "file_too_large");
    scene.file("notes.txt", "x");
    assert_eq!(scene.no_skill("notes.txt"), "skill_kind");
    assert_eq!(scene.no_skill("missing.md"), "skill_file");
}

/// @run_skills: a skill has at most 200 files and 4 MiB, in a folder and in a zip.
#[test]
fn a_skill_is_bounded_as_a_whole() {
    let scene = scene();
    scene.ask("night", "hello");
    let names: Vec<String> = (0..201).map(|number| format!("{number}.md")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    for name in &names {
        scene.file(&format!("many/{name}"), "x");
    }
    scene.file("many.zip", zip_of(&files));
    let body = vec![b'a'; MAX_FILE_BYTES];
    let files: Vec<(&str, &[u8])> = names[..17].iter().map(|name| (name.as_str(), &body[..])).collect();
    for name in &names[..17] {
        scene.file(&format!("heavy/{name}"), &body);
    }
    scene.file("heavy.zip", zip_of(&files));
    for path in ["many", "many.zip", "heavy", "heavy.zip"] {
        assert_eq!(scene.no_skill(path), "skill_too_large", "{path}");
    }
}

/// @run_skills: a zip with a name that leads out of it is rejected as a whole.
#[test]
fn no_name_leads_out_of_a_zip() {
    let scene = scene();
    scene.ask("night", "hello");
    let good = zip_of(&[("index.md", b"tax"), ("xx/evil.md", b"evil")]);
    for name in ["../evil.md", "/x/evil.md", "x\\/evil.md", "x\n/evil.md", "C:/evil.md", "x//evil.md"] {
        let name = name.as_bytes();
        scene.file("tax.zip", forged(good.clone(), b"xx/evil.md", &name[name.len() - 10..]));
        assert_eq!(scene.no_skill("tax.zip"), "skill_path", "{:?}", String::from_utf8_lossy(name));
    }
    assert!(scene.body("skill://tax").is_null(), "nothing of it was added");
}

/// @run_skills: unpacking stops at the limit, whatever the zip says about sizes.
#[test]
fn sizes_in_a_zip_are_not_believed() {
    let scene = scene();
    scene.ask("night", "hello");
    let bomb = vec![b'a'; 50 * 1024 * 1024];
    let honest = zip_of(&[("index.md", b"tax"), ("bomb.md", &bomb)]);
    assert!(honest.len() < 1024 * 1024);
    let stated = u32::try_from(bomb.len()).expect("small").to_le_bytes();
    let lying = forged(honest.clone(), &stated, &10_u32.to_le_bytes());
    for zip in [honest, lying] {
        scene.file("tax.zip", zip);
        let added = scene.skill("night", "tax.zip");
        assert_eq!((paths(&added), added["left_out_count"].as_u64()), (vec!["skill://tax"], Some(1)));
    }
    scene.file("tax.zip", "this is no zip");
    assert_eq!(scene.no_skill("tax.zip"), "skill_zip");
}
