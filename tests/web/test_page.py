"""What a person sees in the browser: signing in, the shell, Today and Sessions."""

import concurrent.futures
import http.server
import json
import os
import shutil
import signal
import subprocess
import threading

from browser import NARROW, WIDE, Agent, accessible, another, expect, host, link, machine, serve, signed_in, tell, wait_for


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


def test_another_user_cannot_use_the_link():
    """Who reads the link in the list of processes gains nothing, nor who got hold of both halves. @web_sign_in"""
    if os.geteuid() != 0:
        print("not played: only root can be two users")
        return

    with machine() as here:
        serve(here)
        at, code = host(here), link(here).split("#")[1]
        play = (
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
        python = [shutil.which("python3", path="/usr/bin:/bin"), "-c", play, at]

        def run(*words, **user):
            return subprocess.run([*python, *words], cwd="/", capture_output=True, text=True, timeout=30, **user).stdout

        nobody = {"user": 65534, "group": 65534}
        stranger = run(code, **nobody)
        assert stranger.startswith("403 ") and "other_user" in stranger, stranger
        status, cookie, answer = run(code).split("\n")[:3]
        assert status == "200", answer
        halves = (cookie.split(";")[0], json.loads(answer)["key"])
        assert run(*halves).startswith("200\n")
        stranger = run(*halves, **nobody)
        assert stranger.startswith("403 ") and "other_user" in stranger, stranger


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
        needs.get_by_role("button", name="Mark as seen").click()
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


def test_sessions_are_read_in_pages():
    """The list begins with the newest and reads older ones by key, each once. @web_sessions"""

    def story(here, chromium):
        total = 57
        with concurrent.futures.ThreadPoolExecutor(4) as hooks:
            prompts = [hooks.submit(Agent(here, f"s{n:02}").prompt, f"task number {n}") for n in range(total)]
            [done.result() for done in prompts]
        tab = signed_in(here, chromium, "/sessions")
        expect(tab.locator("[data-session]")).not_to_have_count(0)
        shown = tab.locator("[data-session]").count()
        assert shown <= 50, shown
        while tab.get_by_role("button", name="Show older").count():
            before = tab.locator("[data-session]").count()
            tab.get_by_role("button", name="Show older").click()
            wait_for(lambda: tab.locator("[data-session]").count() > before or not tab.get_by_role("button", name="Show older").count())
        ids = tab.locator("[data-session]").evaluate_all("rows => rows.map(row => row.dataset.session)")
        assert sorted(ids) == [f"s{n:02}" for n in range(total)], ids

    tell(story)


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</title><script>alert(2)</script>",
    '"><svg onload=alert(3)>',
    "javascript:alert(4)",
    "{{constructor.constructor('alert(5)')()}}",
    "<iframe srcdoc='<script>parent.alert(6)</script>'></iframe>",
    "\u202egnp.exe <b>bold</b> &amp; &lt;i&gt;",
]


def test_texts_stay_texts():
    """Text of agents, repositories and tools is shown as it is, and makes no element. @web_policy"""

    def story(here, chromium):
        for n, text in enumerate(HOSTILE):
            Agent(here, f"h{n}").start().prompt(text).edit(f"{text.replace('/', '_')}.md").run(text, text, fails=True).stop(text)
        Agent(here, "plain").start().prompt("plain").edit("plain.md").run("plain", "plain", fails=True).stop("plain")
        tab = signed_in(here, chromium)
        expect(tab.locator("[data-session]")).to_have_count(5)
        parts = "row => [...row.querySelectorAll('*')].map(part => part.tagName).join()"
        for path in ("/", "/sessions"):
            tab.goto(f"http://{host(here)}{path}")
            expect(tab.locator("[data-session=plain]")).to_be_visible()
            if path == "/":
                tab.get_by_role("button", name="more sessions that stopped").click()
            expect(tab.locator("[data-session]")).to_have_count(len(HOSTILE) + 1)
            plain = tab.locator("[data-session=plain]").evaluate(parts)
            for n in range(len(HOSTILE)):
                assert tab.locator(f"[data-session=h{n}]").evaluate(parts) == plain, (path, HOSTILE[n])
        expect(tab.locator("[data-session=h0] .title")).to_have_text(HOSTILE[0])
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
            tab.evaluate("(at) => { const f = document.createElement('iframe'); f.src = at; document.body.append(f); }", f"http://{host(here)}/")
            tab.wait_for_timeout(500)
            assert all("nav" not in (frame.content() if frame != tab.main_frame else "") for frame in tab.frames)
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

        for size in (WIDE, NARROW):
            tab.set_viewport_size(size)
            for theme in ("light", "dark"):
                tab.emulate_media(color_scheme=theme)
                for path in ("/", "/sessions"):
                    tab.goto(f"http://{host(here)}{path}")
                    expect(tab.locator("[data-session]")).to_have_count(3)
                    expect(tab.locator("[aria-busy=true]")).to_have_count(0)
                    where = f"{path} {size['width']} {theme}"
                    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), where
                    assert tab.locator("h1").count() == 1, where
                    if size is NARROW:
                        bar = tab.locator("nav.tabs").bounding_box()
                        end = bar["y"] + bar["height"]
                        assert 40 <= bar["height"] <= 80 and abs(end - size["height"]) <= 1, (where, bar)
                    accessible(tab, where)
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
        assert paint < 1_000 and full < 3_000, (paints, filled)

    tell(story)
