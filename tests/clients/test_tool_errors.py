"""Failures that an agent can act on: tool errors with a stable id and number, not prose."""

import json

import httpx2
from machine import WITHIN, fault, tell, three_doors

# Looks like a cloud key and is none; put together here so that no scanner trips over this file.
KEY_LIKE = "AKIA" + "IOSFODNN7EXAMPLQ"

REFUSED = [
    ("get_hint", {"component": "no", "key": "such"}, "E_NOT_FOUND", 40401),
    ("set_hint", {"component": "a", "key": "b", "value": "c", "meta": {"priority": 11}}, "E_INVALID", 40001),
    ("set_hint", {"component": "a", "key": "b"}, "E_INVALID", 40001),
    ("set_hint", {"component": "a", "key": "b", "value": "c", "if_match_version": 7}, "E_CONFLICT", 40901),
    ("set_hint", {"component": "a", "key": "b", "value": KEY_LIKE}, "E_SECRET_REJECTED", 40002),
    ("set_hint", {"component": "a", "key": "b", "value": "c", "meta": {"scope": {"cwd_glob": ["../x"]}}}, "E_SCOPE_INVALID", 40003),
    ("query", {"regex": "("}, "E_INVALID", 40001),
]


def test_a_refusal_is_a_tool_error_with_its_code():
    """Every refusal is marked as an error and carries id, number, reason and message, on every door. @mcp_tool_errors"""

    async def story(here):
        async with three_doors(here) as doors:
            for name, door in doors.items():
                for tool, arguments, wanted, code in REFUSED:
                    found = await fault(door, tool, **arguments)
                    assert (found["id"], found["code"]) == (wanted, code), (name, tool, arguments, found)
                    assert found["message"] and found["data"]["reason"], found
                    assert KEY_LIKE not in str(found)
            assert here.answer("ls") == {"components": []}

    tell(story)


def test_a_full_memory_says_so():
    """One hint over the limit is refused with E_QUOTA and the limit. @mcp_tool_errors"""

    async def story(here):
        async with here.stdio(env={"NUDGE_MAX_HINTS": "1"}) as client:
            assert not (await client.call_tool("set_hint", {"component": "a", "key": "1", "value": "x"})).is_error
            found = await fault(client, "set_hint", component="a", key="2", value="x")
            assert (found["id"], found["code"], found["data"]["limit"]) == ("E_QUOTA", 42901, 1)

    tell(story)


def test_a_failure_reads_the_same_on_every_surface():
    """Id, code, message, reason and next step are one and the same for tools, JSON-RPC and the command line. @error_model"""

    async def story(here):
        here.nudge("set", "a", "b", "c")
        params = {"component": "a", "key": "b", "value": "d", "if_match_version": 7}
        async with three_doors(here) as doors:
            found = {name: await fault(door, "set_hint", **params) for name, door in doors.items()}
            message = {"jsonrpc": "2.0", "id": 1, "method": "nudge.set_hint", "params": params}
            async with httpx2.AsyncClient(timeout=WITHIN, trust_env=False) as web:
                headers = {"Authorization": f"Bearer {here.token}"}
                said = (await web.post(here.url.replace("/mcp", "/rpc"), json=message, headers=headers)).json()["error"]
        done = here.run("set", "a", "b", "d", "--if-match-version", "7", "--json")
        found["cli"] = json.loads(done.stdout)["error"]
        data = dict(said["data"])
        fields = {"id": data.pop("id"), "code": said["code"], "message": said["message"], "next": data.pop("next")}
        found["rpc"] = fields | {"data": data}
        assert done.returncode == 6
        for name, one in found.items():
            assert one == found["primary"], name
        assert found["rpc"]["data"] == {"reason": "version_mismatch", "expected_version": 7, "current_version": 1}

    tell(story)
