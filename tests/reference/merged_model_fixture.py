"""Writes fixtures/merged-by-us.json: what Python's transformers computes with models that `marft export` merged, without PEFT.

Run after make_fixtures.py, with requirements.txt installed:
    python tests/reference/merged_model_fixture.py

Of each model in fixtures/, exported under its adapter-all: `weights`, the SHA-256 of the written model.safetensors, and the `logits` of the
manifest's rows, [rows][tokens · vocabulary]. The script itself refuses logits that are not those of the base under PEFT's adapter.
"""
import json
import pathlib
import subprocess
import tempfile

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

from scoring import FIXTURES, ROOT, batch_logits, sha256, write_json

TOLERANCE = 1e-4


def load(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()


def merged(name, folder):
    base = FIXTURES / name
    command = ["npx", "tsx", "src/cli/main.ts", "export", "--model", base, "--adapter", base / "adapter-all", "--out", folder]
    subprocess.run(command, cwd=ROOT, check=True)
    sequences = json.loads((base / "manifest.json").read_text())["sequences"]
    rows = [s["prompt"] + s["tokens"] for s in sequences]
    with torch.no_grad():
        logits = batch_logits(load(folder), rows)
        adapted = batch_logits(PeftModel.from_pretrained(load(base), base / "adapter-all").eval(), rows)
    for ours, theirs in zip(logits, adapted):
        assert (ours - theirs).abs().max() <= TOLERANCE * theirs.abs().max(), f"{name}: merging changed the model"
    return {"weights": sha256(folder / "model.safetensors"), "logits": [[round(x, 6) for x in row.flatten().tolist()] for row in logits]}


if __name__ == "__main__":
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as temporary:
        names = ["qwen2-tied", "qwen2-untied", "qwen3-tied"]
        write_json(FIXTURES / "merged-by-us.json", {name: merged(name, pathlib.Path(temporary) / name) for name in names})
