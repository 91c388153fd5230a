"""Signs in, opens every page and decides a proposal in Debian's Firefox, and says what it saw.

    apt-get install --no-install-recommends firefox-esr
    pip install marionette_driver
    python tests/web/firefox.py --bin target/debug/nudge
"""

import argparse
import base64
import contextlib
import logging
import pathlib
import socket
import sys
import tempfile

import browser
from browser import Agent, host, link, machine, serve, wait_for
from marionette_driver.errors import NoSuchElementException, StaleElementException
from marionette_driver.marionette import Marionette

FIREFOX = "/usr/bin/firefox-esr"

# Nothing of this is about the page: Firefox asks its makers for nothing, and the first run shows no page of its own.
SETTINGS = {
    "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "ui.systemUsesDarkTheme": 0,
}

# What the console has of pages: errors and warnings of scripts, styles and policies. The page itself writes nothing to it.
CONSOLE = """
const isOfAPage = one => one instanceof Ci.nsIScriptError && !one.isFromChromeContext && !(one.flags & Ci.nsIScriptError.infoFlag);
return Services.console.getMessageArray().filter(isOfAPage).map(one => `${one.category}: ${one.errorMessage}`);
"""

# A page is there when it has a heading and nothing in it waits for an answer.
FILLED = "return !!document.querySelector('.shell main h1') && !document.querySelector('main [aria-busy=true]')"


@contextlib.contextmanager
def firefox():
    """A fresh Firefox without a screen."""
    with socket.socket() as free, tempfile.TemporaryDirectory(prefix="nf") as directory:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        # The console is the browser's own, and only this option lets anybody read it.
        allow = ["-remote-allow-system-access"]
        tab = Marionette(
            bin=FIREFOX, port=port, headless=True, app_args=allow, prefs=SETTINGS, workspace=directory, gecko_log=f"{directory}/log", startup_timeout=120
        )
        try:
            tab.start_session()
            tab.set_window_rect(width=1440, height=900)
            yield tab
        finally:
            tab.cleanup()


def shown(tab, selector, words=""):
    """Waits for a part of the page that has these words."""

    def look():
        try:
            return next((part for part in tab.find_elements("css selector", selector) if words in part.text), None)
        except (NoSuchElementException, StaleElementException):
            return None

    return wait_for(look)


def press(tab, key):
    tab.find_element("css selector", "body").send_keys(key)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the nudge under test")
    parser.add_argument("--shots", help="a directory for a picture of every page")
    wish = parser.parse_args()
    browser.clients.BINARY = str(pathlib.Path(wish.bin).resolve())
    logging.disable(logging.INFO)
    with machine() as here, firefox() as tab:
        print(f"Firefox {tab.session_capabilities['browserVersion']}")
        serve(here)
        try:
            story(here, tab, wish.shots)
        finally:
            with tab.using_context("chrome"):
                wrong = tab.execute_script(CONSOLE)
            print("\n".join(["in the console:", *wrong]) if wrong else "the console has no error and no warning of a page")
    return 1 if wrong else 0


def story(here, tab, shots):
    at = f"http://{host(here)}"
    agent = Agent(here, "one").start().prompt("round the tax of the cart").edit("src/tax.ts")
    agent.run("pnpm test tax", "1 failed, 11 passed", fails=True)
    here.nudge("set", "shop", "test", "pnpm test", "--ttl", "forever", cwd=agent.cwd)
    done = here.run("set", "shop", "test", "pnpm test --run", cwd=agent.cwd, env={"CLAUDECODE": "1"})
    assert "proposed" in done.stdout + done.stderr, done

    tab.navigate(link(here))
    shown(tab, "nav.rail")
    assert tab.get_url() == f"{at}/", tab.get_url()
    assert tab.execute_script("return document.cookie") == ""
    print("signed in: the link's code is gone from the address, and no script reads the cookie")

    shown(tab, "[data-session=one] .title", "round the tax of the cart")
    shown(tab, "[data-session=one] .bad", "pnpm test tax failed")
    shown(tab, ".summary", "One agent is working.")
    agent.run("pnpm test tax", "12 passed")
    shown(tab, "[data-session=one] .passed")
    agent.stop("The tax is rounded once.")
    shown(tab, ".summary", "One has stopped and you have not looked yet.")
    print("Today: shows the session, and follows it without a reload")

    for place in tab.execute_script("return [...document.querySelectorAll('nav.rail li a')].map(a => a.pathname)") + ["/s/one"]:
        tab.navigate(at + place)
        wait_for(lambda: tab.execute_script(FILLED))
        title = tab.find_element("css selector", "main h1").text
        assert title != "There is no such page", place
        assert not tab.find_elements("css selector", "main [role=alert]"), place
        assert tab.execute_script("return document.documentElement.scrollWidth <= innerWidth"), f"{place} is wider than the window"
        print(f"{place}: {title}")
        if shots:
            name = place.strip("/").replace("/", "-") or "today"
            pathlib.Path(shots, f"{name}.png").write_bytes(base64.b64decode(tab.screenshot(full=False)))

    tab.navigate(f"{at}/review")
    shown(tab, ".card h2", "Set shop/test")
    press(tab, "a")
    shown(tab, ".toast", "Accepted: shop/test")
    assert here.nudge("get", "shop", "test", "--value", cwd=agent.cwd).strip() == "pnpm test --run"
    press(tab, "u")
    wait_for(lambda: here.nudge("get", "shop", "test", "--value", cwd=agent.cwd).strip() == "pnpm test")
    print("Review: `a` accepts the proposal, and `u` takes it back")

    tab.navigate(f"{at}/settings")
    before = tab.execute_script("return getComputedStyle(document.body).backgroundColor")
    tab.execute_script("document.documentElement.dataset.theme = 'dark'")
    assert tab.execute_script("return getComputedStyle(document.body).backgroundColor") != before
    here.nudge("ui", "--sign-out")
    shown(tab, "h1", "This browser is not signed in")
    print("`nudge ui --sign-out` signs it out at once")


if __name__ == "__main__":
    sys.exit(main())
