from dataclasses import FrozenInstanceError, dataclass, field

import pytest
from piql.trees.frozen import quick, replace


@quick
@dataclass(frozen=True, slots=True)
class Place:
    row: int
    words: list[str] = field(default_factory=list)
    note: str = "none"


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    name: str
    place: Place | None = None


def test_a_quick_value_is_made_as_any_dataclass_is() -> None:
    assert Place(1) == Place(1, [], "none") == Place(row=1)
    assert Place(1, note="x").note == "x"
    assert repr(Named(name="a")) == "Named(name='a', place=None)"


def test_each_quick_value_has_a_default_of_its_own_where_the_class_makes_one() -> None:
    assert Place(1).words is not Place(1).words


def test_a_quick_value_stays_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Place(1).row = 2  # type: ignore[misc]


def test_a_quick_class_refuses_what_its_fields_do_not_take() -> None:
    with pytest.raises(TypeError):
        Place()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Place(1, other=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Named("a")  # type: ignore[misc]


def test_a_copy_differs_in_what_it_is_asked_to() -> None:
    before = Named(name="a", place=Place(1))
    after = replace(before, name="b")
    assert after == Named(name="b", place=Place(1))
    assert after.place is before.place
    assert before.name == "a"


def test_a_class_without_slots_is_copied_as_well() -> None:
    @dataclass(frozen=True)
    class Loose:
        row: int
        note: str = "none"

    assert replace(Loose(1, "x"), row=2) == Loose(2, "x")
