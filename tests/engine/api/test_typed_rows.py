"""Rows of scripts as dataclasses or models, and single values of a known type."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from tableapi.db.database import Db
from tests.helpers.served import Served

SCHEMA = """
    create table task (taskid int primary key, title text, done boolean not null default false);
    insert into task values (1, 'Write', true), (2, null, false);
"""
TASKS = "select * from task order by taskid"


@dataclass(frozen=True, slots=True)
class Task:
    taskid: int
    title: str | None


class TaskModel(BaseModel):
    taskid: int
    title: str | None


SERVED = Served(SCHEMA)


@pytest.fixture
async def db(url: str) -> AsyncIterator[Db]:
    made = Db(url)
    await made.connect()
    yield made
    await made.close()


async def test_a_field_without_a_column_is_rejected(db: Db) -> None:
    with pytest.raises(TypeError, match="Task: the statement returns no column 'title'"):
        await db.all(Task, "select taskid from task")
    with pytest.raises(TypeError, match="TaskModel: the statement returns no column 'title'"):
        await db.all(TaskModel, "select taskid from task")


async def test_a_statement_without_a_required_row_is_rejected(db: Db) -> None:
    nothing = "select * from task where taskid = $1"
    with pytest.raises(LookupError, match="No Task"):
        await db.one(Task, nothing, 3)
    with pytest.raises(LookupError, match="No int"):
        await db.value(int, nothing, 3)
    assert await db.first(Task, nothing, 3) is None
    assert await db.first_value(int, nothing, 3) is None


async def test_a_value_of_another_type_is_rejected(db: Db) -> None:
    with pytest.raises(TypeError, match="returned str in place of int"):
        await db.value(int, "select title from task where taskid = 1")
    with pytest.raises(LookupError, match="No str"):
        await db.value(str, "select title from task where taskid = 2")


async def test_rows_have_the_columns_of_their_fields(db: Db) -> None:
    assert await db.all(Task, TASKS) == [Task(1, "Write"), Task(2, None)]
    assert await db.first(Task, TASKS) == await db.one(Task, TASKS) == Task(1, "Write")
    assert await db.all(TaskModel, TASKS) == [TaskModel(taskid=1, title="Write"), TaskModel(taskid=2, title=None)]
    assert await db.value(int, "select count(*) from task") == 2
    assert await db.first_value(str, "select title from task where taskid = $1", 1) == "Write"


async def test_rows_are_read_in_the_transaction_of_the_task(db: Db) -> None:
    async with db.transaction():
        await db.execute("insert into task values (3, 'Read')")
        assert await db.value(int, "select count(*) from task") == 3
