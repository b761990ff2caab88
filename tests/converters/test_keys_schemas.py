# ruff: noqa: E501 - schemas as they stand
"""Schemas as people build them, with no key declared: every key is found, and nothing else."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

import boxkit

#: A table a line; ``*`` marks the key, ``>`` what a column refers to, ``=`` a key that is another table's.
SCHEMAS = {
    "imdb": """
        title_basics: *tconst, titleType, primaryTitle, startYear, runtimeMinutes
        title_akas: titleId>title_basics.tconst, ordering, title, region
        title_crew: =tconst>title_basics.tconst, directors
        title_episode: =tconst>title_basics.tconst, parentTconst>title_basics.tconst, seasonNumber
        title_principals: tconst>title_basics.tconst, ordering, nconst>name_basics.nconst, category
        title_ratings: =tconst>title_basics.tconst, averageRating
        name_basics: *nconst, primaryName, birthYear
    """,
    "soccer": """
        Country: *id, name
        League: *id, country_id>Country.id, name
        Player: *id, +player_api_id, player_name, height
        Team: *id, +team_api_id, team_long_name
        Match: *id, league_id>League.id, season, home_team_api_id>Team.team_api_id, away_team_api_id>Team.team_api_id, home_team_goal, home_player_1>Player.player_api_id, away_player_11>Player.player_api_id, home_player_X1
        Player_Attributes: *id, player_api_id>Player.player_api_id, overall_rating
        Team_Attributes: *id, team_api_id>Team.team_api_id, buildUpPlaySpeed
    """,
    "warehouse": """
        region: *r_regionkey, r_name, r_comment
        nation: *n_nationkey, n_name, n_regionkey>region.r_regionkey
        customer: *c_custkey, c_name, c_nationkey>nation.n_nationkey
        orders: *o_orderkey, o_custkey>customer.c_custkey, o_orderstatus, o_totalprice
        part: *p_partkey, p_name, p_size
        lineitem: l_orderkey>orders.o_orderkey, l_partkey>part.p_partkey, l_quantity
    """,
    "forum": """
        Users: *Id, Reputation, DisplayName
        Posts: *Id, OwnerUserId>Users.Id, LastEditorUserId>Users.Id, ParentId>Posts.Id, Score
        Comments: *Id, PostId>Posts.Id, UserId>Users.Id, Text
        Badges: *Id, UserId>Users.Id, Name
    """,
    "polls": """
        polls_question: *id, question_text
        polls_choice: *id, question_id>polls_question.id, votes
        auth_user: *id, username
        polls_vote: *id, user_id>auth_user.id, choice_id>polls_choice.id
    """,
    "company": """
        emp: *empno, ename, job, mgr>emp.empno, deptno>dept.deptno
        dept: *deptno, dname, loc
        superpower: *id, power_name
        hero_power: hero_id>superhero.id, power_id>superpower.id
        superhero: *id, superhero_name
    """,
    "german": """
        haustiere: *haustier_id, gewicht
        länder: *land_id, ländername
        halter: *halter_nr, nachname, land_id>länder.land_id
        hat_haustier: halter_nr>halter.halter_nr, haustier_id>haustiere.haustier_id
    """,
    "movies": """
        title: *id, title, kind_id>kind_type.id, production_year
        kind_type: *id, kind
        company_name: *id, name
        company_type: *id, kind
        movie_companies: *id, movie_id>title.id, company_id>company_name.id, company_type_id>company_type.id
        movie_info: *id, movie_id>title.id, info
        movie_link: *id, movie_id>title.id, linked_movie_id>title.id
    """,
}
ROWS = 60


def world(schema: str, *, counting: bool) -> tuple[dict[str, pd.DataFrame], set[str]]:
    """Frames of a schema, and the keys that are in them."""
    chance = random.Random(7)
    tables = [line.strip().split(": ") for line in schema.strip().splitlines()]
    keys: dict[str, list[object]] = {}
    for at, (table, columns) in enumerate(tables):
        for column in columns.split(", "):
            if column[0] in "*+":
                many = ROWS + 3 * at
                counted = list(range(1, many + 1))
                letter = f"{table[0]}{at}" if column.endswith("const") else ""
                drawn = sorted(chance.sample(range(10**4, 10**6), many))
                values = counted if counting and column[0] == "*" and not letter else drawn
                keys[f"{table}.{column[1:]}"] = [f"{letter}{value}" if letter else value for value in values]
    frames, links = {}, set()
    for at, (table, columns) in enumerate(tables):
        many, made = ROWS + 3 * at, {}
        for column in columns.split(", "):
            name, _, parent = column.lstrip("*+=").partition(">")
            if parent:
                theirs = keys[parent]
                made[name] = (
                    chance.sample(theirs, min(many, len(theirs) - 1))
                    if column[0] == "="
                    else chance.choices(theirs, k=many)
                )
                to, _, key = parent.partition(".")
                links.add(f"{table}.{name} > {to}.{key}")
            elif column[0] in "*+":
                made[name] = keys[f"{table}.{name}"]
            else:
                made[name] = (
                    chance.choices([f"{name} {each}" for each in "abcdef"], k=many)
                    if at % 2
                    else chance.choices(range(9), k=many)
                )
        shortest = min(map(len, made.values()))
        frames[table] = pd.DataFrame({name: values[:shortest] for name, values in made.items()})
    return frames, links


def found(boxes: boxkit.BoxSet) -> set[str]:
    return {
        f"{boxes[key.box].source_name}.{key.fields[0]} > {boxes[key.parent].source_name}.{key.parent_fields[0]}"
        for key in boxes.foreign_keys
    }


@pytest.mark.parametrize("counting", [False, True], ids=["drawn", "counting"])
@pytest.mark.parametrize("name", SCHEMAS)
def test_keys_of_well_known_schemas_are_found_and_no_others(name: str, counting: bool) -> None:
    frames, links = world(SCHEMAS[name], counting=counting)
    assert found(boxkit.load(frames)) == links


def test_tables_that_are_merely_numbered_alike_are_not_linked() -> None:
    rows = range(1, 101)
    frames = {
        "invoices": pd.DataFrame(
            {"id": rows, "amount": [each % 7 for each in rows], "number": [each + 100 for each in rows]}
        ),
        "songs": pd.DataFrame({"id": rows, "plays": rows, "year": [1990 + each % 30 for each in rows]}),
        "song_lengths": pd.DataFrame({"id": rows, "seconds": [200 + each for each in rows]}),
        "years": pd.DataFrame({"year": range(1990, 2020), "rain": range(30)}),
        "#": pd.DataFrame({"#": rows, "-": rows, "": rows, "日付": rows}),
    }
    assert found(boxkit.load(frames)) == {"songs.year > years.year"}


def test_a_few_equal_values_under_a_name_that_means_no_key_link_nothing() -> None:
    frames = {name: pd.DataFrame({"x": [1, 2], "y": ["a", "b"]}) for name in ("monday", "tuesday")}
    assert not boxkit.load(frames).foreign_keys


def test_a_reference_table_that_is_empty_is_found_by_its_name_only(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.sqlite") as connection:
        connection.executescript(
            "CREATE TABLE member (member_id TEXT PRIMARY KEY, name TEXT, zip INTEGER);"
            "CREATE TABLE zip_code (zip_code INTEGER PRIMARY KEY, city TEXT);"
            "CREATE TABLE income (income_id TEXT PRIMARY KEY, amount INTEGER, link_to_member TEXT);"
            "CREATE TABLE expense (expense_id TEXT PRIMARY KEY, cost INTEGER, link_to_member TEXT);"
        )
    connection.close()
    assert found(boxkit.load(tmp_path / "x.sqlite")) == {
        "member.zip > zip_code.zip_code",
        "income.link_to_member > member.member_id",
        "expense.link_to_member > member.member_id",
    }
