"""What a person changes and checks in the browser: Rules and hints, Failures, Entries, Health, Settings, the pause, deleting."""

import concurrent.futures
import json
import re
import subprocess

from browser import HOSTILE, MARKUP, SHORT, TAGS, Agent, accessible, another, called, clients, expect, for_everybody, host, looks, signed_in, tell, wait_for
from model import scripted
from test_ask import done
from test_find import as_agent, clean, project, requote, settled, stated, texts

PAGES = ("/memory", "/failures", "/entries", "/doctor", "/settings")


def show(tab, path):
    """Goes to a page without loading it again."""
    tab.evaluate("to => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }", path)
    expect(tab.locator("h1")).to_be_attached()
    settled(tab)


def given(here, name, where="shop"):
    """What a session that begins now is given."""
    return Agent(here, name, where).start().answer


def asked(tab, root, calls):
    """The answers to calls in a directory, over a connection of the tab's own."""
    return tab.evaluate(
        """([root, calls]) => new Promise(done => {
            const found = [], link = new WebSocket(`ws://${location.host}/ws`, ['nudge.v1', `key.${localStorage.getItem('key')}`]);
            const send = () => { const [method, params] = calls[found.length]; link.send(JSON.stringify({jsonrpc: '2.0', id: found.length + 1, method, params})); };
            link.onopen = () => link.send(JSON.stringify({jsonrpc: '2.0', id: 0, method: 'init', params: {name: 'test', projectRoot: root}}));
            link.onmessage = message => {
                const answer = JSON.parse(message.data);
                if (answer.id > 0) found.push(answer);
                if (found.length === calls.length) { link.close(); done(found); } else if (answer.id >= 0) send();
            };
        })""",
        [str(root), calls],
    )


def kept(here):
    """All bytes that the memory keeps on the disk."""
    home = here.home / ".local/share/nudge"
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file() and "run" not in path.parts)


# Rules and hints


def test_a_statement_is_corrected_and_forgotten():
    """Correct in place, forget, Undo and remember again; the next session is given exactly what stands. @web_memory"""

    def story(here, chromium):
        shop = project(here)
        Agent(here, "first").start()
        here.nudge("remember", "Prices are in euros", cwd=shop)
        here.nudge("remember", "Run the tests with npm", cwd=shop)
        as_agent(here, "remember", "Tax is rounded on every line")
        tab = signed_in(here, chromium, "/memory?p=shop")
        settled(tab)
        expect(tab.locator(".summary")).to_contain_text("Three rules and facts are in force in shop; you stated two of them.")
        rows = tab.locator("[data-statement]")
        expect(rows).to_have_count(3)
        expect(rows.filter(has_text="Tax is")).to_contain_text("an agent, in shop")

        rows.filter(has_text="euros").get_by_role("button", name="Correct").click()
        field = tab.get_by_label("Correct #")
        expect(field).to_be_focused()
        expect(field).to_have_value("Prices are in euros")
        tab.keyboard.press("Escape")
        expect(rows.filter(has_text="euros").get_by_role("button", name="Correct")).to_be_focused()
        tab.keyboard.press("Enter")
        field.fill("Prices are integers in cents")
        tab.keyboard.press("Enter")
        expect(tab.locator(".toast")).to_contain_text("Corrected: Prices are integers in cents")
        expect(rows.filter(has_text="cents")).to_be_visible()
        assert "Prices are integers in cents" in stated(here).values() and "Prices are in euros" not in stated(here).values()
        tab.get_by_role("button", name="Undo").click()
        expect(rows.filter(has_text="euros")).to_be_visible()
        expect(rows.filter(has_text="cents")).to_have_count(0)
        rows.filter(has_text="euros").get_by_role("button", name="Correct").click()
        field.fill("Prices are integers in cents")
        tab.get_by_role("button", name="Save").click()
        expect(rows.filter(has_text="cents")).to_be_visible()

        rows.filter(has_text="npm").get_by_role("button", name="Forget").click()
        expect(tab.locator(".toast")).to_contain_text("Forgotten: Run the tests with npm")
        expect(rows).to_have_count(2)
        tab.get_by_role("button", name="Undo").click()
        expect(rows).to_have_count(3)
        rows.filter(has_text="npm").get_by_role("button", name="Forget").click()
        expect(rows).to_have_count(2)
        text = given(here, "second")
        # The random id of the frame may have any letters.
        assert "Prices are integers in cents" in text and not re.search(r"\b(euros|npm)\b", text), text

        tab.get_by_text("no longer in force").click()
        tab.locator("details li").filter(has_text="npm").get_by_role("button", name="Remember again").click()
        expect(rows).to_have_count(3)
        assert "Run the tests with npm" in given(here, "third")

        tab.get_by_role("button", name="Remember…").click()
        tab.get_by_label("Remember in shop").fill("Never push to main")
        tab.keyboard.press("Enter")
        expect(rows.filter(has_text="Never push to main")).to_contain_text("you, in shop")
        here.nudge("remember", "This came from a terminal", cwd=shop)
        expect(rows.filter(has_text="from a terminal")).to_be_visible()
        tab.get_by_role("searchbox", name="Filter").fill("PUSH main")
        expect(rows).to_have_count(1)
        expect(tab.get_by_label("Project")).to_have_value("shop")
        show(tab, "/memory")
        tab.get_by_role("button", name="Remember…").click()
        tab.get_by_label("Remember in every project").fill("Answer in German")
        tab.keyboard.press("Enter")
        expect(rows.filter(has_text="Answer in German")).to_contain_text("in every project")
        assert "Answer in German" in given(here, "fourth", "router")
        rows.filter(has_text="Answer in German").get_by_role("button", name="Forget").click()
        expect(rows.filter(has_text="Answer in German")).to_have_count(0)
        tab.keyboard.press("u")
        expect(rows.filter(has_text="Answer in German")).to_contain_text("in every project")

    tell(story)


def test_a_hint_goes_back_to_an_earlier_version():
    """Versions of a hint, the way back to one, deleting and Undo; a project has the hints that apply in it. @web_memory"""

    def story(here, chromium):
        shop = project(here)
        Agent(here, "first").start()
        get = lambda: here.run("get", "test", "command", "--value", cwd=shop).stdout.strip()
        for value in ("npm test", "pnpm test", "pnpm test --run"):
            here.nudge("set", "test", "command", value, cwd=shop)
        here.nudge("set", "build", "command", "make", "--scope-branch", "never", cwd=shop)
        tab = signed_in(here, chromium, "/memory?p=shop")
        settled(tab)
        rows = tab.locator("[data-hint]")
        expect(rows).to_have_count(1)
        expect(tab.get_by_text("One applies elsewhere.")).to_be_visible()
        expect(rows).to_contain_text("pnpm test --run")
        rows.get_by_role("button", name="3 versions of test/command").click()
        versions = rows.locator("[data-version]")
        expect(versions).to_have_count(3)
        expect(versions.first).to_contain_text("in force")
        versions.filter(has_text="npm test version 1").get_by_role("button", name="Restore").click()
        expect(tab.locator(".toast")).to_contain_text("test/command has the value of version 1 again.")
        expect(rows.locator(".whole").first).to_have_text("npm test")
        assert get() == "npm test"
        expect(versions).to_have_count(4)

        rows.get_by_role("button", name="Delete").click()
        expect(rows).to_have_count(0)
        assert get() == ""
        tab.get_by_role("button", name="Undo").click()
        expect(rows).to_have_count(1)
        assert get() == "npm test"
        rows.get_by_role("button", name="Delete").click()
        expect(rows).to_have_count(0)
        tab.get_by_text("1 deleted hint").click()
        tab.locator("details").get_by_role("button", name="Restore").click()
        expect(rows).to_have_count(1)
        assert get() == "npm test"
        here.nudge("set", "test", "command", "make test", cwd=shop)
        expect(rows).to_contain_text("make test")

    tell(story)


# Failures


def test_failures_say_what_helped():
    """What failed in several sessions, how often, and what was seen to help, proven or not; rows lead to sessions. @web_failures"""

    def story(here, chromium):
        tab = signed_in(here, chromium, "/failures")
        expect(tab.locator(".empty h2")).to_have_text("Nothing keeps failing")
        for n in range(3):
            one = Agent(here, f"s{n}").start().prompt("the checkout test fails")
            one.run("pnpm test checkout", "Error: connect ECONNREFUSED 127.0.0.1:5433", fails=True)
            one.run("docker compose up -d db").run("pnpm test checkout", "Tests 12 passed").stop()
        for n in range(2):
            Agent(here, f"r{n}", "router").start().prompt("push it").run("git push", "! [rejected] main -> main", fails=True)
        rows = tab.locator("[data-failure]")
        expect(rows).to_have_count(2)
        expect(tab.locator(".summary")).to_have_text("Two commands failed more than once. For one, it is known what helped.")
        row = rows.filter(has_text="pnpm test checkout")
        expect(row).to_contain_text("ECONNREFUSED 127.0.0.1:5433")
        expect(row.locator(".often")).to_contain_text("3 times in 3 sessions")
        expect(row.locator(".cure")).to_have_text('It passed after "docker compose up -d db" ran · in 3 of 3 sessions')
        known = here.answer("fix", "pnpm test checkout", cwd=project(here))["known"][0]
        assert known["followed"] == 'it passed after "docker compose up -d db" ran (3 of 3 sessions)', known
        tab.keyboard.press("j")
        tab.keyboard.press("Enter")
        fixes = row.locator(".fixes")
        expect(fixes).to_contain_text(f"failed {known['times']} times in {known['sessions']} sessions")
        expect(fixes).to_contain_text("It passed today")
        expect(fixes.get_by_role("link", name="session s2").first).to_have_attribute("href", "/s/s2")
        expect(rows.filter(has_text="git push")).to_contain_text("what helped is not known")
        tab.get_by_label("Project").select_option("router")
        with tab.expect_response(lambda response: response.url.endswith("/rpc") and '"learn"' in (response.request.post_data or "")) as read:
            tab.reload()
        # Requests take as long to count as failures, and no page shows them.
        assert json.loads(read.value.request.post_data)["params"]["failures_only"]
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text("git push")
        show(tab, "/failures?p=shop")
        rows.get_by_role("button").click()
        fixes.get_by_role("link", name="Search all of them").click()
        expect(tab.locator(".hit")).to_have_count(3)
        tab.go_back()
        rows.get_by_role("button").click()
        fixes.get_by_role("link", name="session s2").first.click()
        assert tab.url.endswith("/s/s2?p=shop"), tab.url

    tell(story)


# Entries


def test_entries_by_pattern():
    """A pattern lists entries of a project; one is shown whole with its versions; an observation is pinned. @web_entries"""

    def story(here, chromium):
        shop = project(here)
        one = Agent(here, "one").start().prompt("make it stable").run("pnpm test", "12 passed").stop("It is stable.")
        here.nudge("entry", "set", "known://auth/plan", "We use passkeys.\nNo passwords.", cwd=shop)
        here.nudge("remember", "Prices are in cents", cwd=shop)
        here.nudge("set", "test", "command", "npm test", cwd=shop)
        here.nudge("set", "test", "command", "pnpm test", cwd=shop)
        (shop / "long.md").write_text("".join(f"line {n}\n" for n in range(2_500)))
        tab = signed_in(here, chromium, "/entries")
        settled(tab)
        tab.get_by_role("link", name="known://**", exact=True).click()
        settled(tab)
        tab.get_by_role("link", name="shop", exact=True).click()
        rows = tab.locator("[data-path]")
        expect(rows).to_have_count(2)
        assert "p=shop" in tab.url and "path=known" in tab.url, tab.url
        listed = [entry["path"] for entry in here.answer("entry", "ls", "known://**", cwd=shop)["entries"]]
        assert rows.evaluate_all("all => all.map(one => one.dataset.path)") == listed
        rows.filter(has_text="auth/plan").click()
        body = tab.get_by_label("Body")
        expect(body).to_have_text("We use passkeys.\nNo passwords.")
        reached = tab.url
        tab.reload()
        expect(body).to_have_text("We use passkeys.\nNo passwords.")
        assert tab.url == reached

        field = tab.get_by_role("searchbox", name="Path or pattern")
        field.fill("hint://test/command")
        tab.keyboard.press("Enter")
        expect(body).to_have_text("pnpm test")
        expect(tab.locator(".entry [data-version]")).to_have_count(2)
        field.fill("long.md")
        tab.keyboard.press("Enter")
        tab.get_by_role("button", name="Show 500 more lines").click()
        expect(body).to_contain_text("line 2499")

        tab.get_by_role("link", name="obs://**", exact=True).click()
        row = rows.filter(has_text="command: pnpm test")
        row.click()
        expect(tab.get_by_role("link", name="Open session one")).to_have_attribute("href", "/s/one?p=shop")
        tab.get_by_role("button", name="Pin").click()
        expect(tab.get_by_role("button", name="Unpin")).to_be_visible()
        pinned = int(row.get_attribute("data-path").removeprefix("obs://"))
        assert here.answer("knows", cwd=shop)["pinned"] == 1
        here.nudge("unpin", str(pinned), cwd=shop)
        one.run("pnpm lint", "clean")
        expect(rows.filter(has_text="command: pnpm lint")).to_be_visible()

        show(tab, "/entries?p=shop&path=known%3A%2F%2Fnothing%2F**")
        expect(tab.get_by_text("Nothing in shop has a path like this.")).to_be_visible()
        show(tab, "/entries?p=shop&path=%2Fknown%3A%5B%2F")
        expect(tab.locator(".fault")).to_be_visible()
        show(tab, "/entries?p=shop&path=known%3A%2F%2F**&at=known%3A%2F%2Fgone")
        expect(tab.locator(".entry")).to_contain_text("there is no entry")
        show(tab, "/entries?p=nowhere&path=known%3A%2F%2F**")
        expect(tab.get_by_role("alert")).to_contain_text("there is no project nowhere")

    tell(story)


# Health and Settings


def test_health_is_what_doctor_says():
    """Every check of `nudge doctor --json`, those with a problem first, and the counts of `nudge status --json`. @web_health"""

    def story(here, chromium):
        Agent(here, "one").start().prompt("round the tax").run("pnpm test", "12 passed").run("pnpm lint", "2 problems", fails=True)
        wait_for(lambda: here.answer("status")["stored"]["observations"] == 3)
        tab = signed_in(here, chromium)
        tab.get_by_role("link", name="Health").click()
        checks = tab.locator("[data-check]")
        settled(tab)

        def same():
            """What the command says, once the page says the same: the memory may grow between the two."""
            tab.get_by_role("button", name="Check again").click()
            settled(tab)
            found = checks.evaluate_all("all => all.map(one => [one.dataset.check, one.dataset.verdict, one.querySelector('.whole').textContent])")
            told = json.loads(here.run("doctor", "--json").stdout)
            said = [[check["name"], check["verdict"], check["message"]] for check in told["checks"]]
            return sorted(found) == sorted(said) and told

        # On a busy machine a hook may have been late, which is worth a look.
        told = wait_for(same)
        assert told["ok"]
        expect(tab.locator(".summary")).to_contain_text("Everything works.")
        visible = [check["name"] for check in told["checks"] if tab.locator(f"[data-check={check['name']}]").is_visible()]
        assert visible == [check["name"] for check in told["checks"] if check["verdict"] != "ok"], (visible, told)
        tab.get_by_text("checks are ok").click()
        expect(checks.last).to_be_visible()

        token = here.home / ".local/share/nudge/run/token"
        token.chmod(0o644)
        told = wait_for(same)
        expect(tab.locator(".summary")).to_contain_text("One thing needs a fix: token.")
        bad = next(check for check in told["checks"] if check["verdict"] == "fail")
        expect(checks.first).to_contain_text(bad["message"])
        expect(checks.first.get_by_role("button", name="Copy")).to_have_text("Copy nudge token rotate")
        words = checks.first.locator(".way-out").text_content().replace("Copy nudge token rotate", "")
        assert words.lower().rstrip(".") == bad["way_out"].replace("`", "").lower().rstrip("."), (words, bad)
        token.chmod(0o600)
        tab.get_by_role("button", name="Check again").click()
        expect(tab.locator(".summary")).to_contain_text("Everything works.")
        settled(tab)

        counts = here.answer("status")["stored"]
        shown = dict(zip(texts(tab.locator(".side .facts dt")), texts(tab.locator(".side .facts dd"))))
        for name in ("entries", "prompts", "sessions", "projects", "hints", "pinned", "summaries"):
            assert shown[name.capitalize()] == str(counts[name]), (name, shown, counts)
        assert shown["Lost events"] == "none"
        kinds = dict(zip(texts(tab.locator(".kinds dt")), texts(tab.locator(".kinds dd"))))
        assert kinds == {"Command": "1", "Failed command": "1", "Session start": "1"}, kinds

    tell(story)


def asked_for(tab, held):
    """Waits until the page has asked; a request is noticed only while the page is looked at."""
    wait_for(lambda: held or tab.wait_for_timeout(50))


def test_health_waits_for_no_check():
    """What needs no doctor is shown at once, each check with a sign until it is there; growth and losses by day. @web_health"""

    def story(here, chromium):
        Agent(here, "one").start().prompt("round the tax").run("pnpm test", "12 passed")
        subprocess.run([clients.BINARY, "hook", "claude"], input="no event", text=True, env=here.environment, capture_output=True, check=True)
        wait_for(lambda: (stored := here.answer("status")["stored"])["observations"] == 2 and stored["drops"] == 1)
        tab = signed_in(here, chromium)
        held = []
        tab.route("**/ui/commands/doctor", lambda route: held.append(route))
        tab.get_by_role("link", name="Health").click()
        expect(tab.locator(".page.health")).to_have_attribute("aria-busy", "false")
        expect(tab.locator(".side .facts")).to_contain_text("Lost events1")
        days = here.answer("status")["stored"]["days"]
        shown = len(days), sum(day["entries"] for day in days), days[-1]
        assert shown == (14, 3, {**days[-1], "entries": 3, "lost": 1}), days
        expect(tab.get_by_role("img", name="3 prompts and steps kept of 14 days")).to_be_visible()
        expect(tab.get_by_role("img", name="1 event lost in 14 days")).to_be_visible()
        expect(tab.get_by_role("img", name="Times of hooks by the hour")).to_be_visible()
        expect(tab.locator("#server")).to_be_visible()
        checks = tab.locator("[data-check]")
        waiting = checks.evaluate_all("all => all.map(one => one.dataset.check)")
        assert waiting, "no check is named"
        expect(tab.locator("[data-verdict=checking] .badge")).to_have_text(["… checking"] * len(waiting))
        expect(tab.locator(".summary")).to_have_text("Checking…")
        asked_for(tab, held)
        held.pop().continue_()
        settled(tab)
        expect(tab.locator("[data-verdict=checking]")).to_have_count(0)
        told = {check["name"] for check in json.loads(here.run("doctor", "--json").stdout)["checks"]}
        assert set(waiting) <= told, (waiting, told)

        # Checked again, each keeps its place and its words until it is there.
        tab.get_by_role("button", name="Check again").click()
        asked_for(tab, held)
        expect(tab.locator("[data-verdict=checking]")).to_have_count(len(told))
        expect(tab.locator("[data-check=drops] .whole")).to_contain_text("1 event lost")
        held.pop().continue_()
        settled(tab)
        expect(tab.locator("[data-check=drops]")).to_have_attribute("data-verdict", "warn")

    tell(story)


def test_settings_are_those_of_config():
    """Every key of `nudge config --json` with its value, those that are not the default first; theme, keys and signing out. @web_settings"""

    def story(here, chromium):
        config = here.home / ".config/nudge"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.toml").write_text('log_level = "debug"\nexclude = ["/secret/place"]\n[inject]\nstart_tokens = 300\n')
        tab = signed_in(here, chromium, "/settings")
        settled(tab)
        rows = tab.locator("[data-key]")
        told = {key["key"]: key for key in here.answer("config")["keys"]}
        found = rows.evaluate_all("all => all.map(one => [one.dataset.key, one.querySelector('.setting-value').dataset.value, one.textContent])")
        assert {key: json.loads(value) for key, value, _ in found} == {name: key["value"] for name, key in told.items()}
        for name, _, text in found:
            key = told[name]
            assert key["doc"] in text and key["env"] in text and key["source"] in text and key["type"] in text, (name, text)
        assert [key for key, *_ in found[:3]] == ["log_level", "exclude", "inject.start_tokens"], found[:4]
        expect(tab.locator(".summary")).to_have_text(f"Three of {len(told)} settings differ from their defaults.")
        expect(rows.filter(has_text="inject.start_tokens")).to_contain_text("default: 500")
        tab.get_by_role("searchbox", name="Filter settings").fill("retention")
        wait_for(lambda: 0 < rows.count() < 5)

        tab.get_by_label("dark").check()
        assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
        tab.get_by_label("single keys").uncheck()
        tab.get_by_role("heading", name="Settings").click()
        tab.keyboard.press("?")
        expect(tab.get_by_role("dialog")).to_have_count(0)
        tab.reload()
        settled(tab)
        expect(tab.get_by_label("dark")).to_be_checked()
        expect(tab.get_by_label("single keys")).not_to_be_checked()
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        for command in ("nudge ui --sign-out", "nudge token rotate"):
            tab.get_by_role("button", name=f"Copy {command}").click()
            expect(tab.locator(".toast")).to_contain_text("Copied.")
            assert tab.evaluate("navigator.clipboard.readText()") == command
        tab.get_by_role("button", name="Sign out of this browser").click()
        expect(tab.locator("h1")).to_have_text("This browser is not signed in")

    tell(story)


def test_signed_in_browsers_are_listed():
    """Settings says which browsers are signed in, since when and which is this one, and signs one of them out. @web_settings @web_sign_out"""

    def story(here, chromium):
        tab = signed_in(here, chromium, "/settings")
        rows = tab.get_by_role("list", name="Signed-in browsers").get_by_role("listitem")
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text("Chrome on Linux (this one)")
        expect(rows).to_contain_text("used now")
        expect(rows.get_by_role("button")).to_have_count(0)
        with another(chromium) as other:
            reader = signed_in(here, other, "/settings", "--read-only")
            mine = reader.get_by_role("list", name="Signed-in browsers").get_by_role("listitem")
            expect(mine).to_have_count(2)
            expect(mine.filter(has_text="(this one)")).to_contain_text("read only")
            expect(mine.get_by_role("button")).to_have_count(0)
            tab.reload()
            expect(rows).to_have_count(2)
            rows.filter(has_text="read only").get_by_role("button", name="Sign out").click()
            expect(rows).to_have_count(1)
            expect(reader.locator("h1")).to_have_text("This browser is not signed in")
            other.check(host(here))
        tab.reload()
        expect(rows).to_contain_text("(this one)")

    tell(story)


# Secrets


def test_no_page_shows_a_secret():
    """A hint that is marked secret is counted; no page, version, proposal, search or entry has its value. @web_rights @web_memory @web_review"""

    def story(here, chromium):
        shop, first, second, wanted = project(here), "correct-horse-battery", "staple-of-the-horse", "a-battery-for-horses"
        Agent(here, "one").start().prompt("open the door")
        # An agent proposes no value for a secret; what it proposed before waits on.
        here.nudge("set", "door", "code", "unknown", cwd=shop)
        as_agent(here, "set", "door", "code", wanted, "--reason", "it is newer")
        here.nudge("set", "door", "code", first, "--sensitivity", "secret", cwd=shop)
        here.nudge("set", "door", "code", second, "--sensitivity", "secret", cwd=shop)
        here.nudge("set", "door", "colour", "green", cwd=shop)
        assert "only the user can save" in here.run("set", "door", "code", wanted, cwd=shop, env={"CLAUDECODE": "1"}).stderr
        tab = signed_in(here, chromium, "/memory?p=shop")
        heard = []

        def note(route):
            answer = route.fetch()
            heard.append(answer.text())
            route.fulfill(response=answer)

        tab.route(lambda url: "/rpc" in url or "/ui/" in url or "/api/" in url, note)
        tab.on("websocket", lambda socket: socket.on("framereceived", lambda text: heard.append(str(text))))

        def hidden(where):
            settled(tab)
            text = tab.content() + tab.evaluate("[...document.querySelectorAll('textarea, input')].map(one => one.value).join()")
            assert any("door" in its for its in heard) or "door" not in text, where
            for secret in (first, second):
                assert secret not in text and not any(secret in its for its in heard), where

        tab.reload()
        settled(tab)
        expect(tab.locator("main")).to_contain_text("One secret.")
        expect(tab.locator("[data-hint]")).to_have_count(1)
        hidden("memory")
        for version in called(tab, "hint_log", component="door", key="code")["result"]["versions"]:
            assert not any(secret in json.dumps(version) for secret in (first, second)), version
        for path in ("/review", "/", "/search?q=door", "/search?q=horse", "/entries?p=shop&path=hint%3A%2F%2F**", "/entries?p=shop&path=hint%3A%2F%2Fdoor%2Fcode", "/got", "/got?p=shop", "/failures", "/s/one"):
            tab.goto(f"http://{host(here)}{path}")
            expect(tab.locator("h1")).to_be_attached()
            hidden(path)
            if path == "/review":
                expect(tab.locator(".card h2")).to_have_text("Set door/code")
                expect(tab.locator(".card")).to_contain_text("The present value is secret.")
                tab.keyboard.press("d")
                expect(tab.locator("h1")).to_have_text("Nothing waits for you")

    tell(story)


def test_statements_are_capped():
    """600 rules and facts are listed, with how many more there are; the filter finds the others. @web_memory"""

    def story(here, chromium):
        here.nudge("remember", "Prices are in cents", cwd=project(here))
        signed_in(here, chromium).close()
        tab = chromium.tab()

        def many(route):
            answer = route.fetch()
            if route.request.post_data_json["method"] != "knows":
                return route.fulfill(response=answer)
            told = answer.json()
            [one] = told["result"]["statements"]
            told["result"]["statements"] = [one | {"id": n, "text": f"Rule number {n}"} for n in range(1, 613)]
            return route.fulfill(response=answer, json=told)

        tab.route("**/rpc", many)
        tab.goto(f"http://{host(here)}/memory?p=shop")
        expect(tab.locator("[data-statement]")).to_have_count(600)
        expect(tab.locator("main")).to_contain_text("And 12 more. The filter finds them.")
        tab.get_by_role("searchbox", name="Filter").fill("number 611")
        expect(tab.locator("[data-statement]")).to_have_count(1)

    tell(story)


# Without a mouse


def test_everything_works_by_keys():
    """Search, a session, a file beside it, the line below, a question to a model, a pause and deleting: only keys are pressed. @web_shell @web_search @web_session @web_footer @web_ask @web_pause @web_delete"""

    def story(here, chromium):
        agent = Agent(here, "one").start().prompt("our codename is xylophone").edit("src/a.ts").stop()
        (agent.cwd / "src").mkdir(exist_ok=True)
        (agent.cwd / "src/a.ts").write_text("const a = 1;\n")
        here.nudge("focus", "add", "--session", "one", str(agent.cwd / "src/a.ts"), cwd=agent.cwd)
        with scripted(here) as model:
            tab = signed_in(here, chromium)
            press = tab.keyboard.press

            def to(part, most=80):
                """Presses Tab until a part has the focus."""
                for _ in range(most):
                    press("Tab")
                    if part.evaluate("its => its === document.activeElement"):
                        return
                raise AssertionError(f"Tab does not lead to {part}")

            press("/")
            tab.keyboard.type("xylophone")
            press("Enter")
            expect(tab.locator(".hit")).to_have_count(1)
            settled(tab)
            press("Escape")
            press("j")
            expect(tab.locator(".hit")).to_be_focused()
            press("Enter")
            expect(tab.locator("h1")).to_have_text("our codename is xylophone")

            footer = tab.get_by_role("navigation", name="Relevant to this session").get_by_role("link").first
            expect(footer).to_have_text("a.ts")
            to(footer)
            press("Enter")
            applet = tab.locator(".applet")
            expect(applet).to_be_focused()
            expect(applet.locator(".code-view")).to_contain_text("const a = 1;")
            press("Escape")
            expect(applet).to_have_count(0)
            expect(footer).to_be_focused()

            press("g")
            press("a")
            field = tab.get_by_role("textbox", name="Question")
            expect(field).to_be_visible()
            model.then('<ask_user question="Which one?">the old one;the new one</ask_user>').then(done("The new one."))
            to(field)
            tab.keyboard.type("Which port is it?")
            press("Enter")
            option = tab.get_by_role("button", name="the new one")
            expect(option).to_be_visible()
            to(option)
            press("Enter")
            expect(tab.locator(".answer")).to_have_text("The new one.")

            pause = tab.locator(".recording").get_by_role("button")
            to(pause)
            press("Enter")
            expect(tab.locator(".recording")).to_contain_text("Paused until ")
            again = tab.get_by_role("button", name="Record again")
            to(again)
            press("Enter")
            expect(tab.locator(".recording")).to_contain_text("Recording")

            tab.evaluate("document.activeElement.blur()")
            press("/")
            expect(tab.locator(".top input")).to_be_focused()
            tab.keyboard.type("xylophone")
            press("Enter")
            settled(tab)
            button = tab.get_by_role("button", name="Delete for good…")
            expect(button).to_be_visible()
            to(button)
            press("Enter")
            sure = tab.get_by_role("dialog").get_by_role("button", name="Delete for good")
            to(sure)
            press("Enter")
            expect(tab.locator(".toast")).to_contain_text("Deleted for good.")
            expect(tab.locator(".hit")).to_have_count(0)

    tell(story)


# Pausing, and deleting for good


def test_a_pause_stores_nothing():
    """The rail pauses for an hour and records again, as the terminal sees it; what happens meanwhile is not kept. @web_pause"""

    def story(here, chromium):
        one = Agent(here, "one").start().prompt("round the tax")
        tab = signed_in(here, chromium)
        foot = tab.locator(".recording")
        expect(foot).to_contain_text("Recording")
        foot.get_by_role("button", name="Pause for 1 h").click()
        expect(foot).to_contain_text("Paused until ")
        assert here.answer("status")["paused"]
        one.prompt("the zebra crosses").run("cat zebra.txt", "stripes", fails=True)
        accessible(tab, "paused")
        foot.get_by_role("button", name="Record again").click()
        expect(foot).to_contain_text("Recording")
        assert here.answer("status")["paused"] == []
        one.prompt("the giraffe crosses")
        assert here.answer("search", "giraffe", "--project", "*")
        assert here.answer("search", "zebra", "--project", "*") == []

        here.nudge("pause", cwd=project(here))
        tab.reload()
        expect(foot).to_contain_text("Paused")
        with another(chromium) as other:
            reader = signed_in(here, other, "/", "--read-only")
            expect(reader.locator(".recording")).to_contain_text("Paused")
            expect(reader.locator(".recording").get_by_role("button")).to_have_count(0)
        foot.get_by_role("button", name="Record").click()
        expect(foot.get_by_role("button", name="Pause for 1 h")).to_be_visible()
        assert here.answer("status")["paused"] == []

    tell(story)


def test_deleting_is_for_good():
    """After a question an entry is in no page, no search, and its words are in no file of the memory. @web_delete"""

    def story(here, chromium):
        one = Agent(here, "one").start().prompt("our codename is xylophone")
        one.run("echo marimba", "marimba").run("echo glockenspiel", "glockenspiel", fails=True).stop()
        tab = signed_in(here, chromium, "/search?q=xylophone&p=shop")
        entry = tab.get_by_role("complementary", name="Entry")
        button = entry.get_by_role("button", name="Delete for good…")
        button.click()
        ask = tab.get_by_role("dialog", name="Delete this for good?")
        expect(ask).to_contain_text("our codename is xylophone")
        expect(ask.get_by_role("button", name="Keep it")).to_be_focused()
        accessible(tab, "delete")
        for _ in range(4):
            tab.keyboard.press("Tab")
            assert tab.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')")
        tab.keyboard.press("j")
        tab.keyboard.press("Escape")
        expect(ask).to_have_count(0)
        expect(button).to_be_focused()
        assert here.answer("search", "xylophone", "--project", "*") and b"xylophone" in kept(here)

        button.click()
        ask.get_by_role("button", name="Delete for good").click()
        expect(tab.locator(".toast")).to_contain_text("Deleted for good.")
        expect(tab.locator(".hit")).to_have_count(0)
        assert here.answer("search", "xylophone", "--project", "*") == []
        assert b"xylophone" not in kept(here)
        tab.reload()
        settled(tab)
        expect(tab.locator(".hit")).to_have_count(0)

        show(tab, "/entries?path=obs%3A%2F%2F**&p=shop")
        tab.locator("[data-path]").filter(has_text="echo marimba").click()
        card = tab.locator(".entry")
        card.get_by_role("button", name="Delete for good…").click()
        ask.get_by_role("button", name="Delete for good").click()
        expect(tab.locator("[data-path]").filter(has_text="echo marimba")).to_have_count(0)
        assert b"marimba" not in kept(here)

        show(tab, "/search?q=glockenspiel&p=shop")
        button.click()
        here.nudge("purge", "--id", tab.locator(".hit").first.get_attribute("data-hit"), "--yes")
        ask.get_by_role("button", name="Delete for good").click()
        expect(ask.get_by_role("alert")).to_contain_text("nudge forget")

        here.nudge("remember", "Prices are in cents", cwd=one.cwd)
        tab.goto(f"http://{host(here)}/search?q=cents&p=shop")
        expect(tab.locator(".hit")).to_have_count(1)
        settled(tab)
        expect(tab.get_by_role("button", name="Delete for good…")).to_have_count(0)

    tell(story)


# All of them


def test_a_hundred_hostile_texts_change_nothing():
    """In every field of these pages they are shown as texts: nothing runs, and no element is added. @web_policy @web_memory @web_failures @web_entries"""

    def story(here, chromium):
        shop = project(here)
        Agent(here, "first").start()
        every = ["plain", *HOSTILE]

        def fail(n, text):
            # A command counts when it failed twice.
            for session in ("one", "two"):
                Agent(here, f"{session}{n}").run(f"run{n} {text}", f"error: {n} {text}", fails=True)

        with concurrent.futures.ThreadPoolExecutor(4) as hooks:
            [end.result() for end in [hooks.submit(fail, n, text) for n, text in enumerate(every)]]
        calls = []
        for n, text in enumerate(every):
            calls.append(("remember", {"text": f"rule {n} {text}", "project": "shop"}))
            for age in ("old", "new"):
                calls.append(("set_hint", {"component": "needle", "key": f"k{n}", "value": f"{age} {text}", "meta": {"reason": f"because {text}"}}))
            calls.append(("set", {"path": f"known://hostile/{requote(text)[:200]}", "body": text, "attributes": {"note": text}}))
        config = here.home / ".config/nudge"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.toml").write_text(f"exclude = {json.dumps(HOSTILE[:18])}\n", encoding="utf-8")

        tab = signed_in(here, chromium)
        refused = [answer for answer in asked(tab, shop, calls) if "error" in answer]
        assert len(refused) < 16, refused
        show(tab, "/memory?p=shop")
        rules, hints = tab.locator("[data-statement]"), tab.locator("[data-hint]")
        assert rules.count() >= 90 and hints.count() == 101, (rules.count(), hints.count())
        # All are made of the same elements as the plain ones.
        assert len(set(rules.evaluate_all(f"all => all.map({TAGS})"))) == 1
        assert len(set(hints.evaluate_all(f"all => all.map({TAGS})"))) == 1
        for n in (0, 20, 40):
            hints.nth(n).get_by_role("button", name="versions").click()
        settled(tab)
        clean(tab, "memory")
        for n in (0, 1, 14):
            tab.locator("[data-statement]").nth(n).get_by_role("button", name="Correct").click()
        clean(tab, "correct", "TEXTAREA")

        show(tab, "/failures?p=shop")
        rows = tab.locator("[data-failure]")
        assert rows.count() >= 30, rows.count()
        assert len(set(rows.evaluate_all(f"all => all.map({TAGS})"))) <= 2, "with and without an error"
        for n in range(6):
            rows.nth(n).get_by_role("button").first.click()
        settled(tab)
        clean(tab, "failures")

        show(tab, "/entries?path=known%3A%2F%2Fhostile%2F**&p=shop")
        paths = tab.locator("[data-path*=hostile]")
        assert paths.count() >= 90, paths.count()
        assert len(set(paths.evaluate_all(f"all => all.map({TAGS})"))) == 1
        for n in range(0, paths.count(), 5):
            paths.nth(n).click()
            settled(tab)
            clean(tab, f"entry {n}")
        for text in HOSTILE[::4]:
            show(tab, f"/entries?p=shop&path={requote(text)}&at={requote(text)}")
            clean(tab, text)
        show(tab, f"/entries?p={requote(HOSTILE[0])}&path={requote(HOSTILE[1])}")
        clean(tab, "project")
        show(tab, "/settings")
        expect(tab.locator("[data-key=exclude]")).to_contain_text(HOSTILE[0])
        clean(tab, "settings", "FIELDSET", "LEGEND")
        # A directory that claims a project's name is a message of doctor, and so is a key that no setting has.
        (config / "config.toml").write_text(f"{json.dumps(MARKUP[0])} = 1\n{json.dumps(MARKUP[1])} = 2\n")
        show(tab, "/doctor")
        said = json.loads(here.run("doctor", "--json").stdout)["checks"]
        assert any(MARKUP[0] in f"{check['message']} {check.get('way_out')}" for check in said), said
        tab.get_by_text("checks are ok").click()
        expect(tab.locator("[data-check]", has_text=MARKUP[0])).to_be_visible()
        clean(tab, "health")

    tell(story)


def test_the_system_pages_are_for_everybody():
    """Keys lead to them, axe finds nothing in any look, the first button is in reach, a reader is offered no change. @web_memory @web_failures @web_entries @web_health @web_settings @web_shell"""

    def story(here, chromium):
        shop = project(here)
        for n in range(2):
            one = Agent(here, f"s{n}").start().prompt("fix it").run("pnpm test", "Error: connect ECONNREFUSED", fails=True)
            one.run("docker compose up").run("pnpm test", "12 passed").stop()
        here.nudge("remember", "Prices are in cents", cwd=shop)
        here.nudge("set", "test", "command", "npm test", cwd=shop)
        here.nudge("set", "test", "command", "pnpm test", cwd=shop)
        tab = signed_in(here, chromium)
        for key, title in {"m": "Rules and hints", "f": "Failures", "e": "Entries", "h": "Health", "c": "Settings"}.items():
            tab.keyboard.press("g")
            tab.keyboard.press(key)
            expect(tab.locator("h1")).to_have_text(title)
        tab.keyboard.press("?")
        expect(tab.get_by_role("dialog", name="Keys")).to_contain_text("Rules and hints")
        tab.keyboard.press("Escape")
        for path in PAGES:
            answer = tab.context.request.get(f"http://{host(here)}{path}")
            assert answer.headers["content-type"].startswith("text/html"), path

        acts = {
            "/memory?p=shop": lambda: (tab.get_by_role("button", name="2 versions").click(), tab.get_by_role("button", name="Correct").click()),
            "/failures": lambda: tab.locator("[data-failure] button").first.click(),
            "/entries?p=shop&path=obs%3A%2F%2F**": lambda: tab.locator("[data-path]").first.click(),
            "/doctor": lambda: tab.get_by_text("checks are ok").click(),
            "/settings": lambda: None,
        }
        main = {
            "/memory?p=shop": ".reword .primary",
            "/failures": "[data-failure] button",
            "/entries?p=shop&path=obs%3A%2F%2F**": "[data-path]",
            "/doctor": "main .section-head button",
            "/settings": "main .choice button",
        }
        for look in looks(tab):
            for path, act in acts.items():
                show(tab, path)
                act()
                settled(tab)
                assert tab.locator("nav.tabs > *").count() <= 5
                for_everybody(tab, f"{path} {look}", main[path])

        with another(chromium) as other:
            reader = signed_in(here, other, "/memory?p=shop", "--read-only")
            for path in acts:
                show(reader, path)
                for name in ("Correct", "Forget", "Delete", "Remember…", "Restore", "Pin"):
                    expect(reader.locator("main").get_by_role("button", name=name)).to_have_count(0)
            show(reader, "/entries?p=shop&path=obs%3A%2F%2F**")
            reader.locator("[data-path]").first.click()
            expect(reader.get_by_role("link", name="Open session")).to_be_visible()
            expect(reader.get_by_label("Body")).to_be_visible()
            expect(reader.get_by_role("button", name="Delete for good…")).to_have_count(0)
            other.check(host(here))

    tell(story)
