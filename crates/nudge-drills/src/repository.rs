//! The location of the repository under test.

use std::path::{Path, PathBuf};

/// The repository's root: two directories above this crate's manifest.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("Cargo.lock").is_file());
        assert!(root().join("crates/nudge-drills/src/repository.rs").is_file());
    }
}
