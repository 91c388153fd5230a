//! Path values: absolute on some system, in normal form.

use super::normal::{is_windows, normalise_path, segments};
use crate::fault::{Fault, FaultKind};

/// The longest path value, in characters: `PATH_MAX` of Linux.
pub const MAX_ABSOLUTE_CHARS: usize = 4096;

/// Validates a path value and normalises it.
///
/// `/x`, `C:\x` and `\\server\share` are absolute on every system: a hint for one system may be
/// written on another. Windows forms keep their backslashes, because the path is returned for use
/// there.
pub fn check_absolute(path: &str) -> Result<String, Fault> {
    let chars = path.chars().count();
    if chars > MAX_ABSOLUTE_CHARS {
        let why = format!("the path has {chars} characters; the limit is {MAX_ABSOLUTE_CHARS}");
        return Err(Fault::invalid("path_too_long", why).with("limit", MAX_ABSOLUTE_CHARS));
    }
    if path.chars().any(char::is_control) {
        return Err(Fault::invalid("path_control_character", "a path cannot contain control characters"));
    }
    if path.split(['/', '\\']).any(|segment| segment == "..") {
        let why = format!("path `{path}` contains `..`");
        return Err(Fault::new(FaultKind::ScopeInvalid, "path_traversal", why).next("write the path in full"));
    }
    if !is_absolute(path) {
        return Err(Fault::invalid("path_not_absolute", format!("path `{path}` is not absolute"))
            .next("write it in full, such as /work/api, C:\\work\\api or \\\\server\\share"));
    }
    if path.starts_with('/') {
        return Ok(format!("/{}", segments(path)));
    }
    // The drive letter stays as the user wrote it.
    let normal = normalise_path(path).replace('/', "\\");
    Ok(if path.starts_with('\\') { normal } else { format!("{}{}", &path[..1], &normal[1..]) })
}

fn is_absolute(path: &str) -> bool {
    if path.starts_with('/') {
        return true;
    }
    if path.starts_with("\\\\") {
        // A server alone is not a path: its share is the root.
        return path.split(['/', '\\']).filter(|segment| !segment.is_empty()).count() >= 2;
    }
    // `C:` alone means the current directory of that drive.
    is_windows(path) && path.len() > 2
}
