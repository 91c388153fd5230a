"""What a person asks a model in the browser: the answer as it comes, questions, sources, cost, and runs of other clients."""

import contextlib
import threading

from browser import HOSTILE, MARKUP, TAGS, Agent, accessible, expect, for_everybody, host, looks, signed_in, tell
from model import scripted
from test_session import as_agent

QUESTION = "Which port does the router use?"
READS = '<get path="src/router.rs"/><update status="102">reading the router</update>'
EVIL = "<img src=x onerror=\"alert('run')\"><script>alert('run')</script>"


def done(text):
    return f'<update status="200">{text}</update>'


def shop(here, project="shop"):
    """A project in which an agent worked."""
    agent = Agent(here, f"in-{project}", project).start().prompt("look at the router").stop()
    (agent.cwd / "src").mkdir(exist_ok=True)
    (agent.cwd / "src/router.rs").write_text("pub const PORT: u16 = 8080;\n")
    return agent


def tell_asked(story, *options, path="/ask"):
    """A story with a project, a model and a tab that shows Ask."""

    def whole(here, chromium):
        agent = shop(here)
        with scripted(here) as model:
            story(here, signed_in(here, chromium, path, *options), model, agent.cwd)

    tell(whole)


def ask(tab, text):
    field = tab.get_by_role("textbox", name="Question")
    field.fill(text)
    field.press("Enter")


@contextlib.contextmanager
def held():
    """An event that holds an answer, and lets it go at the end in any case."""
    event = threading.Event()
    try:
        yield event
    finally:
        event.set()


def test_an_answer_comes_as_it_is_said():
    """A question is sent with Enter; steps, the growing answer, sources, tokens and state follow. @web_ask"""

    def story(here, tab, model, cwd):
        runs = tab.get_by_role("navigation", name="Runs")
        expect(runs).to_contain_text("No run yet")
        for key in "gt":
            tab.keyboard.press(key)
        expect(tab).to_have_title("Today · Nudge")
        for key in "ga":
            tab.keyboard.press(key)
        expect(tab).to_have_title("Ask · Nudge")
        expect(tab.get_by_label("Model")).to_have_value("local")
        expect(tab.get_by_label("Model")).to_contain_text("on this machine")
        with held() as first, held() as second:
            model.then(READS).then('<upd', 'ate status="200">It listens\n', first, "on 8080 ", second, "(src/router.rs).</up", "date>")
            field = tab.get_by_role("textbox", name="Question")
            field.fill(QUESTION)
            field.press("Shift+Enter")
            field.type("And why?")
            field.press("Enter")
            expect(tab).to_have_url(f"http://{host(here)}/ask/which-port-does-the?of=shop")
            talk = tab.get_by_role("log")
            expect(talk.locator(".you")).to_have_text(f"{QUESTION}\nAnd why?")
            expect(talk.locator(".answer")).to_have_text("It listens")
            expect(talk.locator(".turn-meta").last).to_contain_text("answering")
            expect(runs.locator("[aria-current]")).to_contain_text("running · local · shop · now")
            expect(tab.get_by_role("button", name="Stop")).to_be_visible()

            # What was said before the page was opened is there, and the rest follows.
            tab.reload()
            expect(talk.locator(".answer")).to_have_text("It listens")
            first.set()
            expect(talk.locator(".answer")).to_have_text("It listens\non 8080")
            second.set()
        expect(talk.locator(".answer")).to_have_text("It listens\non 8080 (src/router.rs).")
        expect(talk.locator(".answer")).to_have_css("white-space", "pre-wrap")
        steps = talk.locator(".steps li")
        expect(steps.nth(0)).to_contain_text("searched memory and files for the question")
        expect(steps.nth(1)).to_have_text("read src/router.rs")
        expect(steps.nth(2)).to_have_text("reading the router")
        expect(steps).to_have_count(3)
        source = tab.get_by_role("region", name="Based on").get_by_role("listitem").first
        expect(source).to_contain_text("src/router.rs")
        expect(source).to_contain_text("named in the answer")
        source.get_by_role("link").click()
        expect(tab.get_by_role("complementary", name="Applet text-editor")).to_contain_text("router.rs")
        tab.keyboard.press("Escape")
        expect(tab.get_by_role("complementary")).to_have_count(0)
        expect(tab).to_have_url(f"http://{host(here)}/ask/which-port-does-the?of=shop")
        expect(talk.locator(".turn-meta").last).to_have_text("2 turns · 5,812 tokens in, 122 out · no price known")
        expect(runs.locator("[aria-current]")).to_contain_text("done")
        expect(tab.get_by_role("button", name="Stop")).to_have_count(0)
        expect(tab).to_have_title(f"{QUESTION} And why? · Nudge")

        # Another prompt in the same run, and one that waits for it.
        with held() as third:
            model.then(third, done("In the same file.")).then(done("Nobody."))
            ask(tab, "And where is it tested?")
            expect(talk.locator(".you")).to_have_count(2)
            ask(tab, "Who changed it?")
            expect(talk.get_by_role("article").last).to_contain_text("It waits until the answer before it is there")
            third.set()
        expect(talk.locator(".answer")).to_have_text(["It listens\non 8080 (src/router.rs).", "In the same file.", "Nobody."])
        expect(talk.locator(".steps").first.get_by_role("listitem")).to_have_count(3)
        expect(tab.get_by_role("textbox", name="Question")).to_have_value("")
        assert "And where is it tested?" in str(model.asked[2])

        # What is relevant to the run's session is one line below the field; a new one has none.
        session = next(its["id"] for its in as_agent(here, "list_session_states", project="*")["sessions"] if its["agent"] == "nudge-run")
        here.nudge("focus", "add", "--session", session, str(cwd / "src/router.rs"), cwd=cwd)
        footer = tab.locator(".context-footer")
        expect(footer.get_by_role("link").first).to_have_text("router.rs")
        place, form = footer.bounding_box(), tab.locator("form.composer").bounding_box()
        assert place["y"] >= form["y"] + form["height"], (place, form)
        tab.set_viewport_size({"width": 1440, "height": 400})
        place = footer.bounding_box()
        assert tab.locator(".messages").evaluate("its => { its.scrollTop = 0; its.scrollTop = 60; return its.scrollTop; }") == 60
        assert footer.bounding_box() == place and abs(place["y"] + place["height"] - 400) <= 1, place
        runs.get_by_role("link", name="New").click()
        expect(footer).to_have_count(0)

    tell_asked(story)


def test_a_model_is_added_and_its_question_answered():
    """The page says what is missing to ask. A question of the model has answers to choose; own words and none work too. @web_ask"""

    def story(here, chromium):
        tab = signed_in(here, chromium, "/ask")
        expect(tab.get_by_role("heading", name="No project is known yet")).to_be_visible()
        shop(here)
        expect(tab.get_by_role("heading", name="No model is configured")).to_be_visible()
        expect(tab.locator(".fresh")).to_contain_text("nudge model add local")
        expect(tab.get_by_role("textbox", name="Question")).to_have_count(0)
        accessible(tab, "no model")
        with scripted(here) as model:
            tab.evaluate("dispatchEvent(new Event('focus'))")
            asked(tab, model)

    def asked(tab, model):
        model.then('<ask_user question="Which router is meant?">the old one;the new one</ask_user>').then(done("The new one has 8081."))
        ask(tab, QUESTION)
        question = tab.get_by_role("region", name="Which router is meant?")
        expect(question.get_by_role("button")).to_have_text(["the old one", "the new one", "I do not know"])
        runs = tab.get_by_role("navigation", name="Runs")
        expect(runs.locator("[aria-current]")).to_contain_text("waits for you")
        accessible(tab, "a question")
        question.get_by_role("button", name="the new one").click()
        expect(tab.locator(".answer")).to_have_text("The new one has 8081.")
        expect(tab.locator(".steps")).to_contain_text("asked “Which router is meant?” the new one")
        assert "The user answered: the new one" in str(model.asked[1])

        model.then('<ask_user question="Since when?"/>').then('<ask_user question="Who says so?"/>').then(done("Nobody says it."))
        ask(tab, "And before?")
        field = tab.get_by_role("textbox", name="Answer")
        field.fill("since <b>May</b>")
        field.press("Enter")
        tab.get_by_role("region", name="Who says so?").get_by_role("button", name="I do not know").click()
        expect(tab.locator(".answer").last).to_have_text("Nobody says it.")
        assert "The user answered: since <b>May</b>" in str(model.asked[3])

    tell(story)


def test_a_run_is_stopped_and_a_failure_says_what_to_do():
    """Stop ends a run and keeps what was said; a model that fails says why, with the next step, and is tried again. @web_ask"""

    def story(here, tab, model, _):
        with held() as hold:
            model.then('<update status="200">It lis', hold)
            ask(tab, QUESTION)
            expect(tab.locator(".answer")).to_have_text("It lis")
            tab.get_by_role("button", name="Stop").click()
            expect(tab.locator(".turn-meta").first).to_contain_text("stopped")
            expect(tab.locator(".answer")).to_have_text("It lis")
        model.then(done("It listens on 8080."))
        tab.get_by_role("button", name="Go on").click()
        expect(tab.locator(".answer")).to_have_text("It listens on 8080.")

        model.then(401).then(done("It is there."))
        ask(tab, "And now?")
        alert = tab.get_by_role("alert")
        expect(alert).to_contain_text("answered 401: the key is not known")
        expect(alert).to_contain_text("nudge model key openai")
        expect(tab.get_by_role("navigation", name="Runs")).to_contain_text("failed")
        accessible(tab, "a failure")
        tab.get_by_role("button", name="Try again").click()
        expect(tab.locator(".answer").last).to_have_text("It is there.")
        expect(alert).to_have_count(0)

        tab.goto(f"http://{host(here)}/ask/nothing?p=shop")
        expect(tab.get_by_role("alert")).to_contain_text("no run `nothing`")
        tab.get_by_role("link", name="All runs").click()
        expect(tab.get_by_role("heading", name="Ask your memory")).to_be_visible()

    tell_asked(story)


def test_changes_and_commands_are_decided():
    """A model that may act proposes: a change as its diff, a command with what keeps it in. Nothing happens before a click. @web_ask @run_proposals"""

    def story(here, tab, model, cwd):
        change = '<set path="src/router.rs"><<SEARCH 8080 SEARCH <<REPLACE 9090 REPLACE</set>'
        for call in (change, '<sh command="cat src/router.rs"/>', '<rm path="src/router.rs"/>'):
            model.then(f'{call}<update status="102">next</update>')
        tab.get_by_role("checkbox", name="May act").check()
        ask(tab, "use port 9090")
        waits = tab.locator(".waits")
        expect(waits).to_contain_text("set src/router.rs")
        expect(waits.locator(".diff")).to_contain_text("9090")
        accessible(tab, "a change that waits")
        file = cwd / "src/router.rs"
        assert "8080" in file.read_text()
        waits.get_by_role("button", name="Accept", exact=True).click()
        expect(waits).to_contain_text("Run this command?")
        assert "9090" in file.read_text()
        expect(waits).to_contain_text("cat src/router.rs")
        expect(waits).to_contain_text("in a sandbox")
        waits.get_by_role("button", name="Accept", exact=True).click()
        expect(waits).to_contain_text("rm src/router.rs")
        waits.get_by_role("button", name="Reject and stop").click()
        expect(waits).to_have_count(0)
        expect(tab.get_by_role("navigation", name="Runs")).to_contain_text("done")
        assert file.exists()

    tell_asked(story)


def test_a_run_of_another_client_is_followed():
    """A run that began in a terminal appears by itself, in any project, and is followed. A reader only reads. @web_ask @web_rights"""

    def story(here, tab, model, cwd):
        runs = tab.get_by_role("navigation", name="Runs")
        expect(runs).to_contain_text("No run yet")
        other = shop(here, "router").cwd
        for place, name in ((cwd, "mine"), (other, "theirs")):
            with held() as hold:
                model.then("It is ", hold, "8080.")
                here.nudge("ask", "--detach", "--run", name, QUESTION, cwd=place)
                row = runs.get_by_role("link").filter(has_text=f"· {place.name}")
                expect(row).to_contain_text("running")
                row.click()
                expect(tab.locator(".answer")).to_have_text("It is")
                hold.set()
                expect(tab.locator(".answer")).to_have_text("It is 8080.")
                expect(row).to_contain_text("done")
        here.nudge("run", "rename", "mine", "new", cwd=cwd)
        expect(runs.get_by_role("link").filter(has_text="shop")).to_have_attribute("href", "/ask/%6eew?of=shop")
        runs.get_by_role("link").filter(has_text="shop").click()
        expect(tab.locator(".turn-meta").first).to_contain_text("new · local · in shop")

        # Where a name is used once, the address needs no project.
        tab.goto(f"http://{host(here)}/ask/theirs")
        expect(tab).to_have_url(f"http://{host(here)}/ask/theirs?of=router")
        expect(tab.locator(".answer")).to_have_text("It is 8080.")
        expect(tab.get_by_role("textbox", name="Question")).to_have_count(0)
        expect(tab.get_by_role("button", name="Stop")).to_have_count(0)
        runs.get_by_role("link", name="New").click()
        expect(tab.locator(".fresh")).to_contain_text("This browser may only read")

    tell_asked(story, "--read-only")


def test_an_answer_runs_nothing_and_everyone_can_read_it():
    """100 texts of a model, a file or a question are only text; axe finds nothing in any look, and the button to ask is in reach. @web_ask @web_policy @web_shell"""

    def story(here, tab, model, cwd):
        every = "\n".join(HOSTILE)
        (cwd / "src/router.rs").write_text(f"// router {EVIL}\n{every}")
        model.then(f"<get path=\"src/router.rs\"/><think>{EVIL}</think><update status=\"102\">{EVIL}</update>")
        model.then(f'<ask_user question="Which {EVIL}">{EVIL};no</ask_user>').then(f"<b>Bold</b> {EVIL} (src/router.rs)\n{every}")
        ask(tab, f"What is the router? {EVIL}")
        tab.locator(".waits button").first.click()
        answer = tab.locator(".answer").last
        expect(answer).to_contain_text("<b>Bold</b>")
        expect(answer).to_contain_text("onerror=")
        for text in (MARKUP[0], MARKUP[-1], "-minus", "+plus"):
            expect(answer).to_contain_text(text)

        def only_text():
            assert tab.locator("main :is(img, script, iframe, form:not(.composer), input:not(.composer input), style, object, embed, video, table), main b:has(*)").count() == 0
            assert tab.evaluate("document.scripts.length") == 1

        only_text()
        # Each question is a row of the list, and the title of its run.
        for n, text in enumerate(["plain", *MARKUP[::6]]):
            model.then(done("It is so."))
            here.nudge("ask", "--run", f"r{n}", f"{text} ", cwd=cwd)
        runs = tab.get_by_role("navigation", name="Runs")
        rows = [runs.locator(f"a[href^='/ask/r{n}?']") for n in range(len(MARKUP[::6]) + 1)]
        for row in rows:
            expect(row).to_contain_text("done")
            assert row.evaluate(TAGS) == rows[0].evaluate(TAGS), row.inner_text()
        for row in rows[1::4]:
            row.click()
            expect(row).to_have_attribute("aria-current", "page")
            expect(tab.locator(".answer")).to_have_text("It is so.")
            only_text()
        for path in ("/ask/what-is-the-router?of=shop", "/ask"):
            tab.goto(f"http://{host(here)}{path}")
            expect(tab.get_by_label("Model") if path == "/ask" else answer).to_be_visible()
            expect(tab.locator("[aria-busy=true]")).to_have_count(0)
            for look in looks(tab):
                for_everybody(tab, f"{path}, {look}", "form.composer button.primary")

    tell_asked(story)
