"""What a person changes and checks in the browser: Rules and hints, Failures, Entries, Health, Settings, the pause, deleting."""

import concurrent.futures
import json

from browser import NARROW, WIDE, Agent, accessible, another, expect, host, signed_in, tell, wait_for
from test_find import HOSTILE, as_agent, clean, project, requote, settled, stated, texts

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
        assert "Prices are integers in cents" in text and "euros" not in text and "npm" not in text, text

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


def test_sixty_hostile_texts_change_nothing():
    """In every field of these pages they are shown as texts: nothing runs, and no element is added. @web_policy @web_memory @web_failures @web_entries"""

    def story(here, chromium):
        assert len(HOSTILE) == 60
        shop = project(here)
        Agent(here, "first").start()

        def fail(n, text):
            # A command counts when it failed twice.
            for session in ("one", "two"):
                Agent(here, f"{session}{n}").run(f"run{n} {text}", f"error: {n} {text}", fails=True)

        with concurrent.futures.ThreadPoolExecutor(4) as hooks:
            [done.result() for done in [hooks.submit(fail, n, text) for n, text in enumerate(HOSTILE)]]
        calls = []
        for n, text in enumerate(HOSTILE):
            calls.append(("remember", {"text": f"rule {n} {text}", "project": "shop"}))
            for age in ("old", "new"):
                calls.append(("set_hint", {"component": "needle", "key": f"k{n}", "value": f"{age} {text}", "meta": {"reason": f"because {text}"}}))
            calls.append(("set", {"path": f"known://hostile/{requote(text)[:200]}", "body": text, "attributes": {"note": text}}))
        config = here.home / ".config/nudge"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.toml").write_text(f"exclude = {json.dumps(HOSTILE[:18])}\n", encoding="utf-8")

        tab = signed_in(here, chromium)
        refused = [answer for answer in asked(tab, shop, calls) if "error" in answer]
        assert len(refused) < 10, refused
        show(tab, "/memory?p=shop")
        assert tab.locator("[data-statement]").count() >= 50
        hints = tab.locator("[data-hint]")
        assert hints.count() == 60
        for n in (0, 20, 40):
            hints.nth(n).get_by_role("button", name="versions").click()
        settled(tab)
        clean(tab, "memory")
        shapes = hints.evaluate_all("all => all.slice(1).filter(one => !one.querySelector('.times-list')).map(one => [...one.querySelectorAll('*')].map(part => part.tagName).join())")
        assert len(set(shapes)) == 1, set(shapes)
        for n in (0, 1, 14):
            tab.locator("[data-statement]").nth(n).get_by_role("button", name="Correct").click()
        clean(tab, "correct", "TEXTAREA")

        show(tab, "/failures?p=shop")
        rows = tab.locator("[data-failure]")
        assert rows.count() >= 30, rows.count()
        for n in range(6):
            rows.nth(n).get_by_role("button").first.click()
        settled(tab)
        clean(tab, "failures")

        show(tab, "/entries?path=known%3A%2F%2F**&p=shop")
        paths = tab.locator("[data-path*=hostile]")
        assert paths.count() >= 30, paths.count()
        for n in range(0, paths.count(), 5):
            paths.nth(n).click()
            settled(tab)
            clean(tab, f"entry {n}")
        for text in HOSTILE[:20]:
            show(tab, f"/entries?p=shop&path={requote(text)}&at={requote(text)}")
            clean(tab, text)
        show(tab, f"/entries?p={requote(HOSTILE[0])}&path={requote(HOSTILE[1])}")
        clean(tab, "project")
        show(tab, "/settings")
        expect(tab.locator("[data-key=exclude]")).to_contain_text(HOSTILE[0])
        clean(tab, "settings", "FIELDSET", "LEGEND")
        show(tab, "/doctor")
        clean(tab, "health")

    tell(story)


def test_the_system_pages_are_for_everybody():
    """Keys lead to them, axe finds nothing in two sizes and two themes, a reader is offered no change. @web_memory @web_failures @web_entries @web_health @web_settings @web_shell"""

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
        for size in (WIDE, NARROW):
            tab.set_viewport_size(size)
            for theme in ("light", "dark"):
                tab.emulate_media(color_scheme=theme, reduced_motion="reduce")
                for path, act in acts.items():
                    where = f"{path} {size['width']} {theme}"
                    show(tab, path)
                    act()
                    settled(tab)
                    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), where
                    assert tab.locator("h1").count() == 1, where
                    assert tab.locator("nav.tabs > *").count() <= 5
                    accessible(tab, where)

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
