"""Load runs: deployed queries called at a stated rate or in a closed loop, and what came of it.

    Plan ──run──▶ clients: arrivals ──▶ calling ──▶ targets (a store, or the query service)
                  ◀── calls: a Batch each second
                  window, thresholds: stop        accounts ──▶ result ──▶ wording, page, result_file, hdr_log, verdicts

arrivals       when calls are due, in an open loop or a closed one; mixes are the queries and their weights
calls          what a client says of its calls, and which of their latency is the client's own
accounts       adds batches up; pure, as are arrivals, window, thresholds, verdicts and comparison
refusals       which errors of calls are refusals
reporting      shows a run in a workbench while it goes on
comparison     two runs, line by line, by a test with a stated error

A call's latency counts from the moment it was due, so what a slow call makes others wait is part of it.
"""
