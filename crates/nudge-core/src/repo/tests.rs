//! What counts as the same repository.

use proptest::prelude::*;

use super::*;

#[test]
fn all_forms_of_one_repository_are_the_same() {
    let forms = [
        "git@github.com:org/repo.git",
        "github.com:org/repo",
        "ssh://git@github.com:22/org/repo",
        "ssh://git@github.com/org/repo.git",
        "git+ssh://git@github.com/org/repo.git",
        "https://user@github.com/org/repo.git/",
        "https://user:ghp_token@GitHub.com/Org/repo",
        "https://github.com:443/org/repo?x=1#readme",
        "http://github.com/org/repo",
        "git://github.com/org/repo.git",
        "github.com/org/repo",
        "git:github.com/org/repo",
        "git:org/repo",
        "org/repo",
    ];
    for one in forms {
        for other in forms {
            assert!(same(one, other), "{one} and {other}");
        }
    }
}

#[test]
fn different_repositories_stay_different() {
    let pairs = [
        ("https://github.com/org/repo", "https://gitlab.com/org/repo"),
        ("https://github.com/org/repo", "https://github.com/org/other"),
        ("git:org/repo", "https://github.com/deep/org/repo"),
        ("http://localhost:3000/a/b", "http://localhost:4000/a/b"),
        ("file:///work/a", "file:///work/b"),
        ("file:///work/a", "git:work/a"),
        ("file:///work/A", "file:///work/a"),
    ];
    for (one, other) in pairs {
        assert!(!same(one, other), "{one} and {other}");
    }
}

#[test]
fn directories_compare_by_their_path() {
    assert!(same("file:///work/api", "/work/./api/"));
    assert!(same("file://localhost/work/api", "file:///work/api"));
    assert!(same("file:///work/my%20api", "file:///work/my api"));
    assert!(same("C:\\work\\api", "c:/work/api"));
}

#[test]
fn there_is_one_way_to_write_each_and_none_holds_credentials() {
    let table = [
        ("git@github.com:org/repo.git", "https://github.com/org/repo"),
        ("https://me:ghp_token@github.com/org/repo", "https://github.com/org/repo"),
        ("me:ghp_token@github.com/org/repo", "https://github.com/org/repo"),
        ("https://me:pa/ss@github.com/org/repo", "https://github.com/org/repo"),
        (
            "https://proxy.net/https://me:ghp_token@github.com/org/repo",
            "https://proxy.net/https:/github.com/org/repo",
        ),
        ("ssh://git@git.corp.net:2222/team/sub/repo.git", "https://git.corp.net/team/sub/repo"),
        ("https://git.corp.net:8443/team/repo", "https://git.corp.net:8443/team/repo"),
        ("git:org/repo.git", "git:org/repo"),
        ("/srv/git/repo.git", "file:///srv/git/repo.git"),
        ("file:///work/api/", "file:///work/api"),
    ];
    for (written, expected) in table {
        assert_eq!(canonical(written), expected, "{written}");
    }
}

proptest! {
    #[test]
    fn canonical_is_at_rest(text in ".{0,60}") {
        let once = canonical(&text);
        prop_assert_eq!(canonical(&once), once);
    }

    #[test]
    fn addresses_come_to_rest(text in "(https://|ssh://|git:|file://|)[a-c:@]{0,6}[/:.]?[a-c.@:/]{0,12}(.git)?/?") {
        let once = canonical(&text);
        prop_assert_eq!(canonical(&once), once.clone());
        prop_assert!(same(&once, &text), "{} became {}", text, once);
    }

    #[test]
    fn a_password_never_survives(user in "[a-z]{1,8}", path in "[a-z]{1,8}/[a-z]{1,8}") {
        for form in [format!("https://{user}:s3cr3t@host.net/{path}"), format!("{user}:s3cr3t@host.net/{path}"), format!("git:{user}:s3cr3t@host.net/{path}")] {
            prop_assert_eq!(canonical(&form), format!("https://host.net/{path}"));
        }
    }
}
