"""A model on loopback that says what a story wrote down, in the protocol of OpenAI."""

import contextlib
import http.server
import json
import threading

# How long a held answer waits at most.
WITHIN = 60

NAME = "local"


class Model:
    """Each call takes the next answer: pieces of text, and events that hold it until they are set; or a status."""

    def __init__(self):
        self.answers, self.asked = [], []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Calls", (Calls,), {"model": self}))
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def then(self, *pieces):
        self.answers.append(pieces)
        return self

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Calls(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        self.model.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        first, *rest = self.model.answers.pop(0) if self.model.answers else ("Nothing is left to say.",)
        if isinstance(first, int):
            self.send_response(first)
            self.end_headers()
            self.wfile.write(json.dumps({"error": {"message": "the key is not known"}}).encode())
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        # Whoever aborts a run closes the connection.
        with contextlib.suppress(OSError):
            for piece in (first, *rest):
                if isinstance(piece, str):
                    self.event(choices=[{"index": 0, "delta": {"content": piece}}])
                else:
                    piece.wait(WITHIN)
            self.event(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}])
            self.event(choices=[], usage={"prompt_tokens": 2_906, "completion_tokens": 61, "total_tokens": 2_967})
            self.wfile.write(b"data: [DONE]\n\n")

    def event(self, **more):
        self.wfile.write(f"data: {json.dumps({'id': 'c1', 'object': 'chat.completion.chunk', **more})}\n\n".encode())


@contextlib.contextmanager
def scripted(here):
    """A model that Nudge knows as `local`."""
    model = Model()
    try:
        here.nudge("model", "add", NAME, "openai/x", "--url", model.url, "--context", "8192")
        yield model
    finally:
        model.close()
