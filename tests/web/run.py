"""Runs every story of the page in Debian's Chromium and says how each ended.

    python tests/web/run.py --bin target/debug/nudge --axe web/node_modules/axe-core/axe.min.js
"""

import argparse
import pathlib
import sys
import time
import traceback

import browser
import test_page


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="the nudge under test")
    parser.add_argument("--axe", required=True, help="the file of axe-core")
    parser.add_argument("--only", default="", help="run stories whose name holds this word")
    wish = parser.parse_args()
    browser.clients.BINARY = str(pathlib.Path(wish.bin).resolve())
    browser.AXE = wish.axe

    failed, passed = [], 0
    for name, story in list(vars(test_page).items()):
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
