"""Expressions as pandas code: over the columns of a frame, or over single values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from boxkit.errors import PlanError
from boxkit.plan import expressions as ex
from boxkit.plan.emitter.cases import write_case
from boxkit.plan.emitter.casts import write_cast
from boxkit.plan.emitter.code import ATOM, PRODUCT, SUM, UNARY, Code
from boxkit.plan.emitter.conditions import Conditions
from boxkit.plan.emitter.layout import literal
from boxkit.plan.emitter.table import Table
from boxkit.plan.emitter.windows import write_window
from boxkit.plan.functions import FUNCTIONS
from boxkit.plan.types import Type

if TYPE_CHECKING:
    from boxkit.plan.emitter.emitter import Emitter

__all__ = ["Values"]


class Values:
    """Writes expressions over one table.

    Args:
        emitter: Where subqueries become steps.
        table: Whose columns expressions name. Its code is repeated: it should be a name.
    """

    def __init__(self, emitter: Emitter, table: Table) -> None:
        self.emitter = emitter
        self.table = table
        self.conditions = Conditions(self)

    def type_of(self, expression: ex.Expression) -> Type:
        """The type of an expression over the table."""
        return self.emitter.schema.type_of(expression, self.table.slots)

    def write(self, expression: ex.Expression) -> Code:
        """The code of an expression's value."""
        match expression:
            case ex.Column():
                cell = self.table.cell(expression)
                return Code(self.table.column(cell), cell.slot.type, self.table.is_single)
            case ex.Constant(value):
                return Code("np.nan" if value is None else literal(value), self.type_of(expression), single=True)
            case ex.Arithmetic():
                return self._arithmetic(expression)
            case ex.Negative(value):
                inner = self.number(value)
                return Code(f"-{inner.at(UNARY)}", self.type_of(expression), inner.single, UNARY, inner.array)
            case ex.Call():
                return self._call(expression)
            case ex.Case():
                return write_case(self, expression)
            case ex.Cast():
                return write_cast(self, expression)
            case ex.ScalarPlan(plan):
                return self.emitter.scalar(plan)
            case ex.WindowCall():
                return write_window(self, expression)
            case ex.Aggregated():
                raise PlanError(f"an aggregate ({expression.function}) stands outside of an Aggregate's measures")
            case _:
                return self.conditions.value(expression)

    def series(self, expression: ex.Expression) -> str:
        """The code of a column to which a method can be attached."""
        code = self.write(expression)
        return self.as_series(code)

    def as_series(self, code: Code) -> str:
        """Any code as one that has a column's methods."""
        if code.single or code.array:
            return f"pd.Series({code.text}, index={self.table.code}.index)"
        return code.at(ATOM)

    def known(self, code: Code) -> str:
        """The mask of where a column's value is there."""
        return f"{self.as_series(code)}.notna()"

    def number(self, expression: ex.Expression) -> Code:
        """The code of a value that arithmetic works on: truth values count as 0 and 1."""
        code = self.write(expression)
        if code.type.kind != "boolean":
            return code
        if code.single:
            return Code(f"int({code.text})", code.type, single=True)
        dtype = '"Int64"' if code.type.nullable else "int"
        return Code(f"{self.as_series(code)}.astype({dtype})", code.type)

    def _arithmetic(self, expression: ex.Arithmetic) -> Code:
        operator, result = expression.operator, self.type_of(expression)
        if operator == "||":
            return self._joined_text(expression, result)
        left, right = self.number(expression.left), self.number(expression.right)
        single = left.single and right.single
        if result.kind == "null":
            return Code("np.nan", result, single=True)
        array = not single and all(each.single or each.array for each in (left, right))
        if operator in ("/", "div", "%"):
            return self._division(operator, left, right, result, array)
        level = PRODUCT if operator == "*" else SUM
        right_level = level if operator in "+*" else level - 1
        return Code(f"{left.at(level)} {operator} {right.at(right_level)}", result, single, level, array)

    def _division(self, operator: str, left: Code, right: Code, result: Type, array: bool) -> Code:
        if right.text in ("0", "0.0"):
            return Code("np.nan", result, single=True)
        single = left.single and right.single
        divisor = right.at(UNARY)
        if not right.type.never_zero:
            if right.single:
                divisor = f"({right.text} or np.nan)"
            else:
                missing = "pd.NA" if right.type.kind == "integer" and right.type.nullable else "np.nan"
                divisor = f"{self.as_series(right)}.replace(0, {missing})"
        whole = result.kind == "integer"
        positive = left.type.never_negative and right.type.never_negative
        if operator == "%":
            if positive:
                return Code(f"{left.at(PRODUCT)} % {divisor}", result, single, PRODUCT, array)
            return Code(f"np.fmod({left.text}, {divisor})", result, single, ATOM, array)
        if operator == "/" or not whole:
            return Code(f"{left.at(PRODUCT)} / {divisor}", result, single, PRODUCT, array)
        if positive:
            return Code(f"{left.at(PRODUCT)} // {divisor}", result, single, PRODUCT, array)
        return Code(f"np.trunc({left.at(PRODUCT)} / {divisor})", result, single, ATOM, array)

    def _joined_text(self, expression: ex.Arithmetic, result: Type) -> Code:
        left, right = (self.write(ex.Cast(each, "text")) for each in (expression.left, expression.right))
        single = left.single and right.single
        array = not single and all(each.single or each.array for each in (left, right))
        text = f"{left.at(SUM)} + {right.at(SUM)}"
        guards = [f"pd.notna({each.text})" for each in (left, right) if single and each.type.nullable]
        if guards:
            return Code(f"({text} if {' and '.join(guards)} else np.nan)", result, single)
        return Code(text, result, single, SUM, array)

    def _call(self, expression: ex.Call) -> Code:
        function = FUNCTIONS[expression.function]
        arguments = list(expression.arguments)
        if function.text and self.type_of(arguments[0]).kind not in ("text", "null"):
            arguments[0] = ex.Cast(arguments[0], "text")
        codes = [self.write(each) for each in arguments]
        if expression.function == "first_known" and not codes[0].type.nullable:
            return replace(codes[0], type=self.type_of(expression))
        single = all(each.single for each in codes)
        template = function.single if single and function.single is not None else function.column
        texts = [each.at(ATOM) for each in codes]
        if expression.function == "first_known" and not single:
            kinds = {each.type.kind for each in codes}
            if kinds == {"integer", "number"}:
                # A nullable column of whole numbers takes no decimals.
                codes = [self._as_floats(each) for each in codes]
                texts = [each.at(ATOM) for each in codes]
        if not single and codes:
            texts[0] = self.as_series(codes[0])
        if function.mapped and not single and codes[0].type.nullable:
            template = template.removesuffix(")") + ', na_action="ignore")'
        return Code(template.format(*texts, table=self.table.code), self.type_of(expression), single)

    def _as_floats(self, code: Code) -> Code:
        if code.single or code.type.kind != "integer":
            return code
        return Code(f"{self.as_series(code)}.astype(float)", code.type)
