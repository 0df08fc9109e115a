"""The work of compiling what is parsed, in units of the time that one token takes.

So no text keeps the compiler busy for minutes. The cursor counts what a statement reads and tests; `count_work` turns
its counters into work once the statement ends.
"""

from __future__ import annotations

from piql.compiler.syntax.entities import EntityParser

STATEMENT_WORK = 10  # for each statement
READ_WORK = 60  # for each table that is read or written
BRANCH_WORK = 40  # for each branch of an OR
REPLANNED_WORK = 120  # for each time that a read is planned again in another order
EXTREME_WORK = 380  # for each MIN and MAX, which are planned both as groups and as the first row of an order
SEARCH_WORK = {4: 30, 5: 100, 6: 300}  # by number of reads: all their orders are compared
FEW_READS = 6  # in one statement; beyond these, each is compared with all others
TERM_WORK = 8  # for each term of ORDER BY and GROUP BY
CONDITION_WORK = 10  # for each of many conditions of an AND, and of many changes of an UPDATE


class WorkParser(EntityParser):
    """The part of the parser that counts work: `planning_work` is that of all statements that have ended."""

    planning_work = 0

    def count_work(self) -> None:
        """Add the work of planning the statement that was parsed last, and begin to count that of the next one."""
        reads = READ_WORK * self.reads + REPLANNED_WORK * self.replanned
        if self.reads > FEW_READS:
            reads = reads * (self.reads + FEW_READS) // (2 * FEW_READS)
        self.planning_work += (
            reads
            + SEARCH_WORK.get(self.reads, 0)
            + BRANCH_WORK * self.branches
            + TERM_WORK * self.terms
            + CONDITION_WORK * self.conditions
            + EXTREME_WORK * self.extremes
        )
        self.with_reads.clear()
        self.copied_reads = self.values_of_rows = self.repeated = 0
        self.reads = self.replanned = self.branches = self.terms = self.conditions = self.extremes = 0
