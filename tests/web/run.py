"""Runs every story of the page in Debian's Chromium and says how each ended.

    python tests/web/run.py --bin target/debug/nudge --axe web/node_modules/axe-core/axe.min.js
"""

import argparse
import multiprocessing
import pathlib
import sys
import time
import traceback

import browser
import test_ask
import test_find
import test_page
import test_session
import test_system

# Stories by page.
STORIES = [test_page, test_find, test_session, test_ask, test_system]

# What takes longest and breaks least: every kind of hostile text in every field, and axe on every page.
SLOW = {
    "test_texts_stay_texts",
    "test_a_long_session_opens_at_its_end",
    "test_a_server_that_returns_is_heard_at_once",
    "test_changes_are_capped_and_compared_with_nothing",
    "test_statements_are_capped",
    "test_review_is_capped",
    "test_a_hundred_hostile_texts",
    "test_hostile_texts_run_nothing",
    "test_the_finding_pages_are_for_everybody",
    "test_a_session_is_for_everybody",
    "test_a_hundred_hostile_texts_change_nothing",
    "test_the_system_pages_are_for_everybody",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="the nudge under test")
    parser.add_argument("--axe", required=True, help="the file of axe-core")
    parser.add_argument("--only", default="", help="run stories whose name holds this word")
    parser.add_argument("--dist", help="show the page of this directory, such as web/dist, instead of the program's")
    parser.add_argument("--quick", action="store_true", help="leave out the slowest stories")
    parser.add_argument("--all", action="store_true", help="fail if a story cannot be played on this machine")
    parser.add_argument("--jobs", type=int, default=2, help="how many stories run at the same time")
    wish = parser.parse_args()
    browser.clients.BINARY = str(pathlib.Path(wish.bin).resolve())
    browser.AXE = wish.axe
    browser.DIST = pathlib.Path(wish.dist).resolve() if wish.dist else None

    stories = {name: story for module in STORIES for name, story in vars(module).items() if name.startswith("test_")}
    wanted = [story for name, story in stories.items() if wish.only in name and not (wish.quick and name in SLOW)]
    ends = {"ok": [], "not played": [], "FAIL": []}
    # Each story has a process of its own, a machine of its own and a browser of its own.
    with multiprocessing.Pool(wish.jobs, maxtasksperchild=1) as pool:
        for name, took, end, why in pool.imap_unordered(told, wanted):
            print(f"{end:4} {name} ({took:.1f} s)", *([why] if why else []), sep="\n", flush=True)
            ends[end].append(name)

    passed, missing, failed = ends.values()
    print(f"web: {len(passed)} passed, {len(missing)} not played, {len(failed)} failed" + "".join(f"\n  {name}" for name in missing + failed))
    return 1 if failed or not passed or (wish.all and missing) else 0


def told(story):
    """The name of a story, how long it took, how it ended, and why."""
    began = time.monotonic()
    try:
        story()
        end, why = "ok", ""
    except browser.NotPlayed as reason:
        end, why = "not played", str(reason)
    except Exception:
        end, why = "FAIL", traceback.format_exc()
    return story.__name__, time.monotonic() - began, end, why


if __name__ == "__main__":
    sys.exit(main())
