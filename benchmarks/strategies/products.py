"""Other products on the shop's replies and data; run by ``others.py`` in an environment where they are installed.

    VENV/bin/python products.py list                   # what is installed here, as JSON
    VENV/bin/python products.py time smolagents 20     # JSON: added milliseconds, calls, prompts
    VENV/bin/python products.py bad smolagents endless_loop FILE   # JSON: what came of a bad first reply
    VENV/bin/python products.py count < texts.json     # JSON: tokens of each text, by tiktoken's cl100k_base

Nothing of boxkit is imported. Each product is used as its documentation shows, with a scripted model behind its own
interface for one, and a time limit where it takes one. Their scripted models are generous: a reply that did not
give the right rows is followed by a good one wherever the product asks again.
"""

from __future__ import annotations

import faulthandler
import importlib.metadata
import importlib.util
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import shop

#: What generated code may take, where a product can be told; and how long a whole question is waited for.
LIMIT_S, PATIENCE_S = 5, 20


class Script:
    """Replies in order, the last one again and again; keeps what it was sent.

    Attributes:
        sent: The prompts so far.
    """

    def __init__(self, replies: list[shop.Reply]) -> None:
        self._replies = replies
        self.sent: list[str] = []

    def next(self, prompt: str) -> shop.Reply:
        """The next reply."""
        self.sent.append(prompt)
        return self._replies[min(len(self.sent), len(self._replies)) - 1]


def pandas_ai(script: Script) -> Callable[[], Any]:
    """PandasAI: ``pai.chat`` over four frames. Its code must fetch frames by SQL and assign ``result``."""
    import pandasai as pai
    from pandasai.llm.base import LLM

    class Model(LLM):
        @property
        def type(self) -> str:
            return "scripted"

        def call(self, instruction: Any, context: Any = None) -> str:  # noqa: ARG002 - its names are the base class's
            reply = script.next(instruction.to_string())
            return f"```python\n{opening}{reply.code}\n{closing}```" if reply.code else reply.words

    names = list(shop.frames())
    opening = "import pandas as pd\nimport math\n" + "".join(
        f"{name} = execute_sql_query('SELECT * FROM {name}')\n" for name in names
    )
    closing = "result = {'type': 'dataframe', 'value': answer}\n"
    pai.config.set({"llm": Model(), "verbose": False, "save_logs": False})
    frames = [pai.DataFrame(frame, _table_name=name) for name, frame in shop.frames().items()]
    return lambda: pai.chat(shop.QUESTION, *frames)


def llama_index(script: Script) -> Callable[[], Any]:
    """LlamaIndex: ``PandasQueryEngine``, which takes one frame and evaluates the last expression."""
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
    from llama_index.experimental.query_engine import PandasQueryEngine

    class Model(CustomLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata()

        def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:  # noqa: ARG002 - its names are the base class's
            reply = script.next(prompt)
            return CompletionResponse(text=f"customer = df\n{reply.code}\nanswer" if reply.code else reply.words)

        def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
            raise NotImplementedError

    engine = PandasQueryEngine(df=shop.frames()["customer"], llm=Model())
    return lambda: engine.query(shop.ONE_QUESTION)


def lang_chain(script: Script) -> Callable[[], Any]:
    """LangChain: ``create_pandas_dataframe_agent`` with tool calls, over four frames called df1 to df4."""
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_experimental.agents import create_pandas_dataframe_agent

    class Model(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            self.__dict__["tools"] = json.dumps([each.args_schema.model_json_schema() for each in tools])
            return self

        def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
            text = "\n".join([self.__dict__["tools"], *(str(each.content) for each in messages)])
            last = messages[-1]
            if last.type == "tool" and shop.is_right(str(last.content)):
                script.sent.append(text)
                message = AIMessage(str(last.content))
            else:
                reply = script.next(text)
                call = {"name": "python_repl_ast", "args": {"query": f"{opening}{reply.code}\nanswer"}, "id": "1"}
                message = AIMessage("", tool_calls=[call]) if reply.code else AIMessage(reply.words)
            return ChatResult(generations=[ChatGeneration(message=message)])

    frames = shop.frames()
    opening = f"import pandas as pd\n{', '.join(frames)} = df1, df2, df3, df4\n"
    agent = create_pandas_dataframe_agent(
        Model(),
        list(frames.values()),
        agent_type="tool-calling",
        allow_dangerous_code=True,
        max_iterations=4,
        max_execution_time=LIMIT_S,
    )
    return lambda: agent.invoke({"input": shop.QUESTION})["output"]


def smol_agents(script: Script) -> Callable[[], Any]:
    """smolagents: ``CodeAgent`` with its local interpreter, four frames as additional arguments."""
    from smolagents import ChatMessage, CodeAgent, MessageRole, Model

    class Scripted(Model):
        def generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatMessage:
            reply = script.next("\n".join(map(_text, messages)))
            said = f"<code>\nimport pandas as pd\n{reply.code}\nfinal_answer(answer)\n</code>"
            return ChatMessage(role=MessageRole.ASSISTANT, content=said if reply.code else reply.words)

    def _text(message: Any) -> str:
        content = message.content if hasattr(message, "content") else message["content"]
        return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)

    agent = CodeAgent(
        tools=[],
        model=Scripted(),
        additional_authorized_imports=["pandas", "numpy", "math"],
        executor_kwargs={"timeout_seconds": LIMIT_S},
        max_steps=4,
        verbosity_level=0,
    )
    frames = shop.frames()
    return lambda: agent.run(shop.QUESTION, additional_args=dict(frames))


#: Package, how to make it, and where it runs generated code (by its documentation).
PRODUCTS: dict[str, tuple[str, Callable[[Script], Callable[[], Any]], str]] = {
    "PandasAI": ("pandasai", pandas_ai, "none (Docker as an extra)"),
    "LlamaIndex": ("llama-index-experimental", llama_index, "none, names with _ refused"),
    "LangChain": ("langchain-experimental", lang_chain, "none"),
    "smolagents": ("smolagents", smol_agents, "its own interpreter, in process (Docker, E2B as extras)"),
}


def installed() -> dict[str, str]:
    """The products that are here, with their versions."""
    found = {}
    for name, (package, _, _) in PRODUCTS.items():
        try:
            found[name] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def timed(name: str, runs: int) -> dict[str, Any]:
    """Milliseconds that the product adds to the bare code, its calls and its prompts."""
    is_one = name == "LlamaIndex"
    code = shop.ONE_CODE if is_one else shop.CODE
    script = Script([shop.Reply(code)])
    ask = PRODUCTS[name][1](script)
    result = ask()
    right = shop.is_right(str(result), one=is_one)
    prompts = list(script.sent)
    for _ in range(2):
        ask()
    asked, bare = [], []
    for _ in range(runs):
        started = time.perf_counter()
        ask()
        asked.append(time.perf_counter() - started)
        bare.append(shop.bare_s(code))
    added = (statistics.median(asked) - statistics.median(bare)) * 1e3
    told = {"added_ms": added, "bare_ms": statistics.median(bare) * 1e3, "calls": len(prompts), "prompts": prompts}
    return {**told, "right": right, "result": "" if right else str(result)[:300], "isolation": PRODUCTS[name][2]}


def bad(name: str, kind: str, path: str) -> dict[str, Any]:
    """What comes of a bad first reply and a good second one; this process ends where it takes too long."""
    is_one = name == "LlamaIndex"
    code = shop.ONE_CODE if is_one else shop.CODE
    script = Script([shop.bad_replies(path, code)[kind], shop.Reply(code)])
    ask = PRODUCTS[name][1](script)
    # A thread of C that ends the process whatever its Python does; imports before this do not count.
    faulthandler.dump_traceback_later(PATIENCE_S, exit=True)
    started = time.perf_counter()
    try:
        result, raised = str(ask()), ""
    except Exception as error:
        result, raised = "", f"{type(error).__name__}: {error}"
    return {
        "right": shop.is_right(result, one=is_one),
        "raised": raised[:200],
        "result": result[:200],
        "calls": len(script.sent),
        "seconds": time.perf_counter() - started,
    }


def counted(texts: list[str]) -> list[int]:
    """Tokens of each text."""
    core = importlib.util.find_spec("llama_index.core")
    if core is not None and core.origin:
        # It carries the vocabulary, so that nothing is fetched.
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(Path(core.origin).parent / "_static" / "tiktoken_cache"))
    import tiktoken

    encoding = tiktoken.get_encoding("cl100k_base")
    return [len(encoding.encode(text, disallowed_special=())) for text in texts]


def main() -> None:
    """Do what the command line asks; products print what they like, so the JSON goes to the real output's end."""
    what, *rest = sys.argv[1:]
    out = os.dup(1)
    os.dup2(2, 1)
    done: Any
    if what == "list":
        done = installed()
    elif what == "time":
        done = timed(rest[0], int(rest[1]))
    elif what == "bad":
        done = bad(*rest)
    else:
        done = counted(json.load(sys.stdin))
    os.write(out, json.dumps(done).encode())
    # A thread that a product could not stop would keep the process from ending.
    os._exit(0)


if __name__ == "__main__":
    main()
