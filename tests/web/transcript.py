"""A session of Claude Code as its transcript has it: the quick way to a long one, and to one of the past."""

import datetime
import json


class Transcript:
    """What happened in one session, a few seconds apart. `store` imports it."""

    def __init__(self, session, cwd, began):
        self.session, self.cwd, self.at = session, cwd, began
        self.lines, self.calls = [], 0
        (cwd / ".git").mkdir(parents=True, exist_ok=True)

    def wait(self, seconds):
        self.at += datetime.timedelta(seconds=seconds)
        return self

    def line(self, kind, content, **more):
        line = {
            "type": kind,
            "uuid": f"{self.session}-{len(self.lines)}",
            "isSidechain": False,
            "userType": "external",
            "entrypoint": "cli",
            "cwd": str(self.cwd),
            "sessionId": self.session,
            "version": "2.1.325",
            "gitBranch": "main",
            "timestamp": self.at.isoformat().replace("+00:00", "Z"),
            "message": {"role": kind, "content": content},
        }
        self.lines.append(json.dumps(line | more))
        return self

    def prompt(self, text):
        return self.wait(5).line("user", text)

    def say(self, text):
        return self.wait(5).line("assistant", [{"type": "text", "text": text}])

    def call(self, name, given, said="", result=None, fails=False):
        self.calls += 1
        call = f"toolu_{self.session}_{self.calls}"
        self.wait(1).line("assistant", [{"type": "tool_use", "id": call, "name": name, "input": given}])
        answer = {"type": "tool_result", "tool_use_id": call, "content": said, "is_error": fails}
        return self.wait(1).line("user", [answer], **({} if result is None else {"toolUseResult": result}))

    def run(self, command, output="", exit=0):
        if exit:
            said = f"Exit code {exit}\n{output}"
            return self.call("Bash", {"command": command}, said, f"Error: {said}", fails=True)
        return self.call("Bash", {"command": command}, output, {"stdout": output, "stderr": "", "interrupted": False})

    def edit(self, name, old, new):
        lines = [*("-" + line for line in old.split("\n")), *("+" + line for line in new.split("\n"))]
        patch = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": lines}
        given = {"file_path": str(self.cwd / name), "old_string": old, "new_string": new}
        result = {"filePath": given["file_path"], "oldString": old, "newString": new, "structuredPatch": [patch]}
        return self.call("Edit", given, "The file has been updated.", result)

    def read(self, name):
        path = str(self.cwd / name)
        file = {"filePath": path, "content": "text", "numLines": 1, "startLine": 1, "totalLines": 1}
        return self.call("Read", {"file_path": path}, "text", {"type": "text", "file": file})

    def search(self, pattern, where="src"):
        return self.call("Grep", {"pattern": pattern, "path": where}, "src/a.ts:1", {"mode": "content", "numFiles": 1})

    def store(self, here):
        """Imports it as if the agent had left it in its own directory."""
        folder = here.home / ".claude/projects/-work"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.session}.jsonl"
        path.write_text("\n".join(self.lines) + "\n")
        here.nudge("import", "claude", str(path))
        return self
