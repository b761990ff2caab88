"""Runs code as generated code runs, with layers switched off at will and no review before it. A script, too."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from boxkit.executor import Limits, Run, execute
from boxkit.executor.layers import Layers

HERE = Path(__file__).parent


def load(name: str) -> Any:
    """A module that lies beside this one."""
    spec = importlib.util.spec_from_file_location(f"boxkit_test_{name}", HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def frames() -> dict[str, pd.DataFrame]:
    """The boxes of every attack."""
    return {"t": pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})}


def without(*layers: str) -> Layers:
    """All layers but these."""
    return Layers(**dict.fromkeys(layers, False))


def run(code: str, layers: Layers = Layers(), **limits: Any) -> Run:
    """Run ``code`` unreviewed: the review is for messages, and an attacker would get round it."""
    module = sys.modules["boxkit.executor.execute"]
    source = dataclasses.replace(module.supply(frames()), key="attacked")
    reviewed = module.review(code, source)
    original = module.review
    module.review = lambda *_: dataclasses.replace(reviewed, failure=None, boxes=("t",), columns={"t": None})
    try:
        given = {"seconds": 10, "memory_mb": 512, "allow_weak": True, **limits}
        return module._execute(code, source, Limits(**given), layers, None)
    finally:
        module.review = original


class Stage:
    """A folder with a secret, two ports that are listened to, a secret in the environment."""

    def __init__(self) -> None:
        self.attacks = load("attacks")
        self.folder = Path(tempfile.mkdtemp(prefix="boxkit-attack-"))
        self.folder.chmod(0o777)
        for name, text in (("secret.txt", self.attacks.SECRET), ("victim.txt", "do not touch")):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o644)
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        os.environ["BOXKIT_SECRET"] = self.attacks.SECRET

    def places(self) -> dict[str, Any]:
        """What `attacks.filled` fills in."""
        ports = {"tcp": self.tcp.getsockname()[1], "udp": self.udp.getsockname()[1]}
        return {"secret": self.folder / "secret.txt", "folder": self.folder, "host": os.getpid(), **ports}

    def achieves(self, attack: Any, layers: Layers = Layers()) -> bool:
        """Whether the attack gets what it is after."""
        done = run(self.attacks.filled(attack, self.places()), layers)
        if attack.got == "executed":
            return (self.folder / "executed").exists()
        if attack.got is None:
            return done.error is None and bool(done.answer)
        return done.error is None and done.answer == attack.got

    def close(self) -> None:
        """Clean up."""
        import shutil

        self.tcp.close()
        self.udp.close()
        os.environ.pop("BOXKIT_SECRET", None)
        shutil.rmtree(self.folder, ignore_errors=True)


def main() -> None:
    """Run every attack, confined; print which achieved something, and what honest code computes before and after."""
    stage = Stage()
    control = "answer = int(t['a'].sum())"
    first = execute(control, frames())
    achieved = {attack.name: stage.achieves(attack) for attack in stage.attacks.ATTACKS}
    raw = run(stage.attacks.RAW_CODE % stage.attacks.RAW).answer
    last = execute(control, frames())
    report = {"control": [first.answer, last.answer], "isolation": first.isolation, "achieved": achieved, "raw": raw}
    print(json.dumps({**report, "user": os.getuid()}))
    stage.close()


if __name__ == "__main__":
    main()
