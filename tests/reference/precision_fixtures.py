"""Writes fixtures/<model>/precision.safetensors: what PyTorch computes, in float32, with weights rounded as the playground's precisions round them.

Run after make_fixtures.py, whose models, adapters, batches and cotangents it uses:
    python tests/reference/precision_fixtures.py

    f16     every matrix rounded to half precision; norms and biases as they are
    4-bit   the seven projections of each block: in each row, 32 neighbours share s = m / -8, m being their element of largest magnitude,
            and become (q - 8) * s with q = clip(round(w / s) + 8, 0, 15), halves rounded up; all else as it is

Tensors, <who> being base or all, at temperature 0.7:
    <precision>.logprobs.<who>, <precision>.entropies.<who>    of all generated tokens, row after row
    <precision>.grad.<parameter>                               of make_fixtures.py's loss L by the adapter "all"
"""
import json

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from make_fixtures import MODELS, flat_scores, load, load_adapter, loss_of, own_name
from scoring import FIXTURES

BLOCK = 32
PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def to_half(name, weight):
    return weight.half().float() if weight.dim() == 2 else weight


def to_four_bits(name, weight):
    if not any(name.endswith(f".{p}.weight") or name.endswith(f".{p}.base_layer.weight") for p in PROJECTIONS):
        return weight
    rounded = weight.numpy().astype(np.float64)
    for row in rounded:
        for start in range(0, len(row), BLOCK):
            block = row[start : start + BLOCK]
            scale = float(np.float32(block[np.abs(block).argmax()] / -8))
            if scale != 0:
                block[:] = (np.clip(np.floor(block / scale + 0.5) + 8, 0, 15) - 8) * scale
    return torch.from_numpy(rounded.astype(np.float32))


def rounded(model, rule):
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "lora_" not in name:
                p.copy_(rule(name, p))
    return model


def record(expected, key, who, model, sequences):
    with torch.no_grad():
        expected[f"{key}.logprobs.{who}"], expected[f"{key}.entropies.{who}"] = flat_scores(model, sequences)


def make(name):
    folder = FIXTURES / name
    sequences = json.loads((folder / "manifest.json").read_text())["sequences"]
    given = load_file(folder / "expected.safetensors")
    cotangents = [(given[f"cotangent.logprob.{row}"], given[f"cotangent.entropy.{row}"]) for row in range(len(sequences))]
    expected = {}
    for key, rule in (("f16", to_half), ("4-bit", to_four_bits)):
        record(expected, key, "base", rounded(load(folder), rule), sequences)
        adapted = rounded(load_adapter(folder, "all"), rule)
        record(expected, key, "all", adapted, sequences)
        loss_of(adapted, sequences, cotangents).backward()
        expected.update({f"{key}.grad.{own_name(n)}": p.grad.clone() for n, p in adapted.named_parameters() if p.requires_grad})
    save_file({n: t.detach().contiguous() for n, t in expected.items()}, folder / "precision.safetensors")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in MODELS:
        make(name)
        print(f"{FIXTURES / name}/precision.safetensors written")
