"""What people run generated code with instead: exec, a fresh process, smolagents' interpreter, RestrictedPython."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["OTHERS"]

Runner = Callable[[str, dict[str, pd.DataFrame]], Any]


def in_process(code: str, frames: dict[str, pd.DataFrame]) -> Any:
    scope: dict[str, Any] = {"pd": pd, "np": np, **{name: frame.copy() for name, frame in frames.items()}}
    exec(code, scope)
    return scope["answer"]


def fresh_process(code: str, frames: dict[str, pd.DataFrame]) -> Any:
    """A script that imports pandas, reads the frames from files and writes the answer to one."""
    with tempfile.TemporaryDirectory() as place:
        for name, frame in frames.items():
            frame.to_parquet(Path(place) / f"{name}.parquet")
        loads = "".join(f"{name} = pd.read_parquet({str(Path(place) / name)!r} + '.parquet')\n" for name in frames)
        save = f"\npd.Series([answer], dtype=object).to_pickle({str(Path(place) / 'answer.pickle')!r})"
        script = f"import pandas as pd\nimport numpy as np\n{loads}{code}{save}"
        subprocess.run([sys.executable, "-c", script], check=True)
        return pd.read_pickle(Path(place) / "answer.pickle").iloc[0]


def smolagents(code: str, frames: dict[str, pd.DataFrame]) -> Any:
    from smolagents.local_python_executor import LocalPythonExecutor

    executor = LocalPythonExecutor(additional_authorized_imports=["pandas", "numpy"])
    executor.send_tools({})
    executor.send_variables({"pd": pd, "np": np, **frames})
    return executor(code + "\nanswer").output


def restricted(code: str, frames: dict[str, pd.DataFrame]) -> Any:
    from RestrictedPython import compile_restricted, safe_globals
    from RestrictedPython.Eval import default_guarded_getitem, default_guarded_getiter
    from RestrictedPython.Guards import full_write_guard

    scope: dict[str, Any] = {
        **safe_globals,
        "_getitem_": default_guarded_getitem,
        "_getiter_": default_guarded_getiter,
        "_write_": full_write_guard,
        "_getattr_": getattr,
        "pd": pd,
        "np": np,
        **frames,
    }
    scope["__builtins__"] = {**scope["__builtins__"], "set": set, "list": list, "dict": dict, "sum": sum, "max": max}
    exec(compile_restricted(code, "<answer>", "exec"), scope)
    return scope["answer"]


OTHERS: dict[str, Runner] = {
    "exec in this process": in_process,
    "a fresh process": fresh_process,
    "smolagents LocalPythonExecutor": smolagents,
    "RestrictedPython": restricted,
}
