"""Which tools a client is shown, and that the others answer all the same."""

from machine import call, tell

FOUR = ["search", "get_observations", "remember", "set_hint"]

EIGHT = [
    "search",
    "get_observations",
    "remember",
    "get_hint",
    "set_hint",
    "set_relevant_context",
    "start_ghap",
    "resolve_ghap",
]


async def shown(client):
    return [tool.name for tool in (await client.list_tools()).tools]


def test_four_tools_are_shown_unless_more_are_wanted():
    """The default list is four tools, in one order on every door; their names carry no dots. @mcp_profiles"""

    async def story(here):
        async with here.stdio() as primary, here.stdio() as proxy:
            assert await shown(primary) == FOUR
            assert await shown(proxy) == FOUR
            async with here.http() as web:
                assert await shown(web) == FOUR
            for tool in (await primary.list_tools()).tools:
                assert tool.name.replace("_", "").isalnum() and tool.name.islower()
                assert tool.description and tool.input_schema["type"] == "object"

    tell(story)


def test_the_full_profile_shows_all_that_agents_may_call():
    """`--profile full`, NUDGE_PROFILE and `?profile=full` list every operation for agents. @mcp_profiles"""

    async def story(here):
        rows = here.answer("discover")["operations"]
        every = [row["name"] for row in rows if row["profile"] != "none"]
        assert "ask" in [row["name"] for row in rows] and "ask" not in every
        assert len(every) > len(EIGHT)
        async with here.stdio("--profile", "full") as by_flag:
            assert await shown(by_flag) == every
            async with here.stdio(env={"NUDGE_PROFILE": "full"}) as by_variable:
                assert await shown(by_variable) == every
            async with here.http("?profile=full") as by_query:
                assert await shown(by_query) == every
            async with here.stdio() as default:
                assert await shown(default) == FOUR
            async with here.stdio("--profile", "work") as at_work:
                assert await shown(at_work) == EIGHT

    tell(story)


def test_a_tool_that_is_not_listed_can_be_called():
    """Unlisted operations and the dotted names answer on every door. @mcp_profiles"""

    async def story(here):
        async with here.stdio() as primary, here.stdio() as proxy:
            await call(primary, "nudge.set_hint", component="a", key="b", value="c")
            async with here.http() as web:
                for client in (primary, proxy, web):
                    assert "hint_stats" not in await shown(client)
                    assert (await call(client, "hint_stats"))["hints"] == 1
                    read = await call(client, "nudge.get_hint", component="a", key="b")
                    assert read["hint"]["value"] == "c"

    tell(story)
