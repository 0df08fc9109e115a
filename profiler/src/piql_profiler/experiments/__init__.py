"""The papers' experiments as things that a user runs: our figure beside the paper's claim, and a verdict.

    Experiment  ──run on a Stage──▶  Outcome: rows, charts, claims with verdicts  ──▶  rows.parquet, figure.svg, page

verdicts             agrees, disagrees, undecidable; intervals that decide
experiment           what an experiment is, and what comes of it
law, simulated_store a store whose requests take as long as a stated law says, on a clock that nobody waits for
stage                where an experiment runs: databases that it fills, and the sample applications
closed_loop          a cluster of 1 to 100 simulated nodes under clients that call again as soon as they are answered
chart, page, files   an outcome as SVG, as one HTML page, and as a folder
replicas             three copies that lag, by a law
drawing              the parameters of TPC-W's queries
s3_levels/           the protocols of a database on S3, over the wire, with queues
papers/              one file an experiment; its `EXPERIMENTS` is the list
"""
