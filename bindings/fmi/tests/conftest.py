"""What the tests share: where the repository is, and the program of the command line, where it was built."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def models():
    return ROOT / "models"


@pytest.fixture(scope="session")
def program():
    named = os.environ.get("MODESHIFT_PROGRAM")
    places = [Path(named)] if named else [ROOT / "target" / kind / "modeshift" for kind in ("release", "debug")]
    for place in places:
        if place.is_file():
            return place
    pytest.skip("the program is not built; MODESHIFT_PROGRAM says where it is")
