//! Ordinary work goes on in the sandbox.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use nudge_sandbox::Level;

use crate::scene::{SECRET, Scene, User, git, note, users};

/// Runs it in the project, and answers with what it printed if it succeeded.
fn works(scene: &Scene, command: &str) -> String {
    works_at(scene, command, Level::Full)
}

fn works_at(scene: &Scene, command: &str, level: Level) -> String {
    let mut plan = scene.plan(command);
    plan.level = level;
    if level < Level::Full {
        plan.hidden.clear();
    }
    let seen = scene.sandboxed(&plan);
    assert_eq!(seen.ended.as_ref().and_then(|ended| ended.code), Some(0), "{command}: {seen:?}");
    seen.text
}

fn has(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("PATH=/usr/bin:/bin command -v {program}")]).output();
    let has = found.is_ok_and(|output| output.status.success());
    if !has {
        note(&format!("no {program} here: not tried"));
    }
    has
}

/// @run_sandbox
#[test]
fn git_reads_and_does_not_write() {
    for user in users() {
        let scene = Scene::new(user);
        let commit = "git -c user.name=A -c user.email=a@b add -A && git -c user.name=A -c user.email=a@b commit -qm first";
        let unheld = scene.unheld(commit, std::time::Duration::from_secs(10));
        assert_eq!(unheld.text, "");
        fs::write(scene.project().join("README"), "changed\n").unwrap();
        assert!(works(&scene, "git status --short").contains(" M README"));
        assert!(works(&scene, "git diff").contains("+changed"));
        assert!(works(&scene, "git log --oneline").contains("first"));
        assert!(works(&scene, "git add README || echo refused: $?").contains("refused: 128"));
    }
}

/// The git directory of a worktree is outside of it. Anybody could point there; only the real one
/// is shown.
///
/// @run_sandbox
#[test]
fn git_reads_in_a_worktree() {
    let scene = Scene::new(User::Own);
    let main = scene.path("home/main");
    fs::create_dir(&main).unwrap();
    git(&main, &["init", "-q"]);
    git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&main, &["worktree", "add", "-q", "../tree"]);
    let mut plan = scene.plan("git log --oneline; git status --short; cat ../main/.git/secret");
    plan.root = scene.path("home/tree");
    plan.directory = plan.root.clone();
    let seen = scene.sandboxed(&plan);
    assert!(seen.text.contains("first"), "{seen:?}");
    // A file that says so is not enough.
    let forged = scene.path("home/forged");
    fs::create_dir_all(&forged).unwrap();
    fs::write(forged.join(".git"), format!("gitdir: {}\n", scene.path("home/.ssh").display())).unwrap();
    plan.command = format!("cat {}/id_ed25519", scene.path("home/.ssh").display());
    plan.root.clone_from(&forged);
    plan.directory = forged;
    assert!(!scene.sandboxed(&plan).text.contains(SECRET));
}

/// @run_sandbox
#[test]
fn python_and_its_processes_work() {
    for user in users() {
        let scene = Scene::new(user);
        let test = "import unittest, multiprocessing, socket, threading\n\
            def double(x): return 2 * x\n\
            class T(unittest.TestCase):\n\
            \x20   def test_pool(self):\n\
            \x20       with multiprocessing.Pool(2) as pool: self.assertEqual(pool.map(double, [1, 2]), [2, 4])\n\
            \x20   def test_listens(self):\n\
            \x20       server = socket.create_server(('127.0.0.1', 0))\n\
            \x20       client = socket.create_connection(server.getsockname())\n\
            \x20       server.accept()[0].send(b'x'); self.assertEqual(client.recv(1), b'x')\n";
        fs::write(scene.project().join("test_it.py"), test).unwrap();
        assert!(works(&scene, "/usr/bin/python3 -m unittest 2>&1").contains("OK"));
    }
}

/// @run_sandbox
#[test]
fn compilers_and_shells_work() {
    for user in users() {
        let scene = Scene::new(user);
        if has("gcc") {
            let c = "printf '#include <stdio.h>\\nint main(){puts(\"compiled\");}' > a.c && gcc -g a.c -o a && ./a";
            assert!(works(&scene, c).contains("compiled"));
        }
        if has("node") {
            assert!(
                works(&scene, "node -e 'console.log(require(\"os\").cpus().length > 0)'").contains("true")
            );
            let server = "node -e 'const s=require(\"net\").createServer(c=>c.end(\"hi\")).listen(0,\"127.0.0.1\",\
                ()=>require(\"net\").connect(s.address().port,\"127.0.0.1\").on(\"data\",d=>{console.log(String(d));s.close()}))'";
            assert!(works(&scene, server).contains("hi"));
        }
        let jobs = "bash -c 'set -m; sleep 0.1 & jobs; fg >/dev/null; seq 3 | sort -r | tr \"\\n\" \" \"; kill -0 $$'";
        assert!(works(&scene, jobs).contains("3 2 1"));
        let terminal = "script -qec 'tty' /dev/null </dev/null";
        if has("script") {
            assert!(works(&scene, terminal).contains("/dev/pts/0"));
        }
        let large = "head -c 200000000 /dev/zero > /tmp/large && ls -l /tmp/large && df /tmp | tail -1";
        assert!(works(&scene, large).contains("200000000"));
        assert!(
            works(&scene, "mkdir -p target/debug && echo x > target/debug/a && mv target/debug/a b && cat b")
                .contains('x')
        );
        assert!(
            works(&scene, "ps aux; id -un; hostname; date; locale; getent hosts localhost; mktemp")
                .contains("/tmp/")
        );
    }
}

/// @run_sandbox
#[test]
fn cargo_builds_offline() {
    let Some(home) = std::env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".rustup")))
    else {
        return;
    };
    let toolchains = fs::read_dir(home.join("toolchains")).into_iter().flatten().flatten();
    let Some(toolchain) = toolchains.map(|entry| entry.path()).find(|path| path.join("bin/cargo").exists())
    else {
        note("no toolchain: not tried");
        return;
    };
    let scene = Scene::new(User::Own);
    fs::create_dir_all(scene.project().join("src")).unwrap();
    fs::write(scene.project().join("Cargo.toml"), "[package]\nname = \"tiny\"\nedition = \"2021\"\n")
        .unwrap();
    fs::write(
        scene.project().join("src/main.rs"),
        "fn main() { println!(\"built\"); }\n#[test] fn it() {}\n",
    )
    .unwrap();
    let path = format!("{}:/usr/bin:/bin", toolchain.join("bin").display());
    for level in [Level::Full, Level::Landlock] {
        if level == Level::Landlock {
            // It may not be read, and cargo looks for it above the project, too.
            fs::remove_file(scene.path("home/.cargo/config.toml")).unwrap();
        }
        let mut plan = scene.plan("cargo run -q --offline && cargo test -q --offline");
        plan.level = level;
        plan.hidden.truncate(1);
        plan.toolchains.push(toolchain.clone());
        plan.env.push(("PATH".to_owned(), path.clone()));
        let seen = scene.sandboxed(&plan);
        assert!(seen.text.contains("built") && seen.text.contains("1 passed"), "{level:?} {seen:?}");
    }
}

/// What the person accepted is there, and no more.
///
/// @run_sandbox
#[test]
fn rights_open_what_they_name() {
    for user in users() {
        let scene = Scene::new(user);
        let mut plan = scene.plan(
            "cat ../other/notes; echo changed > ../other/notes; echo made > $OUTSIDE/made; cat $OUTSIDE/made; \
             echo x > .claude/made; echo x > .git/hooks/made; cat nudge-home/token; \
             python3 -c \"import socket,os; socket.create_connection(('127.0.0.1', int(os.environ['TCP'])), 2).send(b'x')\"",
        );
        plan.rights.read.push(scene.path("home/other"));
        plan.rights.write = vec![scene.path("outside"), scene.project().join(".claude")];
        plan.rights.network = true;
        let seen = scene.sandboxed(&plan);
        assert_eq!(fs::read_to_string(scene.path("home/other/notes")).unwrap(), SECRET);
        assert_eq!(fs::read_to_string(scene.path("outside/made")).unwrap(), "made\n");
        assert!(scene.project().join(".claude/made").exists());
        assert!(!scene.project().join(".git/hooks/made").exists());
        assert_eq!(seen.text.matches(SECRET).count(), 1, "{}", seen.text);
        assert!(scene.tcp.accept().is_ok(), "{}", seen.text);
    }
}

/// A command without limits on its file system has a home and a temporary directory of its own.
///
/// @run_sandbox_levels
#[test]
fn lower_levels_have_a_home_of_their_own() {
    let scene = Scene::new(User::Own);
    for level in [Level::Landlock, Level::None] {
        let text = works_at(&scene, "echo x > $HOME/a && mktemp && echo $HOME && ls $HOME", level);
        let home = text
            .lines()
            .find(|line| line.contains("/nudge-run-") && !line.contains("tmp."))
            .unwrap()
            .to_owned();
        assert!(!fs::exists(&home).unwrap(), "{home} is removed");
    }
}
