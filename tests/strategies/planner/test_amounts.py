"""The amount of some rows: a number that they have is added up, rows without one are counted, and no guess is made."""

from __future__ import annotations

import pandas as pd
import pytest

from boxkit import BoxSet, Planner, load

CUSTOMERS = pd.DataFrame({"customer_id": [1, 2, 3], "name": ["Zoe", "Max", "Ida"], "city": ["Ulm", "Bonn", "Ulm"]})
AMOUNTS = [20.5, 30.0, 15.0, 99.0, 7.5]


def shop(**columns: list[float]) -> BoxSet:
    orders = pd.DataFrame({"order_id": [1, 2, 3, 4, 5], "customer_id": [1, 1, 2, 3, 1], **columns})
    return load({"customer": CUSTOMERS, "orders": orders})


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        # The orders were counted: 3 instead of 58.
        ("What is the total amount of orders of Zoe?", [(58.0,)]),
        ("What is the total amount of Zoe's orders?", [(58.0,)]),
        ("total amount of orders", [(172.0,)]),
        ("total amount of orders by customer", [("Ida", 99.0), ("Max", 15.0), ("Zoe", 58.0)]),
        ("Give me the total amount of orders from customers in Ulm", [(157.0,)]),
        ("What is the average amount of orders of Zoe?", [(58 / 3,)]),
        ("Which customer has the highest total amount of orders?", [("Ida",)]),
        ("What is the total number of orders of Zoe?", [(3,)]),
    ],
)
def test_an_amount_that_orders_have_is_added_up(question: str, rows: list[tuple[object, ...]]) -> None:
    answer = Planner().ask(question, shop(amount=AMOUNTS))
    assert answer.failure is None, answer.failure
    assert sorted(answer.rows) == rows


def test_rows_without_an_amount_are_counted() -> None:
    assert Planner().ask("What is the total amount of orders of Zoe?", shop()).rows == [(3,)]


@pytest.mark.parametrize("question", ["What is the total quantity of orders of Zoe?", "quantity of orders from Ulm"])
def test_a_quantity_is_no_number_of_rows(question: str) -> None:
    answer = Planner().ask(question, shop(quantity=[2, 3, 4, 5, 6]))
    assert answer.failure is not None or answer.rows == [(11,)]


@pytest.mark.parametrize(
    "question",
    ["What is the total amount of all orders?", "total amount of orders by customer", "total amount of Zoe's orders"],
)
def test_amounts_called_total_are_not_listed_for_their_sum(question: str) -> None:
    assert Planner().ask(question, shop(total_amount=AMOUNTS)).failure is not None


def test_each_total_is_listed_where_that_is_asked() -> None:
    answer = Planner().ask("Show the total amount of each order", shop(total_amount=AMOUNTS))
    assert answer.failure is not None or [row[-1] for row in answer.rows] == AMOUNTS


@pytest.mark.parametrize("question", ["What is the amount of orders of Zoe?", "What is the total amount of customers?"])
def test_an_amount_that_may_be_a_count_or_a_sum_is_not_guessed(question: str) -> None:
    answer = Planner().ask(question, shop(amount=AMOUNTS))
    assert answer.failure is not None, answer.rows


def test_orders_are_not_counted_for_what_was_paid_for_them() -> None:
    payments = pd.DataFrame({"payment_id": [1, 2, 3, 4, 5], "order_id": [1, 2, 3, 4, 5], "amount": AMOUNTS})
    orders = pd.DataFrame({"order_id": [1, 2, 3, 4, 5], "customer_id": [1, 1, 2, 3, 1]})
    boxes = load({"customer": CUSTOMERS, "orders": orders, "payment": payments})
    assert Planner().ask("What is the total amount of orders of Zoe?", boxes).failure is not None
    assert Planner().ask("total amount of payments of Zoe", boxes).rows == [(58.0,)]
