"""Prints what an account holds, as one JSON document.

Written with another client than Sidestep is (boto3), so that a mistake in how
Sidestep asks or reads does not hide itself. Endpoint, region and credentials
come from the environment; the ledger's table is the optional argument.
"""

import json
import sys
from decimal import Decimal

import boto3
from boto3.dynamodb.types import TypeDeserializer

# What differs between two looks at an untouched group.
VOLATILE = {"CreatedTime"}


def groups():
    pages = boto3.client("autoscaling").get_paginator("describe_auto_scaling_groups")
    return {
        g["AutoScalingGroupName"]: group(g)
        for page in pages.paginate()
        for g in page["AutoScalingGroups"]
    }


def group(g):
    """The fields tests name, and all the others as they are under "rest"."""
    g = {k: v for k, v in g.items() if k not in VOLATILE}
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


def ledger(table):
    """All items in key order, or None where there is no such table."""
    client = boto3.client("dynamodb")
    plain = TypeDeserializer().deserialize
    try:
        pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
        items = [{k: plain(v) for k, v in i.items()} for p in pages for i in p["Items"]]
    except client.exceptions.ResourceNotFoundException:
        return None
    return sorted(items, key=lambda i: (str(i.get("pk")), str(i.get("sk"))))


def simple(value):
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, set):
        return sorted(value)
    return str(value)


table = sys.argv[1] if len(sys.argv) > 1 else None
seen = {"groups": groups(), "ledger": ledger(table) if table else None}
json.dump(seen, sys.stdout, default=simple, indent=1, sort_keys=True)
