//! Tests of the keys file.

use std::fs::{Permissions, metadata, set_permissions, write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::*;
use crate::keys::Keys;

fn file_of(text: &str, mode: u32) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory can be made");
    let path = dir.path().join("keys.toml");
    write(&path, text).expect("a file can be written");
    set_permissions(&path, Permissions::from_mode(mode)).expect("the mode can be set");
    (dir, path)
}

fn key(text: &str) -> Key {
    Key::new(text).expect("a valid key")
}

/// The message of a refused file, with the path as `F`.
fn refusal(text: &str, mode: u32) -> String {
    let (_dir, path) = file_of(text, mode);
    read(&path).expect_err("the file is refused").to_string().replace(&path.display().to_string(), "F")
}

#[test]
fn lines_are_read_in_any_case_and_variables_win() {
    let (_dir, path) = file_of("# mine\nOPENAI = \"file-key\"\nxai = 'other'\n", 0o600);
    let env = |name: &str| (name == "XAI_API_KEY").then(|| "env-key".to_owned());
    let keys = Keys::load(&env, Some(&path)).unwrap();
    assert_eq!(keys.key(Provider::OpenAi), Some(&key("file-key")));
    assert_eq!(keys.key(Provider::Xai), Some(&key("env-key")));
    assert!(!keys.is_configured(Provider::Anthropic));
}

#[test]
fn a_missing_file_has_no_keys() {
    assert_eq!(read(Path::new("/nonexistent/keys.toml")).unwrap(), BTreeMap::new());
}

#[test]
fn every_other_mode_is_refused() {
    for mode in [0o644, 0o640, 0o660, 0o700, 0o604] {
        let message = format!("keys file F has mode {mode:04o}, others may read it: run chmod 600 F");
        assert_eq!(refusal("openai = \"k\"", mode), message);
    }
}

#[test]
fn a_directory_and_a_pipe_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(read(dir.path()), Err(KeysError::NotAFile(_))));
    let pipe = dir.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    assert!(matches!(read(&pipe), Err(KeysError::NotAFile(_))));
}

#[test]
fn a_bad_line_is_named_by_its_number_and_never_shown() {
    let form = "write lines such as openai = \"key\"";
    assert_eq!(refusal("\nopenai = s3cr3t-value\n", 0o600), format!("keys file F, line 2: {form}"));
    assert_eq!(refusal("openai = 12345\n", 0o600), format!("keys file F, line 1: {form}"));
    let providers = "no provider; the providers are openai, anthropic, ollama, openrouter, xai";
    assert_eq!(refusal("xai = \"a\"\ns3cr3t = \"b\"\n", 0o600), format!("keys file F, line 2: {providers}"));
    assert!(refusal("openai = \"s3cr3t value\"\n", 0o600).starts_with("keys file F, line 1: a key consists"));
}

#[test]
fn a_key_is_written_into_a_new_private_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys.toml");
    write_key(&path, Provider::OpenRouter, &key(r#"a"b\c"#)).unwrap();
    assert_eq!(metadata(&path).unwrap().mode() & 0o7777, 0o600);
    assert_eq!(read(&path).unwrap(), BTreeMap::from([(Provider::OpenRouter, key(r#"a"b\c"#))]));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn a_key_replaces_its_line_and_keeps_the_others() {
    let (_dir, path) = file_of("# mine\nOpenAI=\"old\" # work\n\nxai = \"x\"", 0o600);
    write_key(&path, Provider::OpenAi, &key("new")).unwrap();
    write_key(&path, Provider::Anthropic, &key("third")).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, "# mine\nopenai = \"new\"\n\nxai = \"x\"\nanthropic = \"third\"\n");
}

#[test]
fn a_value_over_several_lines_is_replaced_too() {
    let (_dir, path) = file_of("openai = \"\"\"\nold\"\"\"\nxai = \"x\"\n", 0o600);
    write_key(&path, Provider::OpenAi, &key("new")).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "openai = \"new\"\nxai = \"x\"\n");
}

#[test]
fn a_file_that_others_may_read_is_not_written() {
    let (_dir, path) = file_of("xai = \"x\"\n", 0o644);
    assert!(matches!(write_key(&path, Provider::OpenAi, &key("k")), Err(KeysError::NotPrivate { .. })));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "xai = \"x\"\n");
}
