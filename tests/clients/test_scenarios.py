"""The stories of an agent's day, end to end: a real client, the real binary, the command line where a person acts."""

import datetime
import json

from machine import call, fault, tell, three_doors, wait_for

HERE = {"cwd": "/work/minerva/http-proxy", "branch": "dev", "os": "linux"}


def test_scenario_a_warm_start():
    """An agent opens a repository, gets the build command and the reason, runs it and reinforces it. @scenario_warm_start"""

    async def story(here):
        here.nudge(
            "set", "http-proxy", "build", "docker compose build router", "--tags", "build,docker", "--priority", "7",
            "--scope-cwd-glob", "**/http-proxy*", "--scope-branch", "dev,main", "--scope-os", "linux,darwin",
        )
        async with three_doors(here) as doors:
            for turn, door in enumerate(doors.values()):
                cold = await call(door, "get_hint", component="http-proxy", key="build", context=HERE)
                assert cold["hint"]["value"] == "docker compose build router"
                reasons = cold["match_explain"]["reasons"]
                for wanted in ("cwd matched **/http-proxy*", "branch=dev allowed", "os=linux matched"):
                    assert wanted in reasons, reasons
                used = await call(door, "bump", component="http-proxy", key="build", context=HERE)
                assert used["hint"]["use_count"] == turn + 1
                warm = await call(door, "get_hint", component="http-proxy", key="build", context=HERE)
                assert warm["match_explain"]["score"] > cold["match_explain"]["score"]
                assert any(reason.startswith("recently used") for reason in warm["match_explain"]["reasons"])

    tell(story)


def test_scenario_b_fixing_a_build_error():
    """After a failure the agent searches by tag, tries the best of a ranked list and reinforces it. @scenario_build_error"""

    async def story(here):
        here.nudge("set", "http-proxy", "build", "docker compose build router", "--tags", "build", "--priority", "9")
        here.nudge("set", "http-proxy", "clean", "docker compose down", "--tags", "build", "--priority", "3")
        here.nudge("set", "http-proxy", "test", "make test", "--tags", "test", "--priority", "10")
        here.nudge("set", "http-proxy", "win", "build.cmd", "--tags", "build", "--scope-os", "windows")
        context = {"cwd": "/work/minerva/http-proxy", "os": "linux"}
        async with three_doors(here) as doors:
            for door in doors.values():
                found = await call(door, "query", component="http-proxy", tags=["build"], context=context, limit=3)
                assert [row["hint"]["key"] for row in found["hints"]] == ["build", "clean"]
                scores = [row["score"] for row in found["hints"]]
                assert scores == sorted(scores, reverse=True)
                assert all(row["match_explain"]["reasons"] for row in found["hints"])
                assert found["left_out"]["not_eligible"] == 1
                await call(door, "bump", component="http-proxy", key="build")
                again = await call(door, "query", component="http-proxy", tags=["build"], context=context, limit=3)
                assert again["hints"][0]["score"] > scores[0]

    tell(story)


def test_scenario_c_platform_specific_paths():
    """Two people leave the same key for two systems; an agent on each system gets its own. @scenario_platform_paths"""

    async def story(here):
        here.nudge("set", "http-proxy", "directory", "c:\\code\\http-proxy", "--scope-os", "windows")
        here.nudge("set", "http-proxy", "directory", "/Users/dev/code/http-proxy", "--scope-os", "darwin")
        async with three_doors(here) as doors:
            for door in doors.values():
                for system, path in (("windows", "c:\\code\\http-proxy"), ("darwin", "/Users/dev/code/http-proxy")):
                    read = await call(door, "get_hint", component="http-proxy", key="directory", context={"os": system})
                    assert read["hint"]["value"] == path
                    assert read["hint"]["version"] == 1
                found = await fault(door, "get_hint", component="http-proxy", key="directory", context={"os": "linux"})
                assert (found["id"], found["data"]["reason"]) == ("E_NOT_FOUND", "not_eligible")
        by_hand = here.answer("get", "http-proxy", "directory", "--os", "darwin")
        assert by_hand["hint"]["value"] == "/Users/dev/code/http-proxy"

    tell(story)


def test_scenario_d_a_toggle_that_ends_by_itself():
    """A hint for hotfix branches lives two hours by its own clock and is silently gone after its end. @scenario_hotfix_toggle"""

    async def story(here):
        async with three_doors(here) as doors:
            for name, door in doors.items():
                meta = {"ttl": "PT2H", "tags": ["env", "test"], "scope": {"branch": ["hotfix/*"]}}
                key = f"env.FEATURE_{name.upper()}"
                left = await call(door, "set_hint", component="api", key=key, value="1", meta=meta)
                ends, began = moment(left["hint"]["expires_at"]), moment(left["hint"]["updated_at"])
                assert ends - began == datetime.timedelta(hours=2)
                read = await call(door, "get_hint", component="api", key=key, context={"branch": "hotfix/login"})
                assert read["hint"]["value"] == "1"
                other = await fault(door, "get_hint", component="api", key=key, context={"branch": "main"})
                assert other["data"]["reason"] == "not_eligible"
            await call(doors["proxy"], "set_hint", component="brief", key="x", value="1", meta={"ttl": "PT1S"})
            wait_for(lambda: here.run("get", "brief", "x").returncode == 3)
            for door in doors.values():
                assert (await fault(door, "get_hint", component="brief", key="x"))["id"] == "E_NOT_FOUND"
                assert (await call(door, "query", component="brief"))["hints"] == []
                assert [row["name"] for row in (await call(door, "list_components"))["components"]] == ["api"]

    tell(story)


def test_scenario_e_a_seed_from_a_person():
    """A person imports a file; agents have its hints at once, and no file appears where they work. @scenario_seeded_session"""

    async def story(here):
        seed = here.home / "nudge-seed.json"
        seed.write_text(json.dumps(SEED))
        async with three_doors(here) as doors:
            assert here.answer("import", str(seed)) == {"imported": 3, "skipped": 0}
            for door in doors.values():
                read = await call(door, "get_hint", component="http-proxy", key="build", context=HERE)
                assert read["hint"]["value"]["cmd"] == "docker compose build router"
                assert (read["hint"]["version"], read["hint"]["use_count"]) == (3, 4)
                assert read["hint"]["origin"]["source"] == "file-import"
                found = await call(door, "query", tags=["run"], context=HERE)
                assert [row["hint"]["key"] for row in found["hints"]] == ["run"]
            assert here.answer("import", str(seed)) == {"imported": 0, "skipped": 3}
        assert list(here.work.iterdir()) == []

    tell(story)


SEED = {
    "schema_version": "1.0",
    "created_at": "2026-11-01T08:00:00Z",
    "session_id": "seed",
    "components": {
        "http-proxy": {
            "hints": {
                "build": {
                    "value": {"type": "command", "shell": "bash", "cmd": "docker compose build router"},
                    "meta": {"tags": ["build"], "ttl": "forever", "scope": {"branch": ["dev"]}},
                    "version": 3,
                    "created_at": "2026-11-01T08:00:00Z",
                    "updated_at": "2026-11-02T08:00:00Z",
                    "use_count": 4,
                    "last_used_at": "2026-11-02T09:00:00Z",
                },
                "run": [
                    {"value": "make run", "meta": {"tags": ["run"], "scope": {"os": ["linux"]}}, "version": 1},
                    {"value": "run.cmd", "meta": {"tags": ["run"], "scope": {"os": ["windows"]}}, "version": 1},
                ],
            }
        }
    },
}


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
