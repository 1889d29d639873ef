#!/usr/bin/env python3
"""Makes the files of the codec's cookbook with the programs that make such files.

    python make.py            writes them anew
    python make.py --check    compares them with what is made now

The programs are those of requirements.txt; each file says below which one made it.
"""

import dbm.dumb
import glob
import multiprocessing.connection
import os
import pickle
import shelve
import sys
import tempfile
import time

sys.dont_write_bytecode = True
FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../crates/brinery/docs/cookbook")
USER = {"id": 7, "name": "Ada", "groups": ["staff", "editors"]}


def django_cache():
    """A file of Django's file cache: the time at which it ends, and the value, compressed."""
    from django.core.cache.backends.filebased import FileBasedCache

    with tempfile.TemporaryDirectory() as folder:
        FileBasedCache(folder, {}).set("user:7", USER, timeout=None)
        (file,) = glob.glob(os.path.join(folder, "*.djcache"))
        return open(file, "rb").read()


def cachelib_file():
    """A file of cachelib's file cache, which Flask-Caching uses: the time at which it ends, and the value."""
    from cachelib import FileSystemCache

    with tempfile.TemporaryDirectory() as folder:
        FileSystemCache(folder, default_timeout=0).set("user:7", USER)
        file = next(path for path in glob.glob(os.path.join(folder, "*")) if os.path.getsize(path) > 30)
        return open(file, "rb").read()


def kombu_body():
    """The body of a task's message as Celery gives it to kombu."""
    from kombu.serialization import dumps

    embed = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
    _, _, body = dumps([(2, 3), {"unit": "mm"}, embed], serializer="pickle")
    return body


def django_session():
    """What is inside a session of Django's signed cookies with a serializer that pickles."""
    from django.core import signing

    class PickleSerializer:
        def dumps(self, value):
            return pickle.dumps(value, 4)

    class Raw:
        def loads(self, value):
            return value

    now, time.time = time.time, lambda: 1_700_000_000.0
    try:
        value = {"_auth_user_id": "7", "_auth_user_hash": "x" * 64, "cart": [(12, 2)], "visits": 3}
        how = {"key": "not a secret", "salt": "django.contrib.sessions.backends.signed_cookies"}
        cookie = signing.dumps(value, serializer=PickleSerializer, compress=True, **how)
        return signing.loads(cookie, serializer=Raw, **how)
    finally:
        time.time = now


def carbon_batch():
    """What carbon's relay sends to another carbon."""
    from carbon.client import CarbonPickleClientProtocol

    sent = []
    client = CarbonPickleClientProtocol.__new__(CarbonPickleClientProtocol)
    client.transport = type("Transport", (), {"write": lambda self, data: sent.append(data)})()
    client._sendDatapointsNow([("servers.web1.load", (1_700_000_000, 0.5)), ("servers.web2.load", (1_700_000_060, 2.0))])
    return b"".join(sent)


def shelve_value():
    """A value of a shelf, as its database has it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shelf")
        with shelve.Shelf(dbm.dumb.open(path)) as shelf:
            shelf["user:7"] = USER
        with dbm.dumb.open(path) as database:
            return database[b"user:7"]


def multiprocessing_messages():
    """Two messages of a pipe between processes."""
    import socket

    here, there = socket.socketpair()
    with multiprocessing.connection.Connection(here.detach()) as connection:
        connection.send(("resize", 7, {"width": 640}))
        connection.send(("stop", None, {}))
    data = b""
    while chunk := there.recv(4096):
        data += chunk
    there.close()
    return data


MAKERS = [django_cache, cachelib_file, kombu_body, django_session, carbon_batch, shelve_value, multiprocessing_messages]


def main():
    from django.conf import settings

    settings.configure()
    wrong = 0
    for make in MAKERS:
        path = os.path.join(FILES, make.__name__ + ".bin")
        data = make()
        if sys.argv[1:] == ["--check"]:
            with open(path, "rb") as file:
                if file.read() != data:
                    print(f"{make.__name__}: made otherwise now")
                    wrong += 1
        else:
            with open(path, "wb") as file:
                file.write(data)
    print(f"{len(MAKERS)} files, {wrong} differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
