"""The Python client over streamable HTTP, and bare posts beside it."""

import httpx2
from machine import ERAS, WITHIN, call, tell


def test_the_client_works_over_http_with_the_token():
    """With the token every tool is there, in both protocol eras. @mcp_streamable_http"""

    async def story(here):
        here.daemon()
        for era in ERAS:
            async with here.http(era=era) as client:
                assert client.server_info.name == "nudge"
                assert len((await client.list_tools()).tools) == 4
                left = await call(client, "set_hint", component="web", key=era, value="x")
                assert left["hint"]["origin"]["source"] == "agent"
                read = await call(client, "get_hint", component="web", key=era)
                assert read["hint"]["value"] == "x"
        assert [row["key"] for row in here.answer("ls", "web")["hints"]] == sorted(ERAS)

    tell(story)


def test_the_client_works_over_the_older_transport():
    """`/sse` serves the same tools to a client that knows no streamable HTTP. @mcp_sse"""

    async def story(here):
        here.daemon()
        async with here.sse() as client, here.sse() as other:
            assert client.server_info.name == "nudge"
            assert len((await client.list_tools()).tools) == 4
            await call(client, "set_hint", component="web", key="sse", value="x")
            assert (await call(other, "get_hint", component="web", key="sse"))["hint"]["value"] == "x"
            assert (await call(other, "ping"))["server"] == "nudge"
        assert [row["key"] for row in here.answer("ls", "web")["hints"]] == ["sse"]

    tell(story)


def test_without_the_token_the_client_is_turned_away():
    """A wrong token gets no further than the door. @mcp_streamable_http"""

    async def story(here):
        here.daemon()
        for era in ERAS:
            statuses = []
            try:
                async with here.http(era=era, token="0" * 64, statuses=statuses) as client:
                    await client.list_tools()
            except Exception as error:
                assert here.token not in repr(error)
            else:
                raise AssertionError("a client with a wrong token was let in")
            assert statuses and set(statuses) == {401}, statuses

    tell(story)


def test_one_post_is_enough():
    """A single `tools/call` post, without handshake or session, is answered with JSON. @mcp_streamable_http"""

    async def story(here):
        here.daemon()
        here.nudge("set", "web", "port", "8080")
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "get_hint", "arguments": {"component": "web", "key": "port"}},
        }
        async with httpx2.AsyncClient(timeout=WITHIN, trust_env=False) as web:
            said = await web.post(here.url, json=body, headers={"Authorization": f"Bearer {here.token}"})
        assert (said.status_code, said.headers["content-type"].split(";")[0]) == (200, "application/json")
        assert said.json()["result"]["structuredContent"]["hint"]["value"] == "8080"

    tell(story)
