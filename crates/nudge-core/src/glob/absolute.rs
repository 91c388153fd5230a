//! Path values: absolute on some system, in normal form.

use super::normal::{is_windows, normalise_path, segments};
use crate::fault::{Fault, FaultKind};

/// The longest path value, in characters: `PATH_MAX` of Linux.
pub const MAX_ABSOLUTE_CHARS: usize = 4096;

/// Checks a path value and brings it into normal form.
///
/// `/x`, `C:\x` and `\\server\share` are absolute, whichever system we run on: a hint for one
/// system may be written on another. Windows forms keep their backslashes, since the path is
/// handed back to be used there.
pub fn check_absolute(path: &str) -> Result<String, Fault> {
    let chars = path.chars().count();
    if chars > MAX_ABSOLUTE_CHARS {
        let why = format!("a path of {chars} characters is longer than {MAX_ABSOLUTE_CHARS}");
        return Err(Fault::invalid("path_too_long", why).with("limit", MAX_ABSOLUTE_CHARS));
    }
    if path.chars().any(char::is_control) {
        return Err(Fault::invalid("path_control_character", "a path cannot hold control characters"));
    }
    if path.split(['/', '\\']).any(|segment| segment == "..") {
        let why = format!("path `{path}` climbs with `..`");
        return Err(Fault::new(FaultKind::ScopeInvalid, "path_traversal", why).next("write the path in full"));
    }
    if !is_absolute(path) {
        return Err(Fault::invalid("path_not_absolute", format!("path `{path}` is not absolute"))
            .next("write it in full, such as /work/api, C:\\work\\api or \\\\server\\share"));
    }
    if path.starts_with('/') {
        return Ok(format!("/{}", segments(path)));
    }
    // The drive letter stays as the person wrote it.
    let normal = normalise_path(path).replace('/', "\\");
    Ok(if path.starts_with('\\') { normal } else { format!("{}{}", &path[..1], &normal[1..]) })
}

fn is_absolute(path: &str) -> bool {
    if path.starts_with('/') {
        return true;
    }
    if path.starts_with("\\\\") {
        // A server alone is no place: its share is the root.
        return path.split(['/', '\\']).filter(|segment| !segment.is_empty()).count() >= 2;
    }
    // `C:` alone means whatever directory is current on that drive.
    is_windows(path) && path.len() > 2
}
