"""Opens every page of a running server in Debian's Chromium, and prints how soon each was filled.

    python tests/web/bench.py --link "$(nudge ui --print)"
"""

import argparse
import sys
import tempfile
import time

import browser
from playwright.sync_api import sync_playwright

# The longest that 95 of 100 openings may take, in seconds; and what fails the run on a busy machine.
AIM, LIMIT = 1.0, 5.0

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

# A page is filled when the shell is there, with a heading, and nothing waits for an answer.
HEADING, WAITS = ".shell main h1", "main [aria-busy=true]"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--link", required=True, help="what `nudge ui --print` printed")
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
        slow = []
        for name, path in PAGES.items():
            times = sorted(opened(tab, at + path.replace("{session}", session or "")) for _ in range(wish.times))
            half, most = times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.95))]
            print(f"| {name} | {half * 1000:.0f} ms | {most * 1000:.0f} ms | {'met' if most <= AIM else '**missed**'} |")
            if most > LIMIT:
                slow.append(name)
        chromium.check(at.split("/")[2])
        chromium.context.close()
    if slow:
        print(f"filled too late: {', '.join(slow)}")
    return 1 if slow else 0


def opened(tab, address):
    """Seconds from going to an address until the page is filled."""
    begun = time.monotonic()
    tab.goto(address)
    tab.locator(HEADING).wait_for()
    # Playwright cannot wait for a function here: the page's policy lets nobody evaluate text, and waiting does.
    while tab.locator(WAITS).count():
        time.sleep(0.005)
    return time.monotonic() - begun


if __name__ == "__main__":
    sys.exit(main())
