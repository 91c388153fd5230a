"""Chromium in a directory of its own, agents that report through real hooks, and what every page must hold."""

import contextlib
import json
import pathlib
import socket
import subprocess
import sys
import tempfile

from playwright.sync_api import expect, sync_playwright

# A person's machine is the same for every kind of client.
sys.path.append(str(pathlib.Path(__file__).parent.parent / "clients"))
import machine as clients  # noqa: E402
from machine import machine, wait_for  # noqa: E402,F401

# Set by the runner: axe-core; and a page to show instead of the one in the program, while it is written.
AXE = ""
DIST = None

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# A shell from DIST comes from no address, so the browser would let it reach none of this machine.
OF_DIST = ["--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,BlockInsecurePrivateNetworkRequests"]

# Generous: the computer may be building something else.
WITHIN_MS = 15_000

# ZOOMED is a window of 1280 by 1024 pixels at 400 %.
WIDE, NARROW, ZOOMED = {"width": 1440, "height": 900}, {"width": 390, "height": 844}, {"width": 320, "height": 256}

# What a browser says when the server is gone or refuses: stories make both happen.
EXPECTED = ("Failed to load resource", "WebSocket connection to")


class NotPlayed(Exception):
    """What a story needs is not on this machine."""


class Browser:
    """One profile of Chromium. It notes what must not happen."""

    def __init__(self, playwright, directory):
        expect.set_options(timeout=WITHIN_MS)
        self.playwright = playwright
        self.context = playwright.chromium.launch_persistent_context(
            directory, executable_path=CHROMIUM, headless=True, args=[*FLAGS, *(OF_DIST if DIST else [])], viewport=WIDE, color_scheme="light"
        )
        self.context.set_default_timeout(WITHIN_MS)
        self.wrong, self.hosts = [], set()
        if DIST:
            self.context.route(lambda url: not url.split("/")[3].startswith(("rpc", "ui", "ws", "api")), from_dist)

    def tab(self):
        tab = self.context.new_page()
        tab.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))
        tab.on("pageerror", lambda error: self.wrong.append(str(error)))
        tab.on("dialog", lambda dialog: (self.wrong.append(dialog.message), dialog.dismiss()))
        tab.on("console", self.note)
        return tab

    def note(self, message):
        if message.type in ("error", "warning") and not message.text.startswith(EXPECTED):
            self.wrong.append(message.text)

    def check(self, *hosts):
        """Nothing broke, nothing was against the policy, and nothing was asked of another host."""
        assert self.wrong == [], self.wrong
        assert self.hosts <= set(hosts), self.hosts


def from_dist(route):
    """A file of the page from DIST; the shell keeps the headers that the program sends with it."""
    request = route.request
    if request.resource_type == "document" and not request.frame.parent_frame:
        response = route.fetch()
        # Another page of this machine is shown as it is.
        shell = {"body": (DIST / "index.html").read_text()} if "content-security-policy" in response.headers else {}
        return route.fulfill(response=response, **shell)
    file = DIST / request.url.split("/")[-1]
    if "/assets/" in request.url and file.exists():
        kind = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}[file.suffix]
        return route.fulfill(body=file.read_bytes(), content_type=kind)
    return route.continue_()


@contextlib.contextmanager
def browser():
    """A fresh browser, gone at the end."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory(prefix="nw") as directory:
        here = Browser(playwright, directory)
        try:
            yield here
        finally:
            here.context.close()


@contextlib.contextmanager
def another(first):
    """A second browser beside the first, which shares nothing with it."""
    with tempfile.TemporaryDirectory(prefix="nw") as directory:
        here = Browser(first.playwright, directory)
        try:
            yield here
        finally:
            here.context.close()


def tell(story):
    """Runs a story on a fresh machine with a server and a browser, and checks what always holds."""
    with machine() as here, browser() as chromium:
        serve(here)
        story(here, chromium)
        chromium.check(host(here))


def serve(here):
    """Starts a server, after a crash on the port that it had: another program may want the usual one."""
    if not hasattr(here, "port"):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            here.port = free.getsockname()[1]
    here.daemon("--port", str(here.port))


def host(here):
    return f"127.0.0.1:{here.status()['port']}"


def link(here, *options):
    """What `nudge ui --print` prints."""
    return here.nudge("ui", "--print", *options).strip()


def signed_in(here, chromium, path="/", *options):
    """A tab that shows a page, signed in."""
    tab = chromium.tab()
    tab.goto(link(here, *options))
    expect(tab.locator("nav.rail")).to_be_attached()
    if path != "/":
        tab.goto(f"http://{host(here)}{path}")
    expect(tab.locator("h1")).to_be_visible()
    return tab


class Agent:
    """Claude Code in one session, as its hooks report it."""

    kind = "claude"

    def __init__(self, here, session, project="shop"):
        self.here, self.session, self.cwd = here, session, here.work / project
        self.calls = 0
        self.answer = ""
        (self.cwd / ".git").mkdir(parents=True, exist_ok=True)

    def hook(self, event, **more):
        payload = {"session_id": self.session, "cwd": str(self.cwd), "hook_event_name": event, **more}
        done = subprocess.run(
            [clients.BINARY, "hook", self.kind],
            input=json.dumps(payload),
            cwd=self.cwd,
            env=self.here.environment,
            capture_output=True,
            text=True,
            timeout=clients.WITHIN,
        )
        assert done.returncode == 0, done.stderr
        self.answer = done.stdout
        return self

    def start(self):
        return self.hook("SessionStart", source="startup")

    def prompt(self, text):
        return self.hook("UserPromptSubmit", prompt=text)

    def run(self, command, output="", fails=False):
        self.calls += 1
        call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"{self.session}-{self.calls}"}
        if fails:
            return self.hook("PostToolUseFailure", **call, error=f"Exit code 1\n{output}")
        return self.hook("PostToolUse", **call, tool_response={"stdout": output, "stderr": ""})

    def edit(self, name):
        self.calls += 1
        tool = {"file_path": str(self.cwd / name), "old_string": "a", "new_string": "b"}
        call = {"tool_name": "Edit", "tool_input": tool, "tool_use_id": f"{self.session}-{self.calls}"}
        return self.hook("PostToolUse", **call, tool_response={"filePath": tool["file_path"]})

    def stop(self, words="It is done."):
        return self.hook("Stop", stop_hook_active=False, last_assistant_message=words)

    def end(self):
        return self.hook("SessionEnd", reason="prompt_input_exit")


def called(tab, method, **params):
    """Calls an operation as the page does, with the user's rights; gives the whole answer."""
    return tab.evaluate(
        """call => fetch('/rpc', {method: 'POST', headers: {'X-Nudge-Key': localStorage.getItem('key'), 'Content-Type': 'application/json'},
            body: JSON.stringify(call)}).then(answer => answer.json())""",
        {"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
    )


# The looks that a page must have: sizes, themes, a window at 400 %, and the few colours that a person chose.
LOOKS = [
    *((size, {"color_scheme": theme}) for size in (WIDE, NARROW) for theme in ("light", "dark")),
    (ZOOMED, {"color_scheme": "light"}),
    (WIDE, {"color_scheme": "light", "forced_colors": "active"}),
]


def looks(tab):
    """Shows a tab in each look, one after the other, with nothing that moves; says which."""
    for size, media in LOOKS:
        tab.set_viewport_size(size)
        tab.emulate_media(**{"forced_colors": "none", "reduced_motion": "reduce", **media})
        yield f"{size['width']} {' '.join(media.values())}"
    tab.set_viewport_size(WIDE)
    tab.emulate_media(color_scheme="light", forced_colors="none", reduced_motion="no-preference")


def for_everybody(tab, where, main=None):
    """Nothing is wider than the window, nothing moves, the main button can be pressed, and axe finds nothing."""
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), where
    assert tab.locator("h1").count() == 1, where
    assert tab.evaluate("document.getAnimations().length") == 0, where
    if main:
        # It scrolls there, and fails if something else would get the click.
        tab.locator(main).first.click(trial=True)
    accessible(tab, where)


TAGS = "part => [...part.querySelectorAll('*')].map(one => one.tagName).join()"

# What a hostile repository, tool or web page may say.
MARKUP = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(2)</script>",
    "</pre><script>alert(3)</script>",
    '"><svg onload=alert(4)>',
    "<iframe src='javascript:alert(5)'>",
    "<a href='javascript:alert(6)'>x</a>",
    "<body onload=alert(7)>",
    "<style>*{display:none}</style>",
    "<meta http-equiv=refresh content='0;url=//x.example'>",
    "<base href='//x.example/'>",
    "<form action=//x.example><button>ok</button></form>",
    "<input autofocus onfocus=alert(8)>",
    "<details open ontoggle=alert(9)>",
    "<video><source onerror=alert(10)></video>",
    "<math><mi xlink:href='data:x,alert(11)'>",
    "<object data='data:text/html,<script>alert(12)</script>'>",
    "<template><script>alert(13)</script></template>",
    "<noscript><img src=x onerror=alert(14)></noscript>",
    "<!--><script>alert(15)</script>",
    "<![CDATA[<script>alert(16)</script>]]>",
    "&lt;script&gt;alert(17)&lt;/script&gt;",
    "&#x3c;img src=x onerror=alert(18)&#x3e;",
    "%3Cscript%3Ealert(19)%3C/script%3E",
    "\\u003cscript\\u003ealert(20)\\u003c/script\\u003e",
    "{{constructor.constructor('alert(21)')()}}",
    "${alert(22)}",
    "`${alert(23)}`",
    "';alert(24);//",
    '";alert(25);//',
    "</title></textarea></style><script>alert(26)</script>",
    "javascript:alert(27)",
    "data:text/html,<script>alert(28)</script>",
    "vbscript:msgbox(29)",
    "[x](javascript:alert(30))",
    "![x](x onerror=alert(31))",
    "<javascript:alert(32)>",
    "<iframe srcdoc='<script>parent.alert(33)</script>'></iframe>",
    "</textarea><iframe srcdoc='<script>parent.alert(34)</script>'></iframe>",
    "'><body onpageshow=alert(35)>",
    "<math><mtext><style><img src onerror=alert(36)></style></mtext></math>",
    "{{constructor.constructor('alert(37)')()}}",
    "<mark>38</mark><b onmouseover=alert(38)>b</b>",
    "&lt;script&gt;alert(39)&lt;/script&gt; &amp; &#x3c;img src=x onerror=alert(39)&#x3e;",
    "<!--><script>alert(40)</script><!-->",
    "<base href=//x.example/><link rel=stylesheet href=//x.example>",
    "<svg><script>alert(41)</script></svg>",
    "<svg><animate onbegin=alert(42) attributeName=x dur=1s>",
    "<embed src='data:text/html,<script>alert(43)</script>'>",
    "<frameset onload=alert(44)>",
    "<select autofocus onfocus=alert(45)>",
    "<marquee onstart=alert(46)>",
    "<button popovertarget=x onclick=alert(47)>x</button>",
    "<x onclick=alert(48) tabindex=0 autofocus>",
    "<img src='//x.example/pixel.gif'>",
    "<style>@import '//x.example/x.css';</style>",
    "<ScRiPt>alert(49)</sCrIpT>",
    "<a href='data:text/html,<script>alert(50)</script>'>open</a>",
    "<scr<script>ipt>alert(51)</scr</script>ipt>",
    "<div style='position:fixed;inset:0'>cover</div>",
    "<dialog open onclose=alert(52)>",
    "<link rel=prefetch href=//x.example>",
    "<table><td background=//x.example/x.png>",
    "<q cite='javascript:alert(53)'>x</q>",
    "<b>bold</b> &amp; &lt;i&gt;",
    "x' onmouseover='alert(54)",
    "\" autofocus onfocus=\"alert(55)",
    "__proto__",
    "constructor",
    "../../../../etc/passwd",
    "*/alert(56)/*",
    "<?php alert(57) ?>",
    "<%= alert(58) %>",
]
DRAWN = [
    "\u001b[31mred\u001b[0m",
    "\u001b]0;title\u0007",
    "\u001b]8;;http://x.example\u0007link\u001b]8;;\u0007",
    "\u001b[2J\u001b[H",
    "\u009b31m",
    "a\rb",
    "a\bb",
    "bell\u0007",
    "\u202egnp.exe",
    "\u2066left\u2069",
    "\u200bzero\u200bwidth",
    "\ufeffmark",
    "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
    "\ufdfa" * 20,
    "\U000e0041\U000e0042 tags",
    "\U0001f469\u200d\U0001f467" * 20,
    "a" * 3_000,
    "word " * 600,
    "\t\t\tx",
    "line\nline\nline",
    "@ /etc/passwd",
    "-minus",
    "+plus",
    "\\ No newline at end of file",
    "\u202egnp.exe \u2066left\u2069 \u200b\u200fbidi",
    "\x1b[31mred\x1b[0m\x1b]8;;http://x.example/\x07link\x1b]8;;\x07",
    "null",
    "0",
]
HOSTILE = MARKUP + DRAWN
assert len(set(HOSTILE)) == 100

# Those that take no more room than other texts.
SHORT = [text for text in HOSTILE if len(text) < 150 and "\n" not in text]

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def accessible(tab, where):
    """axe finds nothing. It runs beside the page: the page's policy would not let it in."""
    session = tab.context.new_cdp_session(tab)
    options = json.dumps({"runOnly": RULES})
    # A page that was not loaded again since still has it.
    if not session.send("Runtime.evaluate", {"expression": "!!globalThis.axe"})["result"]["value"]:
        session.send("Runtime.evaluate", {"expression": pathlib.Path(AXE).read_text() + ";0"})
    found = session.send(
        "Runtime.evaluate",
        {"expression": f"axe.run(document,{options}).then(r=>JSON.stringify(r))", "awaitPromise": True},
    )
    session.detach()
    result = json.loads(found["result"]["value"])
    wrong = [(one["id"], one["nodes"][0]["html"][:160], one["nodes"][0]["failureSummary"]) for one in result["violations"]]
    assert not wrong, f"{where}: {wrong}"
    assert len(result["passes"]) > 10, f"{where}: axe saw nothing"
