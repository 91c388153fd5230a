"""What a person sees of one session: its timeline, what is relevant to it, and the applets beside it."""

import datetime
import json
import re
import time
import urllib.request
from urllib.parse import quote

from browser import HOSTILE, MARKUP, NARROW, SHORT, TAGS, WIDE, Agent, called, expect, for_everybody, host, looks, signed_in, tell, wait_for
from transcript import Transcript

ID = "0197c2f4-6d1e-7b58-8000-0000000000aa"


def ago(**time):
    return datetime.datetime.now(datetime.UTC) - datetime.timedelta(**time)


def shop(here):
    root = here.work / "shop"
    (root / "src").mkdir(parents=True, exist_ok=True)
    return root


def as_agent(here, method, **params):
    """Calls an operation as an agent's own program does."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {"Authorization": f"Bearer {here.token}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"http://{host(here)}/rpc", body, headers)) as answer:
        found = json.loads(answer.read())
    assert "result" in found, found
    return found["result"]


def told(here, then=lambda agent: None):
    """A session with everything in it, which began three hours ago and stopped just now. Something more may happen before."""
    root = shop(here)
    (root / "src/total.ts").write_text("const before = sum(lines);\nconst rate = 1;\nreturn cents(before - discount);\n")
    here.nudge("remember", "we always use pnpm here, never npm", cwd=root)
    past = Transcript(ID, root, ago(hours=3))
    past.prompt("the total is wrong by one cent").search("voucher").read("src/total.ts").read("src/tax.ts").read("src/cart.ts")
    past.run("pnpm test cart", "FAIL test/cart.test.ts\nexpected 2998 to be 2997\n\nTests  2 failed | 41 passed (43)", exit=1)
    past.edit("src/total.ts", "return sum(discounted);", "return sum(rounded);").run("pnpm test cart", "Tests  43 passed (43)")
    past.run("git commit -am 'apply a voucher to the sum'", "[main 3f2a91c] apply a voucher to the sum")
    past.say("The voucher is applied to the sum.").wait(3_000).prompt("run the suite before I push").store(here)
    agent = Agent(here, ID).start().prompt("and say why it was wrong")
    belief = {"domain": "debugging", "strategy": "root-cause-analysis", "goal": "green", "action": "start it"}
    belief |= {"hypothesis": "The database is down.", "prediction": "it passes once it runs"}
    as_agent(here, "start_ghap", session=ID, **belief)
    agent.run("pnpm test", "Tests  43 passed (43)")
    as_agent(here, "resolve_ghap", session=ID, status="confirmed", result="43 passed after a start")
    then(agent)
    return agent.stop("It was rounded on every line.")


def at_end(tab):
    return tab.locator(".session-scroll").evaluate("its => its.scrollHeight - its.scrollTop - its.clientHeight < 40")


def test_a_long_session_opens_at_its_end():
    """5,000 events open at the end within seconds, and are read in pages that keep the place. @web_session"""

    def story(here, chromium):
        past = Transcript(ID, shop(here), ago(days=1))
        for turn in range(100):
            past.prompt(f"task {turn}")
            for step in range(49):
                past.run(f"echo {turn} {step}")
        past.store(here)
        tab = signed_in(here, chromium)
        began = time.monotonic()
        tab.goto(f"http://{host(here)}/s/{ID}")
        expect(tab.locator(".line").last).to_contain_text("echo 99 48")
        expect(tab.locator(".line").last).to_be_in_viewport()
        took = time.monotonic() - began
        print(f"     5,000 events opened in {took:.1f} s")
        assert took < 10, took
        expect(tab.locator(".meta")).to_contain_text("5,001 events")
        assert at_end(tab)

        first_row = "[...document.querySelectorAll('.timeline [data-key]')].map(row => [row.textContent, row.getBoundingClientRect().top])[0]"
        place_of = "text => [...document.querySelectorAll('.timeline [data-key]')].find(row => row.textContent === text).getBoundingClientRect().top"
        for _ in range(5):
            shown = tab.locator(".line").count()
            tab.locator(".session-scroll").evaluate("its => its.scrollTop = 0")
            text, place = tab.evaluate(first_row)
            tab.get_by_role("button", name="Show earlier").click()
            wait_for(lambda text=text: tab.evaluate(first_row)[0] != text)
            # A row that continued its prompt follows it now.
            text = text.replace("continued: ", "")
            assert abs(tab.evaluate(place_of, text) - place) < 3, (text, place, tab.evaluate(place_of, text))
            assert shown <= tab.locator("[data-key]").count() <= 600
        expect(tab.get_by_role("button", name="Show later")).to_have_count(1)

        tab.get_by_role("navigation", name="Prompts").get_by_role("button", name="task 3", exact=False).first.click()
        expect(tab.locator("h2:focus")).to_contain_text("task 3")
        tab.keyboard.press("]")
        expect(tab.locator("h2:focus")).to_contain_text("task 4")
        tab.keyboard.press("[")
        tab.keyboard.press("[")
        expect(tab.locator("h2:focus")).to_contain_text("task 2")
        assert tab.locator("[data-key]").count() <= 600
        tab.get_by_role("button", name="To the end").click()
        expect(tab.locator(".line").last).to_contain_text("echo 99 48")
        wait_for(lambda: at_end(tab))

    tell(story)


def test_a_session_says_what_happened():
    """Looks are folded, verdicts are marked, changes and injections open line by line, a pause is one line. @web_session"""

    def story(here, chromium):
        Agent(here, "earlier").start().prompt("round the tax once").edit("src/tax.ts").stop("It is not tested yet.")
        read = {"tool_name": "Read", "tool_input": {"file_path": str(shop(here) / "src/tax.ts")}, "tool_use_id": "read", "tool_response": {}}
        told(here, lambda agent: agent.hook("PostToolUse", **read))
        chromium.context.grant_permissions(["clipboard-read", "clipboard-write"])
        tab = signed_in(here, chromium, "/")
        expect(tab.get_by_role("region", name="Needs you").locator(f"[data-session='{ID}']")).to_be_visible()
        tab.get_by_role("region", name="Needs you").get_by_role("link").first.click()
        expect(tab).to_have_url(f"http://{host(here)}/s/{ID}")
        expect(tab.locator("h1")).to_have_text("the total is wrong by one cent")
        expect(tab).to_have_title("the total is wrong by one cent · Nudge")
        expect(tab.locator(".meta")).to_contain_text("stopped")
        expect(tab.locator(".meta")).to_contain_text("Claude Code in shop")
        expect(tab.locator(".meta")).to_contain_text("1 commit · given")

        looks = tab.locator(".line", has_text="searched")
        expect(looks.locator(".body")).to_have_text("searched “voucher” in src, read total.ts, tax.ts, cart.ts (3 reads)")
        failed = tab.locator(".line", has_text="✗")
        expect(failed).to_have_count(1)
        expect(failed).to_contain_text("pnpm test cart")
        expect(failed.locator("pre")).to_contain_text("expected 2998 to be 2997")
        expect(tab.locator(".line", has_text="43 passed").first.locator(".verdict.passed")).to_have_text("✓ 43 passed")
        expect(tab.locator(".line", has_text="committed")).to_contain_text("apply a voucher to the sum")
        expect(tab.locator("blockquote").first).to_have_text("The voucher is applied to the sum.")
        # After midnight the new day follows.
        expect(tab.locator(".gap").first).to_have_text(re.compile(r"^50 min later(, |$)"))
        expect(tab.locator(".hyp").first).to_contain_text("Expects The database is down.")
        expect(tab.locator(".hyp").last).to_contain_text("Confirmed The database is down.")

        change = tab.locator(".line", has=tab.get_by_role("button", name="Show lines"))
        expect(change).to_contain_text("src/total.ts")
        expect(change.locator(".diff")).to_have_count(0)
        change.get_by_role("button", name="Show lines").click()
        diff = tab.get_by_role("group", name="Changed lines of total.ts")
        expect(diff.locator(".del .code")).to_have_text("return sum(discounted);")
        expect(diff.locator(".del b")).to_have_text("discounted")
        expect(diff.locator(".add b")).to_have_text("rounded")

        given = tab.locator(".gave").first
        expect(given.locator("li")).to_have_count(0)
        given.get_by_role("button").click()
        line = given.locator("li", has_text="we always use pnpm here, never npm")
        expect(line).to_contain_text("you stated it")
        # A rule is used by nothing that can be seen; a line about a file is, once the session reads it.
        expect(line).to_contain_text(re.compile(r"· \d+ tokens · not used"))
        expect(given.locator("li", has_text="tax.ts").first).to_contain_text(re.compile(r"· \d+ tokens · used \d\d:\d\d"))

        # Who opened a stopped session has seen it.
        assert not here.answer("session", "show", ID)["unobserved"]
        tab.get_by_role("button", name="Copy handoff").click()
        expect(tab.locator(".toast")).to_contain_text("in the clipboard")
        assert "the total is wrong by one cent" in tab.evaluate("navigator.clipboard.readText()")
        tab.get_by_role("button", name="Name", exact=True).click()
        tab.get_by_label("Name of the session").fill("Voucher is off")
        tab.keyboard.press("Enter")
        expect(tab.locator("h1")).to_have_text("Voucher is off")
        tab.reload()
        expect(tab.locator("h1")).to_have_text("Voucher is off")

    tell(story)


def test_a_session_shows_one_kind_of_rows():
    """Chips with counts and keys narrow the rows. Single keys can be off. @web_session @web_shell"""

    def story(here, chromium):
        told(here)
        tab = signed_in(here, chromium, f"/s/{ID}")
        chips = tab.get_by_role("group", name="Show")
        expect(chips.get_by_role("button").first).to_have_attribute("aria-pressed", "true")
        expect(tab.locator(".line").first).to_be_visible()
        for name, count, kind in (("Failures", 1, "command_error"), ("Changes", 2, "file_edit"), ("Hypotheses", 1, "hypothesis")):
            chip = chips.get_by_role("button", name=name)
            expect(chip.locator(".n")).to_have_text(str(count))
            chip.click()
            expect(tab.locator(f".of-{kind}").first).to_be_visible()
            expect(tab.locator(".of-conclusion")).to_have_count(0)
            expect(tab.locator("section h2").first).to_be_visible()
        chips.get_by_role("button", name="Given by Nudge").click()
        expect(tab.locator(".of-injection").first).to_be_visible()
        expect(tab.locator(".of-hypothesis")).to_have_count(0)

        tab.keyboard.press("x")
        expect(chips.get_by_role("button", name="Failures")).to_have_attribute("aria-pressed", "true")
        expect(tab.locator(".line")).to_have_count(1)
        tab.keyboard.press("x")
        expect(chips.get_by_role("button", name="All")).to_have_attribute("aria-pressed", "true")
        expect(tab.locator(".of-conclusion").first).to_be_visible()
        tab.keyboard.press("j")
        assert tab.evaluate("document.activeElement.hasAttribute('data-row')")
        tab.keyboard.press("?")
        expect(tab.get_by_role("dialog")).to_contain_text("only failures")
        tab.get_by_role("button", name="Turn single keys off").click()
        tab.keyboard.press("x")
        tab.wait_for_timeout(300)
        expect(chips.get_by_role("button", name="All")).to_have_attribute("aria-pressed", "true")

    tell(story)


def test_a_running_session_is_live():
    """New rows appear; the end is followed only while the reader is there. @web_session @web_live"""

    def story(here, chromium):
        agent = Agent(here, "one").start().prompt("round the tax")
        for n in range(40):
            agent.run(f"step {n}")
        tab = signed_in(here, chromium, "/s/one")
        expect(tab.locator(".meta")).to_contain_text("working")
        agent.run("npm test", "1 failed", fails=True)
        expect(tab.locator(".line").last).to_contain_text("npm test")
        expect(tab.locator(".line").last).to_be_in_viewport()
        expect(tab.locator(".pill button")).to_have_count(0)

        tab.locator(".session-scroll").evaluate("its => its.scrollTop = 0")
        agent.run("ls").run("pwd").run("id")
        expect(tab.locator(".pill button")).to_have_text("3 new")
        assert tab.locator(".session-scroll").evaluate("its => its.scrollTop") == 0
        tab.locator(".pill button").click()
        expect(tab.locator(".line").last).to_contain_text("id")
        expect(tab.locator(".line").last).to_be_in_viewport()
        expect(tab.locator(".pill button")).to_have_count(0)
        agent.stop("All done.")
        expect(tab.locator("blockquote")).to_have_text("All done.")
        expect(tab.locator(".meta")).to_contain_text("stopped")
        keys = tab.locator("[data-key]").evaluate_all("rows => rows.map(row => row.dataset.key)")
        assert len(keys) == len(set(keys)), keys

    tell(story)


STRANGE = ["<img src=x onerror=alert(1)>.md", "a & b #1 50%.md", "c?d=e+f.md"]


def test_the_footer_says_what_is_relevant():
    """Five files by base name, then the applet, in one line that nothing moves. @web_footer @web_footer_place"""

    def story(here, chromium):
        agent = Agent(here, "one").start().prompt("round the tax")
        for n in range(60):
            agent.run(f"step {n}")
        files = [str(here.work / "shop/notes" / name) for name in [*STRANGE, *(f"plain {n}.md" for n in range(7))]]
        # A name of two lines would be two lines in the footer.
        refused = here.run("focus", "add", "--session", "one", "two\nlines.md", cwd=here.work / "shop")
        assert refused.returncode != 0 and "an item must be one line" in refused.stderr, refused
        assert here.answer("focus", "ls", "--session", "one", cwd=here.work / "shop")["context"] == {}
        here.nudge("focus", "add", "--session", "one", *files, cwd=here.work / "shop")
        here.nudge("focus", "add", "--session", "one", "--set", "applet", "git-diff", "ref=main", "x=a&b=c", cwd=here.work / "shop")
        tab = signed_in(here, chromium, "/s/one")
        footer = tab.get_by_role("navigation", name="Relevant to this session")
        # At most five files, then the applet.
        expect(footer.get_by_role("link")).to_have_count(6)
        expect(footer.locator(".links")).to_have_text(" · ".join([*STRANGE, "plain 0.md", "plain 1.md", "[git-diff]"]))
        # It is below what scrolls, and stays.
        before = footer.bounding_box()
        tab.locator(".session-scroll").evaluate("its => its.scrollTop = 0")
        assert footer.bounding_box() == before and abs(before["y"] + before["height"] - WIDE["height"]) <= 1, before
        # One line, cut with an ellipsis, and nothing to expand.
        look = "its => { const s = getComputedStyle(its); return [s.whiteSpace, s.textOverflow, its.getClientRects().length]; }"
        style = footer.locator(".links").evaluate(look)
        assert style == ["nowrap", "ellipsis", 1], style
        tab.set_viewport_size(NARROW)
        assert footer.bounding_box()["height"] <= before["height"] + 6
        assert footer.locator(".links").evaluate("its => its.scrollWidth > its.clientWidth")
        tab.set_viewport_size(WIDE)
        assert footer.get_by_role("button").count() == 0
        # What is relevant is said there alone.
        assert tab.locator(".timeline").get_by_text("plain 0.md").count() == 0
        # A link opens the file, whatever its name.
        for place, name in enumerate(STRANGE):
            link = footer.get_by_role("link").nth(place)
            assert link.get_attribute("href").startswith("/s/one?applet=text-editor&path=%2F"), link.get_attribute("href")
            link.click()
            expect(tab.locator(".applet h2")).to_have_text(name)
            expect(tab.locator(".applet .path")).to_have_text(str(here.work / "shop/notes" / name))
        footer.get_by_role("link").nth(5).click()
        assert tab.url.endswith("/s/one?applet=git-diff&ref=main&x=a%26b%3Dc"), tab.url
        assert tab.locator("main img, main script").count() == 0

    tell(story)


def test_the_footer_follows_the_session():
    """It is filled once when the session loads, then by events alone, and hidden without anything to say. @web_footer_place @web_footer_filled"""

    def story(here, chromium):
        root = shop(here)
        Agent(here, "one").start().prompt("round the tax")
        Agent(here, "two").start().prompt("read bodies")
        here.nudge("focus", "add", "--session", "two", str(root / "two.md"), cwd=root)
        tab = signed_in(here, chromium)
        asked = []
        tab.on("request", lambda request: asked.append(request.method) if "/api/sessions/" in request.url else None)
        footer = tab.locator(".context-footer")
        # There is none where no session is, nor where nothing is relevant.
        expect(footer).to_have_count(0)
        tab.locator("[data-session=one] a").first.click()
        expect(tab.locator("h1")).to_have_text("round the tax")
        wait_for(lambda: asked == ["GET"])
        tab.wait_for_timeout(200)
        expect(footer).to_have_count(0)
        # An event fills it, without a request.
        here.nudge("focus", "add", "--session", "one", str(root / "one.md"), cwd=root)
        expect(footer.get_by_role("link")).to_have_text(["one.md"])
        here.nudge("focus", "add", "--session", "one", "--set", "applet", "git-diff", cwd=root)
        expect(footer.get_by_role("link")).to_have_text(["one.md", "[git-diff]"])
        # An applet is offered and does not open itself.
        expect(tab.locator(".applet")).to_have_count(0)
        here.nudge("focus", "add", "--session", "two", str(root / "three.md"), cwd=root)
        here.nudge("focus", "rm", "--session", "one", str(root / "one.md"), cwd=root)
        expect(footer.get_by_role("link")).to_have_text(["[git-diff]"])
        here.nudge("focus", "rm", "--session", "one", "applet", "git-diff", cwd=root)
        expect(footer).to_have_count(0)
        assert asked == ["GET"], asked

        # Another session has its own, which waits for it.
        held = []
        tab.route("**/api/sessions/two", lambda route: held.append(route))
        here.nudge("focus", "add", "--session", "one", str(root / "one.md"), cwd=root)
        expect(footer.get_by_role("link")).to_have_text(["one.md"])
        tab.get_by_role("link", name="Today").first.click()
        expect(footer).to_have_count(0)
        tab.locator("[data-session=two] a").first.click()
        expect(tab.locator("h1")).to_have_text("read bodies")
        expect(tab.locator("h2", has_text="read bodies")).to_be_visible()
        tab.wait_for_timeout(300)
        assert len(held) == 1 and footer.count() == 0, held
        held[0].continue_()
        expect(footer.get_by_role("link")).to_have_text(["two.md", "three.md"])
        assert asked.count("GET") == 2, asked

    tell(story)


def test_an_applet_is_in_the_address():
    """A link opens it, a reload and going back restore it, and a strange one says what it is. @web_applets"""

    def story(here, chromium):
        told(here)
        root = shop(here)
        inside = quote(str(root / "src/total.ts"), safe="")
        (here.work / "outside.txt").write_text("words of another place")
        tab = signed_in(here, chromium, f"/s/{ID}")
        applet = tab.locator(".applet")
        expect(tab.locator(".line").first).to_be_visible()
        expect(applet).to_have_count(0)
        tab.locator(".of-file_edit .body a").first.click()
        assert tab.url.endswith(f"/s/{ID}?applet=text-editor&path={inside}"), tab.url
        expect(applet.locator(".code-view .code")).to_have_text(["const before = sum(lines);", "const rate = 1;", "return cents(before - discount);"])
        expect(applet).to_be_focused()
        expect(applet.locator(".diff .add")).to_contain_text("return sum(rounded);")
        tab.reload()
        expect(applet.locator(".code-view .code").first).to_have_text("const before = sum(lines);")
        tab.keyboard.press("Escape")
        expect(applet).to_have_count(0)
        assert tab.url.endswith(f"/s/{ID}"), tab.url
        tab.go_back()
        expect(applet).to_be_visible()
        applet.get_by_role("link", name="Close the applet").click()
        expect(applet).to_have_count(0)

        def open_with(parameters):
            tab.goto(f"http://{host(here)}/s/{ID}?{parameters}")
            expect(applet.locator("h2")).to_be_visible()

        open_with(f"applet=text-editor&path={quote(str(here.work / 'outside.txt'), safe='')}")
        expect(applet).to_contain_text(str(here.work / "outside.txt"))
        expect(applet).to_contain_text("outside the project")
        expect(applet).not_to_contain_text("words of another place")
        open_with("applet=chess&move=e4&why=%3Cb%3E")
        expect(applet).to_contain_text("There is no applet “chess” here.")
        expect(applet.locator("dl")).to_have_text("movee4why<b>")
        open_with("applet=constructor")
        expect(applet).to_contain_text("There is no applet “constructor” here.")
        open_with("applet=git-diff")
        expect(applet).to_contain_text("1 change in 1 file")
        expect(applet.locator(".diff .add")).to_contain_text("return sum(rounded);")
        open_with(f"applet=history&path={inside}")
        expect(applet.get_by_role("link", name="the total is wrong by one cent")).to_be_visible()
        applet.get_by_role("link").nth(2).click()
        expect(applet.locator("h2")).to_contain_text("Around entry")
        expect(applet.locator("[aria-current=true]")).to_contain_text("src/total.ts")

    tell(story)


def test_an_open_applet_is_kept():
    """It is sent when the agent stops and when the user leaves; without one nothing is sent. @web_applets @context_events"""

    def story(here, chromium):
        root = shop(here)
        agent = Agent(here, "one").start().prompt("round the tax")
        tab = signed_in(here, chromium, "/s/one")
        sent = []
        tab.on("request", lambda request: sent.append(request.post_data_json) if request.method == "PATCH" else None)
        expect(tab.locator(".meta")).to_contain_text("working")
        # Nothing is open, so nothing is sent: neither when it stops nor when the user leaves.
        agent.stop()
        expect(tab.locator(".meta")).to_contain_text("stopped")
        tab.get_by_role("link", name="Today").first.click()
        expect(tab.locator("[data-session=one]")).to_be_visible()
        assert sent == [], sent

        agent.prompt("again")
        tab.goto(f"http://{host(here)}/s/one?applet=git-diff&ref=main")
        expect(tab.locator(".applet")).to_be_visible()
        expect(tab.locator(".meta")).to_contain_text("working")
        agent.stop()
        # The event that follows offers it.
        expect(tab.get_by_role("link", name="[git-diff]")).to_be_visible()
        assert sent == [{"setContext": {"setName": "applet", "items": ["git-diff", "ref=main"]}}], sent

        stored = lambda: here.answer("focus", "ls", "--session", "one", cwd=root)["context"].get("applet")  # noqa: E731
        file = str(root / "a b.md")
        tab.goto(f"http://{host(here)}/s/one?applet=text-editor&path={quote(file, safe='')}")
        expect(tab.locator(".applet")).to_be_visible()
        tab.get_by_role("link", name="Today").first.click()
        wait_for(lambda: stored() == ["text-editor", f"path={file}"])
        tab.goto(f"http://{host(here)}/s/one?applet=chess&move=e4")
        expect(tab.locator(".applet")).to_be_visible()
        tab.goto("about:blank")
        wait_for(lambda: stored() == ["chess", "move=e4"])
        tab.close()

    tell(story)


def test_who_only_reads_sends_nothing():
    """A browser that reads only offers no name, marks nothing as seen and keeps no applet. @web_rights @web_applets"""

    def story(here, chromium):
        Agent(here, "one").start().prompt("round the tax").stop()
        tab = signed_in(here, chromium, "/s/one?applet=git-diff", "--read-only")
        sent = []

        def note(request):
            if request.method == "PATCH" or "update_session" in (request.post_data or ""):
                sent.append(request.url)

        tab.on("request", note)
        expect(tab.locator(".applet")).to_be_visible()
        expect(tab.get_by_role("button", name="Name", exact=True)).to_have_count(0)
        tab.get_by_role("link", name="Today").first.click()
        expect(tab.get_by_role("region", name="Needs you").locator("[data-session=one]")).to_be_visible()
        tab.wait_for_timeout(300)
        assert sent == [], sent

    tell(story)


LONG = ("aaaaaaaaaa", "word word", "line\nline", "line line")


def same_elements(tab, rows):
    """Each row has the elements of the plain one, which is the first, or one of the few long texts. Says how many there are."""
    found = tab.locator(rows).evaluate_all(f"all => all.map(row => [row.textContent, ({TAGS})(row)])")
    assert "plain" in found[0][0], (rows, found[0])
    for text, tags in found:
        assert tags == found[0][1] or any(part in text for part in LONG), (rows, text, tags, found[0][1])
    return len(found)


def test_hostile_texts_run_nothing():
    """100 texts in requests, commands, outputs, changes, conclusions, names, branches, notes, hypotheses and files stay texts. @web_policy @web_session @web_applets"""

    def story(here, chromium):
        root = shop(here)
        past = Transcript(ID, root, ago(days=1))
        for text in ["plain", *HOSTILE]:
            name = text.replace("/", "_").replace("\n", " ")[:60]
            past.prompt(text).run(f"run {text}", text, exit=1).edit(f"{name}.md", text, f"{text} new").say(text)
        past.store(here)
        names = [f"{text.replace('/', '_')[:60]}.md" for text in MARKUP[:5]]
        here.nudge("focus", "add", "--session", ID, *[str(root / name) for name in names], cwd=root)
        here.nudge("focus", "add", "--session", ID, "--set", "applet", *MARKUP[:3], cwd=root)
        tab = signed_in(here, chromium, f"/s/{ID}")
        expect(tab.locator(".line").first).to_be_visible()

        def nothing_else():
            allowed = "main section header nav ol ul li div p span b h1 h2 h3 a button time dl dt dd svg path pre code blockquote aside footer".split()
            found = tab.evaluate(
                """(allowed) => [...document.querySelectorAll('#main, #main *')].filter(part => !allowed.includes(part.localName)
                    || part.getAttributeNames().some(name => name.startsWith('on') || (name === 'style' && part.className !== 'session-scroll'))
                    || (part.localName === 'a' && part.origin !== location.origin)).map(part => part.outerHTML.slice(0, 200))""",
                allowed,
            )
            assert found == [], found
            assert tab.evaluate("document.title").endswith("· Nudge")

        def read_all():
            button = tab.get_by_role("button", name="Show earlier")
            while button.count():
                before = tab.locator("[data-key]").count()
                button.click()
                wait_for(lambda before=before: tab.locator("[data-key]").count() > before or not button.count())

        def open_all():
            tab.evaluate("document.querySelectorAll('.line [aria-expanded=false]').forEach(button => button.click())")
            nothing_else()

        read_all()
        expect(tab.locator("h2.prompt-head").nth(1)).to_contain_text(HOSTILE[0])
        for rows in ("h2.prompt-head", ".of-command_error", ".of-file_edit", ".of-conclusion"):
            assert same_elements(tab, rows) >= 90, rows
        nothing_else()
        open_all()
        expect(tab.locator(".diff").first).to_be_visible()
        footer = tab.locator(".context-footer")
        for place in range(6):
            footer.get_by_role("link").nth(place).click()
            expect(tab.locator(".applet h2")).to_be_visible()
            nothing_else()
        for slug in ("git-diff", "history", "around", *MARKUP[:8]):
            tab.goto(f"http://{host(here)}/s/{ID}?applet={quote(slug, safe='')}&path={quote(MARKUP[0], safe='')}&id={quote(MARKUP[1], safe='')}&ref={quote(MARKUP[2], safe='')}")
            expect(tab.locator(".applet h2")).to_be_visible()
            expect(tab.locator(".line").first).to_be_visible()
            nothing_else()

        # Names, a branch, notes and hypotheses, and what a session that begins then is given.
        for text in SHORT[::4]:
            name = called(tab, "update_session", session=ID, name=text)["result"]["meta"]["name"]
            expect(tab.locator("h1")).to_have_text(name)
            nothing_else()
        (root / ".git/HEAD").write_text("ref: refs/heads/<img/src=x/onerror=alert(1)>\n")
        Agent(here, "first").start().prompt("plain").stop(MARKUP[0])
        Agent(here, "two").start().prompt(MARKUP[1])
        told = 0
        for text in ["plain", *HOSTILE]:
            called(tab, "create_marker", session="two", text=text)
            belief = {"domain": "debugging", "strategy": "root-cause-analysis", "goal": text, "action": text, "hypothesis": text, "prediction": text}
            if "result" in called(tab, "start_ghap", session="two", **belief):
                told += 1
                called(tab, "resolve_ghap", session="two", status="falsified", result=text, surprise=text, root_cause={"category": "wrong-assumption", "description": text})
        assert told >= 90, told
        tab.goto(f"http://{host(here)}/s/two")
        expect(tab.locator(".line").first).to_be_visible()
        read_all()
        assert same_elements(tab, ".of-marker") >= 90
        assert tab.locator(".of-hypothesis").count() >= 90
        open_all()
        given = " ".join(tab.locator(".gave li").all_inner_texts())
        assert "onerror=alert" in given, given

    tell(story)


def test_a_session_is_for_everybody():
    """axe finds nothing in any look, with and without an applet; nothing moves or is too wide; the first button is in reach. @web_session @web_shell"""

    def story(here, chromium):
        told(here)
        root = shop(here)
        here.nudge("focus", "add", "--session", ID, str(root / "src/total.ts"), str(root / "src/tax.ts"), cwd=root)
        here.nudge("focus", "add", "--session", ID, "--set", "applet", "git-diff", cwd=root)
        file = quote(str(root / "src/total.ts"), safe="")
        tab = signed_in(here, chromium)
        for look in looks(tab):
            for what in ("", f"?applet=text-editor&path={file}", "?applet=git-diff&ref=main", f"?applet=history&path={file}", "?applet=chess&a=b"):
                where = f"{what} {look}"
                tab.goto(f"http://{host(here)}/s/{ID}{what}")
                expect(tab.locator(".line").first).to_be_attached()
                expect(tab.locator(".context-footer")).to_be_visible()
                if what:
                    expect(tab.locator(".applet h2")).to_be_visible()
                else:
                    tab.locator(".gave-head").first.click()
                    tab.get_by_role("button", name="Show lines").first.click()
                tab.wait_for_timeout(150)
                if look.startswith(str(NARROW["width"])):
                    bars = [tab.locator(name).bounding_box() for name in (".context-footer", "nav.tabs")]
                    assert abs(bars[0]["y"] + bars[0]["height"] - bars[1]["y"]) <= 1, (where, bars)
                for_everybody(tab, where, "main .applet .close" if what else "main button")

    tell(story)


def test_changes_are_capped_and_compared_with_nothing():
    """`git-diff` shows at most 600 changes, reads older ones in pages, and says that it does not compare with `ref`. @web_applets"""

    def story(here, chromium):
        root = shop(here)
        past = Transcript(ID, root, ago(days=1)).prompt("change all of it")
        for n in range(620):
            past.edit(f"f{n}.md", f"old {n}", f"new {n}")
        past.store(here)
        tab = signed_in(here, chromium, f"/s/{ID}?applet=git-diff&ref=main")
        applet = tab.locator(".applet")
        expect(applet).to_contain_text("The page does not compare with “main”. These are the changes of the session.")
        rows = applet.locator(".made")
        expect(rows).to_have_count(50)
        expect(rows.last).to_contain_text("f619.md")
        while rows.count() < 600:
            before = rows.count()
            applet.get_by_role("button", name="Show older").click()
            wait_for(lambda before=before: rows.count() > before)
        expect(applet).to_contain_text("The page shows 600 changes at most")
        expect(applet.get_by_role("button", name="Show older")).to_have_count(0)
        expect(rows).to_have_count(600)
        expect(rows.first).to_contain_text("f20.md")
        Agent(here, ID).edit("last.md")
        expect(rows.last).to_contain_text("last.md")
        expect(rows).to_have_count(600)

    tell(story)
