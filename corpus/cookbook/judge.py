#!/usr/bin/env python3
"""Gives what another program wrote to the programs that read such things.

    python judge.py < REPLIES

A reply is a line: what it is, and its bytes in hexadecimal. Each is compared with the value that
it should be; the answer is a line for each, and the exit code says whether all are right. What is
read here was written by Brinery's own tests.
"""

import collections
import dbm.dumb
import decimal
import enum
import glob
import multiprocessing.connection
import os
import pickle
import shelve
import sys
import tempfile
import types

sys.dont_write_bytecode = True
USER = {"id": 7, "name": "Ada", "groups": ["staff", "editors"]}

# The classes that replies name.
shop = types.ModuleType("shop")
sys.modules["shop"] = shop


class Order:
    def __eq__(self, other):
        return type(other) is Order and vars(self) == vars(other)

    def __repr__(self):
        return f"Order({vars(self)})"


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"


Point = collections.namedtuple("Point", "x y")
for cls in (Order, Colour, Point):
    cls.__module__ = "shop"
    setattr(shop, cls.__name__, cls)


def django_cache(data):
    from django.core.cache.backends.filebased import FileBasedCache

    with tempfile.TemporaryDirectory() as folder:
        cache = FileBasedCache(folder, {})
        with open(cache._key_to_file("user:7"), "wb") as file:
            file.write(data)
        return cache.get("user:7"), USER


def cachelib_file(data):
    from cachelib import FileSystemCache

    with tempfile.TemporaryDirectory() as folder:
        cache = FileSystemCache(folder, default_timeout=0)
        cache.set("user:7", "nothing")
        file = next(path for path in glob.glob(os.path.join(folder, "*")) if path == cache._get_filename("user:7"))
        with open(file, "wb") as out:
            out.write(data)
        return cache.get("user:7"), USER


def kombu_body(data):
    from kombu.serialization import loads

    body = loads(data, "application/x-python-serialize", "binary", accept={"application/x-python-serialize"})
    embed = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
    return body, [(2, 3), {"unit": "mm"}, embed]


def carbon_batch(data):
    from carbon.protocols import MetricPickleReceiver
    from carbon.util import get_unpickler

    received = []
    receiver = MetricPickleReceiver.__new__(MetricPickleReceiver)
    receiver.unpickler = get_unpickler(insecure=False)
    receiver.peerName = "test"
    receiver.metricReceived = lambda metric, datapoint: received.append((metric, datapoint))
    length = int.from_bytes(data[:4], "big")
    receiver.stringReceived(data[4 : 4 + length])
    assert len(data) == 4 + length
    return received, [("servers.web1.load", (1_700_000_000.0, 0.5)), ("servers.web2.load", (1_700_000_060.0, 2.0))]


def shelve_value(data):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shelf")
        with dbm.dumb.open(path) as database:
            database[b"user:7"] = data
        with shelve.Shelf(dbm.dumb.open(path)) as shelf:
            return shelf["user:7"], USER


def multiprocessing_messages(data):
    import socket

    here, there = socket.socketpair()
    there.sendall(data)
    there.close()
    with multiprocessing.connection.Connection(here.detach()) as connection:
        return [connection.recv(), connection.recv()], [("resize", 7, {"width": 640}), ("stop", None, {})]


def django_session(data):
    from django.core import signing

    class PickleSerializer:
        def loads(self, value):
            return pickle.loads(value)

    expected = {"_auth_user_id": "7", "_auth_user_hash": "x" * 64, "cart": [(12, 2)], "visits": 3}
    signer = signing.TimestampSigner(key="not a secret", salt="django.contrib.sessions.backends.signed_cookies")
    return PickleSerializer().loads(signer.unsign_object(signer.sign_object(data, serializer=Raw), serializer=Raw)), expected


class Raw:
    """Bytes as they are: signing is Django's, and the pickle is what is looked at here."""

    def dumps(self, value):
        return value

    def loads(self, value):
        return value


def classes(data):
    order = Order()
    order.number, order.price, order.at, order.colour = 7, decimal.Decimal("4.50"), Point(1, 2), Colour.GREEN
    return pickle.loads(data), order


def main():
    from django.conf import settings

    settings.configure()
    wrong = 0
    for line in sys.stdin:
        what, data = line.split()
        try:
            found, expected = globals()[what](bytes.fromhex(data))
            word = "ok" if found == expected and repr(found) == repr(expected) else f"{found!r} is not {expected!r}"
        except Exception as error:
            word = f"{type(error).__name__}: {error}"
        wrong += word != "ok"
        print(f"{what}: {word}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
