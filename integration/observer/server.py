"""Runs moto until standard input ends, and prints the address it listens at.

It lives no longer than whoever holds the other end of its input: a test binary
that is killed or panics takes its server along, without anyone hunting for
processes.
"""

import logging
import os
import sys

from moto.moto_server.threaded_moto_server import ThreadedMotoServer

# What moto does not implement it answers with 500, and a page of traceback in its
# log: worth seeing for who writes a test, noise for everybody else.
noisy = "SIDESTEP_MOTO_LOG" in os.environ
logging.getLogger("werkzeug").setLevel(logging.INFO if noisy else logging.CRITICAL)

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
print(f"http://{host}:{port}", flush=True)
sys.stdin.read()
server.stop()
