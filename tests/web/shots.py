"""Makes the pictures of the page in README.md and docs/ui.md.

    apt-get install --no-install-recommends chromium faketime fonts-inter fonts-jetbrains-mono
    pip install playwright pillow httpx2 mcp
    python tests/web/shots.py --bin target/debug/nudge [--dist web/dist]

A small story is reported through real hooks, at times that never change. With the pictures, a hash of the page's
source is written; `--check` fails if the page has changed since, and needs nothing installed.
"""

import argparse
import datetime
import hashlib
import io
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
IMAGES = ROOT / "docs/images"
MADE_OF = IMAGES / "made-of.txt"

# The size of a picture in pixels, and the largest file in bytes.
SIZE, LARGEST = {"width": 1200, "height": 800}, 150_000


def source():
    """A hash of what the page is made of."""
    web = ROOT / "web"
    files = [*(file for file in web.glob("src/**/*") if file.is_file()), web / "index.html", web / "icon.svg"]
    named = sorted((file.relative_to(web).as_posix(), hashlib.sha256(file.read_bytes()).hexdigest()) for file in files)
    return hashlib.sha256("".join(f"{name} {its}\n" for name, its in named).encode()).hexdigest() + "\n"


def check():
    if MADE_OF.exists() and MADE_OF.read_text() == source():
        print("docs/images is current")
        return 0
    print("docs/images shows an older page: run `python tests/web/shots.py --bin target/debug/nudge`")
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", help="a debug build of nudge")
    parser.add_argument("--dist", help="show the page of this directory, such as web/dist, instead of the program's")
    parser.add_argument("--check", action="store_true", help="say whether the pictures are current, and make none")
    wish = parser.parse_args()
    if wish.check:
        return check()
    if not wish.bin:
        parser.error("making pictures needs --bin")
    # Before the browser begins: it shows times of this zone.
    os.environ["TZ"] = "UTC"
    import browser
    import story

    browser.clients.BINARY = str(pathlib.Path(wish.bin).resolve())
    browser.DIST = pathlib.Path(wish.dist).resolve() if wish.dist else None
    IMAGES.mkdir(exist_ok=True)
    with story.lived_in() as here, browser.browser() as chromium:
        browser.serve(here)
        tab = browser.signed_in(here, chromium)
        tab.set_viewport_size(SIZE)
        tab.clock.set_fixed_time(story.NOW.replace(tzinfo=datetime.timezone.utc))
        see_what_ended(tab)
        at = f"http://{browser.host(here)}"
        for name, theme in [("today", "light"), ("session", "light"), ("session-dark", "dark")]:
            tab.emulate_media(color_scheme=theme, reduced_motion="reduce")
            tab.goto(at if name == "today" else f"{at}/s/{story.VOUCHERS}")
            if name != "today":
                show_the_first_prompt(tab)
            picture = shot(tab)
            assert len(picture) <= LARGEST, f"page-{name}.png would have {len(picture)} bytes"
            (IMAGES / f"page-{name}.png").write_bytes(picture)
            print(f"docs/images/page-{name}.png: {len(picture)} bytes")
        chromium.check(browser.host(here))
    MADE_OF.write_text(source())
    return 0


def see_what_ended(tab):
    """The person has looked at what ended, and not yet at what stopped."""
    from browser import expect

    expect(tab.locator(".seen")).not_to_have_count(0)
    while (ended := tab.locator(".seen").locator("xpath=ancestor::li").filter(has=tab.locator(".badge", has_text="ended"))).count():
        name = ended.first.get_attribute("data-session")
        ended.first.locator(".seen").click()
        expect(tab.locator(f"li:has(.seen)[data-session='{name}']")).to_have_count(0)


def show_the_first_prompt(tab):
    """From the first request on, with the line that Nudge gave and the changed lines."""
    tab.locator(".outline button").first.click()
    given = tab.locator(".gave-head", has_text="after an action")
    given.click()
    tab.get_by_role("button", name="Show lines of total.ts").click()
    tab.locator(".outline button").first.click()


def shot(tab):
    """A picture in 256 colours, which a page does not exceed by much."""
    from browser import expect
    from PIL import Image

    expect(tab.locator("[data-row]").first).to_be_visible()
    expect(tab.locator("[aria-busy=true]")).to_have_count(0)
    tab.evaluate("document.activeElement.blur()")
    tab.mouse.move(SIZE["width"] - 1, SIZE["height"] - 1)
    tab.evaluate("document.fonts.ready.then(() => 0)")
    picture, small = Image.open(io.BytesIO(tab.screenshot(animations="disabled", caret="hide"))), io.BytesIO()
    picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    return small.getvalue()


if __name__ == "__main__":
    sys.exit(main())
