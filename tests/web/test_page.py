"""What a person sees in the browser: signing in, the shell, Today and Sessions."""

import concurrent.futures
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

from browser import (
    HOSTILE,
    MARKUP,
    NARROW,
    SHORT,
    TAGS,
    WIDE,
    Agent,
    NotPlayed,
    accessible,
    another,
    called,
    expect,
    for_everybody,
    host,
    link,
    looks,
    machine,
    serve,
    signed_in,
    tell,
    wait_for,
)


def test_the_link_signs_in_once():
    """The link works once, leaves no trace in the address, and a restart signs nobody out. @web_sign_in @web_command"""

    def story(here, chromium):
        opened = link(here)
        tab = chromium.tab()
        tab.goto(opened)
        expect(tab.locator("h1")).to_be_visible()
        expect(tab.locator("nav.rail")).to_be_visible()
        assert tab.url == f"http://{host(here)}/", tab.url
        code = opened.split("#")[1]
        tab.go_back()
        tab.go_forward()
        assert code not in tab.evaluate("JSON.stringify([location.href, document.referrer, history.state, document.cookie])")
        assert tab.evaluate("document.cookie") == ""

        with another(chromium) as other:
            second = other.tab()
            second.goto(opened)
            expect(second.locator("h1")).to_have_text("This browser is not signed in")
            expect(second.get_by_role("alert")).to_contain_text("used already")
            expect(second.get_by_role("alert")).to_contain_text("nudge ui")
            accessible(second, "signed out")
            other.check(host(here))

        before = here.status()
        os.kill(before["pid"], signal.SIGKILL)
        serve(here)
        assert here.status()["port"] == before["port"]
        tab.reload()
        expect(tab.locator("nav.rail")).to_be_visible()
        here.nudge("ui", "--sign-out")
        expect(tab.locator("h1")).to_have_text("This browser is not signed in")

    tell(story)


# Shows a code, or both halves, as the page does; another process may do it.
SHOW = (
    "import json, sys, urllib.request as r, urllib.error as e\n"
    "own = f'http://{sys.argv[1]}'\n"
    "head = {'Origin': own, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json'}\n"
    "ask = r.Request(own + '/ui/session', json.dumps({'code': sys.argv[2]}).encode(), head)\n"
    "if len(sys.argv) > 3:\n"
    "    head.update({'Cookie': sys.argv[2], 'X-Nudge-Key': sys.argv[3]})\n"
    "    ask = r.Request(own + '/ui/session', None, head)\n"
    "try: got = r.urlopen(ask); print(got.status, got.headers.get('set-cookie'), got.read().decode(), sep='\\n')\n"
    "except e.HTTPError as error: print(error.status, error.read().decode())\n"
)


def shown(here, *words, **how):
    """What the server answers to another process."""
    python = [shutil.which("python3", path="/usr/bin:/bin"), "-c", SHOW, host(here)]
    return subprocess.run([*python, *words], cwd="/", capture_output=True, text=True, timeout=30, **how).stdout


def test_another_user_cannot_use_the_link():
    """Who reads the link in the list of processes gains nothing, nor who got hold of both halves. @web_sign_in"""
    if os.geteuid() != 0:
        raise NotPlayed("only root can be two users")
    with machine() as here:
        serve(here)
        code = link(here).split("#")[1]
        nobody = {"user": 65534, "group": 65534}
        stranger = shown(here, code, **nobody)
        assert stranger.startswith("403 ") and "other_user" in stranger, stranger
        status, cookie, answer = shown(here, code).split("\n")[:3]
        assert status == "200", answer
        halves = (cookie.split(";")[0], json.loads(answer)["key"])
        assert shown(here, *halves).startswith("200\n")
        stranger = shown(here, *halves, **nobody)
        assert stranger.startswith("403 ") and "other_user" in stranger, stranger


def test_an_agent_cannot_use_the_link():
    """A process of an agent that got hold of a code signs nothing in, and does not use the code up. @web_sign_in"""
    with machine() as here:
        serve(here)
        code = link(here).split("#")[1]
        plain = {"PATH": os.environ["PATH"]}
        refused = shown(here, code, env=plain | {"CLAUDECODE": "1"})
        assert refused.startswith("403 ") and "agent_above" in refused, refused
        assert shown(here, code, env=plain).startswith("200\n")


def test_no_secret_is_in_an_argument():
    """`nudge ui` opens a browser; then no process has a half, the token or a code among its words or variables. @web_command @web_secrecy"""

    def story(here, chromium):
        tools = here.home / "tools"
        tools.mkdir()
        (tools / "xdg-open").write_text(f"#!/bin/sh\nprintf %s \"$1\" > {here.home}/opened\n")
        (tools / "xdg-open").chmod(0o755)
        done = here.run("ui", env={"DISPLAY": ":9", "PATH": f"{tools}:{os.environ['PATH']}"})
        assert done.returncode == 0 and "opened the page in your browser" in done.stdout, done
        opened = (here.home / "opened").read_text()
        assert opened not in done.stdout + done.stderr
        tab = chromium.tab()
        tab.goto(opened)
        expect(tab.locator("nav.rail")).to_be_visible()
        [cookie] = [one["value"] for one in tab.context.cookies() if one["name"].startswith("nudge_ui_")]
        unused = link(here).split("#")[1]
        secrets = [cookie, tab.evaluate("localStorage.getItem('key')"), here.token, opened.split("#")[1], unused]
        assert all(len(secret) >= 32 for secret in secrets), secrets
        read = 0
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            for name in ("cmdline", "environ"):
                try:
                    words = (process / name).read_bytes()
                except OSError:
                    continue
                read += bool(words)
                for secret in secrets:
                    assert secret.encode() not in words, (name, words[:200])
        assert here.status()["pid"] in here.servers() and read > 10, read
        with another(chromium) as other:
            second = other.tab()
            second.goto(f"http://{host(here)}/login#{unused}")
            expect(second.locator("nav.rail")).to_be_visible()

    tell(story)


def test_an_agent_opens_no_browser():
    """`nudge ui` refuses an agent, starts a server if none runs, and prints the link where there is no screen. @web_command"""
    with machine() as here:
        refused = here.run("ui", "--print", env={"CLAUDECODE": "1"})
        assert refused.returncode != 0 and "reserved for the user" in refused.stderr, refused
        assert "pid" not in here.status()
        assert here.nudge("ui").startswith("http://127.0.0.1:")
        assert here.status()["responding"]
        assert here.answer("ui", "--sign-out") == {"signed_out": 0}


def test_the_first_today_says_how_to_begin():
    """An empty memory shows three steps, and the first session appears by itself. @web_today"""

    def story(here, chromium):
        tab = signed_in(here, chromium)
        expect(tab.locator(".steps-list li")).to_have_count(3)
        expect(tab.locator(".steps-list")).to_contain_text("nudge install")
        Agent(here, "first").start().prompt("round the tax of the cart")
        expect(tab.locator("[data-session=first] .title")).to_have_text("round the tax of the cart")
        expect(tab.locator(".steps-list")).to_have_count(0)

    tell(story)


def test_today_shows_what_runs_and_what_needs_me():
    """Two agents work, one fails and stops, and the page follows without a reload. @web_today @web_overview"""

    def story(here, chromium):
        tab = signed_in(here, chromium)
        one = Agent(here, "one").start().prompt("make the checkout test stable")
        two = Agent(here, "two", "router").start().prompt("read bodies of 12 KiB")
        working = tab.get_by_role("region", name="Working now")
        expect(working.locator("li")).to_have_count(2)
        expect(tab.locator(".summary")).to_contain_text("Two agents are working.")
        one.edit("src/checkout.ts")
        row = working.locator("[data-session=one]")
        expect(row).to_contain_text("edited checkout.ts")
        expect(row.locator(".bad")).to_have_count(0)
        one.run("npm test", "1 failed, 11 passed\n  ✗ checkout waits for the clock", fails=True)
        expect(row.locator(".sub .bad")).to_contain_text("npm test")
        expect(row.locator(".strip .bad")).to_have_count(1)
        one.stop("The test still fails: it reads the clock.")
        needs = tab.get_by_role("region", name="Needs you")
        expect(needs.locator("[data-session=one]")).to_contain_text("The test still fails: it reads the clock.")
        expect(tab.locator(".summary")).to_contain_text("One agent is working. One has stopped and you have not looked yet.")
        # Who opens it has seen it.
        needs.locator("[data-session=one] a").click()
        expect(tab.locator("h1")).to_have_text("make the checkout test stable")
        tab.go_back()
        expect(tab.get_by_role("region", name="Working now")).to_be_visible()
        expect(tab.get_by_role("region", name="Needs you")).to_have_count(0)
        earlier = tab.get_by_role("region", name="Earlier")
        expect(earlier.locator("[data-session=one]")).to_contain_text("checkout.ts")
        two.end()
        expect(working).to_contain_text("An agent appears here")
        expect(needs.locator("[data-session=two]")).to_contain_text("ended")
        needs.get_by_role("button", name="Mark as seen").click()
        expect(earlier.locator("li")).to_have_count(2)
        expect(tab.locator(".summary")).to_contain_text("Nothing waits for you.")

    tell(story)


def test_many_sessions_that_stopped():
    """Five are shown at first, the rest on request; all are marked as seen at once. @web_today"""

    def story(here, chromium):
        for n in range(7):
            Agent(here, f"s{n}").start().prompt(f"task number {n}").stop()
        Agent(here, "busy").start().prompt("a task that goes on")
        tab = signed_in(here, chromium)
        needs = tab.get_by_role("region", name="Needs you")
        expect(needs.locator("[data-session]")).to_have_count(5)
        needs.get_by_role("button", name="Show 2 more sessions that stopped").click()
        expect(needs.locator("[data-session]")).to_have_count(7)
        needs.get_by_role("button", name="Mark all as seen").click()
        expect(needs).to_have_count(0)
        expect(tab.locator(".summary")).to_contain_text("One agent is working. Nothing waits for you.")

    tell(story)


def test_a_project_is_in_the_address():
    """The picker narrows every page, and the choice is in the address. @web_shell"""

    def story(here, chromium):
        Agent(here, "one").start().prompt("round the tax")
        Agent(here, "two", "router").start().prompt("read bodies")
        tab = signed_in(here, chromium)
        expect(tab.locator("[data-session]")).to_have_count(2)
        tab.get_by_label("Project").select_option("router")
        expect(tab.locator("[data-session]")).to_have_count(1)
        assert tab.url.endswith("/?p=router"), tab.url
        tab.get_by_role("link", name="Sessions", exact=True).first.click()
        expect(tab.locator("h1")).to_have_text("Sessions")
        expect(tab.locator("[data-session]")).to_have_count(1)
        tab.reload()
        expect(tab.locator("[data-session=two]")).to_be_visible()
        tab.go_back()
        expect(tab.locator("[data-session]")).to_have_count(1)
        tab.get_by_label("Project").select_option("*")
        expect(tab.locator("[data-session]")).to_have_count(2)

    tell(story)


def more(tab, rows):
    """Reads older rows until there are none."""
    button = tab.get_by_role("button", name="Show older")
    while button.count():
        before = rows.count()
        button.click()
        wait_for(lambda: rows.count() > before or not button.count())


def test_long_lists_are_read_in_pages():
    """Sessions and injections begin with the newest and read older ones by key, each once; a new one pushes none out. @web_sessions @web_got"""

    def story(here, chromium):
        total = 57
        here.nudge("remember", "Prices are integers in cents", cwd=Agent(here, "first").cwd)

        def work(n):
            Agent(here, f"s{n:02}").start().prompt(f"task number {n}")

        with concurrent.futures.ThreadPoolExecutor(4) as hooks:
            [done.result() for done in [hooks.submit(work, n) for n in range(total)]]
        tab = signed_in(here, chromium, "/sessions")
        rows = tab.locator("[data-session]")
        expect(rows).not_to_have_count(0)
        assert rows.count() <= 50, rows.count()
        more(tab, rows)
        ids = lambda: rows.evaluate_all("rows => rows.map(row => row.dataset.session)")
        assert sorted(ids()) == [f"s{n:02}" for n in range(total)], ids()
        work(total)
        expect(rows.first).to_have_attribute("data-session", f"s{total}")
        assert sorted(ids()) == [f"s{n:02}" for n in range(total + 1)], ids()

        tab.goto(f"http://{host(here)}/got")
        given = tab.locator("[data-injection]")
        expect(given).to_have_count(50)
        more(tab, given)
        names = lambda: given.evaluate_all("rows => rows.map(row => row.dataset.injection)")
        before = names()
        assert len(before) == len(set(before)) > 50, before
        Agent(here, "last").start()
        expect(given.first).to_have_attribute("data-injection", re.compile(" last "))
        assert names()[1:] == before, (names(), before)

    tell(story)


def test_texts_stay_texts():
    """Text of agents, repositories and tools is shown as it is, and makes no element: requests, names, files, outputs, proposals. @web_policy"""

    def story(here, chromium):
        tab = signed_in(here, chromium)
        groups = [SHORT[n : n + 10] for n in range(0, len(SHORT), 10)]
        groups += [[text for text in HOSTILE if text not in SHORT]]

        def work(n, texts):
            for i, text in enumerate([*texts, "plain"]):
                agent = Agent(here, "plain" if text == "plain" else f"h{i}", f"p{n}")
                agent.session += f"-{n}"
                agent.start().prompt(text).edit(f"{text.replace('/', '_')}.md").run(text, text, fails=True).stop(text)

        with concurrent.futures.ThreadPoolExecutor(4) as hooks:
            [done.result() for done in [hooks.submit(work, n, texts) for n, texts in enumerate(groups)]]

        def same(rows, n, texts):
            """A row of each text has the elements of the plain one. A long text has them too, with more text inside."""
            plain = rows(f"plain-{n}").evaluate(TAGS)
            for i, text in enumerate(texts):
                assert rows(f"h{i}-{n}").evaluate(TAGS) == plain, (tab.url, text)
            assert tab.locator("img, iframe, main script, main svg[onload]").count() == 0

        for n, texts in enumerate(groups):
            for path in ("/", "/sessions"):
                tab.goto(f"http://{host(here)}{path}?p=p{n}")
                expect(tab.locator(f"[data-session=plain-{n}]")).to_be_visible()
                if path == "/" and len(texts) > 4:
                    tab.get_by_role("button", name="that stopped").click()
                expect(tab.locator("[data-session]")).to_have_count(len(texts) + 1)
                same(lambda name: tab.locator(f"[data-session={name}]"), n, texts)
            if n == 0:
                expect(tab.locator(f"[data-session=h0-{n}] .title")).to_have_text(texts[0])
        # Names, and what happened since: now the rows are those of agents at work, and of earlier sessions.
        for n, texts in enumerate(groups):
            for i, text in enumerate(texts):
                called(tab, "update_session", session=f"h{i}-{n}", name=text, observed=True)
            called(tab, "update_session", session=f"plain-{n}", name="plain", observed=True)
            tab.goto(f"http://{host(here)}/sessions?p=p{n}")
            expect(tab.locator("[data-session]")).to_have_count(len(texts) + 1)
            same(lambda name: tab.locator(f"[data-session={name}]"), n, texts)
        expect(tab.locator("h1")).to_have_text("Sessions")

        # What waits for the user is shown on the first page, too.
        tab.goto(f"http://{host(here)}/")
        shop = here.work / "p0"
        for text in MARKUP[:4]:
            called(tab, "set_hint", component="needle", key="k", value="old")
            done = here.run("set", "needle", "k", text, "--reason", text, cwd=shop, env={"CLAUDECODE": "1"})
            assert done.returncode == 0, done
        here.run("entry", "set", f"known://{MARKUP[0]}", MARKUP[1], cwd=shop, env={"CLAUDECODE": "1"})
        waiting = tab.locator("li", has=tab.locator(".badge", has_text="proposal"))
        expect(waiting.first).to_be_visible()
        assert len(set(waiting.evaluate_all(f"all => all.map({TAGS})"))) == 1
        assert tab.locator("img, iframe, main script, main svg[onload]").count() == 0

    tell(story)


def test_a_lost_connection_is_said_and_made_up_for():
    """The page says since when it is old, and has every change once the server is back. @web_live"""

    def story(here, chromium):
        agent = Agent(here, "one").start().prompt("before the crash")
        tab = signed_in(here, chromium)
        expect(tab.locator("[data-session=one]")).to_be_visible()
        expect(tab.locator(".stale")).to_have_count(0)
        os.kill(here.status()["pid"], signal.SIGKILL)
        expect(tab.locator(".stale")).to_contain_text("does not answer")
        agent.prompt("during the pause")
        Agent(here, "two").start().prompt("a second session")
        serve(here)
        expect(tab.locator(".stale")).to_have_count(0)
        expect(tab.locator("[data-session=one] .title")).to_have_text("during the pause")
        expect(tab.locator("[data-session=two]")).to_have_count(1)

    tell(story)


def test_a_server_that_returns_is_heard_at_once():
    """After ten seconds without a server, every change is on the page within two, each once. @web_live"""

    def story(here, chromium):
        agent = Agent(here, "one").start().prompt("before the crash").run("step 0")
        today, session = signed_in(here, chromium), chromium.tab()
        session.goto(f"http://{host(here)}/s/one")
        expect(session.locator(".line", has_text="step 0")).to_be_visible()
        expect(today.locator("[data-session=one]")).to_be_visible()
        os.kill(here.status()["pid"], signal.SIGKILL)
        for tab in (today, session):
            expect(tab.locator(".stale")).to_contain_text("does not answer")
        gone = time.monotonic()
        agent.run("step 1").prompt("during the pause").run("step 2")
        Agent(here, "two").start().prompt("a second session")
        while time.monotonic() - gone < 10:
            today.wait_for_timeout(100)
        serve(here)
        back = time.monotonic()
        # Both pages are looked at in turns, so neither waits for the other.
        shown = {
            "connected": lambda: today.locator(".stale").count() + session.locator(".stale").count() == 0,
            "two": lambda: today.locator("[data-session=two]").count() == 1,
            "one": lambda: today.locator("[data-session=one] .title").inner_text() == "during the pause",
            "step 1": lambda: session.locator(".line", has_text="step 1").count() == 1,
            "step 2": lambda: session.locator(".line", has_text="step 2").count() == 1,
            "prompt": lambda: session.locator("h2", has_text="during the pause").count() == 1,
        }
        late = dict(shown)
        while late and time.monotonic() - back < 15:
            late = {name: look for name, look in late.items() if not look()}
        took = time.monotonic() - back
        print(f"     every change was there {took:.2f} s after the server")
        assert not late and took < 2, (sorted(late), took)
        session.wait_for_timeout(500)
        keys = session.locator("[data-key]").evaluate_all("rows => rows.map(row => row.dataset.key)")
        assert len(keys) == len(set(keys)) >= 5, keys
        for name, look in shown.items():
            assert look(), name

    tell(story)


def test_an_old_tab_asks_to_be_reloaded():
    """A tab of an older version says so, whether it hears of the new one on its connection or asks for it, and Reload loads it. @web_live"""

    def story(here, chromium):
        newer = {"hello": False, "session": False}

        def changed(socket):
            server = socket.connect_to_server()

            def pass_on(text):
                message = json.loads(text)
                if newer["hello"] and message.get("method") == "nudge/hello":
                    message["params"]["version"] = "99.0.0"
                socket.send(json.dumps(message))

            server.on_message(pass_on)

        def answered(route):
            answer = route.fetch()
            if newer["session"]:
                return route.fulfill(response=answer, json=answer.json() | {"version": "99.0.0"})
            return route.fulfill(response=answer)

        signed_in(here, chromium).close()
        tab = chromium.tab()
        tab.route_web_socket("**/ws", changed)
        tab.route("**/ui/session", answered)
        for way in ({"hello": True, "session": False}, {"hello": True, "session": True}):
            tab.goto(f"http://{host(here)}/")
            expect(tab.locator(".dot.live").first).to_be_visible()
            Agent(here, "one").start().prompt(f"before {way}")
            expect(tab.locator("[data-session=one] .title")).to_have_text(f"before {way}")
            expect(tab.locator(".stale")).to_have_count(0)
            newer |= way
            os.kill(here.status()["pid"], signal.SIGKILL)
            expect(tab.locator(".stale")).to_be_visible()
            serve(here)
            expect(tab.locator(".stale")).to_contain_text("The server was updated.")
            newer |= {"hello": False, "session": False}
            tab.evaluate("window.isOld = true")
            tab.get_by_role("button", name="Reload").click()
            wait_for(lambda: tab.evaluate("window.isOld") is None)
            expect(tab.locator("[data-session=one]")).to_be_visible()
            expect(tab.locator(".stale")).to_have_count(0)

    tell(story)


def test_nothing_is_missed_before_the_connection_stands():
    """What happens after the page was read and before it is connected is on the page, too. @web_live"""

    def story(here, chromium):
        signed_in(here, chromium).close()
        tab = chromium.tab()

        def late(socket):
            # The page has read what there is by then.
            time.sleep(1)
            Agent(here, "one").start().prompt("round the tax")
            wait_for(lambda: here.answer("status")["stored"]["prompts"] == 1)
            time.sleep(1)
            socket.connect_to_server()

        tab.route_web_socket("**/ws", late)
        tab.goto(f"http://{host(here)}/")
        expect(tab.locator("[data-session=one] .title")).to_have_text("round the tax")

    tell(story)


def test_other_pages_of_this_machine_get_nothing():
    """A page on another port is the same site: it sends the cookie, and gets nothing for it. @web_foreign_pages"""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>other</title>")

        def log_message(self, *_):
            pass

    def story(here, chromium):
        Agent(here, "one").start().prompt("private words")
        signed_in(here, chromium)
        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        try:
            tab = chromium.context.new_page()
            tab.goto(f"http://127.0.0.1:{other.server_address[1]}/")
            tries = """async (at) => {
                const call = {method: 'POST', credentials: 'include', body: JSON.stringify({jsonrpc: '2.0', id: 1, method: 'overview', params: {project: '*'}})};
                const said = async (make) => { try { return await make(); } catch (error) { return 'refused'; } };
                const loads = (kind, what) => new Promise((done) => {
                    const part = document.createElement(kind);
                    part.onload = () => done(kind + ' loaded'); part.onerror = () => done('refused');
                    part.src = at + what; document.body.append(part);
                });
                const socket = () => new Promise((done) => {
                    const made = new WebSocket(at.replace('http', 'ws') + '/ws', 'nudge.v1');
                    made.onopen = () => done('open'); made.onerror = () => done('refused');
                });
                return [
                    await said(async () => (await fetch(at + '/rpc', call)).status),
                    await said(async () => (await fetch(at + '/rpc', {...call, mode: 'no-cors'})).type),
                    await said(async () => (await fetch(at + '/rpc', {...call, headers: {'X-Nudge-Key': 'x'}})).status),
                    await said(async () => (await fetch(at + '/ui/session', {credentials: 'include'})).status),
                    await loads('img', '/'), await loads('script', '/'), await said(socket),
                ];
            }"""
            found = tab.evaluate(tries, f"http://{host(here)}")
            assert found == ["refused", "opaque", "refused", "refused", "refused", "refused", "refused"], found
            # What a frame shows is seen here: that of our own page, and not that of Nudge.
            frame = "at => new Promise(done => { const f = document.createElement('iframe'); f.src = at; f.onload = done; document.body.append(f); }).then(() => 0)"
            framed = lambda: [one.content() for one in tab.frames if one != tab.main_frame]
            tab.evaluate(frame, f"http://127.0.0.1:{other.server_address[1]}/")
            assert len(framed()) == 1 and "<title>other</title>" in framed()[0], framed()
            tab.evaluate(frame, f"http://{host(here)}/")
            assert len(framed()) == 2 and not any('id="app"' in text for text in framed()), framed()
            tab.close()
        finally:
            other.shutdown()

    tell(story)


def test_the_shell_works_by_keys_narrow_and_for_everybody():
    """Keys, the sheet, themes and help work; axe finds nothing in two sizes and two themes; no link is dead. @web_shell"""

    def story(here, chromium):
        Agent(here, "one").start().prompt("round the tax").edit("src/a.ts").run("npm test", "1 failed", fails=True)
        Agent(here, "two", "router").start().prompt("read bodies").stop("All done.")
        Agent(here, "three").start().prompt("old work").edit("src/b.ts").run("make", "ok").end()
        here.nudge("usage")
        tab = signed_in(here, chromium)
        expect(tab.locator("[data-session]")).to_have_count(3)
        links = tab.locator("nav.rail a").evaluate_all("all => all.map(a => a.href)")
        assert len(links) >= 3
        for address in links:
            answer = tab.context.request.get(address)
            assert answer.status == 200, address

        tab.keyboard.press("g")
        tab.keyboard.press("s")
        expect(tab.locator("h1")).to_have_text("Sessions")
        expect(tab.locator("[data-session]")).to_have_count(3)
        tab.keyboard.press("j")
        assert tab.evaluate("document.activeElement.hasAttribute('data-row')")
        tab.keyboard.press("?")
        expect(tab.get_by_role("dialog", name="Keys")).to_be_focused()
        accessible(tab, "keys")
        tab.keyboard.press("Escape")
        expect(tab.get_by_role("dialog")).to_have_count(0)

        for look in looks(tab):
            for path in ("/", "/sessions"):
                tab.goto(f"http://{host(here)}{path}")
                expect(tab.locator("[data-session]")).to_have_count(3)
                expect(tab.locator("[aria-busy=true]")).to_have_count(0)
                if look.startswith(str(NARROW["width"])):
                    bar = tab.locator("nav.tabs").bounding_box()
                    end = bar["y"] + bar["height"]
                    assert 40 <= bar["height"] <= 80 and abs(end - NARROW["height"]) <= 1, (look, bar)
                for_everybody(tab, f"{path} {look}", "main .seen" if path == "/" else "main [data-session] a")
        tab.set_viewport_size(NARROW)
        expect(tab.locator("nav.rail")).not_to_be_visible()
        tab.get_by_role("button", name="More").click()
        expect(tab.locator("nav.rail")).to_be_visible()
        accessible(tab, "sheet")
        tab.get_by_role("button", name="Close").click()
        expect(tab.locator("nav.rail")).not_to_be_visible()
        tab.set_viewport_size(WIDE)
        tab.get_by_role("button", name="System theme").click()
        assert tab.evaluate("document.documentElement.dataset.theme") == "light"
        tab.reload()
        assert tab.evaluate("document.documentElement.dataset.theme") == "light"

    tell(story)


def test_a_browser_that_reads_only_offers_no_change():
    """`nudge ui --read-only` signs in to read. @web_rights"""

    def story(here, chromium):
        Agent(here, "one").start().prompt("round the tax").stop()
        tab = signed_in(here, chromium, "/", "--read-only")
        expect(tab.locator("[data-session=one]")).to_be_visible()
        expect(tab.get_by_role("button", name="Mark as seen")).to_have_count(0)
        expect(tab.locator(".rail-foot")).to_contain_text("read only")

    tell(story)


def test_the_page_is_there_at_once():
    """The first paint and the first sessions come soon; the figures are printed. @web_today"""

    def story(here, chromium):
        Agent(here, "one").start().prompt("round the tax")
        signed_in(here, chromium).close()
        paints, filled = [], []
        for _ in range(5):
            tab = chromium.tab()
            tab.goto(f"http://{host(here)}/")
            expect(tab.locator("[data-session]")).to_have_count(1)
            filled.append(tab.evaluate("performance.now()"))
            paints.append(tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            tab.close()
        paint, full = sorted(paints)[2], sorted(filled)[2]
        print(f"     first contentful paint {paint:.0f} ms, filled {full:.0f} ms (medians of 5)")
        assert paint < 500 and full < 3_000, (paints, filled)

    tell(story)
