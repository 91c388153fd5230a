"""The Python client over stdio: a PRIMARY and a PROXY at once."""

from machine import ERAS, call, tell, three_doors


def test_every_hint_tool_works_over_stdio():
    """A client on its own server leaves, reads, finds, uses, lists, exports, removes and imports. @mcp_stdio"""

    async def story(here):
        async with here.stdio() as client:
            assert client.server_info.name == "nudge"
            value = {"type": "command", "shell": "bash", "cmd": "docker compose build router"}
            left = await call(client, "set_hint", component="http-proxy", key="build", value=value, meta={"tags": ["build"]})
            assert (left["hint"]["version"], left["hint"]["value"]) == (1, value)
            read = await call(client, "get_hint", component="http-proxy", key="build")
            assert read["hint"]["value"] == value
            assert read["match_explain"]["matched"] is True
            assert "no scope restrictions" in read["match_explain"]["reasons"]
            found = await call(client, "query", regex="dock.*build")
            assert [row["hint"]["key"] for row in found["hints"]] == ["build"]
            used = await call(client, "bump", component="http-proxy", key="build", delta=2)
            assert (used["hint"]["use_count"], used["hint"]["version"]) == (2, 1)
            listed = await call(client, "list_components")
            assert listed == {"components": [{"name": "http-proxy", "hint_count": 1}]}
            exported = await call(client, "export", format="json")
            gone = await call(client, "delete_hint", component="http-proxy", key="build")
            assert (gone["deleted"], gone["previous"]["value"]) == (True, value)
            taken = await call(client, "import", payload=exported["payload"], mode="merge")
            assert taken == {"imported": 1, "skipped": 0}
            again = await call(client, "get_hint", component="http-proxy", key="build")
            assert (again["hint"]["value"], again["hint"]["use_count"]) == (value, 2)

    tell(story)


def test_both_protocol_eras_are_spoken():
    """The handshake of the older revisions and the newest revision without one reach the same tools. @mcp_stdio"""

    async def story(here):
        lists = []
        for era in ERAS:
            async with here.stdio(era=era) as client:
                assert client.protocol_version == {"auto": "2026-07-28", "legacy": "2025-11-25"}[era]
                await call(client, "set_hint", component="era", key=era, value=era)
                lists.append([tool.name for tool in (await client.list_tools()).tools])
        assert lists[0] == lists[1]
        assert len(here.answer("ls", "era")["hints"]) == 2

    tell(story)


def test_a_second_server_forwards_to_the_first():
    """The first server is PRIMARY, the second a PROXY, and each client reads what the other wrote. @mcp_stdio"""

    async def story(here):
        async with three_doors(here) as doors:
            servers = here.servers()
            assert len(servers) == 2
            assert here.status()["pid"] in servers
            await call(doors["proxy"], "set_hint", component="a", key="from-proxy", value="1")
            await call(doors["primary"], "set_hint", component="a", key="from-primary", value="2")
            for door in doors.values():
                for key, value in (("from-proxy", "1"), ("from-primary", "2")):
                    assert (await call(door, "get_hint", component="a", key=key))["hint"]["value"] == value

    tell(story)


def test_a_hint_of_the_command_line_is_read_everywhere_at_once():
    """What `nudge set` stored is in the very next answer of PRIMARY, PROXY and HTTP. @server_shared_memory"""

    async def story(here):
        async with three_doors(here) as doors:
            for turn in range(10):
                here.nudge("set", "api", "port", f"{8000 + turn}")
                for name, door in doors.items():
                    read = await call(door, "get_hint", component="api", key="port")
                    assert (read["hint"]["value"], read["hint"]["version"]) == (f"{8000 + turn}", turn + 1), name
            await call(doors["proxy"], "bump", component="api", key="port")
            assert here.answer("get", "api", "port")["hint"]["use_count"] == 1

    tell(story)


def test_the_servers_surroundings_fill_a_missing_context():
    """Over stdio what the context leaves out comes from the server's own directory; over HTTP nothing does. @mcp_stdio"""

    async def story(here):
        project = here.work / "http-proxy"
        project.mkdir()
        here.nudge("set", "http-proxy", "build", "make", "--scope-cwd-glob", "**/http-proxy*", "--scope-os", "linux")
        async with here.stdio(cwd=project) as primary:
            await call(primary, "get_hint", component="http-proxy", key="build")
            async with here.stdio(cwd=project) as proxy, here.http() as web:
                read = await call(proxy, "get_hint", component="http-proxy", key="build")
                assert "cwd matched **/http-proxy*" in read["match_explain"]["reasons"]
                result = await web.call_tool("get_hint", {"component": "http-proxy", "key": "build"})
                assert result.is_error
            async with here.stdio(cwd=here.work) as elsewhere:
                result = await elsewhere.call_tool("get_hint", {"component": "http-proxy", "key": "build"})
                assert result.is_error

    tell(story)
