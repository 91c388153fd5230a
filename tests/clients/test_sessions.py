"""What agents are told at the start, and whose their calls are."""

from machine import call, tell, three_doors


async def writer(client, key, **options):
    """The session that a write through this client is entered under."""
    result = await client.call_tool("set_hint", {"component": "s", "key": key, "value": "x"}, **options)
    return result.structured_content["hint"]["origin"].get("session")


def test_agents_are_told_when_to_use_what():
    """The instructions name the four habits, are the same on every door, and fit what clients keep. @mcp_instructions"""

    async def story(here):
        async with three_doors(here) as doors:
            texts = {door.instructions for door in doors.values()}
            assert len(texts) == 1
            (text,) = texts
            for word in ("search", "get_observations", "remember", "set_hint"):
                assert word in text, text
            assert len(text.encode()) <= 2048

    tell(story)


def test_a_call_belongs_to_the_session_it_names():
    """`_meta` comes first, then the environment, then the process; never the connection. @mcp_call_session"""

    async def story(here):
        async with here.stdio(env={"CLAUDE_CODE_SESSION_ID": "claude-1"}) as named, here.stdio() as nameless:
            assert await writer(named, "a") == "claude-1"
            assert await writer(named, "b", meta={"threadId": "thread-1"}) == "thread-1"
            assert await writer(named, "c") == "claude-1"
            made_up = await writer(nameless, "d")
            assert made_up and made_up != "claude-1"
            assert await writer(nameless, "e") == made_up
            assert await writer(nameless, "f", meta={"threadId": "thread-2"}) == "thread-2"
            async with here.http() as web:
                assert await writer(web, "g", meta={"threadId": "thread-3"}) == "thread-3"
            read = await call(nameless, "get_hint", component="s", key="b")
            assert read["hint"]["origin"]["session"] == "thread-1"

    tell(story)
