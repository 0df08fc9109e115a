"""What the program says where it has no such command."""

import pytest
from piql.commands.cli import main


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("chekc", "piql: no command 'chekc'; did you mean `piql check`?\n"),
        ("explain", "piql: no command 'explain'; did you mean `piql plan`?\n"),
        ("Deploy", "piql: no command 'Deploy'; did you mean `piql deploy`?\n"),
        ("xyzzy", "piql: no command 'xyzzy'; `piql --help` lists them\n"),
    ],
)
def test_a_wrong_command_is_answered_with_the_likely_one(
    given: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([given]) == 2
    assert capsys.readouterr().err == said
