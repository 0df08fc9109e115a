"""What a schema declares: data and rules of values, used by every stage; nothing here reads a text or a store.

catalog         tables, columns, keys, limits, indexes       types      one row for each column type
values          which Python value stands for which type     words      the words of a text, for token search
decimals        exact arithmetic of DECIMAL                  table_changes   what may differ between two versions
calendar        computing with days and times                conversions     CAST, as functions of values
thresholds      from which bound on a query is expensive     json_values     values as JSON, and back
read_policies   what WITH READ asks, and what may be seen
write_policies  what WITH WRITE asks, and what reads see then
view_windows    the periods of time in which a row counts     view_stripes   the rows of which a group is made
view_joins      how a write finds the rows of a view of several tables, and why they are few
"""
