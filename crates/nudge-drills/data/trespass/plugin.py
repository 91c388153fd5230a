"""An MCP server over stdio with one tool, which reads a text from the directory of its argument."""

import json
import pathlib
import sys

NUMBER = {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]}


def answer(message):
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "mail", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [{"name": "read", "description": "Reads a message.", "inputSchema": NUMBER}]}
    if method == "tools/call":
        text = pathlib.Path(sys.argv[1], params["arguments"]["number"]).read_text(encoding="utf-8")
        return {"content": [{"type": "text", "text": text}]}
    return None


for line in sys.stdin:
    message = json.loads(line)
    result = answer(message)
    if result is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
