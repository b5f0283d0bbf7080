"""An AI provider for the answered call, when one is named on the command line."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
from pathlib import Path
from urllib.parse import urlsplit

from lines import ANSWERED, Line

INSTRUCTIONS = """You call {{customerName}} on behalf of Callwright Clinic, about the appointment {{appointment}}.
Ask whether they will come. When they have answered, thank them, say goodbye, and use end_call.
Speak in short sentences."""
FIRST_MESSAGE = "Hello {{customerName}}, this is Callwright Clinic. Will you come {{appointment}}?"
BEHAVIOUR = ("--answer-after", "2", "--say", "Yes, I will be there.", "--say", "Thank you. Goodbye.")


def options(parser: argparse.ArgumentParser) -> None:
    """The command line's part of it."""
    group = parser.add_argument_group("the answered call by an AI, instead of the built-in script")
    group.add_argument("--realtime", metavar="URL", help="its Realtime endpoint, e.g. wss://api.openai.com/v1/realtime")
    group.add_argument("--model", default="gpt-realtime", help="the model asked for (%(default)s)")
    group.add_argument("--dialect", default="openai", help="openai, azure, xai, localai or speaches (%(default)s)")
    group.add_argument("--voice", help="its voice")
    group.add_argument("--transcription-model", default="whisper-1", help="what writes the callee's words down")
    group.add_argument(
        "--key-variable", metavar="NAME", default="OPENAI_API_KEY", help="the variable with its key (%(default)s)"
    )
    group.add_argument("--analysis", metavar="URL", help="a chat endpoint for the summaries, e.g. https://api.openai.com/v1")
    group.add_argument("--analysis-model", default="gpt-4o-mini", help="its model (%(default)s)")


def settings(chosen: argparse.Namespace) -> dict[str, str]:
    """The server's settings for it."""
    if not (chosen.realtime or chosen.analysis):
        return {}
    # A provider on this machine is as good as any for a demo.
    made = {"CALLWRIGHT__ENGINES__ALLOWED_NETWORKS": "127.0.0.0/8"}
    has_key = chosen.key_variable in os.environ
    if has_key:
        endpoints = [endpoint for endpoint in (chosen.realtime, chosen.analysis) if endpoint]
        made["CALLWRIGHT__ENGINES__CREDENTIALS__DEMO__VARIABLE"] = chosen.key_variable
        made["CALLWRIGHT__ENGINES__CREDENTIALS__DEMO__ORIGINS"] = ",".join(map(origin, endpoints))
        # The demo has one tenant.
        made["CALLWRIGHT__ENGINES__CREDENTIALS__DEMO__TENANTS"] = "*"
    if chosen.analysis:
        made["CALLWRIGHT__ANALYSIS__ENDPOINT"] = chosen.analysis
        made["CALLWRIGHT__ANALYSIS__MODEL"] = chosen.analysis_model
        if has_key:
            made["CALLWRIGHT__ANALYSIS__CREDENTIAL"] = "DEMO"
    return made


def origin(endpoint: str) -> str:
    """The server that an endpoint is at: its scheme, host and port."""
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.netloc}"


def assistant(chosen: argparse.Namespace, folder: Path) -> Path:
    """Writes the assistant's file."""
    provider = {
        "endpoint": chosen.realtime,
        "dialect": chosen.dialect,
        "model": chosen.model,
        "voice": chosen.voice,
        "transcription_model": chosen.transcription_model,
        "credential": "demo" if chosen.key_variable in os.environ else None,
    }
    top = {
        "name": "Appointment reminder",
        "engine": "realtime",
        "instructions": INSTRUCTIONS,
        "first_message": FIRST_MESSAGE,
        "tools": ["end_call"],
    }
    # Texts and lists of texts are written alike in JSON and TOML.
    written = [f"{name} = {json.dumps(value)}" for name, value in top.items()]
    written += ["", "[realtime]"]
    written += [f"{name} = {json.dumps(value)}" for name, value in provider.items() if value]
    written += ["", "[limits]", "max_duration_seconds = 60", ""]
    path = folder / "assistant.toml"
    path.write_text("\n".join(written))
    return path


def line() -> Line:
    """The answered telephone, as somebody who talks with an AI; either may hang up first."""
    reasons = ("assistant-ended-call", "customer-ended-call", "exceeded-max-duration")
    behaviour = (*BEHAVIOUR, "--hang-up-after", "25")
    return dataclasses.replace(ANSWERED, behaviour=behaviour, reasons=reasons)
