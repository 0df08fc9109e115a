"""A text that is given as a store's address and is none comes back in no message, wherever in it a secret stands."""

import itertools

import piql
import pytest
from piql.store.open import location_of

SECRET = "S3cr3tpw"
FORMS = (
    "{scheme}:{part}@h/ks", "{scheme}:user:{part}@h/ks", "{scheme}:/user:{part}@h/ks", "{scheme}//user:{part}@h/ks",
    "{scheme}://user:{part}@[/ks", "{scheme}://user:{part}@h:x/ks", "{scheme}://{part}:x/ks", "{scheme}://h:{part}/ks",
    "{scheme}://[{part}/ks", "{scheme}://{part}@h/k-s", "{scheme}://h/{part}-x", "{scheme}://h/ks/{part}",
    "{scheme}://h/ks?password={part}", "{scheme}://h/ks?PASSWORD={part}", "{scheme}://h/ks?{part}=1",
    "{scheme}://h/ks?{part}", "{scheme}://h/ks?timeout={part}", "{scheme}://h/ks?x=1&key={part}",
    "{scheme}://user:{part}\n@h:x/ks", "{scheme}://h:x/ks#{part}", "{part}:{scheme}://h/ks", "{part}", "{part}://h/ks",
    "{scheme}://u:{part}@h,v:{part}@i/ks", " {scheme}://user:{part}@h/ks", "{scheme}:/x?key={part}",
    "{scheme}:/x?synchronous={part}", "{scheme}:/x?{part}",
)  # fmt: skip
SCHEMES = ("cql", "CQL", "s3", "embedded", "stepwise", "postgres")
PARTS = (
    SECRET,
    f"a/{SECRET}",
    f"{SECRET}/a",
    f"a?{SECRET}",
    f"a@{SECRET}",
    f"{SECRET}@a",
    f"a#{SECRET}",
    f"a:{SECRET}",
)


def refusal_of(url: str) -> str:
    """Return what is said of a wrong address; nothing of one that may be right."""
    try:
        location_of(url)
    except piql.StoreUnavailable as refusal:
        return str(refusal)
    return ""


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_wrong_address_is_refused_without_any_part_of_it(scheme: str) -> None:
    urls = [form.format(scheme=scheme, part=part) for form, part in itertools.product(FORMS, PARTS)]
    refusals = {url: refusal_of(url) for url in urls}
    assert any(refusals.values())
    assert [url for url, said in refusals.items() if SECRET in said] == []


@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
@pytest.mark.parametrize("options", [f"key={SECRET}", SECRET, f"synchronous={SECRET}", f"wait_ms=1&password={SECRET}"])
def test_a_wrong_option_of_a_file_is_refused_without_its_value(scheme: str, options: str) -> None:
    with pytest.raises(piql.StoreUnavailable) as refusal:
        piql.connect(f"{scheme}:/nowhere/x?{options}")
    assert SECRET not in str(refusal.value)
