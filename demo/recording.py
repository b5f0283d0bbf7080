"""What can be seen of a recording: its length, its loudness, its shape."""

from __future__ import annotations

import array
import math
import sys
import wave
from dataclasses import dataclass
from pathlib import Path

BARS = " ▁▂▃▄▅▆▇█"
SILENCE = -50.0
"""dBFS below which a moment counts as silent."""


@dataclass
class Recording:
    """A mono or stereo WAV file of 16 bits, as far as a demo looks at it."""

    path: Path
    seconds: float
    voiced_seconds: float
    loudness: float
    shape: str

    @classmethod
    def read(cls, path: Path, columns: int = 60) -> "Recording":
        with wave.open(str(path), "rb") as file:
            if file.getsampwidth() != 2:
                raise ValueError(f"{path} does not hold samples of 16 bits")
            rate = file.getframerate() * file.getnchannels()
            samples = array.array("h", file.readframes(file.getnframes()))
        if sys.byteorder == "big":
            samples.byteswap()
        step = rate // 50
        levels = [decibels(samples[at:at + step]) for at in range(0, len(samples), step)]
        voiced = [level for level in levels if level > SILENCE]
        power = sum(10 ** (level / 10) for level in voiced) / len(voiced) if voiced else 0.0
        return cls(
            path=path,
            seconds=len(samples) / rate,
            voiced_seconds=len(voiced) / 50,
            loudness=10 * math.log10(power) if power else -math.inf,
            shape=shape(levels, columns),
        )


def decibels(samples: array.array) -> float:
    """The level of some samples, in dB below full scale."""
    if not samples:
        return -math.inf
    power = sum(sample * sample for sample in samples) / len(samples) / 32768.0**2
    return 10 * math.log10(power) if power else -math.inf


def shape(levels: list[float], columns: int) -> str:
    """The loudest level of each stretch, from -50 to -10 dBFS, as a row of bars."""
    if not levels:
        return ""
    columns = min(columns, len(levels))
    bars = []
    for column in range(columns):
        stretch = levels[column * len(levels) // columns:(column + 1) * len(levels) // columns]
        height = (max(stretch) - SILENCE) / 40 * (len(BARS) - 1)
        bars.append(BARS[0 if height < 0 else min(len(BARS) - 1, 1 + int(height))])
    return "".join(bars)
