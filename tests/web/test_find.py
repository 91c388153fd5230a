"""What a person finds, decides and checks in the browser: Search, Review, What agents got."""

import concurrent.futures
import datetime
import json
import os
import signal
import urllib.parse

from browser import HOSTILE, MARKUP, SHORT, TAGS, Agent, called, expect, for_everybody, host, looks, serve, signed_in, tell, wait_for

AN_AGENT = {"CLAUDECODE": "1"}

ERROR = "FAIL  test/checkout.test.ts\nError: connect ECONNREFUSED 127.0.0.1:5433\n    at afterConnect\n\nTests  3 failed"


class Person(Agent):
    """A person who types to Claude Code. It keeps a transcript, which proves who typed."""

    def __init__(self, here, session, project="shop"):
        super().__init__(here, session, project)
        self.transcript = here.home / f"{session}.jsonl"
        self.transcript.write_text("{}\n")

    def hook(self, event, **more):
        return super().hook(event, transcript_path=str(self.transcript), **more)

    def says(self, text):
        """Types a prompt; the agent ends its turn."""
        self.prompt(text)
        line = {
            "type": "user",
            "sessionId": self.session,
            "cwd": str(self.cwd),
            "version": "2.1.325",
            "isSidechain": False,
            "uuid": f"{self.session} {text}",
            "timestamp": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "message": {"role": "user", "content": text},
        }
        with self.transcript.open("a") as transcript:
            transcript.write(json.dumps(line) + "\n")
        return self.stop()


def project(here, name="shop"):
    """The directory of a project."""
    root = here.work / name
    (root / ".git").mkdir(parents=True, exist_ok=True)
    return root


def as_agent(here, *args):
    """A command that an agent runs in shop."""
    done = here.run(*args, cwd=project(here), env=AN_AGENT)
    assert done.returncode == 0, done
    return done.stdout


def stated(here):
    """The texts of the statements in force in shop that the person made or accepted, by id."""
    found = here.answer("knows", cwd=project(here))["statements"]
    return {one["id"]: one["text"] for one in found if one["origin"] in ("remembered", "accepted")}


def waiting(here):
    """The proposals that wait, by what they are about."""
    found = here.answer("review", cwd=project(here))["proposals"]
    return {one.get("path") or one.get("text") or f"{one['component']}/{one['key']}": one["id"] for one in found}


def settled(tab):
    """Everything that the page asked for is there."""
    expect(tab.locator("[aria-busy=true]")).to_have_count(0)


def texts(part):
    """The texts of elements, as they are."""
    return part.evaluate_all("all => all.map(one => one.textContent.trim())")


def stored(here, query, count):
    """Waits until so many entries are found: a hook of a busy machine leaves its event for later."""
    wait_for(lambda: len(here.answer("search", query, "--all", "--limit", "100")) >= count)


def worked(here):
    """A session that met an error and got past it, and one in another project."""
    one = Agent(here, "one").start().prompt("the checkout test fails one time in ten, make it stable")
    one.run("pnpm test checkout", ERROR, fails=True).run("docker compose up -d db", "Started")
    one.run("pnpm test checkout", "Tests  12 passed").edit("src/checkout.ts").stop("ECONNREFUSED came from the database.")
    Agent(here, "two", "router").start().prompt("why is ECONNREFUSED of 5433 hidden behind the proxy").stop()
    here.nudge("set", "database", "port", "5433", cwd=one.cwd)
    stored(here, "econnrefused", 3)


# Search


def test_a_search_shows_why_and_what_followed():
    """Words are marked; a hit says why it matched and what followed; beside it is all of it, and what is around. @web_search"""

    def story(here, chromium):
        worked(here)
        tab = signed_in(here, chromium, "/search?p=shop")
        tab.get_by_role("searchbox", name="Search memory").fill("econnrefused 5433")
        settled(tab)
        first = tab.locator(".hit").first
        expect(first).to_contain_text("failed command")
        expect(first.locator("code")).to_have_text("pnpm test checkout")
        assert texts(first.locator("mark")) == ["ECONNREFUSED", "5433"]
        expect(first).to_contain_text("matches econnrefused, 5433")
        expect(first.locator(".followed")).to_contain_text("docker compose up -d db")
        assert "tokens" in first.locator(".why").inner_text()
        entry = tab.get_by_role("complementary", name="Entry")
        expect(entry.get_by_label("output")).to_contain_text("at afterConnect")
        assert texts(entry.get_by_label("output").locator("mark")) == ["ECONNREFUSED", "5433"]
        around = entry.locator(".around li")
        expect(around).to_have_count(7)
        expect(around.nth(1)).to_contain_text("make it stable")
        expect(entry.locator(".around .this")).to_contain_text("pnpm test checkout failed")
        expect(entry.locator(".around")).to_contain_text("edited checkout.ts")
        expect(entry.get_by_role("link", name="Open the session")).to_have_attribute("href", "/s/one?p=shop")
        entry.get_by_role("link", name="Did agents get it?").click()
        expect(tab.locator("h1")).to_contain_text("Did agents get #")
        expect(tab.locator(".effect")).to_contain_text("single steps are not injected")

    tell(story)


def test_a_search_says_what_else_there_is():
    """Rows with some of the words, other projects, a better spelling, a syntax error with its place. @web_search"""

    def story(here, chromium):
        worked(here)
        tab = signed_in(here, chromium, "/search?q=econnrefused+5433&p=shop")
        field = tab.get_by_role("searchbox", name="Search memory")
        settled(tab)
        expect(tab.locator(".divider")).to_have_text("Only some of the words")
        before, after = tab.locator("li:has(.divider) ~ li, li:has(.divider)"), tab.locator("li:not(:has(.divider)):not(li:has(.divider) ~ li) > .hit")
        expect(after).to_have_count(1)
        assert before.count() >= 1

        expect(tab.locator(".note")).to_contain_text("One match in other projects is not shown.")
        tab.get_by_role("link", name="Search all projects").click()
        settled(tab)
        assert tab.url.endswith("/search?q=econnrefused+5433"), tab.url
        expect(tab.locator(".hits")).to_contain_text("hidden behind the proxy")
        expect(tab.locator(".hits")).to_contain_text("5433")
        expect(tab.locator(".note")).to_have_count(0)

        field.fill("econrefused")
        expect(tab.locator(".empty h2")).to_have_text("Nothing has “econrefused”")
        tab.get_by_role("link", name="econnrefused", exact=True).click()
        expect(field).to_have_value("econnrefused")
        expect(tab.locator(".hit").first).to_be_visible()

        field.fill('ok "wait')
        expect(tab.locator("main .fault")).to_contain_text("unclosed quote at character 4")
        assert tab.locator(".unread").text_content() == 'ok "wait'
        expect(tab.locator(".unread mark")).to_have_text('"')

        field.fill("docker compse")
        expect(tab.locator(".divider")).to_contain_text("Nothing has all the words")
        expect(tab.locator(".meant")).to_contain_text("docker compose")

        field.fill("")
        expect(tab.locator(".empty h2")).to_have_text("Search everything your agents did")
        tab.locator(".examples a").first.click()
        expect(field).to_have_value("router timeout")

        tab.goto(f"http://{host(here)}/search?q=econnrefused&type=file_edit&p=shop")
        expect(tab.locator(".empty h2")).to_contain_text("of this kind")
        tab.get_by_role("link", name="Search every kind").click()
        expect(tab.get_by_role("button", name="Any kind")).to_have_attribute("aria-pressed", "true")
        expect(tab.locator(".hit").first).to_be_visible()
        tab.get_by_role("button", name="Failed commands").click()
        settled(tab)
        expect(tab.locator(".hit .kind")).to_have_text(["failed command"])
        assert "type=command_error" in tab.url, tab.url

    tell(story)


def test_back_keeps_a_search():
    """Typing leaves no steps, Enter does; `/` is everywhere; going back has the query, the row and the place. @web_search @web_shell"""

    def story(here, chromium):
        total = 34
        with concurrent.futures.ThreadPoolExecutor(4) as hooks:
            prompts = [hooks.submit(Agent(here, f"s{n:02}").prompt, f"round the tax of cart number {n}") for n in range(total)]
            [done.result() for done in prompts]
        stored(here, "round tax", total)
        tab = signed_in(here, chromium, "/sessions")
        tab.keyboard.press("/")
        tab.keyboard.type("round tax")
        tab.keyboard.press("Enter")
        expect(tab.locator(".hit")).to_have_count(total)
        assert tab.url.endswith("/search?q=round+tax"), tab.url
        tab.keyboard.press("Escape")
        tab.keyboard.press("/")
        field = tab.get_by_role("searchbox", name="Search memory")
        expect(field).to_be_focused()
        steps = tab.evaluate("history.length")
        tab.keyboard.press("End")
        field.press_sequentially(" of", delay=400)
        expect(tab).to_have_url(f"http://{host(here)}/search?q=round+tax+of")
        assert tab.evaluate("history.length") == steps
        field.fill("round tax cart")
        tab.keyboard.press("Enter")
        expect(tab).to_have_url(f"http://{host(here)}/search?q=round+tax+cart")
        assert tab.evaluate("history.length") == steps + 1
        settled(tab)

        tab.keyboard.press("Escape")
        for _ in range(20):
            tab.keyboard.press("j")
        row = tab.locator(".hit").nth(20)
        expect(row).to_be_focused()
        expect(row).to_have_attribute("aria-pressed", "true")
        chosen = row.get_attribute("data-hit")
        settled(tab)
        place = wait_for(lambda: tab.evaluate("document.getElementById('main').scrollTop"))
        wait_for(lambda: tab.evaluate("history.state?.top") == place)
        tab.keyboard.press("Enter")
        wait_for(lambda: "/s/s" in tab.url)
        tab.go_back()
        expect(tab.locator(f"[data-hit='{chosen}']")).to_have_attribute("aria-pressed", "true")
        expect(field).to_have_value("round tax cart")
        wait_for(lambda: tab.evaluate("document.getElementById('main').scrollTop") == place)
        tab.reload()
        expect(tab.locator(f"[data-hit='{chosen}']")).to_have_attribute("aria-pressed", "true")
        tab.get_by_label("Project").select_option("shop")
        expect(field).to_have_value("round tax cart")
        assert tab.url.endswith("/search?q=round+tax+cart&p=shop"), tab.url

    tell(story)


# Review


def test_review_by_keys():
    """Accept, drop and move without a mouse; a file asks for Enter first; the rail counts what waits. @web_review"""

    def story(here, chromium):
        shop = project(here)
        here.nudge("set", "shop", "test", "pnpm test", cwd=shop)
        (shop / "money.md").write_text("# Money\n\nTax is rounded on every line.\nA voucher is rounded like tax.\n")
        tab = signed_in(here, chromium)
        expect(tab.locator("nav.rail .count")).to_have_count(0)
        as_agent(here, "set", "shop", "test", "pnpm test --run", "--reason", "watch mode never ends")
        as_agent(here, "entry", "set", "money.md", "# Money\n\nTax is rounded on every line.\nA voucher is rounded once.\n")
        Person(here, "said").start().says("Fix the total. Never amend commits in this repo.")
        expect(tab.locator("nav.rail .count")).to_contain_text("3")
        tab.keyboard.press("g")
        tab.keyboard.press("r")
        expect(tab.locator("h1")).to_have_text("Review")
        rows = tab.locator("[data-proposal]")
        expect(rows).to_have_count(3)
        expect(tab.locator(".card h2")).to_have_text("Remember “Never amend commits in this repo.”")
        expect(tab.locator(".said")).to_contain_text("Fix the total. Never amend commits in this repo.")
        expect(tab.locator(".said")).to_contain_text("today")
        expect(tab.locator(".effect")).to_contain_text("Every new session in shop gets this line")
        tab.keyboard.press("j")
        expect(tab.locator(".card h2")).to_have_text("Change money.md")
        tab.keyboard.press("j")
        expect(tab.locator(".card h2")).to_have_text("Set shop/test")
        expect(tab.locator(".card")).to_contain_text("The agent’s reason: Watch mode never ends.")
        expect(tab.locator(".card")).to_contain_text("Now stated by you, in shop.")
        assert texts(tab.locator(".diff .del .code, .diff .add .code")) == ["pnpm test", "pnpm test --run"]
        assert texts(tab.locator(".diff b")) == ["--run"]
        tab.keyboard.press("a")
        expect(tab.locator(".toast")).to_contain_text("Accepted: shop/test")
        assert here.nudge("get", "shop", "test", "--value", cwd=shop).strip() == "pnpm test --run"
        expect(rows).to_have_count(2)

        expect(tab.locator(".card h2")).to_have_text("Change money.md")
        expect(tab.locator(".diff .del")).to_contain_text("A voucher is rounded like tax.")
        expect(tab.locator(".diff .add")).to_contain_text("A voucher is rounded once.")
        assert texts(tab.locator(".diff b")) == ["like tax", "once"]
        tab.keyboard.press("a")
        sure = tab.get_by_role("button", name="Change the file")
        expect(sure).to_be_focused()
        assert "like tax" in (shop / "money.md").read_text()
        tab.keyboard.press("Escape")
        expect(sure).to_have_count(0)
        tab.keyboard.press("a")
        expect(sure).to_be_focused()
        tab.keyboard.press("Enter")
        expect(rows).to_have_count(1)
        assert "rounded once" in (shop / "money.md").read_text()

        tab.keyboard.press("d")
        expect(tab.locator("h1")).to_have_text("Nothing waits for you")
        expect(tab.locator("nav.rail .count")).to_have_count(0)
        assert waiting(here) == {} and stated(here) == {}

    tell(story)


def test_a_contradiction_other_words_and_undo():
    """What it contradicts is shown and ends; other words are accepted; `u` and Undo take a decision back. @web_review"""

    def story(here, chromium):
        shop = project(here)
        here.nudge("remember", "run the e2e tests", cwd=shop)
        old = next(iter(stated(here)))
        here.nudge("set", "shop", "test", "pnpm test", cwd=shop)
        as_agent(here, "set", "shop", "test", "pnpm test --run")
        Person(here, "first").start().says("Prices are shown in cents. Never amend commits in this repo.")
        Person(here, "second").start().says("never run the e2e tests")
        wait_for(lambda: len(waiting(here)) == 3)
        tab = signed_in(here, chromium, "/review")
        rows = tab.locator("[data-proposal]")
        rows.filter(has_text="never run").click()
        expect(tab.locator(".card h2")).to_have_text("Remember “never run the e2e tests”")
        expect(tab.locator(".card .struck")).to_have_text("run the e2e tests")
        expect(tab.locator(".effect")).to_contain_text(f"ends: #{old}")
        tab.keyboard.press("a")
        expect(tab.locator(".toast")).to_contain_text(f"It takes the place of #{old}")
        assert list(stated(here).values()) == ["never run the e2e tests"]
        tab.keyboard.press("u")
        expect(tab.locator(".toast")).to_contain_text(f"#{old} is in force again")
        assert stated(here) == {old: "run the e2e tests"}

        row = rows.filter(has_text="Never amend commits")
        row.click()
        tab.keyboard.press("e")
        field = tab.get_by_label("In your words")
        expect(field).to_be_focused()
        expect(field).to_have_value("Never amend commits in this repo.")
        field.fill("Make new commits, also for typos.")
        tab.keyboard.press("Enter")
        expect(tab.locator(".toast")).to_contain_text("Accepted: Make new commits, also for typos.")
        assert "Make new commits, also for typos." in stated(here).values()
        expect(row).to_have_count(0)
        tab.get_by_role("button", name="Undo").click()
        expect(tab.locator(".toast")).to_contain_text("It waits for you again.")
        assert stated(here) == {old: "run the e2e tests"}
        expect(row).to_have_count(1)
        row.click()
        tab.keyboard.press("d")
        expect(tab.locator(".toast")).to_contain_text("Dropped: Never amend commits")
        expect(row).to_have_count(0)
        tab.keyboard.press("u")
        expect(row).to_have_count(1)
        assert "Never amend commits in this repo." in waiting(here)

        rows.filter(has_text="shop/test").click()
        tab.keyboard.press("a")
        expect(tab.locator(".toast")).to_contain_text("Accepted: shop/test")
        tab.keyboard.press("u")
        expect(tab.locator(".toast")).to_contain_text("is as before")
        assert here.nudge("get", "shop", "test", "--value", cwd=shop).strip() == "pnpm test"

    tell(story)


def test_a_proposal_that_is_decided_elsewhere():
    """It is gone without a reload, a key meant for it reaches no other, and deciding it says that it was decided. @web_review"""

    def story(here, chromium):
        shop = project(here)
        for key in ("build", "test", "lint", "run"):
            here.nudge("set", "shop", key, "old", cwd=shop)
            as_agent(here, "set", "shop", key, "new")
        ids = waiting(here)
        tab = signed_in(here, chromium, "/review")
        rows = tab.locator("[data-proposal]")
        expect(rows).to_have_count(4)
        expect(tab.locator(".card h2")).to_have_text("Set shop/run")
        here.nudge("review", "drop", str(ids["shop/build"]), cwd=shop)
        expect(rows).to_have_count(3)
        here.nudge("review", "accept", str(ids["shop/run"]), cwd=shop)
        expect(rows).to_have_count(2)
        expect(tab.locator(".card h2")).to_have_text("Set shop/run")
        expect(tab.locator(".card .fault")).to_have_text("This proposal was decided elsewhere.")
        tab.keyboard.press("a")
        expect(tab.locator(".toast")).to_contain_text(f"Proposal {ids['shop/run']} was decided elsewhere.")
        assert set(waiting(here)) == {"shop/lint", "shop/test"}
        tab.keyboard.press("j")
        expect(tab.locator(".card h2")).to_have_text("Set shop/lint")

        # A tab that hears nothing of it.
        deaf = chromium.tab()
        deaf.route_web_socket("**/ws", lambda _: None)
        deaf.goto(f"http://{host(here)}/review")
        expect(deaf.locator(".card h2")).to_have_text("Set shop/lint")
        here.nudge("review", "drop", str(ids["shop/lint"]), cwd=shop)
        deaf.keyboard.press("a")
        expect(deaf.locator("main").get_by_role("alert")).to_contain_text("already dropped")
        expect(deaf.locator("[data-proposal]")).to_have_count(1)
        assert here.nudge("get", "shop", "lint", "--value", cwd=shop).strip() == "old"
        deaf.close()

    tell(story)


def test_review_is_capped():
    """600 proposals are listed, with how many more there are; they come up as one decides. @web_review"""

    def story(here, chromium):
        as_agent(here, "remember", "Prices are in cents")
        here.nudge("set", "shop", "test", "old", cwd=project(here))
        as_agent(here, "set", "shop", "test", "new")
        signed_in(here, chromium).close()
        tab = chromium.tab()

        def many(route):
            answer = route.fetch()
            if route.request.post_data_json["method"] != "list_proposals":
                return route.fulfill(response=answer)
            told = answer.json()
            [one] = told["result"]["proposals"]
            told["result"]["proposals"] = [one | {"id": n, "key": f"k{n}"} for n in range(1, 613)]
            return route.fulfill(response=answer, json=told)

        tab.route("**/rpc", many)
        tab.goto(f"http://{host(here)}/review")
        expect(tab.locator("[data-proposal]")).to_have_count(600)
        expect(tab.locator("main")).to_contain_text("And 12 more.")
        expect(tab.locator("nav.rail .count")).to_contain_text("612")

    tell(story)


def test_a_file_that_changed_since():
    """Its proposal is not carried out, and is shown again with the difference to the file as it is. @web_review"""

    def story(here, chromium):
        file = project(here) / "money.md"
        file.write_text("Tax is rounded.\nA voucher is rounded like tax.\n")
        as_agent(here, "entry", "set", "money.md", "Tax is rounded.\nA voucher is rounded once.\n")
        tab = signed_in(here, chromium, "/review")
        assert texts(tab.locator(".diff .del .code")) == ["A voucher is rounded like tax."]
        file.write_text("Tax is never rounded.\nA voucher is rounded like tax.\n")
        tab.keyboard.press("a")
        tab.keyboard.press("Enter")
        expect(tab.locator("main").get_by_role("alert")).to_contain_text("money.md has changed since the proposal was made")
        expect(tab.locator(".diff .del")).to_have_count(2)
        expect(tab.locator(".diff .del").first).to_contain_text("Tax is never rounded.")
        assert "never rounded" in file.read_text()
        expect(tab.locator("[data-proposal]")).to_have_count(1)

    tell(story)


# What agents got


def ledger(tab):
    """The lines of the injection that is shown: id, tokens, text, why, whether it was used."""
    return tab.locator("[data-line]").evaluate_all(
        """rows => rows.map(row => [Number(row.dataset.line), Number(row.querySelector('.num').textContent), row.querySelector('.what').textContent,
            row.querySelector('.because').textContent, row.querySelector('.used .good') !== null])"""
    )


def lines(injection):
    """The same, as `nudge why --json` says it, in the words of the page."""
    return [[one["id"], one["tokens"], worded(one["what"]), worded(one["why"]), bool(one.get("used_at"))] for one in injection["injected"]]


def worded(text):
    """What the page says for the name of a kind, and for the user."""
    for name, words in {"command_error ": "failed command: ", "conclusion ": "conclusion: ", "file_edit ": "edit: ", "git_commit ": "commit: "}.items():
        if text.startswith(name):
            text = text.replace(name, words, 1)
    return text.replace("the user", "you")


def given(here):
    """A project with rules and work, and a session that got something of it."""
    shop = project(here)
    here.nudge("remember", "Prices are integers in cents.", cwd=shop)
    here.nudge("remember", "we use pnpm, never npm", cwd=shop)
    here.nudge("set", "shop", "test", "pnpm test checkout", cwd=shop)
    worked(here)
    Agent(here, "three").start()
    wait_for(lambda: here.answer("why", cwd=shop)["injection"]["session"] == "three")
    return shop


def test_what_agents_got_is_what_why_says():
    """The page has the lines of `nudge why`, with tokens, reasons and use, what was left out, and the days. @web_got"""

    def story(here, chromium):
        shop = given(here)
        tab = signed_in(here, chromium, "/got?p=shop")
        settled(tab)
        why = here.answer("why", cwd=shop)["injection"]
        assert len(why["injected"]) >= 3, why
        assert ledger(tab) == lines(why)
        expect(tab.locator(".card h2")).to_contain_text(f"Session start: {why['lines']} lines, {why['tokens']} tokens")
        frame = why["tokens"] - sum(one["tokens"] for one in why["injected"])
        expect(tab.locator(".frame .num")).to_have_text(str(frame))
        usage = here.answer("usage", cwd=shop)
        expect(tab.locator(".summary")).to_contain_text(f"{usage['total']['tokens']:,} tokens")
        chart = f"Tokens a day: {usage['total']['tokens']:,} given in 14 days, {usage['total']['used_tokens']:,} in lines that were used"
        expect(tab.locator("figure.chart svg")).to_have_attribute("aria-label", chart)

        Agent(here, "three").prompt("wait for the clock").edit("src/checkout.ts").stop()
        expect(tab.locator(".used .good").first).to_be_visible()
        assert ledger(tab) == lines(here.answer("why", cwd=shop)["injection"])

        before = tab.locator("[data-row]").count()
        Agent(here, "four").start()
        expect(tab.locator("[data-row]")).to_have_count(before + 1)
        assert [one[0] for one in ledger(tab)] == [one[0] for one in lines(here.answer("why", cwd=shop)["injection"])]

        line = tab.locator("[data-line]").first
        line.locator(".line-text a").click()
        expect(tab.locator("h1")).to_contain_text("Did agents get #")
        expect(tab.locator(".effect")).to_contain_text("a session that starts in shop now gets it", ignore_case=True)
        expect(tab.locator(".times-list li")).not_to_have_count(0)

    tell(story)


def test_what_was_left_out_is_said():
    """Where there is no room for everything, each line that was left out has its reason and its tokens. @web_got"""

    def story(here, chromium):
        config = here.home / ".config/nudge"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.toml").write_text("[inject]\nstart_tokens = 300\n")
        for n in range(14):
            here.nudge("remember", f"Module m{n} is written by the generator and is never edited by hand", cwd=project(here))
        shop = given(here)
        why = here.answer("why", cwd=shop)["injection"]
        assert len(why["left_out"]) >= 5, why
        tab = signed_in(here, chromium, "/got?p=shop")
        settled(tab)
        tab.locator(".left-out summary").click()
        shown = tab.locator(".left li").evaluate_all("all => all.map(one => [one.querySelector('.what').textContent, one.lastElementChild.textContent])")
        tokens = lambda one: f" · {one['tokens']} token{'s' if one['tokens'] != 1 else ''}" if one["tokens"] else ""
        assert shown == [[worded(one["what"]), worded(one["why"]) + tokens(one)] for one in why["left_out"]]

    tell(story)


def test_stop_showing_holds():
    """A line that is stopped is not given to the next session; Undo and "Show again" bring it back. @web_got"""

    def story(here, chromium):
        shop = given(here)
        tab = signed_in(here, chromium, "/got?p=shop")
        line = tab.locator("[data-line]").filter(has_text="Prices are integers in cents.")
        line.get_by_role("button", name="Stop showing").click()
        expect(tab.locator(".toast")).to_contain_text("Sessions in shop no longer get")
        expect(line).to_have_class("off")
        assert "Prices are integers" not in here.nudge("context", cwd=shop)
        Agent(here, "next").start()
        assert "Prices are integers in cents." not in [one[2] for one in lines(here.answer("why", cwd=shop)["injection"])]

        tab.get_by_role("button", name="Undo").click()
        expect(tab.locator(".toast")).to_contain_text("may get")
        assert "Prices are integers" in here.nudge("context", cwd=shop)
        rows = tab.locator("[data-row]")
        tab.keyboard.press("Escape")
        rows.last.click()
        settled(tab)
        rows.nth(1).click()
        line.get_by_role("button", name="Stop showing").click()
        expect(line).to_have_class("off")
        tab.reload()
        settled(tab)
        tab.locator("[data-row]").nth(1).click()
        line.get_by_role("button", name="Show again").click()
        expect(line).not_to_have_class("off")
        assert "Prices are integers" in here.nudge("context", cwd=shop)

    tell(story)


def test_a_prompt_says_what_decided():
    """What came with a prompt has the chance that it helps, the least one, and what it rests on. @web_got"""

    def story(here, chromium):
        shop = project(here)

        def work(session, request, name, command):
            return Agent(here, session).prompt(request).edit(f"src/{name}").run(command, "assertion failed", fails=True)

        # What is rare can only be told from what is usual.
        with concurrent.futures.ThreadPoolExecutor(4) as hooks:
            [done.result() for done in [hooks.submit(work, f"s{n}", f"see to matter_{n}", f"m{n}.rs", "make") for n in range(40)]]
        asked = "the wombat dialect of the greeter drops its trailing vowel when the quokka parser meets an umlaut"
        work("old", asked, "wombat.rs", "make wombat").stop("`fold_marks` in letters.rs took the sign for two; it now takes it for one.")
        again = "why does the quokka parser drop the trailing vowel of the wombat dialect, was that not mended in the greeter before"
        Agent(here, "new").prompt(again)
        found = here.answer("why", cwd=shop)["injection"]
        assert found["cause"] == "prompt" and found["decision"]["speaks"], found
        tab = signed_in(here, chromium, "/got?p=shop")
        decision = tab.locator(".decision")
        expect(decision).to_contain_text(f"Chance to help: {found['decision']['score']:.2f}, at least {found['decision']['least']:.2f} needed.")
        decision.locator("summary").click()
        expect(decision.locator(".share-bar")).to_have_count(len(found["decision"]["features"]))

    tell(story)


# All three


def test_a_browser_that_reads_only_decides_nothing():
    """`nudge ui --read-only` shows proposals and lines, and no button or key that changes them. @web_rights @web_review @web_got"""

    def story(here, chromium):
        shop = given(here)
        as_agent(here, "set", "shop", "test", "pnpm test --run")
        tab = signed_in(here, chromium, "/review?p=shop", "--read-only")
        expect(tab.locator(".card h2")).to_have_text("Set shop/test")
        for name in ("Accept", "Drop", "Reword"):
            expect(tab.get_by_role("button", name=name)).to_have_count(0)
        for key in "ad":
            tab.keyboard.press(key)
        tab.goto(f"http://{host(here)}/got?p=shop")
        expect(tab.locator("[data-line]").first).to_be_visible()
        expect(tab.get_by_role("button", name="Stop showing")).to_have_count(0)
        assert waiting(here) and here.nudge("get", "shop", "test", "--value", cwd=shop).strip() == "pnpm test checkout"

    tell(story)


# Elements that the three pages are made of.
PARTS = """A ARTICLE ASIDE B BLOCKQUOTE BUTTON CAPTION CIRCLE CODE DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER FORM G H1 H2 H3 HEADER INPUT KBD
    LABEL LI LINE MARK OL OPTION P PATH PRE RECT SECTION SELECT SPAN SUMMARY SVG TABLE TBODY TD TH THEAD TIME TITLE TR UL""".split()


def clean(tab, where, *more):
    """No element and no attribute came from a text."""
    found = tab.evaluate(
        """parts => [...document.querySelectorAll('main *, header.top *, .toast *')].flatMap(one => [
            ...(parts.includes(one.tagName.toUpperCase()) ? [] : [one.outerHTML]),
            ...[...one.attributes].filter(a => /^on|^style$|^src/.test(a.name)).map(a => one.tagName + ' ' + a.name),
            ...(one.href && new URL(one.href).origin !== location.origin ? [one.href] : []),
        ])""",
        [*PARTS, *more],
    )
    assert found == [], (where, found[:3])


def test_a_hundred_hostile_texts():
    """In every field of the three pages they are shown as texts: nothing runs, and no element is added. @web_policy @web_search @web_review @web_got"""

    def story(here, chromium):
        shop = project(here)
        here.nudge("remember", "needle plain", cwd=shop)

        def one(n, text):
            # Each kind of text has the word that is searched for.
            file = text.replace("/", "_").replace("\n", " ")[:120]
            agent = Agent(here, f"h{n}").start().prompt(f"needle {text}").edit(f"needle {file}.md")
            agent.run(f"needle {text}", f"needle error {text}", fails=True).run(f"git commit -m 'needle {text}'", "[main 1a2b3c4] done").stop(f"needle {text}")
            branch = ["--scope-branch", text] if n % 2 else []
            here.run("set", "needle", f"k{n}", f"old {text}", *branch, cwd=shop)
            here.run("set", "needle", f"k{n}", f"new {text}", "--reason", f"because {text}", *branch, cwd=shop, env=AN_AGENT)

        with concurrent.futures.ThreadPoolExecutor(4) as hooks:
            [done.result() for done in [hooks.submit(one, n, text) for n, text in enumerate(["plain", "plain", *HOSTILE])]]
        tab = signed_in(here, chromium)
        for n, text in enumerate(HOSTILE):
            called(tab, "remember", text=f"needle {n} {text}", project="shop")
        (shop / "page.md").write_text("\n".join(HOSTILE[:30]) + "\n")
        as_agent(here, "entry", "set", "page.md", "\n".join(HOSTILE[30:]) + "\n")
        Person(here, "said").start().says(f"Never show {HOSTILE[1]} in this repo.")

        stored(here, "needle", 90)
        wait_for(lambda: len(waiting(here)) >= 90)
        tab.goto(f"http://{host(here)}/search?q=needle")
        settled(tab)
        while tab.get_by_role("button", name="Show more").count():
            before = tab.locator(".hit").count()
            tab.get_by_role("button", name="Show more").click()
            wait_for(lambda: tab.locator(".hit").count() > before or not tab.get_by_role("button", name="Show more").count())
        assert tab.locator(".hit").count() >= 180, tab.locator(".hit").count()
        clean(tab, "search")
        kinds = set(texts(tab.locator(".hit .kind")))
        assert {"prompt", "failed command", "commit", "statement", "hint"} <= kinds, kinds
        for kind in kinds:
            tab.locator(".hit").filter(has=tab.locator(".kind", has_text=kind)).first.click()
            settled(tab)
            clean(tab, kind)
        field = tab.get_by_role("searchbox", name="Search memory")
        for text in HOSTILE[::4]:
            tab.goto(f"http://{host(here)}/search?q={requote(text)}&file={requote(text)}&since={requote(text)}")
            settled(tab)
            clean(tab, text)
        field.fill(HOSTILE[0])
        tab.keyboard.press("Enter")
        settled(tab)
        clean(tab, "typed")

        tab.goto(f"http://{host(here)}/review")
        rows = tab.locator("[data-proposal]")
        expect(rows.first).to_be_visible()
        total = rows.count()
        assert total >= 90, total
        # A row of one kind has the elements of the plain one, and so has its card. Those of many lines have more lines.
        hints = rows.filter(has_text="needle/k")
        assert len(set(hints.evaluate_all(f"all => all.map({TAGS})"))) == 1
        card = "card => [...card.querySelectorAll(':not(.diff b)')].map(one => one.tagName).join()"
        shapes = {}
        for n in range(total):
            rows.nth(n).click()
            clean(tab, f"proposal {n}")
            title = tab.locator(".card h2").inner_text()
            if title.startswith("Set needle"):
                shapes[int(title.split("/k")[1])] = tab.locator(".card").evaluate(card)
        assert len(shapes) >= 90
        for n, shape in shapes.items():
            assert shape == shapes[n % 2] or HOSTILE[n - 2] not in SHORT, (n, HOSTILE[n - 2], shape, shapes[n % 2])
        expect(rows.filter(has_text="page.md")).to_have_count(1)

        tab.goto(f"http://{host(here)}/got")
        settled(tab)
        injections = tab.locator("[data-row]")
        for n in range(min(12, injections.count())):
            injections.nth(n).click()
            clean(tab, f"injection {n}")
        tab.locator("[data-line] .line-text a").first.click()
        settled(tab)
        clean(tab, "entry")
        tab.goto(f"http://{host(here)}/got?id={requote(HOSTILE[0])}&p={requote(HOSTILE[1])}")
        expect(tab.locator("h1")).to_be_visible()
        clean(tab, "got")

    tell(story)


def requote(text):
    """A text as part of an address."""
    return urllib.parse.quote(text, safe="")


def test_the_finding_pages_are_for_everybody():
    """axe finds nothing in any look, empty and filled; nothing moves or is too wide; the first button is in reach. @web_search @web_review @web_got @web_shell"""

    def story(here, chromium):
        tab = signed_in(here, chromium)

        def look(pages, name):
            for its in looks(tab):
                for path, act, main in pages:
                    where = f"{name} {path} {its}"
                    tab.goto(f"http://{host(here)}{path}")
                    expect(tab.locator("h1")).to_be_attached()
                    settled(tab)
                    if act:
                        act()
                        settled(tab)
                    assert tab.locator("nav.tabs > *").count() <= 5
                    for_everybody(tab, where, main)

        look([("/search", None, "main input"), ("/search?q=nothing", None, "main input"), ("/review", None, None), ("/got", None, None)], "empty")
        shop = given(here)
        (shop / "money.md").write_text("Tax is rounded.\nA voucher is rounded like tax.\n")
        as_agent(here, "entry", "set", "money.md", "Tax is rounded.\nA voucher is rounded once.\n")
        as_agent(here, "set", "shop", "test", "pnpm test --run", "--reason", "watch mode never ends")
        here.nudge("remember", "run the e2e tests", cwd=shop)
        Person(here, "said").start().says("never run the e2e tests")
        wait_for(lambda: len(waiting(here)) == 3)
        choose = lambda text: lambda: tab.locator("[data-proposal]").filter(has_text=text).click()
        look(
            [
                ("/search?q=econnrefused+5433&p=shop", lambda: tab.locator(".hit").first.click(), ".hit"),
                ("/search?q=%22wait", None, "main input"),
                ("/review", None, ".decide .primary"),
                ("/review?p=shop", choose("money.md"), ".decide .primary"),
                ("/review", choose("shop/test"), ".decide .primary"),
                ("/review?p=shop", lambda: (choose("never run")(), tab.get_by_role("button", name="Reword").click()), ".reword .primary"),
                ("/got?p=shop", None, "[data-line] button"),
                ("/got?id=1&p=shop", None, "main .crumbs a"),
            ],
            "filled",
        )

    tell(story)


def test_the_pages_are_current_after_a_crash():
    """What was decided while the server was gone is shown when it is back. @web_review @web_live"""

    def story(here, chromium):
        shop = project(here)
        here.nudge("set", "shop", "test", "old", cwd=shop)
        as_agent(here, "set", "shop", "test", "new")
        tab = signed_in(here, chromium, "/review")
        expect(tab.locator("[data-proposal]")).to_have_count(1)
        os.kill(here.status()["pid"], signal.SIGKILL)
        expect(tab.locator(".stale")).to_contain_text("does not answer")
        tab.keyboard.press("a")
        expect(tab.locator("main").get_by_role("alert").last).to_contain_text("the server does not answer")
        here.nudge("review", "drop", str(waiting(here)["shop/test"]), cwd=shop)
        serve(here)
        expect(tab.locator(".stale")).to_have_count(0)
        expect(tab.locator(".card .fault").last).to_have_text("This proposal was decided elsewhere.")

    tell(story)
