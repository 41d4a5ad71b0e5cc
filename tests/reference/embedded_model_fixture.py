"""Writes fixtures/embedded/<model>.json: what PyTorch and transformers compute on a model that ships with the app.

Run after each pre-training, with requirements.txt installed:
    python tests/reference/embedded_model_fixture.py public/models/<model>
It records the SHA-256 of the weights, so that a test can tell a fixture of older weights from a disagreement.
"""
import pathlib
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from scoring import FIXTURES, greedy, score, sha256, write_json

CHATS = [
    [{"role": "system", "content": "You are the reasoner."}, {"role": "user", "content": "27+58=?"}],
    [{"role": "system", "content": "You are the solver."}, {"role": "user", "content": "27+58=?\nreasoner: 7+8=15 2+5+1=08\nGive the sum."}],
    [{"role": "user", "content": "Grüße! 3<4"}],
]
TEMPERATURES = (1.0, 0.7)
NEW_TOKENS = 12


def main(folder):
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    stop = model.generation_config.eos_token_id
    stops = stop if isinstance(stop, list) else [stop]
    cases, sequences = [], []
    for chat in CHATS:
        prompt = tokenizer(tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=False), add_special_tokens=False)["input_ids"]
        tokens, lead = greedy(model, prompt, NEW_TOKENS, stops)
        # Scored from the second token of the prompt on, so that unlikely tokens are compared too.
        sequences.append({"prompt": prompt[:1], "tokens": prompt[1:] + tokens})
        cases.append({"messages": chat, "prompt": prompt, "greedy": tokens, "greedyLead": lead, "scores": []})
    with torch.no_grad():
        for temperature in TEMPERATURES:
            for case, (logprobs, entropies) in zip(cases, score(model, sequences, temperature)):
                case["scores"].append({"temperature": temperature, "logprobs": logprobs.tolist(), "entropies": entropies.tolist()})
    out = FIXTURES / "embedded" / f"{folder.name}.json"
    write_json(out, {"weights": sha256(folder / "model.safetensors"), "stopIds": stops, "newTokens": NEW_TOKENS, "cases": cases})
    print(f"{out} written")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
