"""Values that are drawn for the parameters of a query."""

import random

import piql
import pytest
from piql.schema.catalog import Kind
from piql.schema.types import KINDS, convert
from piql_profiler.measure.sampling import ParameterSampler


@pytest.mark.parametrize("kind", KINDS, ids=[kind.value for kind in KINDS])
def test_a_made_up_value_is_one_of_its_type(kind: Kind) -> None:
    compiled = piql.compile(
        f"CREATE TABLE t (id {kind.value} PRIMARY KEY, v {kind.value});"
        "CREATE QUERY put AS INSERT INTO t (id, v) VALUES ([id], [v]);"
        "CREATE QUERY get AS SELECT id FROM t WHERE id = [id];"
    )
    with piql.connect("embedded:") as database:
        database.deploy(compiled)
        for query in compiled.queries.values():
            sampler = ParameterSampler.of(query, compiled, database, seed=random.Random(kind.value).getrandbits(32))
            values = sampler.draw()
            for parameter in query.parameters:
                assert convert(values[parameter.name], parameter.type) is not None


def test_the_rows_of_a_list_have_new_keys_and_values_that_are_there() -> None:
    compiled = piql.compile(
        "CREATE TABLE cart (id INT PRIMARY KEY);"
        "CREATE TABLE line (cart INT REFERENCES cart, item INT, n INT, PRIMARY KEY (cart, item));"
        "CREATE QUERY open AS INSERT INTO cart (id) VALUES ([id]);"
        "CREATE QUERY fill AS INSERT INTO line (cart, item, n) VALUES [rows] MAX 20;"
    )
    with piql.connect("embedded:") as database:
        database.deploy(compiled)
        database.execute("open", {"id": 77})
        sampler = ParameterSampler.of(compiled.queries["fill"], compiled, database, seed=1)
        values = sampler.draw()
        assert database.execute("fill", values).rows_affected == 20
        assert len(sampler.draw(is_for_form=True)["rows"]) == 10  # type: ignore[arg-type]
    assert sampler.sources["rows"] == "rows with new keys, and with values from the data"
