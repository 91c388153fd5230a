"""The neighbour: an agent in another repository tries everything against what the person stated in shop.

Through MCP over stdio and HTTP, `/rpc` and the agent's own shell. Nothing changes, each try says what happened
instead, and `nudge review` lists the proposals with where they came from.
"""

import json
import re
import socket
import subprocess
import time

import httpx2
import machine
from machine import WITHIN, tell

# What the person keeps to themselves; no answer to an agent may hold one of these words.
KEPT = ("conditioned-words", "repository-words", "secret-words", "private-words", "vault")

# What differs between two looks at the same start: ages, and the random mark of the frame.
AGE = re.compile(r"\bnow\b|\d+[mhd] ago")
FRAME = re.compile(r'id="\w+"')

# What an agent would like to see in shop.
PLANTED = "planted-words"


def test_a_neighbour_changes_reads_and_plants_nothing():
    """Every operation, over every door, with every parameter that names shop. @authority_proposals @authority_tier
    @authority_places @authority_unreadable @authority_claims @authority_stated_by @project_private"""

    async def story(here):
        town = Town(here)
        town.the_person_speaks()
        before = town.all_that_was_stated()
        start_before = town.start_of_shop()
        here.daemon()
        async with here.stdio(cwd=town.other) as stdio, here.http() as web:
            await stdio.list_tools()
            doors = {
                "stdio": Mcp(stdio),
                "http": Mcp(web, far=True),
                "rpc": Rpc(here),
                "shell": Shell(here, town.other),
            }
            for name, door in doors.items():
                for operation, arguments in tries(town):
                    # Over HTTP a call is in the project of the open session that it names.
                    if name in ("http", "rpc") and arguments.get("session") == "s-shop":
                        continue
                    said = await door.try_out(operation, arguments)
                    # What a caller says itself may come back to it.
                    for word in (word for word in KEPT if word not in json.dumps(arguments)):
                        assert word not in said, f"{name}: {operation} {arguments} tells {word}: {said}"
                    assert town.all_that_was_stated() == before, f"{name}: {operation} {arguments} changed something: {said}"
        town.record_as_agent()
        start = town.start_of_shop()
        assert start == start_before, f"{start_before}\n\n{start}"
        assert PLANTED not in town.start_of_shop()
        waiting = here.answer("review", cwd=town.shop)["proposals"]
        assert waiting, "nothing waits for the person"
        for proposal in waiting:
            assert proposal["proposed_by"].startswith("an agent"), proposal
            assert proposal["why"] and proposal["first_at"]
        assert any(proposal["proposed_by"] == "an agent, in other" for proposal in waiting), waiting
        page = here.nudge("review", cwd=town.shop)
        assert "an agent, in other" in page and "you, in shop" in page, page
        every_operation_was_tried(here, town)

    tell(story)


def test_an_archive_a_clone_and_a_private_project_get_nothing():
    """A `.git` file, a `commondir`, a name in a cloned `.nudge.toml`, and a project that is private.
    @project_points_back @project_claimed_name @project_private"""

    async def story(here):
        town = Town(here)
        town.the_person_speaks()
        for stranger in town.strangers():
            async with here.stdio(cwd=stranger) as agent:
                for operation, arguments in (
                    ("search", {"query": "conditioned repository open marked asked"}),
                    ("recent_context", {}),
                    ("get_hint", {"component": "shop", "key": "deploy"}),
                    ("get_hint", {"component": "shop", "key": "test"}),
                    ("preview_context", {}),
                ):
                    said = await Mcp(agent).try_out(operation, arguments)
                    for word in (*KEPT, "marked-words", "asked-words"):
                        assert word not in said, f"{stranger.name}: {operation} tells {word}: {said}"
            assert "marked-words" not in here.nudge("context", cwd=stranger), stranger

    tell(story)


def test_the_environment_of_a_server_that_an_agent_started_counts_for_nothing():
    """A variable of an agent says neither where the person's questions go nor which key is sent. @authority_settings"""

    async def story(here):
        town = Town(here)
        config = here.home / ".config/nudge"
        config.mkdir(parents=True)
        (config / "config.toml").write_text('[models.mine]\nmodel = "openai/mine"\n')
        here.nudge("set", "shop", "one", "1", cwd=town.shop)
        keys = here.home / ".local/share/nudge/keys.toml"
        keys.write_text('openai = "sk-of-the-person"\n')
        keys.chmod(0o600)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.setblocking(False)
            address = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
            hostile = {"CLAUDECODE": "1", "OPENAI_BASE_URL": address, "OPENAI_API_KEY": "sk-of-the-agent"}
            started = here.run("serve", "--daemon", cwd=town.other, env=hostile)
            assert started.returncode == 0, started
            here.run("ask", "--detach", "--model", "mine", "where do my questions go?", cwd=town.shop)
            time.sleep(2)
            try:
                listener.accept()
            except BlockingIOError:
                return
            raise AssertionError("the person's question went to the agent's address")

    tell(story)


def test_a_web_socket_tells_nothing_of_a_private_project():
    """Neither changes nor runs of the vault are sent to a program that names it. @project_private @ws_notifications
    @run_notifications"""

    async def story(here):
        town = Town(here)
        town.the_person_speaks()
        here.nudge("model", "add", "mine", "openai/mine", "--url", "http://127.0.0.1:1/v1", cwd=town.vault)
        here.daemon()
        with Socket(here) as connection:
            connection.call("init", {"name": "vault", "projectRoot": str(town.vault)})
            connection.call("subscribe", {})
            here.run("ask", "--detach", "--model", "mine", "--run", "private-words", "private-words?", cwd=town.vault)
            here.nudge("entry", "set", "note://private-words", "private-words", cwd=town.vault)
            here.nudge("entry", "set", "note://open", "open", cwd=town.shop)
            heard = connection.hear_until("note", 3)
        for word in ("private-words", "vault"):
            assert word not in heard, heard

    tell(story)


def test_an_agents_token_changes_no_session():
    """PATCH is for programs of the person. @session_api @client_tokens"""

    async def story(here):
        town = Town(here)
        town.the_person_speaks()
        here.daemon()
        url = here.url.removesuffix("/mcp") + "/api/sessions/s-shop"
        change = {"name": PLANTED, "envHint": PLANTED, "context": {"notes": [PLANTED]}}
        for token, status in ((here.token, 403), (here.answer("token", "client", "page")["token"], 200)):
            headers = {"Authorization": f"Bearer {token}"}
            async with httpx2.AsyncClient(headers=headers, timeout=WITHIN, trust_env=False) as web:
                assert (await web.patch(url, json=change)).status_code == status
                if status == 403:
                    assert PLANTED not in (await web.get(url)).text

    tell(story)


def test_no_event_reaches_another_project_by_its_path():
    """`..` and links lead to the project that they lead to. @authority_agent_shell"""

    async def story(here):
        town = Town(here)
        town.the_person_speaks()
        before = town.start_of_shop()
        (town.other / "link").symlink_to(town.shop)
        for place in (town.other / ".." / "shop", town.other / "link", town.other / "link" / ".." / "shop"):
            town.record_as_agent(place)
        assert town.start_of_shop() == before

    tell(story)


def test_a_named_home_loses_no_setting_and_shows_no_key():
    """`--home` at the person's memory has the person's settings, and a home inside a project is no part of its files.
    @authority_settings @files_inside_root"""

    async def story(here):
        town = Town(here)
        config = here.home / ".config/nudge"
        config.mkdir(parents=True)
        (config / "config.toml").write_text("max_hints = 1\n")
        here.nudge("set", "shop", "one", "1", "--ttl", "forever", cwd=town.shop)
        memory = str(here.home / ".local/share/nudge")
        for words, env in ((("--home", memory), {}), ((), {"NUDGE_HOME": memory})):
            done = here.run(*words, "set", "shop", "two", "2", cwd=town.shop, env={"CLAUDECODE": "1"} | env)
            assert done.returncode != 0 and "limit" in done.stderr, done
        inside = town.shop / ".mem"
        inside.mkdir(mode=0o700)
        (inside / "keys.toml").write_text('openai = "sk-of-the-person"\n')
        for path in (".mem/keys.toml", ".mem/**", "**"):
            done = here.run("--home", str(inside), "entry", "get", path, cwd=town.shop, env={"CLAUDECODE": "1"})
            assert "sk-of-the-person" not in done.stdout + done.stderr, done

    tell(story)


class Socket:
    """A program on `/ws`, with the agents' token: text frames, and nothing else."""

    def __init__(self, here):
        port = here.status()["port"]
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=WITHIN)
        head = (
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            f"Authorization: Bearer {here.token}\r\n\r\n"
        )
        self.stream.sendall(head.encode())
        self.file = self.stream.makefile("rb")
        while self.file.readline() not in (b"\r\n", b""):
            pass
        self.heard = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.stream.close()

    def hear(self):
        head = self.file.read(2)
        length = head[1] & 0x7F
        if length >= 126:
            length = int.from_bytes(self.file.read(2 if length == 126 else 8), "big")
        text = self.file.read(length).decode(errors="replace")
        self.heard.append(text)
        return json.loads(text) if head[0] == 0x81 else {}

    def call(self, method, params):
        text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        self.stream.sendall(bytes([0x81, 0xFE]) + len(text).to_bytes(2, "big") + bytes(4) + text)
        while self.hear().get("id") != 1:
            pass
        # What a caller says itself may come back to it.
        self.heard.clear()

    def hear_until(self, word, seconds):
        """All that is sent until a message has the word, and for some seconds after."""
        end = None
        while end is None or time.monotonic() < end:
            self.stream.settimeout(WITHIN if end is None else max(0.1, end - time.monotonic()))
            try:
                self.hear()
            except TimeoutError:
                break
            if end is None and any(word in text for text in self.heard):
                end = time.monotonic() + seconds
        return "\n".join(self.heard)


class Town:
    """Two repositories, a private project, and the strangers that call themselves shop."""

    def __init__(self, here):
        self.here = here
        self.statements = []  # numbers of what the person stated
        self.shop, self.other, self.vault = (self.repository(name) for name in ("shop", "other", "vault"))

    def repository(self, name):
        root = self.here.home / name
        git("init", "--quiet", "--initial-branch", "main", str(root))
        git("-C", str(root), "remote", "add", "origin", f"git@example.test:ada/{name}.git")
        return root

    def the_person_speaks(self):
        say = lambda *args, at: self.here.nudge(*args, cwd=at)
        say("set", "shop", "build", "open-words", "--ttl", "forever", "--tags", "build", at=self.shop)
        inside = ("--scope-cwd-glob", f"{self.shop}/**", "--scope-cwd-glob", str(self.shop))
        say("set", "shop", "deploy", "conditioned-words", "--ttl", "forever", *inside, at=self.shop)
        say("set", "shop", "test", "repository-words", "--ttl", "forever", "--scope-repo", "git:ada/shop", at=self.shop)
        say("set", "shop", "key", "secret-words", "--ttl", "forever", "--sensitivity", "secret", at=self.shop)
        self.hook(self.shop, "s-shop", "UserPromptSubmit", prompt="asked-words: make the cart round up")
        self.hook(self.shop, "s-shop", "PostToolUse", tool_name="Edit", tool_use_id="t-1",
                  tool_input={"file_path": str(self.shop / "cart.rs"), "old_string": "a", "new_string": "b"},
                  tool_response={"filePath": str(self.shop / "cart.rs")})
        say("mark", "marked-words", at=self.shop)
        say("remember", "asked-words: prices are whole cents", at=self.shop)
        self.hook(self.vault, "s-vault", "UserPromptSubmit", prompt="private-words: open the safe")
        say("mark", "private-words in a note", at=self.vault)
        say("project", "private", "vault", at=self.vault)
        say("set", "safe", "code", "private-words", "--ttl", "forever", at=self.vault)
        say("remember", "private-words: the safe opens at noon", at=self.vault)
        stated = [self.here.answer("knows", cwd=place)["statements"] for place in (self.shop, self.vault)]
        self.statements = [one["id"] for of_place in stated for one in of_place]
        assert len(self.statements) == 2, stated

    def hook(self, place, session, event, **more):
        payload = {"session_id": session, "cwd": str(place), "hook_event_name": event, **more}
        done = subprocess.run(
            [machine.BINARY, "hook", "claude"], input=json.dumps(payload), cwd=place,
            env=self.here.environment, capture_output=True, text=True, timeout=WITHIN,
        )
        assert done.returncode == 0, done

    def record_as_agent(self, place=None):
        """The agent records events of its own making for shop, under a path that leads there."""
        for event, more in (("UserPromptSubmit", {"prompt": PLANTED}), ("SessionStart", {"source": "startup"})):
            payload = {"session_id": "s-planted", "cwd": str(place or self.shop), "hook_event_name": event, **more}
            done = subprocess.run(
                [machine.BINARY, "record"], input=json.dumps(payload), cwd=self.other, text=True,
                env=self.here.environment | {"CLAUDECODE": "1"}, capture_output=True, timeout=WITHIN,
            )
            assert done.returncode == 1 and "the project it works in" in done.stderr, done

    def all_that_was_stated(self):
        """The person's hints and statements, as they read them; counts of use apart."""
        hints = self.here.answer("export", "--include-secrets", cwd=self.shop)["payload"]["components"]
        kept = {}
        for component in ("shop", "safe"):
            for key, hint in hints.get(component, {}).get("hints", {}).items():
                variants = [
                    (one["value"], json.dumps(one["meta"], sort_keys=True), one["version"])
                    for one in (hint if isinstance(hint, list) else [hint])
                    if one["meta"].get("added_by") != "neighbour"
                ]
                # A pattern that the neighbour's own place meets is stored; it comes after all others.
                if variants:
                    kept[component, key] = variants
        for place in (self.shop, self.vault):
            stated = self.here.answer("knows", "--all", cwd=place)["statements"]
            kept[place.name] = [json.dumps(one, sort_keys=True) for one in stated]
        return kept

    def start_of_shop(self):
        """What a session that begins in shop now would be given, without its ages."""
        told = self.here.answer("context", cwd=self.shop)
        return FRAME.sub("", AGE.sub("", told["text"]))

    def strangers(self):
        """Directories as an unpacked archive or a clone would leave them."""
        joined = self.here.home / "archive"
        joined.mkdir()
        (joined / ".git").write_text(f"gitdir: {self.shop}/.git\n")
        common = self.here.home / "unpacked"
        (common / ".git").mkdir(parents=True)
        (common / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (common / ".git/commondir").write_text(f"{self.shop}/.git\n")
        tree = self.here.home / "tree"
        (tree / "inner").mkdir(parents=True)
        (tree / "inner/HEAD").write_text("ref: refs/heads/main\n")
        (tree / "inner/commondir").write_text(f"{self.shop}/.git\n")
        (tree / ".git").write_text(f"gitdir: {tree}/inner\n")
        cloned = self.repository("cloned")
        (cloned / ".nudge.toml").write_text('project = "shop"\n')
        linked = self.here.home / "linked"
        linked.mkdir()
        (linked / ".git").symlink_to(self.shop / ".git")
        return [joined, common, tree, cloned, linked]


def tries(town):
    """Every operation of the registry with what could reach into shop or the vault."""
    shop, vault = str(town.shop), str(town.vault)
    loud = {"source": "user", "confidence": 1.0, "priority": 10, "ttl": "PT1S", "added_by": "neighbour"}
    for value in (PLANTED, {"type": "command", "cmd": PLANTED}):
        yield "set_hint", {"component": "shop", "key": "build", "value": value, "meta": loud}
    yield "set_hint", {"component": "shop", "key": "build", "value": PLANTED}
    yield "set_hint", {"component": "shop", "key": "build", "value": PLANTED, "if_match_version": 1}
    yield "set_hint", {"component": "shop", "key": "build", "value": PLANTED, "allow_secret": True}
    yield "set_hint", {"component": "shop", "key": "key", "value": PLANTED, "meta": {"sensitivity": "normal"}}
    inside = {"cwd_glob": [f"{shop}/**", shop]}
    for scope in (inside, {"repo": "git:ada/shop"}, {"cwd_glob": ["**"]}, {"repo": "git:ada/shop", "os": ["linux"]}):
        for key in ("build", "deploy", "test", "new"):
            yield "set_hint", {"component": "shop", "key": key, "value": PLANTED, "meta": loud | {"scope": scope}}
    claims = ({}, {"cwd": shop}, {"cwd": f"{shop}/src"}, {"repo": "git:ada/shop"}, {"cwd": vault})
    for context in claims:
        for key in ("deploy", "test", "key"):
            yield "get_hint", {"component": "shop", "key": key, "context": context}
            yield "bump", {"component": "shop", "key": key, "context": context}
            yield "delete_hint", {"component": "shop", "key": key, "context": context}
        yield "get_hint", {"component": "safe", "key": "code", "context": context}
        yield "query", {"regex": "words", "context": context}
        yield "query", {"component": "safe", "context": context}
    yield "delete_hint", {"component": "shop", "key": "build"}
    yield "list_keys", {"component": "shop"}
    yield "list_keys", {"component": "safe"}
    yield "list_components", {}
    yield "hint_stats", {}
    yield "export", {}
    yield "export", {"include_secrets": True}
    hints = {"build": {"value": PLANTED, "meta": {"added_by": "neighbour"}}, "deploy": {"value": PLANTED, "meta": {"scope": inside}}}
    payload = {"schema_version": "1.0", "components": {"shop": {"hints": hints}}}
    yield "import", {"payload": payload}
    yield "import", {"payload": payload, "mode": "replace"}
    for operation in ("hint_log", "undo_hint"):
        yield operation, {"component": "shop", "key": "build"}
        yield operation, {"component": "safe", "key": "code"}
    for operation in ("accept_proposal", "drop_proposal", "reopen_proposal"):
        yield operation, {"id": 1}
    yield "list_proposals", {"all": True}
    for where in ({"project": shop}, {"project": "shop"}, {"project": "1"}, {"session": "s-shop"}, {"project": vault}):
        yield "create_marker", {"text": PLANTED, **where}
    for where in ({}, {"project": shop}, {"project": "shop"}, {"project": vault}, {"everywhere": True}):
        yield "remember", {"text": PLANTED, **where}
    for number in town.statements:
        yield "correct", {"id": number, "text": PLANTED}
        yield "forget", {"id": number}
        for where in ({}, {"project": shop}, {"project": None}):
            yield "silence", {"id": number, **where}
            yield "silence", {"id": number, "again": True, **where}
    for place in (shop, "shop", vault, "vault", None):
        yield "knows", {"project": place, "all": True}
    for place in ("*", vault, "vault"):
        yield "search", {"query": "private", "project": place}
        for query in ("words", "word*", "conditioned", "repository", "secret", "priv" "te", "conditoned wrods", "vaultt"):
            yield "search", {"query": query, "project": place}
        yield "list_sessions", {"project": place}
        yield "overview", {"project": place}
        yield "recent_context", {"project": place}
        yield "file_history", {"file_path": "cart.rs", "project": place}
        yield "learn", {"project": place}
        yield "find_fix", {"error": "private words failed", "project": place}
        yield "preview_context", {"project": place}
        for query in ("", "words", "private safe", "conditioned repository secret"):
            yield "assemble_context", {"query": query, "project": place}
        yield "injection_usage", {"project": place}
    for query in ("words", "conditioned", "repository", "secret", "priv" "te", "shop"):
        yield "search", {"query": query}
        yield "search", {"query": query, "obs_type": "hint"}
        yield "search", {"query": query, "project": shop, "obs_type": "statement"}
    yield "list_sessions", {}
    yield "overview", {}
    yield "search", {"query": "private", "session": "s-vault"}
    for operation in ("session_trace", "session_timeline"):
        yield operation, {"session_id": "s-vault"}
    yield "session_timeline", {"session_id": "s-shop"}
    for session in ("s-vault", "s-shop"):
        for place in (vault, shop):
            yield "session_file", {"session_id": session, "path": f"{place}/README.md"}
    for number in range(1, 40):
        yield "get_observations", {"ids": [number]}
    for number in (5, 9, 12):
        yield "get_observations", {"ids": [number], "around": 20}
    for number in (5, 9, 10, 11, 12, 13, 14):
        yield "timeline", {"anchor": number}
        yield "explain_injection", {"id": number}
        yield "pin", {"ids": [number]}
        yield "unpin", {"ids": [number]}
    for session in ("s-vault", "s-shop"):
        yield "set_relevant_context", {"setName": "files", "items": [PLANTED], "session": session}
        yield "update_session", {"session": session, "name": PLANTED, "context": {"files": [PLANTED]}}
        yield "store_journal_entry", {"summary": PLANTED, "session": session}
        for operation in ("get_relevant_context", "get_session", "handoff", "get_active_ghap", "get_orphaned_ghap",
                          "should_check_in", "increment_tool_count", "reset_tool_count", "adopt_orphan_ghap"):
            yield operation, {"session": session}
        yield "abandon_orphan_ghap", {"reason": PLANTED, "session": session}
        belief = {"domain": "debugging", "strategy": "ask-user", "goal": PLANTED, "hypothesis": PLANTED,
                  "action": PLANTED, "prediction": PLANTED}
        yield "start_ghap", belief | {"session": session}
        yield "update_ghap", {"note": PLANTED, "session": session}
        yield "resolve_ghap", {"status": "abandoned", "result": PLANTED, "session": session}
    for place in ("*", vault, "vault", shop):
        for operation in ("list_session_states", "list_ghap_entries", "group_experiences", "list_values",
                          "list_journal_entries"):
            yield operation, {"project": place}
        yield "search_experiences", {"query": "words private", "project": place}
        yield "premortem", {"domain": "debugging", "project": place}
    for operation in ("validate_value", "store_value"):
        yield operation, {"text": PLANTED, "experiences": ["ghap_1", "ghap_2"]}
    yield "get_journal_entry", {"id": 9}
    yield "mark_entries_reflected", {"ids": [9]}
    yield "start_session", {}
    for path in ("hint://shop/**", "hint://shop/deploy", "hint://safe/code", "known://**", "*://**", "/.*words.*/", f"{shop}/**",
                 f"{shop}/README.md", "../shop/README.md", "../shop/**", "proposal://**", "constraint://**"):
        yield "get", {"path": path}
        yield "get", {"path": path, "body": "words"}
        yield "get", {"path": path, "preview": True, "run": "night"}
        yield "get_entries", {"pattern": path}
        if path != "hint://shop/deploy":
            # A hint of its own, without conditions, is an agent's to set.
            yield "set", {"path": path, "body": PLANTED}
        yield "set", {"path": path, "body": f"s/.*/{PLANTED}/", "preview": True}
        yield "rm", {"path": path}
        yield "cp", {"path": path, "to": "known://mine/*" if "*" in path else "known://mine"}
        yield "mv", {"path": path, "to": "known://mine/*" if "*" in path else "known://mine"}
        yield "apply_tags", {"text": f'<get path="{path}"/><rm path="{path}"/>'}
    yield "update", {"body": PLANTED}
    yield "store", {"path": "**", "readonly": True}
    yield "scan_files", {}
    yield "add_model", {"alias": "mine", "actual": "openai/x", "base_url": "http://127.0.0.1:1/v1"}
    yield "add_model", {"alias": "mine", "actual": "openai/x"}
    yield "get_models", {}
    yield "start_run", {"model": "mine", "run": "night"}
    yield "ask", {"prompt": PLANTED, "model": "mine", "run": "night"}
    yield "act", {"prompt": PLANTED, "model": "mine", "run": "night"}
    yield "set", {"path": "run://night", "body": PLANTED, "attributes": {"model": "mine"}}
    for project in ({}, {"project": "shop"}, {"project": shop}, {"project": "vault"}):
        yield "get_runs", project
        for operation in ("get_run", "abort_run", "resume_run"):
            yield operation, {"run": "night", **project}
    for operation in ("fork_run", "configure_run", "keep_run", "remove_run"):
        yield operation, {"run": "night"}
    yield "rename_run", {"run": "night", "name": "day"}
    yield "inject_run", {"run": "night", "message": PLANTED}
    yield "resolve_run", {"run": "night", "resolution": {"action": "accept", "output": PLANTED}}
    record = "log://turn_1/sh/ls"
    yield "stream_output", {"run": "night", "path": record, "channel": 1, "chunk": PLANTED}
    yield "complete_stream", {"run": "night", "path": record}
    yield "abort_stream", {"run": "night", "path": record}
    yield "add_skill", {"run": "night", "path": f"{shop}/README.md"}
    yield "remove_model", {"alias": "mine"}
    yield "list_projects", {}
    yield "rename_project", {"project": "shop", "name": "mine"}
    yield "merge_projects", {"from": "shop", "into": "other"}
    yield "set_private", {"project": "vault", "private": False}
    yield "trust_project", {"directory": shop}
    for query in ("", "words asked private conditioned"):
        yield "assemble_context", {"query": query}
    yield "discover", {}
    yield "ping", {}


def every_operation_was_tried(here, town):
    """An operation that is added later is tried too, or this says so."""
    known = {operation["name"] for operation in here.answer("discover")["operations"]}
    tried = {operation for operation, _ in tries(town)}
    assert known <= tried, f"not tried: {sorted(known - tried)}"


class Mcp:
    """An MCP client; an error is an answer like any other."""

    def __init__(self, client, far=False):
        self.client, self.far = client, far

    async def try_out(self, operation, arguments):
        try:
            result = await self.client.call_tool(operation, without_claim(arguments) if self.far else arguments)
        except Exception as refused:  # the library refuses what is no tool at all
            return str(refused)
        return "".join(part.text for part in result.content)


class Rpc:
    """A program with the token."""

    def __init__(self, here):
        self.here = here

    async def try_out(self, operation, arguments):
        call = {"jsonrpc": "2.0", "id": 1, "method": operation, "params": without_claim(arguments)}
        headers = {"Authorization": f"Bearer {self.here.token}"}
        url = self.here.url.removesuffix("/mcp") + "/rpc"
        async with httpx2.AsyncClient(headers=headers, timeout=WITHIN, trust_env=False) as web:
            return (await web.post(url, json=call)).text


def without_claim(arguments):
    """Over HTTP nothing but a claim is known of where a caller stands, and it is taken: `docs/security.md` says so."""
    return {name: value for name, value in arguments.items() if name != "context"}


class Shell:
    """The agent's own shell: the commands that stand for the operations."""

    def __init__(self, here, place):
        self.here, self.place = here, place

    async def try_out(self, operation, arguments):
        said = []
        for words in commands(operation, arguments):
            done = self.here.run(*words, cwd=self.place, env={"CLAUDECODE": "1"})
            said.append(done.stdout + done.stderr)
        return "\n".join(said)


def commands(operation, arguments):
    component, key = arguments.get("component"), arguments.get("key")
    context = arguments.get("context") or {}
    flags = [word for name, value in context.items() for word in (f"--{name}", value)]
    text = arguments.get("value")
    project = ["--project", arguments["project"]] if "project" in arguments else []
    match operation:
        case "set_hint":
            scope = (arguments.get("meta") or {}).get("scope") or {}
            conditions = [word for glob in scope.get("cwd_glob", []) for word in ("--scope-cwd-glob", glob)]
            conditions += ["--scope-repo", scope["repo"]] if "repo" in scope else []
            plain = text if isinstance(text, str) else text["cmd"]
            yield ["set", component, key, plain, "--source", "user", "--added-by", "neighbour", *conditions]
        case "get_hint":
            yield ["get", component, key, *flags]
            yield ["get", component, key, "--value", *flags]
        case "bump":
            yield ["bump", component, key, *flags]
        case "delete_hint":
            yield ["delete", component, key, *flags]
        case "query":
            yield ["query", *flags]
        case "list_keys":
            yield ["ls", component]
        case "list_components":
            yield ["ls"]
        case "hint_stats":
            yield ["stats"]
        case "export":
            yield ["export", *(["--include-secrets"] if arguments.get("include_secrets") else [])]
        case "hint_log":
            yield ["log", component, key]
        case "undo_hint":
            yield ["undo", component, key]
        case "accept_proposal":
            yield ["review", "accept", "1"]
        case "drop_proposal":
            yield ["review", "drop", "1"]
        case "list_proposals":
            yield ["review"]
        case "create_marker":
            session = ["--session", arguments["session"]] if "session" in arguments else []
            yield ["mark", arguments["text"], *project, *session]
        case "set_relevant_context":
            yield ["focus", "add", *arguments["items"], "--session", arguments["session"]]
        case "update_session":
            yield ["session", "name", arguments["name"], "--session", arguments["session"]]
        case "get_session":
            yield ["session", "show", arguments["session"]]
        case "get_relevant_context":
            yield ["focus", "ls", "--session", arguments["session"]]
        case "handoff":
            yield ["handoff", arguments["session"]]
        case "list_ghap_entries":
            yield ["hypotheses", *(["--all"] if arguments["project"] == "*" else project)]
        case "store_journal_entry":
            yield ["journal", "add", arguments["summary"], "--session", arguments["session"]]
        case "list_journal_entries":
            yield ["journal", "ls", *(["--all"] if arguments["project"] == "*" else project)]
        case "mark_entries_reflected":
            yield ["journal", "reflect", *(str(number) for number in arguments["ids"])]
        case "remember":
            everywhere = ["--everywhere"] if "everywhere" in arguments else []
            yield ["remember", arguments["text"], *project, *everywhere]
        case "correct":
            yield ["correct", str(arguments["id"]), arguments["text"]]
        case "forget":
            yield ["forget", str(arguments["id"])]
        case "silence":
            where = ["--everywhere"] if "project" in arguments and arguments["project"] is None else project
            yield ["stop-showing", str(arguments["id"]), *where, *(["--again"] if "again" in arguments else [])]
        case "knows":
            yield ["knows", "--all", *(project if arguments["project"] else [])]
        case "search":
            yield ["search", arguments["query"], "--all"]
            yield ["search", arguments["query"], *project]
        case "recent_context":
            yield ["recent", *project]
        case "file_history":
            yield ["history", arguments["file_path"], *project]
        case "learn":
            yield ["learn", *project]
        case "find_fix":
            yield ["fix", arguments["error"], *(project if arguments.get("project") != "*" else [])]
        case "assemble_context":
            yield ["context", "--about", arguments["query"], *(project if arguments.get("project") else [])]
        case "injection_usage":
            yield ["usage", *project]
        case "list_sessions":
            yield ["sessions", "--all"]
            yield ["sessions", *project]
        case "session_trace":
            yield ["trace", arguments["session_id"]]
        case "get_observations":
            yield ["show", str(arguments["ids"][0])]
        case "timeline":
            yield ["timeline", str(arguments["anchor"])]
        case "explain_injection":
            yield ["why", str(arguments["id"])]
        case "pin" | "unpin":
            yield [operation, str(arguments["ids"][0])]
        case "list_projects":
            yield ["project", "ls"]
        case "rename_project":
            yield ["project", "rename", "shop", "mine"]
        case "merge_projects":
            yield ["project", "merge", "shop", "other", "--yes"]
        case "set_private":
            yield ["project", "private", "vault", "--off"]
        case "trust_project":
            yield ["project", "trust", arguments["directory"]]
            yield ["purge", "--project", "shop", "--confirm"]
            yield ["stop"]
        case _:
            return


def git(*args):
    subprocess.run(["git", *args], check=True, capture_output=True, timeout=WITHIN)
