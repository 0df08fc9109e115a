"""Where the time of executions goes, operator by operator, from samples of them.

repository     reads the cells of samples; reports and the workbench's own executions add them
blame          the slowest executions of a query beside typical ones: which operator took the time
calibration    the times of operators beside what is predicted for them, over all queries and sizes
reading        both, as the API sends them
service        both, for the queries of a deployment
endpoints      the HTTP path, with `schemas`, the shapes of answers
"""
