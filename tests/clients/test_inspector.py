"""The official inspector's command line, over stdio and over HTTP."""

import machine
from machine import tell
from test_profiles import FOUR


def names(answer):
    return [tool["name"] for tool in answer["tools"]]


def test_the_inspector_lists_and_calls_over_stdio():
    """The inspector starts a server, lists its tools and calls them. @mcp_stdio"""

    async def story(here):
        server = [machine.BINARY, "serve"]
        assert names(here.inspect(*server, "--method", "tools/list")) == FOUR
        left = here.inspect(
            *server, "--method", "tools/call", "--tool-name", "set_hint",
            "--tool-arg", "component=api", "--tool-arg", "key=lang", "--tool-arg", "value=rust",
        )
        assert left["structuredContent"]["hint"]["version"] == 1
        assert here.answer("get", "api", "lang")["hint"]["value"] == "rust"

    tell(story)


def test_the_inspector_works_over_http():
    """The inspector reaches the loopback port with the token. @mcp_streamable_http"""

    async def story(here):
        here.daemon()
        here.nudge("set", "api", "lang", "rust")
        web = ["--transport", "http", "--header", f"Authorization: Bearer {here.token}"]
        assert names(here.inspect(here.url, *web, "--method", "tools/list")) == FOUR
        # The inspector calls only tools that are listed.
        read = here.inspect(
            f"{here.url}?profile=work", *web, "--method", "tools/call", "--tool-name", "get_hint",
            "--tool-arg", "component=api", "--tool-arg", "key=lang",
        )
        assert read["structuredContent"]["hint"]["value"] == "rust"

    tell(story)


def test_a_hint_is_read_by_the_inspector_through_a_proxy():
    """While a PRIMARY lives, the inspector's own server is a PROXY and reads the same memory. @server_shared_memory"""

    async def story(here):
        async with here.stdio() as primary:
            await primary.list_tools()
            here.nudge("set", "api", "lang", "rust")
            read = here.inspect(
                machine.BINARY, "serve", "--profile", "work", "--method", "tools/call", "--tool-name", "get_hint",
                "--tool-arg", "component=api", "--tool-arg", "key=lang",
            )
            assert read["structuredContent"]["hint"]["value"] == "rust"

    tell(story)


def test_the_schemas_are_portable():
    """No tool of either profile has a schema that some client stumbles over. @mcp_profiles"""

    async def story(here):
        for profile in ("default", "full"):
            done = here.inspector(
                machine.BINARY, "serve", "--profile", profile, "--method", "tools/list", "--strict"
            )
            assert done.returncode == 0, done.stderr
            assert "error" not in done.stderr.lower() and "warning" not in done.stderr.lower(), done.stderr

    tell(story)
