"""The Performance Insight Assistant: what would bound a refused query, each way compiled before it is offered.

Enters: the gaps of a query and a way to compile edited text. Leaves: fixes, the smallest sets of edits that work.

    gap_fixes        fixes of queries that nothing bounds     remedy           what a file of `remedies` takes and gives
    finding_fixes    of other findings                        one_value        of subqueries that give several rows
    suggest          tries sets of remedies                   trials           one trial: the text with edits, compiled
    edits            remedies → edits of the text             select_text      where a query may be edited
    consequences     what a fix changes, in a sentence        index_advice     indexes that need not be stored
    working_fixes    a compilation with fixes that work       view_keys        what may be a key of a view
    cheaper_writes   fixes of writes that are expensive       write_reliefs    what may make a write cheaper
    table_elements   elements taken out of a table's text

To add a kind of fix, write a file in `remedies/`, from gaps to `Remedy`s, and add it to `suggest.REMEDIES`.
"""
