"""A small shop for the benchmarks beside: four frames that refer to each other, the same in every process.

Nothing but pandas and NumPy is imported, so that other products' environments can use it too.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import pandas as pd

QUESTION = "Which five customers spent most on books in 2023, and how much?"

#: What a good model writes: all four frames, three joins.
CODE = """\
lines = order_line.merge(product, on="product_id").merge(orders, on="order_id").merge(customer, on="customer_id")
lines = lines[(lines["category"] == "book") & (pd.to_datetime(lines["ordered_on"]).dt.year == 2023)]
lines["spent"] = lines["price"] * lines["quantity"]
totals = lines.groupby("name")["spent"].sum()
answer = totals.sort_values(ascending=False).head(5).round(2).reset_index()"""

#: The same for a product that takes one frame.
ONE_QUESTION = "In which city do most customers live?"
ONE_CODE = 'answer = customer["city"].value_counts().head(1).reset_index()'


class Reply(NamedTuple):
    """What a model says: code that leaves its result in ``answer``, or only words."""

    code: str
    words: str = ""


def bad_replies(path: str, code: str = CODE) -> dict[str, Reply]:
    """Seven first replies that go wrong.

    Args:
        path: A file that two of them would write.
        code: What these would answer with afterwards.
    """
    return {
        "no code": Reply("", "The answer is in the customers' orders."),
        "exception": Reply('answer = customer.groupby("nmae").size()'),
        "endless loop": Reply("while True:\n    pass\nanswer = 1"),
        "endless call in C": Reply("answer = (7 ** (10 ** 9)) % 10"),
        "writes with open": Reply(f"with open({path!r}, 'w') as file:\n    file.write('x')\n{code}"),
        "writes with pandas": Reply(f"customer.to_csv({path!r})\n{code}"),
        "wrong type": Reply("answer = customer.value_counts"),
    }


def is_right(text: str, *, one: bool = False) -> bool:
    """Whether a printed result shows what the bare code computes, and nothing else by mistake."""
    expected = _expected(ONE_CODE if one else CODE)
    is_rows = len(text) < 2000 and not text.startswith("<")  # a method's text shows its frame
    return is_rows and all(name in text for name in expected)


def bare_s(code: str) -> float:
    """Seconds that the code takes alone, on fresh copies of the frames."""
    scope = {"pd": pd, **{name: frame.copy() for name, frame in FRAMES.items()}}
    started = time.perf_counter()
    exec(code, scope)
    return time.perf_counter() - started


def _expected(code: str) -> list[str]:
    scope = {"pd": pd, **{name: frame.copy() for name, frame in FRAMES.items()}}
    exec(code, scope)
    return [str(name) for name in scope["answer"].iloc[:, 0]]


def frames(customers: int = 300) -> dict[str, pd.DataFrame]:
    """Customers, products, orders and their lines: about 12 lines for each customer."""
    random = np.random.default_rng(7)
    orders, products = 4 * customers, 200
    lines = 3 * orders
    customer = pd.DataFrame(
        {
            "customer_id": range(1, customers + 1),
            "name": [f"Customer {number}" for number in range(1, customers + 1)],
            "city": random.choice(["Lyon", "Porto", "Graz", "Turku"], customers),
        }
    )
    product = pd.DataFrame(
        {
            "product_id": range(1, products + 1),
            "title": [f"Product {number}" for number in range(1, products + 1)],
            "category": random.choice(["book", "game", "tool"], products),
            "price": random.integers(100, 9000, products) / 100,
        }
    )
    days = pd.Timestamp("2022-01-01") + pd.to_timedelta(random.integers(0, 1095, orders), unit="D")
    order = pd.DataFrame(
        {
            "order_id": range(1, orders + 1),
            "customer_id": random.integers(1, customers + 1, orders),
            "ordered_on": days.strftime("%Y-%m-%d"),
        }
    )
    order_line = pd.DataFrame(
        {
            "order_id": random.integers(1, orders + 1, lines),
            "product_id": random.integers(1, products + 1, lines),
            "quantity": random.integers(1, 6, lines),
        }
    )
    return {"customer": customer, "product": product, "orders": order, "order_line": order_line}


FRAMES = frames()
