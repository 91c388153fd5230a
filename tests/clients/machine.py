"""A person's machine in a temporary directory: its own HOME, the command line, and doors for MCP clients."""

import asyncio
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import httpx2
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

# Set by the runner.
BINARY = ""
INSPECTOR = ""

# How long anything may take. Generous: the computer may be building something else.
WITHIN = 30

# The protocol eras: the handshake of the older revisions, and the newest revision, which asks the server first.
ERAS = ("legacy", "auto")


class Machine:
    """One HOME. Every process in it gets HOME and PATH and nothing else."""

    def __init__(self, home: pathlib.Path):
        self.home = home
        self.work = home / "work"
        self.work.mkdir()

    @property
    def environment(self):
        # Whoever runs the tests may be an agent; the last variable has a debug build look past that.
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "TEST_WITHOUT_ANCESTORS": "1"}

    def run(self, *args, cwd=None, env=None):
        """Runs the command line to its end."""
        return subprocess.run(
            [BINARY, *args],
            cwd=cwd or self.work,
            env=self.environment | (env or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WITHIN,
        )

    def nudge(self, *args, cwd=None):
        """Runs the command line, demands success and gives what it printed."""
        done = self.run(*args, cwd=cwd)
        assert done.returncode == 0, f"nudge {args} exits {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def answer(self, *args, cwd=None):
        """What the command line answers to programs."""
        return json.loads(self.nudge(*args, "--json", cwd=cwd))

    def status(self):
        return json.loads(self.run("status", "--json").stdout or "{}")

    def daemon(self, *args):
        """Starts a detached server and gives its status."""
        self.nudge("serve", "--daemon", *args)
        return wait_for(lambda: (status := self.status()).get("pid") and status)

    @property
    def token(self):
        return (self.home / ".local/share/nudge/run/token").read_text().strip()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.status()['port']}/mcp"

    def servers(self):
        """The process ids of all servers of this HOME."""
        mark = f"HOME={self.home}".encode()
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (process / "cmdline").read_bytes().split(b"\0")
                if b"serve" in words and mark in (process / "environ").read_bytes().split(b"\0"):
                    found.append(int(process.name))
        return sorted(found)

    @contextlib.asynccontextmanager
    async def stdio(self, *args, cwd=None, env=None, era="legacy"):
        """The Python client on a server of its own."""
        command = StdioServerParameters(
            command=BINARY, args=["serve", *args], env=self.environment | (env or {}), cwd=cwd or self.work
        )
        with open(os.devnull, "w") as nowhere:
            async with Client(stdio_client(command, errlog=nowhere), mode=era, read_timeout_seconds=WITHIN) as client:
                yield client

    @contextlib.asynccontextmanager
    async def http(self, query="", era="legacy", token=None, statuses=None):
        """The Python client on the loopback port. `statuses` is given the status of every response."""

        async def note(response):
            if statuses is not None:
                statuses.append(response.status_code)

        headers = {"Authorization": f"Bearer {token or self.token}"}
        hooks = {"response": [note]}
        async with httpx2.AsyncClient(headers=headers, event_hooks=hooks, timeout=WITHIN, trust_env=False) as web:
            transport = streamable_http_client(self.url + query, http_client=web)
            async with Client(transport, mode=era, read_timeout_seconds=WITHIN) as client:
                yield client

    @contextlib.asynccontextmanager
    async def sse(self, token=None):
        """The Python client over the older transport, with a stream."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        transport = sse_client(self.url.removesuffix("/mcp") + "/sse", headers=headers, timeout=WITHIN)
        async with Client(transport, mode="legacy", read_timeout_seconds=WITHIN) as client:
            yield client

    def inspector(self, *args):
        """Runs the inspector's command line to its end."""
        return subprocess.run(
            [INSPECTOR, "--cli", *args],
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * WITHIN,
        )

    def inspect(self, *args):
        """Runs the inspector, demands success and gives its answer."""
        done = self.inspector(*args)
        assert done.returncode == 0, f"inspector {args} exits {done.returncode}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    def close(self):
        self.run("stop")
        for pid in self.servers():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def machine():
    """A fresh machine, gone at the end with everything that ran on it."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="nc"))
    here = Machine(home)
    try:
        yield here
    finally:
        here.close()
        shutil.rmtree(home, ignore_errors=True)


def wait_for(look):
    """What `look` gives once it gives something."""
    deadline = time.monotonic() + WITHIN
    while not (found := look()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
    return found


def tell(story):
    """Runs an asynchronous story to its end on a fresh machine."""

    async def whole():
        with machine() as here:
            await story(here)

    asyncio.run(whole())


@contextlib.asynccontextmanager
async def three_doors(here, era="legacy"):
    """The same memory through a PRIMARY, a PROXY and HTTP at once."""
    async with here.stdio(era=era) as primary:
        await primary.list_tools()
        wait_for(lambda: here.status().get("pid"))
        async with here.stdio(era=era) as proxy, here.http(era=era) as web:
            await proxy.list_tools()
            yield {"primary": primary, "proxy": proxy, "http": web}


async def call(client, tool, **arguments):
    """Calls a tool, demands success, and gives its structured content after comparing the text with it."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, f"{tool} {arguments}: {texts(result)}"
    assert json.loads(texts(result)) == result.structured_content
    return result.structured_content


async def fault(client, tool, **arguments):
    """Calls a tool, demands a tool error, and gives the fault after comparing what a model reads with it."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, f"{tool} {arguments} succeeds: {texts(result)}"
    found, told = result.structured_content["error"], texts(result)
    for fact in (found["id"], str(found["code"]), found["message"], found.get("next", "")):
        assert fact in told, f"{told!r} does not say {fact!r}"
    return found


def texts(result):
    return "".join(part.text for part in result.content)
