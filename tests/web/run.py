"""Runs every story of the page in Debian's Chromium and says how each ended.

    python tests/web/run.py --bin target/debug/nudge --axe web/node_modules/axe-core/axe.min.js
"""

import argparse
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="the nudge under test")
    parser.add_argument("--axe", required=True, help="the file of axe-core")
    parser.add_argument("--only", default="", help="run stories whose name holds this word")
    parser.add_argument("--dist", help="show the page of this directory, such as web/dist, instead of the program's")
    wish = parser.parse_args()
    browser.clients.BINARY = str(pathlib.Path(wish.bin).resolve())
    browser.AXE = wish.axe
    browser.DIST = pathlib.Path(wish.dist).resolve() if wish.dist else None

    failed, passed = [], 0
    stories = [named for module in STORIES for named in vars(module).items()]
    for name, story in stories:
        if not name.startswith("test_") or wish.only not in name:
            continue
        began = time.monotonic()
        try:
            story()
        except Exception:
            failed.append(name)
            print(f"FAIL {name} ({time.monotonic() - began:.1f} s)", flush=True)
            traceback.print_exc()
        else:
            passed += 1
            print(f"ok   {name} ({time.monotonic() - began:.1f} s)", flush=True)

    print(f"web: {passed} passed, {len(failed)} failed" + "".join(f"\n  {name}" for name in failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
