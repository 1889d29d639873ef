"""Makes demo.pkl, the file that the README shows: ordinary data, and objects of classes that exist nowhere else.

python3 corpus/demo.py
"""

import collections
import datetime
import decimal
import pathlib
import pickle
import sys
import types

shop = types.ModuleType("shop.models")
sys.modules["shop"] = types.ModuleType("shop")
sys.modules["shop.models"] = shop


def public(cls):
    cls.__module__ = "shop.models"
    setattr(shop, cls.__name__, cls)
    return cls


@public
class Customer:
    def __init__(self, name, tags):
        self.name, self.tags, self.orders = name, tags, []


@public
class Order:
    def __init__(self, number, customer, lines):
        self.number, self.customer, self.lines = number, customer, lines
        customer.orders.append(self)


@public
class Money(collections.namedtuple("Money", "amount currency")):
    pass


ada = Customer("Ada", frozenset({"vip"}))
Order(10**20, ada, [("tea", 2, Money(decimal.Decimal("4.50"), "EUR")), ("caf\u00e9", 1, Money(decimal.Decimal("3"), "EUR"))])
data = {
    "customers": {"ada": ada},
    "last": ada.orders[0],
    "checksum": bytes(range(250, 256)) * 20,
    "ratios": [x * 0.5 for x in range(40)],
    "seen": datetime.datetime(2026, 3, 1, 12, 30),
    ("tuple", "key"): None,
}
pathlib.Path(__file__).with_name("demo.pkl").write_bytes(pickle.dumps(data, 4))
