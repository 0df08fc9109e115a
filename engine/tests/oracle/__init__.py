"""The oracle: random schemas, data and queries; whatever compiles must give DuckDB's rows within its bound.

    schema_generator → Schema      contents → rows that keep its constraints      query_generator → Query
    world: all of these and the steps to run        check: runs a world, gives its Failures
    worlds_of_views: worlds with views, which queries read and writes keep up to date
    shrink: the smallest world that still fails     repro: that world as a program to run

`python -m engine.tests.oracle --help` runs it by hand.
"""
