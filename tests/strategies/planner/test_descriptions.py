"""What the source or the user says that a field means is as good as its name."""

from __future__ import annotations

import pandas as pd
import pytest

from boxkit import Planner, load


@pytest.fixture(scope="module")
def payroll():
    frame = pd.DataFrame({"nm": ["Ada", "Bo", "Cy"], "sal_amt": [3, 5, 9], "dpt": ["x", "y", "x"]})
    return load({"staff": frame}).with_descriptions(
        {"staff": {"sal_amt": "monthly wage before tax", "dpt": "division that a person works in, by its letter"}}
    )


def test_a_field_is_found_by_its_description(payroll):
    assert Planner().ask("What is the highest monthly wage?", payroll).rows == [(9,)]
    assert Planner().ask("What is the average wage before tax?", payroll).rows == [(pytest.approx(5.6667, abs=1e-3),)]


def test_a_description_that_explains_is_not_taken_for_a_name(payroll):
    # "person" is in the explanation of dpt, which is not asked for
    assert Planner().ask("How many persons are there?", payroll).rows != [(2,)]
