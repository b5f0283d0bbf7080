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
        return cls(
            path=path,
            seconds=len(samples) / rate,
            voiced_seconds=len(voiced) / 50,
            loudness=mean(voiced),
            shape=shape(levels, columns),
        )


def decibels(samples: array.array) -> float:
    """The level of some samples, in dB below full scale."""
    if not samples:
        return -math.inf
    power = sum(sample * sample for sample in samples) / len(samples) / 32768.0**2
    return 10 * math.log10(power) if power else -math.inf


def shape(levels: list[float], columns: int) -> str:
    """The mean level of each stretch, from -50 to -10 dBFS, as a row of bars."""
    columns = min(columns, len(levels))
    bars = []
    for column in range(columns):
        stretch = levels[column * len(levels) // columns:(column + 1) * len(levels) // columns]
        height = mean(stretch) - SILENCE
        bars.append(BARS[min(len(BARS) - 1, 1 + int(height / 5))] if height > 0 else BARS[0])
    return "".join(bars)


def mean(levels: list[float]) -> float:
    """The level of the mean power."""
    power = sum(10 ** (level / 10) for level in levels) / len(levels) if levels else 0.0
    return 10 * math.log10(power) if power else -math.inf
