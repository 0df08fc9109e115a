"""The parameters of one query: collected from their uses, then resolved to one type, ordinal and MAX each.

    WHERE age > [1: age] AND id IN [ids] MAX 50   →   age INT, ordinal 1; ids: at most 50 BIGINT
    INSERT INTO t (id, n) VALUES [rows] MAX 20    →   rows: at most 20 ROW(id INT, n INT)

While a query is bound, each use is noted (`use`, `count`) and gets a `Parameter` of the type known so far. At its end
`settle` reports what does not fit, and `finish` gives all uses the same type and MAX.

The value of a LET is used like a parameter. It has a type of its own, and is not among those that the caller gives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from piql.compiler.binding.types import BARE, bare, wider
from piql.compiler.logical.expressions import Parameter
from piql.compiler.logical.operators import GivenRows, QueryParameter
from piql.compiler.syntax import ast
from piql.schema.catalog import Kind, RowType, SqlType
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span
from piql.trees.node import Node

N = TypeVar("N", bound=Node)

DEFAULT_MAX = 50  # offered where a MAX is missing
_ORDINAL = re.compile(r"\[\s*(\d+)")


@dataclass(slots=True)
class _Use:
    """What the uses of one parameter, so far, say of it."""

    first: Span
    shown: str  # as messages call it
    type: SqlType | None = None
    type_span: Span | None = None
    ordinal: int | None = None
    ordinal_spans: tuple[Span, ...] = ()  # the uses that say the ordinal
    is_list: bool = False
    is_count: bool = False
    max_items: int | None = None
    max_spans: tuple[Span, ...] = ()  # the numbers of the MAX of a list, one for each use
    max_value: int | None = None
    row: RowType | None = None  # of a list of rows, which has no other use
    is_mixed: bool = False  # its uses had different types, so nodes bound early must be changed
    is_wrong: bool = False  # a conflict was reported; others are not


@dataclass(frozen=True, slots=True)
class LetValue:
    """A value that a LET names: its type, None where the LET has errors, and where it is declared."""

    type: SqlType | None
    span: Span


@dataclass(slots=True)
class Parameters:
    """Collects the uses of the parameters of one query, or of all statements of a unit.

    lets    the values that are declared so far by a LET, by their names
    """

    uses: dict[str, _Use] = field(default_factory=dict)
    lets: dict[str, LetValue] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def copied(self) -> Parameters:
        """Return what is known so far; further uses of the copy are not noted here."""
        return Parameters({name: replace(use) for name, use in self.uses.items()}, dict(self.lets))

    def use(self, node: ast.ParameterUse, type: SqlType | None, is_list: bool = False) -> Parameter:
        """Record a use as a value or a list of values; `type` is None where the context does not tell it."""
        let = self.lets.get(node.name)
        if let is not None:
            return self._use_of_let(node, let, is_list=is_list)
        use = self._note(node)
        if use.row is not None:
            self._conflict(use, node, "is a list of rows in one place and a value in another")
        if use.is_count or (use.type is not None and use.is_list != is_list):
            self._conflict(use, node, "is a list in one place and one value in another")
        use.is_list = use.is_list or is_list
        if type is not None and type.kind is not Kind.NULL:
            self._unify(use, node, bare(type))
        if is_list:
            if node.max is not None:
                if use.max_items is not None and use.max_items != node.max:
                    self._conflict(use, node, f"has MAX {use.max_items} in one place and MAX {node.max} in another")
                if use.max_items is None and use.first is not node.span:
                    use.is_mixed = True
                use.max_items = node.max
                if node.max_span is not None and node.max_span not in use.max_spans:
                    use.is_mixed = use.is_mixed or bool(use.max_spans)
                    use.max_spans = (*use.max_spans, node.max_span)
            elif use.max_items is None:
                use.is_mixed = True
        elif node.max is not None:
            self.diagnostics.append(
                report(
                    "max-without-use",
                    f"{node.shown} is one value, so MAX has no effect",
                    node.max_span or node.span,
                    help="MAX belongs to a list (IN [ids] MAX 50) and to LIMIT [count] MAX 50",
                )
            )
        items = use.max_items if is_list else None
        if use.is_wrong:  # its types are reported already
            return Parameter(name=node.name, type=BARE[Kind.NULL], max_items=items, span=node.span)
        value_type = use.type or BARE[Kind.NULL]
        spans = use.max_spans if is_list else ()
        return Parameter(name=node.name, type=value_type, max_items=items, span=node.span, max_spans=spans)

    def _use_of_let(self, node: ast.ParameterUse, let: LetValue, *, is_list: bool) -> Parameter:
        """Return a use of the value of a LET; report one that takes it for more than a value."""
        if is_list or node.max is not None:
            self._refuse_let(node, let, "is one value, and a list is needed here")
        elif node.ordinal is not None:
            self._refuse_let(node, let, "is no parameter of the caller, so it has no ordinal")
        return Parameter(name=node.name, type=let.type or BARE[Kind.NULL], is_read=True, span=node.span)

    def _refuse_let(self, node: ast.ParameterUse, let: LetValue, why: str) -> None:
        labels = (Label(let.span, "the value of this LET"),)
        message = f"{node.shown} {why}"
        self.diagnostics.append(report("parameter-conflict", message, node.span, labels=labels, help="use a parameter"))

    def count(self, node: ast.ParameterUse, word: str) -> int | None:
        """Record a use as the count of a LIMIT or PAGINATE (`word`); return its MAX, or None after a report."""
        let = self.lets.get(node.name)
        if let is not None:
            self._refuse_let(node, let, f"is a value that is read, and {word} takes a number or a parameter")
            return None
        use = self._note(node)
        if use.is_list:
            self._conflict(use, node, "is a list in one place and one value in another")
        self._unify(use, node, BARE[Kind.INT])
        use.is_count = True
        if node.max is not None:
            use.max_value = node.max if use.max_value is None else min(use.max_value, node.max)
        elif use.max_value is None:
            end = node.span.end
            self.diagnostics.append(
                report(
                    "missing-max",
                    f"{word} {node.shown} has no MAX: the caller could ask for any number of rows",
                    node.span,
                    help=f"say how large it may be at most: {word} {node.span.text} MAX {DEFAULT_MAX}",
                    fixes=(self._max_fix(node, end),),
                )
            )
        return use.max_value

    def rows(self, node: ast.ParameterUse, row: RowType) -> GivenRows | None:
        """Record the use as the rows of an INSERT; None, after a report, where the list has no MAX."""
        let = self.lets.get(node.name)
        if let is not None:
            self._refuse_let(node, let, "is one value, and rows are needed here")
            return None
        use = self._note(node)
        if use.type is not None or use.is_count:
            self._conflict(use, node, "is a list of rows in one place and a value in another")
        elif use.row is not None and use.row != row:  # in two statements of a unit
            self._conflict(use, node, f"is a list of {use.row} in one place and of {row} in another")
        elif use.max_items is not None and node.max is not None and use.max_items != node.max:
            self._conflict(use, node, f"has MAX {use.max_items} in one place and MAX {node.max} in another")
        use.row, use.is_list = row, True
        if node.max is None:
            self.diagnostics.append(self._list_without_max(use, "rows", "VALUES"))
            return None
        use.max_items = node.max
        return GivenRows(name=node.name, max=node.max, span=node.span, max_span=node.max_span)

    def one_in_list(self, node: ast.ParameterUse, *, is_negated: bool) -> None:
        """Report `IN ([ids])`, which holds one value, where a list may be meant. `IN (?)` and `IN ($1)` are plain."""
        if node.style in ("?", "$"):
            return
        span = node.span
        source = span.source.text
        start, end = source.rfind("(", 0, span.start), source.find(")", span.end) + 1
        written = f"{span.text} MAX {DEFAULT_MAX}"
        fixes: tuple[Fix, ...] = ()
        if not source[start + 1 : span.start].strip() and not source[span.end : end - 1].strip():
            consequence = f"the parameter is a list of at most {DEFAULT_MAX} values"
            fixes = (Fix(f"Change to {written}", (Edit(span.file, start, end, written),), consequence=consequence),)
        message = f"{node.shown} is one value here: a list is written without parentheses, with its MAX"
        among, equals = ("NOT IN", "<>") if is_negated else ("IN", "=")
        way_out = f"write {among} {written} for a list, or {equals} {span.text} for one value"
        self.diagnostics.append(report("one-value-list", message, span, help=way_out, fixes=fixes))

    def _max_fix(self, node: ast.ParameterUse, end: int) -> Fix:
        edit = Edit(node.span.file, end, end, f" MAX {DEFAULT_MAX}")
        consequence = f"an execution that asks for more than {DEFAULT_MAX} rows is refused"
        return Fix(f"Add MAX {DEFAULT_MAX}", (edit,), consequence=consequence)

    def _note(self, node: ast.ParameterUse) -> _Use:
        """Return what is known of a parameter, with the ordinal of this use."""
        use = self.uses.get(node.name)
        if use is None:
            use = self.uses[node.name] = _Use(node.span, node.shown)
        if node.ordinal is not None:
            if use.ordinal is not None and use.ordinal != node.ordinal:
                self._conflict(use, node, f"has two ordinals, {use.ordinal} and {node.ordinal}", "parameter-ordinal")
            use.ordinal = node.ordinal
            if node.span not in use.ordinal_spans:
                use.ordinal_spans = (*use.ordinal_spans, node.span)
        return use

    def _unify(self, use: _Use, node: ast.ParameterUse, type: SqlType) -> None:
        """Give a parameter the type that holds the values of its earlier uses and of this one, or report a conflict."""
        if use.type is None:
            if use.first is not node.span:
                use.is_mixed = True
            use.type, use.type_span = type, node.span
        elif use.type != type:
            both = wider(use.type, type)
            if both is None:
                self._conflict(use, node, f"is {use.type} in one place and {type} in another")
            else:
                use.type = both
                use.is_mixed = True

    def _conflict(self, use: _Use, node: ast.ParameterUse, conflict: str, code: str = "parameter-conflict") -> None:
        """Report that two uses do not fit, once for each parameter."""
        if not use.is_wrong:
            use.is_wrong = True
            first = use.type_span or use.first
            labels = (Label(first, "the other place"),) if first != node.span else ()
            self.diagnostics.append(
                report(code, f"{node.shown} {conflict}", node.span, labels=labels, help="use two parameters")
            )

    def settle(self) -> tuple[QueryParameter, ...]:
        """Return the parameters by ordinal, then by first use; report conflicts and what is missing."""
        for use in self.uses.values():
            self._report_missing(use)
        self._report_ordinals()
        ordered = sorted(self.uses.items(), key=lambda item: (not item[1].ordinal, item[1].ordinal or 0))
        return tuple(
            QueryParameter(
                name=name,
                type=use.row or use.type or BARE[Kind.TEXT],
                ordinal=use.ordinal,
                max_value=use.max_value,
                max_items=use.max_items,
                span=use.first,
            )
            for name, use in ordered
        )

    def _report_missing(self, use: _Use) -> None:
        """Report a parameter whose type is not known, and a list without a MAX."""
        if use.type is None and use.row is None and not use.is_wrong:
            self.diagnostics.append(
                report(
                    "parameter-type-unknown",
                    f"nothing here determines the type of {use.shown}",
                    use.first,
                    help="compare it with a column, or assign it to one",
                )
            )
        if use.is_list and use.max_items is None and use.row is None:
            self.diagnostics.append(self._list_without_max(use, "values", "IN"))

    def _report_ordinals(self) -> None:
        """Report ordinals that two parameters have, and the first one that none has."""
        by_ordinal: dict[int, _Use] = {}
        for use in self.uses.values():
            if use.ordinal is None:
                continue
            first = by_ordinal.setdefault(use.ordinal, use)
            if first is not use:
                self.diagnostics.append(
                    report(
                        "parameter-ordinal",
                        f"{first.shown} and {use.shown} both have the ordinal {use.ordinal}",
                        use.first,
                        labels=(Label(first.first, "the other one"),),
                        help="number the parameters 1, 2, 3, …",
                        fixes=self._next_ordinal(use),
                    )
                )
        for expected, ordinal in enumerate(sorted(by_ordinal), start=1):
            if ordinal != expected:
                use = by_ordinal[ordinal]
                self.diagnostics.append(
                    report(
                        "parameter-ordinal",
                        f"no parameter has the ordinal {expected}, but {use.shown} has {ordinal}",
                        use.first,
                        help="ordinals start at 1 and leave no gap",
                    )
                )
                return

    def _next_ordinal(self, use: _Use) -> tuple[Fix, ...]:
        """Return the fix that gives a parameter the smallest ordinal that no parameter has."""
        taken = {parameter.ordinal for parameter in self.uses.values()}
        free = next(ordinal for ordinal in range(1, len(taken) + 2) if ordinal not in taken)
        written = [(span, _ORDINAL.match(span.text)) for span in use.ordinal_spans]
        edits = tuple(
            Edit(span.file, span.start + match.start(1), span.start + match.end(1), str(free))
            for span, match in written
            if match is not None
        )
        if len(edits) < len(written):
            return ()
        return (Fix(f"Change {use.shown} to ordinal {free}", edits),)

    def _list_without_max(self, use: _Use, items: str, word: str) -> Diagnostic:
        """Return the report of a list of `items`, values or rows, that stands behind `word`."""
        span = use.first
        edit = Edit(span.file, span.end, span.end, f" MAX {DEFAULT_MAX}")
        consequence = f"an execution that gives more than {DEFAULT_MAX} {items} is refused"
        return report(
            "missing-max",
            f"the list {use.shown} has no MAX: the caller could give any number of {items}",
            span,
            help=f"say how many it may hold at most: {word} {span.text} MAX {DEFAULT_MAX}",
            fixes=(Fix(f"Add MAX {DEFAULT_MAX}", (edit,), consequence=consequence),),
        )

    def finish(self, plan: N) -> N:
        """Return the plan with the resolved type and MAX of each parameter at every use."""
        if not any(use.is_mixed for use in self.uses.values()):
            return plan

        def changed(node: Node) -> Node:
            if isinstance(node, Parameter) and node.supplied is None and not (node.is_of_row or node.is_read):
                use = self.uses[node.name]
                items = use.max_items if use.is_list else None
                is_settled = node.type == use.type and node.max_items == items and node.max_spans == use.max_spans
                if use.type is not None and not is_settled:
                    return replace(node, type=use.type, max_items=items, max_spans=use.max_spans)
            return node

        return cast(N, plan.transform_up(changed))
