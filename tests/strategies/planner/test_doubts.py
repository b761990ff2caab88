"""Questions that invite a silently wrong answer: answered rightly, or the word that stands in the way is named."""

from __future__ import annotations

import pandas as pd
import pytest

from boxkit import BoxSet, Planner, load


@pytest.fixture(scope="module")
def office() -> BoxSet:
    employees = pd.DataFrame(
        {
            "employee_id": [1, 2, 3, 4, 5],
            "name": ["Ada Byrne", "Bo Lund", "Cy Rao", "Di Holm", "Ed Kerr"],
            "salary": [10, 20, 30, 45, 45],
            "birth_date": pd.to_datetime(["1990-01-02", "1985-03-04", "1970-05-06", "1960-07-08", "2000-01-01"]),
            "city": ["Ulm", "Bonn", "Ulm", "Bonn", "Jena"],
        }
    )
    projects = pd.DataFrame(
        {"project_id": [1, 2, 3, 4], "title": ["Alpha", "Beta", "Gamma", "Delta"], "size": [4, 9, 2, 7]}
    )
    return load({"employee": employees, "project": projects})


def why(question: str, boxes: BoxSet) -> str:
    answer = Planner().ask(question, boxes)
    assert answer.failure is not None, f"{answer.rows} by {answer.code}"
    assert answer.failure.kind == "abstained"
    return answer.failure.message


def test_a_median_is_taken_of_all_rows_and_of_groups(office):
    assert Planner().ask("What is the median salary?", office).rows == [(30.0,)]
    of_groups = Planner().ask("What is the median salary for each city?", office)
    assert sorted(of_groups.rows) == [("Bonn", 32.5), ("Jena", 45.0), ("Ulm", 20.0)]


def test_a_share_without_a_condition_is_no_share(office):
    assert "bool" not in why("What share of projects is done?", office)
