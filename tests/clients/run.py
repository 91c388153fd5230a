"""Runs every `test_…` function of the suites in this directory and says how each ended.

Started by `cargo xtask clients`, which installs the clients first.
"""

import argparse
import importlib
import logging
import pathlib
import sys
import time
import traceback

import machine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="the nudge under test")
    parser.add_argument("--inspector", required=True, help="the inspector's command")
    parser.add_argument("--only", default="", help="run tests whose name holds this word")
    wish = parser.parse_args()
    machine.BINARY, machine.INSPECTOR = wish.bin, wish.inspector
    # The client remarks on every call of a tool that is not listed; some tests make just those.
    logging.disable(logging.WARNING)

    failed, passed = [], 0
    for name, test in tests():
        if wish.only not in name:
            continue
        began = time.monotonic()
        try:
            test()
        except Exception:
            failed.append(name)
            print(f"FAIL {name} ({time.monotonic() - began:.1f} s)", flush=True)
            traceback.print_exc()
        else:
            passed += 1
            print(f"ok   {name} ({time.monotonic() - began:.1f} s)", flush=True)

    print(f"clients: {passed} passed, {len(failed)} failed" + "".join(f"\n  {name}" for name in failed))
    if passed + len(failed) == 0:
        print("clients: no test has that name")
        return 1
    return 1 if failed else 0


def tests():
    """Every test with its full name, in the order of the files and of the lines in them."""
    for file in sorted(pathlib.Path(__file__).parent.glob("test_*.py")):
        suite = importlib.import_module(file.stem)
        found = [(name, what) for name, what in vars(suite).items() if name.startswith("test_") and callable(what)]
        for name, test in sorted(found, key=lambda pair: pair[1].__code__.co_firstlineno):
            yield f"{file.stem}.{name}", test


if __name__ == "__main__":
    sys.exit(main())
