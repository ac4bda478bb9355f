"""Runs moto until standard input ends, and prints the address it listens at.

It lives no longer than whoever holds the other end of its input: a test binary
that is killed or panics takes its server along, without anyone hunting for
processes.
"""

import copy
import logging
import os
import sys
import types
from collections import defaultdict
from urllib.parse import unquote

import moto.dynamodb.models as dynamodb
from moto.awslambda.models import LambdaBackend
from moto.core.responses import ActionResult
from moto.dynamodb.models.table import Table
from moto.ecs.responses import EC2ContainerServiceResponse
from moto.moto_server.threaded_moto_server import ThreadedMotoServer

# What moto does not implement it answers with 500, and a page of traceback in its
# log: worth seeing for who writes a test, noise for everybody else.
noisy = "SIDESTEP_MOTO_LOG" in os.environ
logging.getLogger("werkzeug").setLevel(logging.INFO if noisy else logging.CRITICAL)


def backup(original):
    """A copy to go back to.

    moto copies the whole table for each item of a transaction, item by item: with
    a thousand items that takes seconds a write, and longer each time. It puts
    items into a table or takes them out but does not change one in place in a
    transaction of puts, deletes and checks, so the dictionaries are enough.
    """
    if not isinstance(original, Table):
        return copy.deepcopy(original)
    table = copy.copy(original)
    table.items = defaultdict(dict, {h: dict(items) for h, items in original.items.items()})
    return table


dynamodb.copy = types.SimpleNamespace(deepcopy=backup, copy=copy.copy)


def list_service_deployments(self):
    """None, as none began here: moto has no such operation, and what it does not
    have it answers with a 500, which clients retry for half a minute."""
    return ActionResult({"serviceDeployments": []})


EC2ContainerServiceResponse.list_service_deployments = list_service_deployments


def by_name(list_of_function):
    """A list that takes a function's ARN too, which moto does not know there."""
    return lambda self, function: list_of_function(self, unquote(function).split(":function:")[-1])


LambdaBackend.list_versions_by_function = by_name(LambdaBackend.list_versions_by_function)
LambdaBackend.list_aliases = by_name(LambdaBackend.list_aliases)

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
print(f"http://{host}:{port}", flush=True)
sys.stdin.read()
server.stop()
