"""Keys and addresses of `boxkit.OpenAI`: where they come from, and that no key is told."""

from __future__ import annotations

import pickle
import socket

import pytest

from boxkit.errors import (
    MissingKey,
    ServerUnavailable,
)
from boxkit.llm import OpenAI
from boxkit.testing import Fault, FaultyServer

from .asking import QUESTION, ask, both, model

pytestmark = pytest.mark.usefixtures("no_key")


def test_without_a_key_openai_itself_is_not_asked(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        OpenAI("gpt-4o-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "   ")
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        OpenAI("gpt-4o-mini")
    with pytest.raises(MissingKey, match="characters"):
        OpenAI("gpt-4o-mini", api_key="sk-\u201cquoted\u201d")


def test_key_and_address_come_from_the_environment_or_the_argument(monkeypatch: pytest.MonkeyPatch):
    with FaultyServer(["one", "two"], key="sk-from-env") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url + "/")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-from-env\n")
        assert OpenAI("m").complete(QUESTION).text == "one"
        with pytest.raises(MissingKey, match="does not accept the key"):
            OpenAI("m", api_key="sk-other").complete(QUESTION)


def test_no_message_repeats_the_key():
    key = "sk-very-secret-123"
    with FaultyServer(Fault(401, {"error": {"message": f"Incorrect API key provided: {key}"}})) as server:
        llm = model(server, api_key=key)
        with pytest.raises(MissingKey) as caught:
            llm.complete(QUESTION)
    assert key not in str(caught.value) and key not in repr(llm) and "<key>" in str(caught.value)


def test_a_key_of_the_environment_is_not_in_a_pickle(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    assert b"sk-environment" not in pickle.dumps(OpenAI("m"))


@pytest.mark.parametrize("address", ["localhost:8000/v1", "ftp://x/v1", "http://", "api.openai.com"])
def test_an_address_that_is_none_is_a_slip(address: str):
    with pytest.raises(ValueError, match="an address like"):
        OpenAI("m", base_url=address)


@both
def test_a_server_that_is_not_there_is_said_with_its_address(how: str):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ServerUnavailable, match="cannot be reached") as caught:
        ask(OpenAI("m", base_url=url, max_retries=1, backoff_s=0.01), how)
    assert url in str(caught.value)
    assert caught.value.usage is not None and caught.value.usage.prompt_tokens == 0, "nothing was sent, nothing is owed"
