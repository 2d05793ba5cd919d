"""A table as one parameter of a statement, on both databases."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Boolean, Float, Integer, Text, select

from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.table_parameter import table_parameter

from ..postgres import on_both

_ROWS = table_parameter("handed", word=Text(), number=Integer(), part=Float(), flag=Boolean())
_BACK = select(_ROWS.c.word, _ROWS.c.number, _ROWS.c.part, _ROWS.c.flag)
_WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
_ROW = st.tuples(
    _WORD | st.none(),
    st.integers(-(2**31), 2**31 - 1) | st.none(),
    st.floats(-1e6, 1e6, allow_nan=False) | st.none(),
    st.booleans() | st.none(),
)
_Row = tuple[str | None, int | None, float | None, bool | None]


@on_both
class TestBothDatabases:
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(rows=st.lists(_ROW, max_size=6))
    def test_r6_01_rows_come_back_as_they_were_handed_over(self, store: Store, rows: list[_Row]) -> None:
        with store.database.read() as connection:
            back = connection.execute(_BACK, {"handed": rows}).all()
        assert [tuple(row) for row in back] == rows

    def test_r6_01_two_tables_of_one_statement_keep_their_columns_apart(self, store: Store) -> None:
        left = table_parameter("left", a=Integer(), b=Text())
        right = table_parameter("right", b=Text(), a=Integer())
        statement = select(left.c.b, right.c.b).join(right, left.c.a == right.c.a)
        with store.database.read() as connection:
            rows = connection.execute(statement, {"left": [(1, "x"), (2, "y")], "right": [("z", 2)]}).all()
        assert [tuple(row) for row in rows] == [("y", "z")]
