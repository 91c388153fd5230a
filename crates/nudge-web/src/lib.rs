//! The page as bytes. Only `nudge-server` serves it.
//!
//! `npm run build` in `web/` writes `web/dist`, which is committed, so that building Nudge needs no
//! Node. A file that is missing there fails the build. Each name but that of the shell has a hash
//! of the content, so a browser may keep such a file for good, and a tab never mixes two versions.

/// One file of the page.
#[derive(Debug)]
pub struct File {
    /// Its name under [`ASSETS`], with a hash of its content.
    pub name: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// The hash of its content, in hexadecimal.
    pub hash: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

/// Where all files but the shell are served.
pub const ASSETS: &str = "/assets/";

/// The addresses that show the shell. The script in it decides what they show. A part in braces
/// stands for any one part.
pub const PAGES: [&str; 14] = [
    "/",
    "/login",
    "/sessions",
    "/s/{id}",
    "/search",
    "/review",
    "/got",
    "/ask",
    "/ask/{run}",
    "/memory",
    "/failures",
    "/entries",
    "/doctor",
    "/settings",
];

/// Whether an address shows the shell.
pub fn is_page(path: &str) -> bool {
    PAGES.into_iter().any(|page| match page.split_once('{') {
        Some((before, _)) => {
            path.strip_prefix(before).is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
        }
        None => page == path,
    })
}

/// The shell: the document that loads the files. It holds no data.
pub const SHELL: File = File {
    name: "index.html",
    media_type: "text/html; charset=utf-8",
    hash: SHELL_HASH,
    bytes: include_bytes!("../../../web/dist/index.html"),
};

/// The file with this name.
pub fn asset(name: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.name == name)
}

/// All files but the shell.
pub fn assets() -> impl Iterator<Item = &'static File> {
    FILES.iter()
}

// `FILES` and `SHELL_HASH`, as the build wrote them.
include!("../../../web/dist/files.in");

#[cfg(test)]
mod tests {
    use super::*;

    /// The most that all files together may have.
    const MAX_BYTES: usize = 250_000;

    #[test]
    fn the_shell_loads_exactly_the_files_that_are_here() {
        let shell = std::str::from_utf8(SHELL.bytes).expect("UTF-8");
        for file in assets() {
            assert!(shell.contains(&format!("\"{ASSETS}{}\"", file.name)), "{}", file.name);
            assert!(file.name.contains(file.hash), "{}", file.name);
        }
        assert_eq!(shell.matches(ASSETS).count(), FILES.len());
        assert!(!shell.contains("://") && !shell.contains("style=") && !shell.contains("onload"), "{shell}");
    }

    #[test]
    fn a_page_is_known_by_its_whole_address() {
        for path in ["/", "/sessions", "/s/0197c2f4"] {
            assert!(is_page(path), "{path}");
        }
        for path in ["", "/s", "/s/", "/s/a/b", "/sessions/", "/rpc"] {
            assert!(!is_page(path), "{path}");
        }
    }

    #[test]
    fn the_page_is_small() {
        let bytes: usize = assets().map(|file| file.bytes.len()).sum();
        assert!(bytes + SHELL.bytes.len() < MAX_BYTES, "{bytes}");
    }

    #[test]
    fn a_file_is_found_by_its_whole_name() {
        assert!(assets().all(|file| asset(file.name).is_some()));
        assert!(asset("").is_none() && asset("app.js").is_none() && asset("../Cargo.toml").is_none());
    }
}
