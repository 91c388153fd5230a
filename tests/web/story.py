"""A small believable memory: two weeks of three projects, reported through real hooks at times that never change."""

import contextlib
import datetime
import json
import pathlib
import tempfile

import browser
from browser import Agent

NOW = datetime.datetime(2026, 9, 15, 10, 42)

VOUCHERS = "4f2a91c8-6d1e-4b7a-9c35-0e8d21b7aa41"
REFUSED = "Error: connect ECONNREFUSED 127.0.0.1:5433\n\nTests  3 failed | 11 passed (14)"
OFF_BY_ONE = "AssertionError: expected 1999 to be 1998\n    at tests/cart.test.ts:41:24\n\nTests  1 failed | 13 passed (14)"
TOTAL = (
    """export function total(cart: Cart): Cents {
  let sum = subtotal(cart);
  for (const voucher of cart.vouchers) {
    sum -= Math.round(sum * voucher.rate);
  }
  return sum;
}""",
    """export function total(cart: Cart): Cents {
  let sum = subtotal(cart);
  for (const voucher of cart.vouchers) {
    sum -= sum * voucher.rate;
  }
  return Math.round(sum);
}""",
)
A_TEST = (
    "describe('total', () => {",
    """describe('total', () => {
  it('rounds two vouchers once', () => {
    expect(total(cart(2223, [0.05, 0.05]))).toBe(2006);
  });
""",
)

# What was done before: days ago, the hour, the agent, the project, the request, a file, a command, and what was said.
BEFORE = [
    (13, 9, "claude", "shop", "show the delivery date in the basket", "src/basket/date.ts", "pnpm test", "The carrier gives the date, see src/basket/date.ts."),
    (12, 14, "codex", "router", "read bodies of 12 KiB in one piece", "src/body.rs", "cargo test -p router", "The buffer in src/body.rs was 8 KiB."),
    (11, 10, "claude", "shop", "send the receipt as plain text, too", "src/mail/receipt.ts", "pnpm test mail", "src/mail/receipt.ts sends both parts."),
    (10, 9, "codex", "router", "answer 413 when a body is too large", "src/body.rs", "cargo test -p router", "src/body.rs counts while it reads."),
    (8, 9, "claude", "shop", "round the tax of the cart once", "src/cart/total.ts", "pnpm test", "Tax is rounded at the end of src/cart/total.ts."),
    (7, 11, "codex", "router", "answer 408 when a client is too slow", "src/deadline.rs", "cargo test -p router", "The deadline in src/deadline.rs is 30 s."),
    (6, 15, "claude", "handbook", "explain how a refund works", "refunds.md", "mdbook build", "refunds.md has two pages."),
    (5, 10, "claude", "shop", "make vouchers expire at midnight", "src/cart/voucher.ts", "pnpm test cart", "src/cart/voucher.ts uses the shop's time zone."),
    (4, 13, "codex", "router", "log how long each request took", "src/deadline.rs", "cargo test -p router", "src/deadline.rs knows when a request began."),
    (2, 9, "claude", "shop", "apply vouchers before the tax", "src/cart/total.ts", "pnpm test cart", "src/cart/total.ts takes vouchers off first."),
    (1, 9, "claude", "shop", "allow two vouchers in one cart", "src/cart/total.ts", "pnpm test cart", "src/cart/total.ts goes through all vouchers."),
    (1, 15, "claude", "handbook", "explain vouchers to the people at the desk", "vouchers.md", "mdbook build", "vouchers.md has the rules and two examples."),
    (0, 8, "codex", "router", "retry a request that was refused, once", "src/retry.rs", "cargo test -p router", "src/retry.rs retries only what reads."),
]

# What more than one session worked on is not committed, so that the next one is told of it.
OPEN = ("src/body.rs", "src/cart/total.ts", "src/deadline.rs", "vouchers.md")


class Machine(browser.clients.Machine):
    """A machine whose clock somebody sets. It goes on from there, so that what follows within a hook comes after it."""

    now = NOW

    @property
    def environment(self):
        fake = {"LD_PRELOAD": preload(), "FAKETIME": f"@{self.now:%Y-%m-%d %H:%M:%S}", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "TZ": "UTC"}
        return super().environment | fake

    def at(self, clock, days=0):
        """A time of the day of the pictures, or of a day before it."""
        hour, minute = clock.split(":")
        self.now = NOW.replace(hour=int(hour), minute=int(minute)) - datetime.timedelta(days=days)

    def project(self, name):
        root = self.work / name
        (root / ".git").mkdir(parents=True, exist_ok=True)
        return root


def preload():
    found = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    assert found, "faketime is missing: Debian has it in the package `faketime`"
    return str(found)


class Claude(Agent):
    """Claude Code with a person at the keyboard. Its transcript proves who typed."""

    def __init__(self, here, session, project):
        super().__init__(here, session, project)
        self.transcript = here.home / f"{session}.jsonl"
        self.transcript.write_text("{}\n")

    def at(self, clock, days=0):
        self.here.at(clock, days)
        return self

    def wait(self, minutes):
        self.here.now += datetime.timedelta(minutes=minutes)
        return self

    def hook(self, event, **more):
        self.here.now += datetime.timedelta(seconds=2)
        return super().hook(event, transcript_path=str(self.transcript), **more)

    def call(self, name, given, answer, **more):
        self.calls += 1
        return self.hook("PostToolUse", tool_name=name, tool_input=given, tool_use_id=f"{self.session}-{self.calls}", tool_response=answer, **more)

    def says(self, text):
        """The person types a prompt."""
        self.prompt(text)
        line = {"type": "user", "sessionId": self.session, "cwd": str(self.cwd), "version": "2.1.325", "isSidechain": False, "uuid": text}
        line |= {"timestamp": f"{self.here.now:%Y-%m-%dT%H:%M:%S}.000Z", "message": {"role": "user", "content": text}}
        with self.transcript.open("a") as transcript:
            transcript.write(json.dumps(line) + "\n")
        return self

    def read(self, name):
        path = str(self.cwd / name)
        return self.call("Read", {"file_path": path}, {"type": "text", "file": {"filePath": path, "content": "", "numLines": 1, "startLine": 1, "totalLines": 1}})

    def look_for(self, pattern):
        return self.call("Grep", {"pattern": pattern, "path": "src"}, {"mode": "content", "numFiles": 2})

    def change(self, name, old, new):
        path = str(self.cwd / name)
        return self.call("Edit", {"file_path": path, "old_string": old, "new_string": new}, {"filePath": path, "oldString": old, "newString": new})


class Codex(Claude):
    """Codex: it tells of a change as of a command."""

    kind = "codex"

    def run(self, command, output="", fails=False):
        return self.call("Bash", {"command": command}, f"{output}\n")

    def read(self, name):
        return self.run(f"cat {name}", "text")

    def change(self, name, old, new):
        lines = [*("-" + line for line in old.split("\n")), *("+" + line for line in new.split("\n"))]
        patch = "\n".join(["*** Begin Patch", f"*** Update File: {name}", "@@", *lines, "*** End Patch"])
        return self.run(f"apply_patch <<'PATCH'\n{patch}\nPATCH", f"Success. Updated the following files:\nM {name}")


def tell(here):
    """Everything that happened, up to the moment of the pictures."""
    here.at("09:00", days=14)
    for project, text in [("shop", "Prices are integers in cents."), ("shop", "We use pnpm, never npm."), ("router", "Timeouts are in milliseconds.")]:
        here.nudge("remember", text, cwd=here.project(project))
    here.nudge("set", "shop", "test", "pnpm test", "--ttl", "forever", cwd=here.project("shop"))
    for n, work in enumerate(BEFORE):
        worked(here, f"{n:08x}-0000-4000-8000-000000000000", *work)

    cart = Claude(here, VOUCHERS, "shop").at("09:51").start()
    cart.says("The total of a cart with two vouchers is one cent too high. Find out why.")
    cart.wait(1).read("src/cart/total.ts").read("src/cart/voucher.ts").look_for("Math.round")
    cart.wait(1).run("pnpm test cart", REFUSED, fails=True)
    cart.wait(1).run("docker compose up -d db", "Container shop-db-1  Started")
    cart.wait(1).run("pnpm test cart", OFF_BY_ONE, fails=True)
    cart.wait(3).change("src/cart/total.ts", *TOTAL)
    cart.wait(1).run("pnpm test cart", "Test Files  3 passed (3)\n     Tests  14 passed (14)")
    cart.stop("Each voucher was rounded on its own. The sum is now rounded once, at the end.")
    cart.wait(6).says("Add a test for that. From now on, add one for every bug that you fix.")
    cart.wait(2).change("tests/cart.test.ts", *A_TEST)
    cart.wait(1).run("pnpm test cart", "Test Files  3 passed (3)\n     Tests  15 passed (15)")
    cart.wait(1).run("git commit -qam 'Round the total of a cart once'")
    cart.stop("The test is there, and I committed both changes.")

    slow = Codex(here, "c1d40b7e-1f7e-4a52-8d0e-5f1f6a2b9c11", "router").at("10:19").start()
    slow.says("Why does the upload of a large file end after 30 seconds?")
    slow.wait(4).read("src/deadline.rs").wait(3).change("src/deadline.rs", "let ends = start + LIMIT;", "let ends = last_byte + LIMIT;")
    slow.wait(9).run("cargo test -p router upload", "test upload::large ... ok\n\ntest result: ok. 4 passed; 0 failed")
    words = Claude(here, "9b3e5d02-77aa-4c1c-b6a4-2f0d4c8e6a55", "handbook").at("10:33").start()
    words.says("Bring the chapter on vouchers up to date.")
    words.wait(2).read("vouchers.md").wait(3).run("mdbook test", "1 failed: vouchers.md, line 40", fails=True)
    here.at("10:40")
    here.run("set", "shop", "test", "pnpm test --run", cwd=here.project("shop"), env={"CLAUDECODE": "1"})
    here.now = NOW


def worked(here, session, days, hour, kind, project, request, file, command, said):
    """A short session: tests of the cart fail first, because nobody started the database."""
    one = {"claude": Claude, "codex": Codex}[kind](here, session, project).at(f"{hour}:00", days).start()
    one.says(request).wait(2).read(file).wait(3).change(file, "before", "after")
    if "cart" in command:
        one.wait(1).run(command, REFUSED, fails=True).wait(1).run("docker compose up -d db", "Container shop-db-1  Started")
    one.wait(4).run(command, "Tests  14 passed (14)" if kind == "claude" else "test result: ok. 31 passed; 0 failed")
    if file not in OPEN:
        one.wait(1).run(f"git commit -qam '{request}'")
    one.stop(said).wait(1).end()


@contextlib.contextmanager
def lived_in():
    """The machine at the moment of the pictures."""
    with tempfile.TemporaryDirectory(prefix="ns") as directory:
        here = Machine(pathlib.Path(directory))
        try:
            tell(here)
            yield here
        finally:
            here.close()
