"""Measures PIQL's remote operators on a store, and predicts the latency of plans from them.

measure/      points (an operator at given sizes) are executed on a store
runs/         a profile run: all points of a grid, interval by interval, kept on disk
predictor/    from a run and a plan to a latency
capacity/     how much load a store takes before an SLO breaks
drift/        whether the store still is as the run says
validation/   how good predictions are: compared with what queries take
load_runs/    deployed queries called in open loop, at a stated rate, until a threshold is crossed
experiments/  what the papers claim beside what is found here
commands/     `piql profile`, `piql predict`, `piql capacity`, `piql validate`, `piql load-test` and `piql experiment`
"""
