//! Commands and the runs they are.

use super::*;

fn found(line: &str) -> Option<(Runner, Task)> {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let (program, arguments) = words.split_first()?;
    call(program, arguments).map(|call| (call.runner, call.task))
}

#[test]
fn runs_are_known() {
    use Runner::{Bun, Cargo, Ctest, Dotnet, Go, Gradle, Jest, Make, Maven, Nextest, Npm, Pytest, Vitest};
    use Task::{Build, Script, Test};
    for (line, expected) in [
        ("cargo +nightly --locked test -p a", (Cargo, Test)),
        ("cargo test --no-run", (Cargo, Build)),
        ("cargo clippy -- -D warnings", (Cargo, Build)),
        ("cargo nextest run -p a", (Nextest, Test)),
        ("pytest -q", (Pytest, Test)),
        ("go -C x test ./...", (Go, Test)),
        ("go vet ./...", (Go, Build)),
        ("bun test a", (Bun, Test)),
        ("bun run build", (Bun, Script)),
        ("npm --prefix web test", (Npm, Script)),
        ("npm run -w a build", (Npm, Script)),
        ("pnpm -r test", (Npm, Script)),
        ("pnpm --filter web build", (Npm, Script)),
        ("yarn workspace a test", (Npm, Script)),
        ("yarn jest a", (Jest, Test)),
        ("yarn run vitest", (Vitest, Test)),
        ("make", (Make, Script)),
        ("make -j 4 test V=1", (Make, Script)),
        ("mvn -q -pl a clean verify", (Maven, Script)),
        ("gradlew :app:test --tests X", (Gradle, Script)),
        ("dotnet test a.sln", (Dotnet, Test)),
        ("ctest --test-dir build", (Ctest, Test)),
    ] {
        assert_eq!(found(line), Some(expected), "{line}");
    }
}

#[test]
fn other_commands_are_no_runs() {
    for line in [
        "cargo fmt --check",
        "cargo run",
        "cargo nextest list",
        "cargo test --help",
        "pytest --version",
        "go run .",
        "npm ci",
        "npm run dev",
        "pnpm add vitest-x",
        "yarn install",
        "yarn",
        "bun run a.ts",
        "bun install",
        "make clean",
        "make -n test",
        "mvn dependency:tree",
        "gradle tasks",
        "dotnet run",
        "ctest -N",
        "cargo test -h",
        "cargo test -- --list",
        "pytest --fixtures",
        "go test -list . ./...",
        "gradle -m test",
        "rspec --dry-run",
        "jest --showConfig",
        "vitest list",
        "dotnet test --list-tests",
        "make -kn",
        "tox list",
        "ls",
    ] {
        assert_eq!(found(line), None, "{line}");
    }
}

#[test]
fn flags_that_ignore_failures_are_known() {
    for (line, expected) in [
        ("mvn -fn test", true),
        ("mvn test -Dmaven.test.failure.ignore=true", true),
        ("mvn test -Dmaven.test.failure.ignore=false", false),
        ("make -i test", true),
        ("make -ki test", true),
        ("make -k test", false),
        ("make -Iinclude test", false),
        ("make -C lib/it -fi.mk test", false),
    ] {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (program, arguments) = words.split_first().unwrap();
        assert_eq!(call(program, arguments).map(|call| call.ignores_failures), Some(expected), "{line}");
    }
}
