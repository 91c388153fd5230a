//! Each condition alone, all together, and the wording of both outcomes.

use proptest::prelude::*;

use super::*;

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

fn env(pairs: &[(&str, &str)]) -> EnvView {
    EnvView::Complete(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
}

fn allowed(name: &str, values: &[&str]) -> BTreeMap<String, Vec<String>> {
    BTreeMap::from([(name.to_owned(), texts(values))])
}

fn here() -> Context {
    Context {
        cwd: Some("/work/http-proxy".into()),
        repo: Some("git@github.com:org/repo.git".into()),
        branch: Some("hotfix/login".into()),
        os: Some(Os::Linux),
        env: env(&[("CI", "1"), ("STAGE", "s3cret-stage")]),
        files_open: Vec::new(),
    }
}

fn met(reasons: &[&str]) -> ConditionResult {
    ConditionResult::Met { reasons: texts(reasons) }
}

fn failed(condition: &str) -> ConditionResult {
    ConditionResult::Failed { condition: condition.to_owned() }
}

#[test]
fn no_conditions_always_hold() {
    assert_eq!(Conditions::default().check(&Context::unknown()), met(&["no scope restrictions"]));
}

#[test]
fn each_condition_that_holds_gives_its_reason() {
    let all = Conditions {
        cwd_glob: texts(&["/elsewhere", "**/http-proxy*"]),
        repo: texts(&["git:other/repo", "git:org/repo"]),
        branch: texts(&["dev", "hotfix/*"]),
        os: vec![Os::Darwin, Os::Linux],
        env_required: texts(&["CI", "STAGE"]),
        env_match: allowed("STAGE", &["x", "s3cret-stage"]),
    };
    let expected = met(&[
        "cwd matched **/http-proxy*",
        "repo matched",
        "branch=hotfix/login allowed",
        "os=linux matched",
        "required env vars present: CI, STAGE",
        "env values matched",
    ]);
    assert_eq!(all.check(&here()), expected);
    assert_eq!(all.count(), 7);
}

#[test]
fn each_condition_that_fails_is_named_and_shows_no_environment_value() {
    let none = Conditions::default;
    let table = [
        (
            Conditions { cwd_glob: texts(&["/a", "/b"]), ..none() },
            "cwd_glob: \"/work/http-proxy\" matches none of /a, /b",
        ),
        (
            Conditions { repo: texts(&["https://me:token@host.net/a/b"]), ..none() },
            "repo: \"https://github.com/org/repo\" is none of https://host.net/a/b",
        ),
        (
            Conditions { branch: texts(&["dev", "main"]), ..none() },
            "branch: \"hotfix/login\" matches none of dev, main",
        ),
        (
            Conditions { os: vec![Os::Darwin, Os::Windows], ..none() },
            "os: \"linux\" is none of darwin, windows",
        ),
        (Conditions { env_required: texts(&["CI", "X", "Y"]), ..none() }, "env_required: X, Y not set"),
        (
            Conditions { env_match: allowed("STAGE", &["p"]), ..none() },
            "env_match: STAGE has none of the allowed values",
        ),
        (Conditions { env_match: allowed("X", &["p"]), ..none() }, "env_match: X not set"),
    ];
    for (conditions, words) in table {
        assert_eq!(conditions.check(&here()), failed(words));
    }
}

#[test]
fn a_condition_on_a_fact_that_is_missing_fails() {
    let none = Conditions::default;
    let table = [
        (Conditions { cwd_glob: texts(&["**"]), ..none() }, "cwd_glob: context has no cwd"),
        (Conditions { repo: texts(&["git:a/b"]), ..none() }, "repo: context has no repo"),
        (Conditions { branch: texts(&["*"]), ..none() }, "branch: context has no branch"),
        (Conditions { os: Os::ALL.to_vec(), ..none() }, "os: context has no os"),
        (Conditions { env_required: texts(&["CI"]), ..none() }, "env_required: context has no env"),
        (Conditions { env_match: allowed("CI", &["1"]), ..none() }, "env_match: context has no env"),
    ];
    for (conditions, words) in table {
        assert_eq!(conditions.check(&Context::unknown()), failed(words));
    }
}

#[test]
fn one_failing_condition_among_many_fails_all() {
    let conditions =
        Conditions { branch: texts(&["hotfix/*"]), os: vec![Os::Windows], ..Conditions::default() };
    assert_eq!(conditions.check(&here()), failed("os: \"linux\" is none of windows"));
}

#[test]
fn only_names_that_decide_are_asked_for() {
    let conditions = Conditions {
        os: vec![Os::Linux],
        env_required: texts(&["CI", "A"]),
        env_match: allowed("B", &["1"]),
        ..Conditions::default()
    };
    let partial = EnvView::Partial(BTreeMap::from([("CI".to_owned(), None)]));
    let far = Context { os: Some(Os::Linux), env: partial, ..Context::unknown() };
    assert_eq!(conditions.env_names(), BTreeSet::from(["A", "B", "CI"]));
    assert_eq!(conditions.env_to_ask(&far), BTreeSet::from(["A", "B"]));
    assert_eq!(conditions.env_to_ask(&Context { os: Some(Os::Darwin), ..far }), BTreeSet::new());
    assert_eq!(conditions.env_to_ask(&here()), BTreeSet::new());
}

#[test]
fn the_fingerprint_is_a_stored_name_and_never_changes() {
    assert_eq!(Conditions::default().fingerprint(), None);
    let windows = Conditions { os: vec![Os::Windows], ..Conditions::default() };
    let darwin = Conditions { os: vec![Os::Darwin], ..Conditions::default() };
    assert_eq!(windows.fingerprint().as_deref(), Some("4281fa8af36783a5"));
    assert_ne!(windows.fingerprint(), darwin.fingerprint());
}

#[test]
fn spellings_of_the_same_condition_are_one_variant() {
    let one = Conditions {
        cwd_glob: texts(&["C:\\work\\*", "/work/api/"]),
        repo: texts(&["git@github.com:org/repo.git"]),
        ..Conditions::default()
    };
    let other = Conditions {
        cwd_glob: texts(&["/work/api", "c:/work/*", "/work/api"]),
        repo: texts(&["https://github.com/org/repo"]),
        ..Conditions::default()
    };
    assert_eq!(one.canonical(), other.canonical());
    assert_eq!(one.fingerprint(), other.fingerprint());
}

#[test]
fn bad_conditions_are_refused() {
    let none = Conditions::default;
    let many: Vec<String> = (0..65).map(|n| n.to_string()).collect();
    let table = [
        (Conditions { cwd_glob: texts(&["../x"]), ..none() }, "E_SCOPE_INVALID", "path_traversal"),
        (Conditions { branch: texts(&["[x"]), ..none() }, "E_SCOPE_INVALID", "glob_syntax"),
        (Conditions { repo: texts(&["file:///a/../b"]), ..none() }, "E_SCOPE_INVALID", "path_traversal"),
        (Conditions { repo: texts(&[" "]), ..none() }, "E_INVALID", "repo_empty"),
        (Conditions { env_required: texts(&[""]), ..none() }, "E_INVALID", "env_name_invalid"),
        (Conditions { env_required: texts(&["A=1"]), ..none() }, "E_INVALID", "env_name_invalid"),
        (Conditions { env_match: allowed("A\0", &["1"]), ..none() }, "E_INVALID", "env_name_invalid"),
        (Conditions { env_match: allowed("A", &[]), ..none() }, "E_INVALID", "env_value_missing"),
        (Conditions { branch: many.clone(), ..none() }, "E_INVALID", "too_many_items"),
        (Conditions { env_required: many, ..none() }, "E_INVALID", "too_many_items"),
    ];
    for (conditions, id, reason) in table {
        let fault = conditions.validate().expect_err(reason);
        assert_eq!((fault.kind.id(), fault.reason.as_str()), (id, reason));
    }
    assert_eq!(none().validate(), Ok(()));
}

fn any_conditions() -> impl Strategy<Value = Conditions> {
    let list = || proptest::collection::vec("[a-c*?/\\\\.:{},@\\[\\]]{0,10}", 0..4);
    let os = proptest::collection::vec(proptest::sample::select(Os::ALL.to_vec()), 0..4);
    let env_match = proptest::collection::btree_map("[A-C]{1,2}", list(), 0..3);
    (list(), list(), list(), os, list(), env_match).prop_map(
        |(cwd_glob, repo, branch, os, env_required, env_match)| Conditions {
            cwd_glob,
            repo,
            branch,
            os,
            env_required,
            env_match,
        },
    )
}

proptest! {
    #[test]
    fn any_conditions_are_checked_without_panic(conditions in any_conditions(), cwd in ".{0,30}") {
        let _ = conditions.validate();
        let _ = conditions.check(&Context { cwd: Some(cwd), ..here() });
        let _ = conditions.check(&Context::unknown());
    }

    #[test]
    fn canonical_is_at_rest(conditions in any_conditions()) {
        let once = conditions.canonical();
        prop_assert_eq!(once.canonical(), once.clone());
        prop_assert_eq!(once.fingerprint().is_none(), conditions.is_empty());
    }

    #[test]
    fn the_fingerprint_does_not_depend_on_order(conditions in any_conditions()) {
        let mut turned = conditions.clone();
        for list in [&mut turned.cwd_glob, &mut turned.repo, &mut turned.branch, &mut turned.env_required] {
            list.reverse();
        }
        turned.os.reverse();
        turned.env_match.values_mut().for_each(|allowed| allowed.reverse());
        prop_assert_eq!(turned.fingerprint(), conditions.fingerprint());
    }

    #[test]
    fn different_lists_have_different_fingerprints(one in "[a-z]{1,6}", other in "[a-z]{1,6}") {
        let by = |branch: &[&str], env_required: &[&str]| {
            Conditions { branch: texts(branch), env_required: texts(env_required), ..Conditions::default() }.fingerprint()
        };
        prop_assert_ne!(by(&[&one], &[]), by(&[], &[&one]));
        let joined = format!("{one}{other}");
        prop_assert_ne!(by(&[&joined], &[]), by(&[&one, &other], &[]));
    }
}
