//! Tokens with the user's rights, for programs such as an editor.
//!
//! Each has a name and is shown once. The file `client-tokens.json` in the home keeps a hash of
//! each, so that a copy of the file opens nothing. It is no part of the memory: a restored backup
//! brings no revoked token back.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use crate::private_file;
use crate::random::fresh;

/// What every such token begins with, so that people and the secret detector recognise it.
pub const TOKEN_PREFIX: &str = "nudge_client_";

/// A token that was not used for so long has ended, in seconds.
const ENDS_UNUSED: i64 = 90 * DAY;

/// The time of the last use is written at most once in this time, in seconds.
const DAY: i64 = 24 * 60 * 60;

/// How many there may be.
const MAX_TOKENS: usize = 50;

/// A token, without itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientToken {
    /// The name that the user gave it.
    pub name: String,
    /// When it was made, in seconds since 1970.
    pub created_at: i64,
    /// When it was last used, or made.
    pub used_at: i64,
    hash: String,
}

impl ClientToken {
    /// Whether it has ended because nobody used it.
    pub fn has_ended(&self) -> bool {
        let unused = now().saturating_sub(self.used_at);
        !(-DAY..=ENDS_UNUSED).contains(&unused)
    }
}

/// Makes a token, and returns it. It cannot be shown again.
pub fn make(home: &Home, name: &str) -> Result<String, Fault> {
    check_name(name)?;
    let token = format!("{TOKEN_PREFIX}{}", fresh()?);
    change(&file(home), |tokens| {
        if tokens.iter().any(|one| one.name == name) {
            return Err(Fault::new(FaultKind::Conflict, "name_taken", format!("`{name}` has a token"))
                .next(format!("choose another name, or run `nudge token revoke {name}` first")));
        }
        if tokens.len() >= MAX_TOKENS {
            return Err(Fault::invalid("too_many", format!("there are {MAX_TOKENS} client tokens"))
                .next("revoke one with `nudge token revoke`"));
        }
        let (created_at, used_at) = (now(), now());
        tokens.push(ClientToken { name: name.to_owned(), created_at, used_at, hash: hash(&token) });
        Ok(())
    })?;
    Ok(token)
}

/// All tokens, in the order in which they were made.
pub fn list(home: &Home) -> Result<Vec<ClientToken>, Fault> {
    read(&file(home))
}

/// Ends a token at once. Its open connections are closed.
pub fn revoke(home: &Home, name: &str) -> Result<(), Fault> {
    change(&file(home), |tokens| {
        let before = tokens.len();
        tokens.retain(|one| one.name != name);
        if tokens.len() == before {
            return Err(Fault::new(
                FaultKind::NotFound,
                "no_token",
                format!("no client token is called `{name}`"),
            )
            .next("run `nudge token ls` to see them"));
        }
        Ok(())
    })
}

/// The client tokens in a running server. The file is read at every use, so that a revocation holds
/// at once.
pub struct ClientTokens {
    path: PathBuf,
}

impl ClientTokens {
    /// Those of a home.
    pub fn of(home: &Home) -> Self {
        Self { path: file(home) }
    }

    /// The name of the client that this token belongs to; `None` if it is none, or has ended.
    pub fn name_of(&self, shown: &str) -> Option<String> {
        if !shown.starts_with(TOKEN_PREFIX) {
            return None;
        }
        let wanted = hash(shown);
        let tokens = read(&self.path).ok()?;
        let found = tokens.into_iter().find(|one| one.hash.as_bytes().ct_eq(wanted.as_bytes()).into())?;
        (!found.has_ended()).then_some(found.name)
    }

    /// Notes that a token was used, at most once a day and not while another process changes the
    /// file.
    pub fn note_use(&self, name: &str) {
        let is_due = |one: &ClientToken| {
            one.name == name && (one.used_at == one.created_at || now().saturating_sub(one.used_at) > DAY)
        };
        if !read(&self.path).is_ok_and(|tokens| tokens.iter().any(is_due)) {
            return;
        }
        let Ok(lock) = private_file::lock_file(&self.path) else { return };
        if lock.try_lock().is_err() {
            return;
        }
        let noted = change_locked(&self.path, |tokens| {
            for one in tokens.iter_mut().filter(|one| one.name == name) {
                one.used_at = now().max(one.created_at.saturating_add(1));
            }
            Ok(())
        });
        if let Err(fault) = noted {
            tracing::warn!(reason = fault.reason, "the use of a client token is not noted");
        }
    }
}

fn file(home: &Home) -> PathBuf {
    home.root().join("client-tokens.json")
}

fn hash(token: &str) -> String {
    blake3::hash(token.as_bytes()).to_hex().to_string()
}

fn now() -> i64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(passed.as_secs()).unwrap_or(i64::MAX)
}

fn check_name(name: &str) -> Result<(), Fault> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins && name.len() <= 40 && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(Fault::invalid(
        "name",
        "a name begins with a letter or digit and has at most 40 of letters, digits, `-`, `_` and `.`",
    )
    .next("name the program, such as `nudge token client zed`"))
}

fn read(path: &Path) -> Result<Vec<ClientToken>, Fault> {
    let bytes = match private_file::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unusable(path, "cannot be read", &error)),
    };
    serde_json::from_slice(&bytes).map_err(|error| unusable(path, "cannot be understood", &error))
}

/// Changes the file, once no other process does.
fn change(path: &Path, act: impl FnOnce(&mut Vec<ClientToken>) -> Result<(), Fault>) -> Result<(), Fault> {
    let unwritten = |error: std::io::Error| unusable(path, "cannot be written", &error);
    // The lock is released when the value is dropped.
    let lock = private_file::lock_file(path).map_err(unwritten)?;
    lock.lock().map_err(unwritten)?;
    change_locked(path, act)
}

fn change_locked(
    path: &Path,
    act: impl FnOnce(&mut Vec<ClientToken>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut tokens = read(path)?;
    act(&mut tokens)?;
    let write = || {
        let mut file = tempfile::Builder::new()
            .prefix(".client-tokens-")
            .permissions(Permissions::from_mode(0o600))
            .tempfile_in(path.parent().unwrap_or_else(|| Path::new(".")))?;
        file.write_all(&serde_json::to_vec_pretty(&tokens)?)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error: std::io::Error| unusable(path, "cannot be written", &error))
}

fn unusable(path: &Path, what: &str, error: &dyn std::fmt::Display) -> Fault {
    let why = format!("the file {} {what}: {error}", path.display());
    Fault::new(FaultKind::Unavailable, "tokens_unusable", why)
        .next("check the file; without it there are no client tokens")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("client-tokens.json");
        (dir, path)
    }

    fn add(path: &Path, token: &str, used_at: i64) {
        change(path, |tokens| {
            tokens.push(ClientToken { name: "zed".to_owned(), created_at: 0, used_at, hash: hash(token) });
            Ok(())
        })
        .expect("added");
    }

    #[test]
    fn a_token_is_kept_as_a_hash_and_ends_unused() {
        let (_dir, path) = place();
        let token = format!("{TOKEN_PREFIX}abc");
        add(&path, &token, now() - 5);
        let known = ClientTokens { path: path.clone() };
        assert_eq!(known.name_of(&token).as_deref(), Some("zed"));
        assert_eq!(known.name_of(&format!("{token}d")), None);
        assert_eq!(known.name_of("abc"), None);
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(!text.contains(&token), "{text}");
        assert_eq!(std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        let (_dir, path) = place();
        add(&path, &token, now() - ENDS_UNUSED - 1);
        assert_eq!(ClientTokens { path }.name_of(&token), None);
    }

    #[test]
    fn its_use_is_noted_once_a_day() {
        let (_dir, path) = place();
        let token = format!("{TOKEN_PREFIX}abc");
        add(&path, &token, now() - 2 * DAY);
        let known = ClientTokens { path: path.clone() };
        known.name_of(&token).expect("admitted");
        assert!(now() - read(&path).expect("read")[0].used_at > DAY, "not by being shown");
        known.note_use("zed");
        assert!(now() - read(&path).expect("read")[0].used_at < DAY);
    }

    #[test]
    fn a_name_is_a_plain_word() {
        for name in ["", "a b", "../x", "ü", ".", "-x", &"x".repeat(41)] {
            assert!(check_name(name).is_err(), "{name}");
        }
        assert!(check_name("zed-1.2_x").is_ok());
    }
}
