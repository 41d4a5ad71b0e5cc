"""Writes fixtures/sampling.json: what may be drawn, and with what probability, by the logits processors of transformers.

    python tests/reference/sampling_fixture.py
"""
import torch
from transformers import LogitsProcessorList, MinPLogitsWarper, SuppressTokensLogitsProcessor, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from scoring import FIXTURES, write_json

VOCABULARY = 24
SETTINGS = [
    {"temperature": 1.0, "topK": 0, "topP": 1.0, "minP": 0.0, "banned": []},
    {"temperature": 0.7, "topK": 5, "topP": 1.0, "minP": 0.0, "banned": []},
    {"temperature": 1.0, "topK": 0, "topP": 0.6, "minP": 0.0, "banned": []},
    {"temperature": 1.3, "topK": 0, "topP": 1.0, "minP": 0.1, "banned": []},
    {"temperature": 0.7, "topK": 12, "topP": 0.8, "minP": 0.05, "banned": []},
    {"temperature": 1.0, "topK": 3, "topP": 0.5, "minP": 0.0, "banned": [0, 7, 23]},
    {"temperature": 2.0, "topK": 0, "topP": 0.9, "minP": 0.02, "banned": [2]},
    {"temperature": 1.0, "topK": 1, "topP": 0.01, "minP": 1.0, "banned": []},
]
SEEDS = range(3)


def processors(settings):
    steps = LogitsProcessorList()
    if settings["banned"]:
        steps.append(SuppressTokensLogitsProcessor(settings["banned"]))
    steps.append(TemperatureLogitsWarper(settings["temperature"]))
    if settings["topK"] > 0:
        steps.append(TopKLogitsWarper(settings["topK"]))
    if settings["topP"] < 1:
        steps.append(TopPLogitsWarper(settings["topP"]))
    if settings["minP"] > 0:
        steps.append(MinPLogitsWarper(settings["minP"]))
    return steps


def main():
    cases = []
    for settings in SETTINGS:
        for seed in SEEDS:
            generator = torch.Generator().manual_seed(seed)
            logits = torch.round(2 * torch.randn(1, VOCABULARY, generator=generator), decimals=3)
            if seed == 2:
                # Unreachable but through the ban, or most of the mass.
                logits[0, 7] = 20
            scores = processors(settings)(torch.zeros(1, 1, dtype=torch.long), logits.clone())
            probabilities = torch.softmax(scores.double(), -1)[0]
            logprobs = torch.log_softmax(logits.double() / settings["temperature"], -1)[0]
            cases.append({
                **settings,
                "logits": [round(x, 3) for x in logits[0].tolist()],
                "probabilities": [round(x, 9) for x in probabilities.tolist()],
                "logprobs": [round(x, 6) for x in logprobs.tolist()],
            })
    write_json(FIXTURES / "sampling.json", cases)


if __name__ == "__main__":
    main()
