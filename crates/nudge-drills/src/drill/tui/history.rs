//! The contents of the memory before the browser opens: four sessions in one project, one in
//! another, a hint and proposals.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use nudge_core::Timestamp;
use serde_json::Value;

use crate::agents::terminal::run_in_terminal;
use crate::drill::desktop::{ClaudeSession, Desktop};

/// The subject of the newest session.
pub(super) const GOAL: &str = "why is the total wrong when a voucher is used";

/// Why the tests fail.
pub(super) const ERROR: &str = "ECONNREFUSED 127.0.0.1:5432";

/// A change that an agent proposes, and an instruction that the user gave.
pub(super) const ACCEPTED: &str = "database/port";
pub(super) const DROPPED: &str = "pnpm";

/// 9 November 2026, 08:40 in UTC.
const BEGIN: i64 = 1_794_213_600_000;

const TESTS: &str = "pnpm test";
const FAILED: &str = "Exit code 1\n FAIL  src/cart.test.ts\nError: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)\n 1 failed, 23 passed";
const PASSED: &str = " 24 passed";
const DATABASE: &str = "docker compose up -d db";

/// Earlier sessions: id, goal, changed file and commit.
const EARLIER: [(&str, &str, &str, &str); 4] = [
    ("01979a10-2b6c-7d11", "add a dark theme to the checkout", "src/theme.ts", "Add a dark theme"),
    ("01979e33-71f0-7a92", "make the product search faster", "src/search.ts", "Search products by prefix"),
    (
        "0197a0c8-55de-7b43",
        "send a mail when an order ships",
        "src/mail.ts",
        "Send a mail when an order ships",
    ),
    ("0197a3c1-6f1e-7c04", "let the cart hold gift cards", "src/cart.ts", "Hold gift cards"),
];

/// The machine, and the project in which the browser opens.
pub(super) struct History {
    pub(super) desktop: Desktop,
    pub(super) root: PathBuf,
}

impl History {
    /// Fills a memory.
    pub(super) fn play(nudge: &Path) -> anyhow::Result<Self> {
        let desktop = Desktop::with_false_clock(nudge, Timestamp::from_millis(BEGIN))?;
        let files = [
            ("src/cart.ts", "export const total = 0;\n"),
            ("src/tax.ts", "export const rate = 0.2;\n"),
            ("CHANGELOG.md", "# Changes\n"),
        ];
        let root = desktop.repository("shop", &files)?;
        let till = desktop.repository("till", &[("main.go", "package main\n")])?;
        let history = Self { desktop, root };
        history.run_as_user(&["set", "database", "port", "5432", "--ttl", "forever"])?;
        for (id, goal, file, message) in EARLIER {
            history.add_fixed_session(id, goal, file, message)?;
            history.advance_hours(24);
        }
        history.add_other_project(&till)?;
        history.advance_hours(21);
        history.add_proposals()?;
        history.advance_hours(23);
        history.add_fixed_session(
            "0197b3f5-9a52-7e11",
            "round the tax of the cart per line",
            "src/tax.ts",
            "Round tax per line",
        )?;
        history.advance_hours(25);
        history.add_open_session()?;
        Ok(history)
    }

    /// The value of the hint that an agent proposed to change.
    pub(super) fn hint_value(&self) -> anyhow::Result<String> {
        let hint = self.run_as_user(&["get", "database", "port"])?;
        hint.pointer("/hint/value").or_else(|| hint.get("value")).map(text).context("the hint has no value")
    }

    /// The tests fail until the database runs; then a file is changed and committed.
    fn add_fixed_session(&self, id: &str, goal: &str, file: &str, message: &str) -> anyhow::Result<()> {
        let mut session = self.session(id)?;
        session.prompt(goal)?;
        self.advance_minutes(1);
        session.run(TESTS, Err(FAILED))?;
        session.run(DATABASE, Ok(" Container shop-db-1  Started"))?;
        self.advance_minutes(1);
        session.run(TESTS, Ok(PASSED))?;
        session.edit(file, "// changed")?;
        session.edit("CHANGELOG.md", &format!("- {message}"))?;
        self.advance_minutes(2);
        session.run(TESTS, Ok(PASSED))?;
        session.commit(message)?;
        session.stop("Done: the tests pass, and the change is committed.")?;
        session.end()
    }

    /// The user states how things are done here, and an agent proposes to change a hint.
    fn add_proposals(&self) -> anyhow::Result<()> {
        let mut session = self.session("0197ae8d-1c7b-7f30")?;
        session.prompt("show the shipping costs in the cart")?;
        session.read("src/cart.ts")?;
        self.advance_minutes(3);
        session.prompt("we always use pnpm here, never npm")?;
        session.edit("src/cart.ts", "export const shipping = 490;")?;
        session.commit("Show shipping costs")?;
        let change =
            ["set", "database", "port", "5433", "--reason", "docker-compose.yml maps the database to 5433"];
        self.desktop.agent(&self.root, &change)?;
        session.prompt("from now on, add every change to CHANGELOG.md")?;
        session.stop("The cart shows shipping costs.")?;
        session.end()
    }

    /// A session in another project.
    fn add_other_project(&self, root: &Path) -> anyhow::Result<()> {
        let mut session = ClaudeSession::new(&self.desktop, "0197a91e-52aa-7d02", root)?;
        session.start()?;
        session.prompt("print the VAT id on the receipt")?;
        session.edit("main.go", "// VAT id")?;
        session.end()?;
        self.advance_hours(1);
        let mut next = ClaudeSession::new(&self.desktop, "0197a955-03bd-7a6e", root)?;
        next.start()?;
        next.prompt("and the date below it")?;
        next.end()
    }

    /// A session that is still open.
    fn add_open_session(&self) -> anyhow::Result<()> {
        let mut session = self.session("0197b97a-e0d4-7b58")?;
        session.prompt(GOAL)?;
        self.advance_minutes(1);
        session.read("src/cart.ts")?;
        session.run(TESTS, Err(FAILED))?;
        self.advance_minutes(4);
        Ok(())
    }

    fn session(&self, id: &str) -> anyhow::Result<ClaudeSession<'_>> {
        let mut session = ClaudeSession::new(&self.desktop, id, &self.root)?;
        session.start()?;
        Ok(session)
    }

    fn advance_hours(&self, hours: u64) {
        self.advance_minutes(hours * 60);
    }

    fn advance_minutes(&self, minutes: u64) {
        self.desktop.pass(Duration::from_secs(minutes * 60));
    }

    /// Runs a command as the user, in a separate terminal: if an agent runs this drill, a child
    /// process would count as the agent's.
    fn run_as_user(&self, args: &[&str]) -> anyhow::Result<Value> {
        let mut args = args.to_vec();
        args.push("--json");
        Ok(serde_json::from_str(&run_in_terminal(&self.desktop.nudge(&args, &self.root))?)?)
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
