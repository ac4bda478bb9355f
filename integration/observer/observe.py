"""Says what accounts hold: a JSON document a line, for a question a line.

Written with another client than Sidestep is (boto3), so that a mistake in how
Sidestep asks or reads does not hide itself. It answers until standard input
ends, since starting takes it longer than looking. A question has

    account   what boto3's clients take: endpoint, region, credentials
    services  the services to look at
    table     the ledger's table, or nothing
"""

import json
import sys
import traceback
from decimal import Decimal
from functools import partial

import boto3
from boto3.dynamodb.types import TypeDeserializer

# What differs between two looks at something untouched, or is the history of
# deployments and updates, which no recovery takes back.
VOLATILE = {
    "autoscaling": {"CreatedTime"},
    "ecs": {"createdAt", "currentServiceDeployment", "currentServiceRevisions", "deployments", "events"},
    "lambda": {"LastModified", "LastUpdateStatus", "RevisionId"},
}


def steady(service, thing):
    return {k: v for k, v in thing.items() if k not in VOLATILE[service]}


def pages(client, operation, key, **arguments):
    """All that a paged operation lists under the key."""
    for page in client.get_paginator(operation).paginate(**arguments):
        yield from page[key]


def groups(client):
    found = pages(client("autoscaling"), "describe_auto_scaling_groups", "AutoScalingGroups")
    return {g["AutoScalingGroupName"]: group(g) for g in found}


def group(g):
    """The fields tests name, and all the others as they are under "rest"."""
    g = steady("autoscaling", g)
    return {
        "subnets": [s for s in g.pop("VPCZoneIdentifier", "").split(",") if s],
        "zones": sorted(set(g.pop("AvailabilityZones", []))),
        "min": g.pop("MinSize"),
        "max": g.pop("MaxSize"),
        "desired": g.pop("DesiredCapacity"),
        "suspended": sorted(p["ProcessName"] for p in g.pop("SuspendedProcesses", [])),
        "tags": {t["Key"]: t["Value"] for t in g.pop("Tags", [])},
        "instances": sorted(g.pop("Instances", []), key=lambda i: i["InstanceId"]),
        "rest": g,
    }


def services(client):
    """By cluster and name. One that was deleted stays visible for a while."""
    ecs = client("ecs")
    found = {}
    for cluster in pages(ecs, "list_clusters", "clusterArns"):
        arns = list(pages(ecs, "list_services", "serviceArns", cluster=cluster))
        for i in range(0, len(arns), 10):
            told = ecs.describe_services(cluster=cluster, services=arns[i : i + 10], include=["TAGS"])
            for s in told["services"]:
                if s["status"] != "INACTIVE":
                    found["/".join((cluster.split("/")[-1], s["serviceName"]))] = service(s)
    return found


def service(s):
    """The network's subnets apart, and what else it holds as it is."""
    s = steady("ecs", s)
    network = s.pop("networkConfiguration", {}).get("awsvpcConfiguration", {})
    return {
        "subnets": network.pop("subnets", []),
        "network": network,
        "rebalancing": s.pop("availabilityZoneRebalancing", ""),
        "deployment": s.pop("deploymentConfiguration", {}),
        "tags": {t["key"]: t["value"] for t in s.pop("tags", [])},
        "rest": s,
    }


def functions(client):
    """By name, each with its published versions and their aliases."""
    lambdas = client("lambda")
    tagged = pages(client("resourcegroupstaggingapi"), "get_resources", "ResourceTagMappingList", ResourceTypeFilters=["lambda:function"])
    tags = {r["ResourceARN"].split(":")[-1]: {t["Key"]: t["Value"] for t in r["Tags"]} for r in tagged}
    found, versions = {}, {}
    for f in pages(lambdas, "list_functions", "Functions", FunctionVersion="ALL"):
        if f["Version"] == "$LATEST":
            found[f["FunctionName"]] = function(f) | {"tags": tags.get(f["FunctionName"], {})}
        else:
            versions.setdefault(f["FunctionName"], {})[f["Version"]] = steady("lambda", f)
    for name, published in versions.items():
        aliases = pages(lambdas, "list_aliases", "Aliases", FunctionName=name)
        found[name] |= {"versions": published, "aliases": {a["Name"]: a["FunctionVersion"] for a in aliases}}
    return found


def function(f):
    f = steady("lambda", f)
    network = f.pop("VpcConfig", {})
    return {"subnets": network.pop("SubnetIds", []), "network": network, "rest": f}


def ledger(client, table):
    """All items in key order, or None where there is no such table."""
    dynamodb = client("dynamodb")
    plain = TypeDeserializer().deserialize
    try:
        found = list(pages(dynamodb, "scan", "Items", TableName=table, ConsistentRead=True))
    except dynamodb.exceptions.ResourceNotFoundException:
        return None
    items = [{k: plain(v) for k, v in i.items()} for i in found]
    return sorted(items, key=lambda i: (str(i.get("pk")), str(i.get("sk"))))


def simple(value):
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, set):
        return sorted(value)
    return str(value)


def look(account, asked, table):
    client = partial(boto3.client, **account)
    return {
        "groups": groups(client) if "autoscaling" in asked else {},
        "services": services(client) if "ecs" in asked else {},
        "functions": functions(client) if "lambda" in asked else {},
        "ledger": ledger(client, table) if table else None,
    }


for question in map(json.loads, sys.stdin):
    try:
        seen = look(question["account"], question["services"], question["table"])
    except Exception:  # the next question may be about another account
        seen = {"error": traceback.format_exc()}
    print(json.dumps(seen, default=simple, sort_keys=True), flush=True)
