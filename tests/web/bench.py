"""Opens every page of a running server in Debian's Chromium, and prints how soon each was filled, how long its calls
took, how soon an event of a hook and a key in Review were painted.

    python tests/web/bench.py --link "$(nudge ui --print)" [--bin target/release/nudge --home DIR]

Events and keys change the memory, so they are measured only if its HOME is named.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time
import types
import urllib.request

import browser
from playwright.sync_api import sync_playwright

# The longest that 95 of 100 openings may take, in seconds; and what fails the run on a busy machine.
AIM, LIMIT = 1.0, 5.0

# The longest that the other figures may be, in milliseconds, and the share of cases that must keep to it.
CALLS, EVENTS, KEYS = ("calls of all pages", 0.99, 100), ("hook begun to painted", 0.99, 300), ("key to painted in Review", 0.95, 100)

# A word that many rows hold, and a pattern of many entries.
PAGES = {
    "Today": "/",
    "Sessions": "/sessions",
    "Session": "/s/{session}",
    "Search": "/search?q=commit+router+timeout",
    "Review": "/review",
    "What agents got": "/got",
    "Rules and hints": "/memory",
    "Failures": "/failures",
    "Entries": "/entries?path=hint%3A%2F%2F**",
    "Ask": "/ask",
    "Health": "/doctor",
    "Settings": "/settings",
}

# A page is filled when the shell is there, with a heading, and nothing waits for an answer. Health is filled before the checks of
# doctor are there, which is a row of its own.
HEADING, CHECKS = ".shell main h1", "main [data-checks][aria-busy=true]"
WAITS = "main [aria-busy=true]:not([data-checks])"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--link", required=True, help="what `nudge ui --print` printed")
    parser.add_argument("--bin", help="the nudge whose hooks report events")
    parser.add_argument("--home", help="the HOME of the memory")
    parser.add_argument("--times", type=int, default=20, help="how often each page is opened")
    wish = parser.parse_args()
    at = wish.link.split("/login")[0]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory(prefix="nw") as directory:
        chromium = browser.Browser(playwright, directory)
        tab = chromium.tab()
        tab.goto(wish.link)
        tab.locator("nav.rail").wait_for(state="attached")
        tab.goto(f"{at}/sessions")
        session = tab.locator("[data-session]").first.get_attribute("data-session")
        print("| page | p50 | p95 | aim |\n|---|---|---|---|")
        slow, calls = [], []
        tab.on("requestfinished", lambda request: calls.append(request.timing["responseEnd"]) if request.url.endswith("/rpc") else None)
        for name, path in PAGES.items():
            times, checked = zip(*(opened(tab, at + path.replace("{session}", session or "")) for _ in range(wish.times)))
            half, most = half_and_most(times)
            print(f"| {name} | {half * 1000:.0f} ms | {most * 1000:.0f} ms | {'met' if most <= AIM else '**missed**'} |")
            if name == "Health":
                print("| {}, until all is checked | {:.0f} ms | {:.0f} ms | – |".format(name, *(its * 1000 for its in half_and_most(checked))))
            if most > LIMIT:
                slow.append(name)
        print("\n| what | cases | p50 | p95 | p99 | aim |\n|---|---|---|---|---|---|")
        slow += reported(CALLS, calls)
        if wish.bin and wish.home:
            browser.clients.BINARY = str(pathlib.Path(wish.bin).resolve())
            here = agents_of(wish.home)
            for where, times in events(tab, at, here, wish.times).items():
                slow += reported((f"{EVENTS[0]}, {where}", *EVENTS[1:]), times)
            for key, times in keys(tab, at, here, wish.times).items():
                slow += reported((f"{KEYS[0]}, `{key}`", *KEYS[1:]), times)
        chromium.check(at.split("/")[2])
        chromium.context.close()
    if slow:
        print(f"too late: {', '.join(slow)}")
    return 1 if slow else 0


def half_and_most(times):
    """What half of the times, and 95 of 100, do not exceed."""
    return share(sorted(times), 0.5), share(sorted(times), 0.95)


def share(times, part):
    """What this part of the sorted times does not exceed."""
    return times[min(len(times) - 1, int(len(times) * part))]


def reported(aim, times):
    """Prints a row; names it if a figure is five times beyond its aim."""
    (name, part, most), times = aim, sorted(times)
    if not times:
        print(f"| {name} | 0 | | | | **not measured** |")
        return [name]
    p50, p95, p99 = (f"{share(times, its):.0f} ms" for its in (0.5, 0.95, 0.99))
    its = share(times, part)
    print(f"| {name} | {len(times)} | {p50} | {p95} | {p99} | p{part * 100:.0f} ≤ {most} ms: {'met' if its <= most else '**missed**'} |")
    return [name] if its > 5 * most else []


def opened(tab, address):
    """Seconds from going to an address until the page is filled, and until nothing in it waits."""
    begun = time.monotonic()
    tab.goto(address)
    filled(tab)
    first = time.monotonic() - begun
    gone(tab, CHECKS)
    return first, time.monotonic() - begun


def filled(tab):
    tab.locator(HEADING).wait_for()
    gone(tab, WAITS)


def gone(tab, what):
    # Playwright cannot wait for a function here: the page's policy lets nobody evaluate text, and waiting does.
    while tab.locator(what).count():
        time.sleep(0.005)


# What is looked for after each change of the page. It was painted once the frame after it ended.
WATCH = """() => {
    globalThis.painted = {};
    globalThis.pressed = 0;
    const note = name => { if (!(name in painted)) { painted[name] = 0; requestAnimationFrame(() => setTimeout(() => { painted[name] = performance.now(); })); } };
    const look = () => {
        for (const part of document.querySelectorAll('[data-session] .title, .line')) for (const [name] of part.textContent.matchAll(/page-bench-\\d+/g)) note(name);
        const card = document.querySelector('.card h2');
        if (card) note(card.textContent);
    };
    new MutationObserver(look).observe(document.body, {childList: true, subtree: true, characterData: true});
    addEventListener('keydown', event => { pressed = event.timeStamp; }, {capture: true});
    look();
}"""


def painted(tab, name):
    """When something with this name was painted first, in ms of the page's clock."""
    deadline = time.monotonic() + 30
    while not (at := tab.evaluate("name => painted[name]", name)):
        assert time.monotonic() < deadline, f"{name} is not painted"
        time.sleep(0.005)
    return at


def agents_of(home):
    """A HOME in which agents report."""
    work = pathlib.Path(home) / "page-bench"
    # Without a repository of its own, the project would be the one that HOME lies in, which Today does not show.
    git = work / "page-bench/.git"
    git.mkdir(parents=True, exist_ok=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    return types.SimpleNamespace(work=work, home=pathlib.Path(home), environment={"HOME": home, "PATH": os.environ["PATH"]})


def events(tab, at, here, times):
    """Milliseconds from the start of a hook until what it reports is painted: the time to store it is included."""
    session = f"page-{time.time_ns()}"
    agent = browser.Agent(here, session, "page-bench").start().prompt("begin")
    found, number = {}, time.time_ns() // 1000
    for where, path in {"Today": f"{at}/?p=page-bench", "Session": f"{at}/s/{session}"}.items():
        tab.goto(path)
        filled(tab)
        tab.evaluate(WATCH)
        took = []
        for _ in range(times):
            number += 1
            # Events that come soon after another are collected, which is not what one waits for.
            time.sleep(0.3)
            begun = tab.evaluate("performance.timeOrigin")
            now = time.time() * 1000
            name = f"page-bench-{number}"
            agent.prompt(name) if where == "Today" else agent.run(name)
            took.append(painted(tab, name) + begun - now)
        found[where] = took
    agent.end()
    return found


def keys(tab, at, here, times):
    """Milliseconds from a key in Review until the next card is painted."""
    token = (here.home / ".local/share/nudge/run/token").read_text().strip()

    def as_agent(**params):
        call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "set_hint", "params": params}).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(f"{at}/rpc", call, headers)) as answer:
            return json.loads(answer.read())

    component = f"page-{time.time_ns()}"
    for n in range(2 * times + 2):
        assert "result" in browser.called(tab, "set_hint", component=component, key=f"k{n}", value="old")
        as_agent(component=component, key=f"k{n}", value="new")
    found = {"j": [], "a": []}
    try:
        tab.goto(f"{at}/review")
        filled(tab)
        for key, took in found.items():
            for _ in range(times):
                tab.evaluate(WATCH)
                # The observer of the last key goes on, and does no harm: it has other names.
                shown = tab.locator(".card h2").inner_text()
                tab.keyboard.press(key)
                deadline = time.monotonic() + 30
                while not (ends := [its for name, its in tab.evaluate("Object.entries(painted)") if name != shown and its]):
                    assert time.monotonic() < deadline, f"{key} shows no other card"
                    time.sleep(0.005)
                took.append(ends[0] - tab.evaluate("pressed"))
                # The list is read again after each decision.
                time.sleep(0.3)
    finally:
        for n in range(2 * times + 2):
            browser.called(tab, "delete_hint", component=component, key=f"k{n}")
        for one in browser.called(tab, "list_proposals")["result"]["proposals"]:
            if one.get("component") == component:
                browser.called(tab, "drop_proposal", id=one["id"])
    return found


if __name__ == "__main__":
    sys.exit(main())
