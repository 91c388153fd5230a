"""Serves a model with llama.cpp: serve.py MODEL PORT. Ends with a signal."""

import signal
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[2])
params.n_ctx = 8192
# An answer is cut at this many tokens.
params.n_predict = 256
params.n_parallel = 1
params.cpuparams.n_threads = 2
params.cpuparams_batch.n_threads = 2
params.use_jinja = True
params.ui = False
params.offline = True
params.cache_ram_mib = 0
server = xllamacpp.Server(params)
signal.sigwait({signal.SIGTERM, signal.SIGINT})
