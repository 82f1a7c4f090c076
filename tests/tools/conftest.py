import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture(scope="module")
def tool(request: pytest.FixtureRequest) -> Any:
    """The program in `tools/` that a file of tests is named after."""
    name = request.path.stem.removeprefix("test_")
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look for what their annotations mean
    sys.path.insert(0, str(TOOLS))  # a program finds those beside it
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(TOOLS))
    return module
