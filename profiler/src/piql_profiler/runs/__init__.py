"""Profile runs: from start to end, spread over processes, kept on disk and brought in from elsewhere.

    profile_run ──tasks──▶ runner (this process) or cluster (Ray) ──▶ run_files
    shares: seconds of each point                                     run.json and a Parquet file an interval

`imports` and `hlog` read measurements that were made elsewhere. `processes` ends what a run has started.
"""
