//! What globs match, and which globs are rejected.

use proptest::prelude::*;

use super::*;

#[test]
fn globs_match_directories_as_micromatch_does() {
    let table = [
        ("**/http-proxy*", "/work/http-proxy", true),
        ("**/http-proxy*", "/work/minerva/http-proxy-2", true),
        ("**/http-proxy*", "/work/http-proxy/src", false),
        ("**/http-proxy*/**", "/work/http-proxy/src/a", true),
        ("**", "/anywhere/at/all", true),
        ("**", "/", true),
        ("/**", "/", true),
        ("/work/*", "/work/api", true),
        ("/work/*", "/work/api/src", false),
        ("/work/**", "/work/api/src", true),
        ("/work/**", "/work", true),
        ("/work/**", "/workshop", false),
        ("/work/**/src", "/work/src", true),
        ("/work/**/src", "/work/a/b/src", true),
        ("/work/ap?", "/work/api", true),
        ("/work/[a-c]pi", "/work/api", true),
        ("/work/[!a-c]pi", "/work/api", false),
        ("/work/{api,web}/*", "/work/web/src", true),
        ("/work/{api,web}", "/work/db", false),
        ("/work/\\*", "/work/*", true),
        ("/work/\\*", "/work/a", false),
        ("/work/api", "/work/./api//", true),
        ("/work/api/", "/work/api", true),
        ("/home/*/.config/**", "/home/me/.config/x", true),
        ("api", "/work/api", false),
        ("/work/API", "/work/api", false),
    ];
    for (glob, path, expected) in table {
        assert_eq!(matches_path(glob, path), expected, "{glob} on {path}");
    }
}

#[test]
fn windows_directories_match_in_either_spelling() {
    let table = [
        ("C:\\work\\*", "c:/work/api", true),
        ("c:/Work/**", "C:\\work\\api\\src", true),
        ("**\\api", "C:\\work\\api", true),
        ("**/api", "C:\\work\\API\\", true),
        ("\\\\server\\share\\**", "\\\\server\\share\\code", true),
        ("//server/share/*", "\\\\server\\share\\code", true),
        ("D:\\**", "C:\\work", false),
    ];
    for (glob, path, expected) in table {
        assert_eq!(matches_path(glob, path), expected, "{glob} on {path}");
    }
}

#[test]
fn branches_match_by_name_or_glob() {
    let table = [
        ("dev", "dev", true),
        ("dev", "develop", false),
        ("hotfix/*", "hotfix/login", true),
        ("hotfix/*", "hotfix/a/b", false),
        ("hotfix/**", "hotfix/a/b", true),
        ("release-?.x", "release-2.x", true),
        ("fix/{odd}name[1]", "fix/{odd}name[1]", true),
        ("Dev", "dev", false),
    ];
    for (glob, branch, expected) in table {
        assert_eq!(matches_name(glob, branch), expected, "{glob} on {branch}");
    }
}

#[test]
fn bad_globs_are_refused_with_a_reason() {
    let long = "a".repeat(501);
    let table = [
        ("", "glob_empty"),
        ("./", "glob_empty"),
        (long.as_str(), "glob_too_long"),
        ("..", "path_traversal"),
        ("../work/*", "path_traversal"),
        ("/work/../etc", "path_traversal"),
        ("C:\\work\\..\\x", "path_traversal"),
        ("/work/{..,a}/x", "path_traversal"),
        ("[a", "glob_syntax"),
        ("{a,b", "glob_syntax"),
        ("a}", "glob_syntax"),
        ("[z-a]", "glob_syntax"),
        ("!/work/**", "glob_syntax"),
        ("+(a|b)", "glob_syntax"),
        ("/work/\0", "glob_syntax"),
    ];
    for (glob, reason) in table {
        let fault = check("meta.scope.cwd_glob", glob).expect_err(glob);
        assert_eq!((fault.kind.id(), fault.reason.as_str()), ("E_SCOPE_INVALID", reason), "{glob}");
        assert_eq!(fault.data["field"], "meta.scope.cwd_glob");
    }
    for glob in ["**/http-proxy*", "C:\\work\\*", "/a..b/*", "...", "hotfix/*", "/work/{a,b}/[0-9]?"] {
        assert_eq!(check("meta.scope.cwd_glob", glob), Ok(()), "{glob}");
    }
}

#[test]
fn absolute_paths_are_kept_in_normal_form() {
    let table = [
        ("/work/api", "/work/api"),
        ("/work//./api/", "/work/api"),
        ("/", "/"),
        ("c:\\code\\http-proxy", "c:\\code\\http-proxy"),
        ("C:/code/./http-proxy/", "C:\\code\\http-proxy"),
        ("C:\\", "C:\\"),
        ("\\\\server\\share\\x\\", "\\\\server\\share\\x"),
        ("/odd\\name", "/odd\\name"),
        ("//work/api", "/work/api"),
    ];
    for (written, expected) in table {
        assert_eq!(check_absolute(written).as_deref(), Ok(expected), "{written}");
    }
}

#[test]
fn other_paths_are_refused() {
    let table = [
        ("", "E_INVALID", "path_not_absolute"),
        ("work/api", "E_INVALID", "path_not_absolute"),
        ("~/api", "E_INVALID", "path_not_absolute"),
        ("C:", "E_INVALID", "path_not_absolute"),
        ("C:api", "E_INVALID", "path_not_absolute"),
        ("\\api", "E_INVALID", "path_not_absolute"),
        ("\\\\server", "E_INVALID", "path_not_absolute"),
        ("/a\nb", "E_INVALID", "path_control_character"),
        ("/work/../etc", "E_SCOPE_INVALID", "path_traversal"),
        ("C:\\work\\..\\x", "E_SCOPE_INVALID", "path_traversal"),
    ];
    for (path, id, reason) in table {
        let fault = check_absolute(path).expect_err(path);
        assert_eq!((fault.kind.id(), fault.reason.as_str()), (id, reason), "{path}");
    }
}

proptest! {
    #[test]
    fn any_glob_is_taken_or_refused(glob in ".{0,80}", path in ".{0,60}") {
        let _ = check("x", &glob);
        let _ = matches_path(&glob, &path);
        let _ = matches_name(&glob, &path);
        let _ = check_absolute(&path);
    }

    #[test]
    fn anything_like_a_glob_is_taken_or_refused(glob in "[a-c*?\\[\\]{},!/\\\\.:^-]{0,30}", path in "[a-c:/\\\\.]{0,20}") {
        let _ = check("x", &glob);
        let _ = matches_path(&glob, &path);
        let normal = normalise_glob(&glob);
        prop_assert_eq!(normalise_glob(&normal), normal);
        let normal = normalise_path(&path);
        prop_assert_eq!(normalise_path(&normal), normal);
    }

    #[test]
    fn a_plain_directory_matches_itself(path in "(/[a-z]{1,5}){1,5}") {
        prop_assert!(matches_path(&path, &path));
        let inside = format!("{path}/**");
        let below = format!("{path}/x/y");
        prop_assert!(matches_path(&inside, &below));
    }

    #[test]
    fn normal_absolute_paths_stay_as_they_are(path in "(//?|C:\\\\|c:/|\\\\\\\\s\\\\t\\\\)[a-c./\\\\]{0,20}") {
        if let Ok(normal) = check_absolute(&path) {
            prop_assert_eq!(check_absolute(&normal), Ok(normal));
        }
    }
}
