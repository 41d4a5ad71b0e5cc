"""Scores and losses as the playground defines them, in PyTorch. Shapes: logits [tokens, vocab], everything else [tokens]."""
import hashlib
import json
import pathlib

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests/reference/fixtures"


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n")


def batch_logits(model, rows):
    """Logits of each row [len(row), vocab], from one right-padded batch."""
    longest = max(len(row) for row in rows)
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    logits = model(input_ids=ids, attention_mask=mask, use_cache=False).logits
    return [logits[i, : len(row)] for i, row in enumerate(rows)]


def scores_of_logits(logits, prompt, tokens, temperature):
    """Log-prob and entropy (nats) of every generated token."""
    first = len(prompt) - 1
    log_p = torch.log_softmax(logits[first : first + len(tokens)] / temperature, dim=-1)
    targets = torch.tensor(tokens, dtype=torch.long)
    logprobs = log_p.gather(1, targets[:, None])[:, 0]
    return logprobs, -(log_p.exp() * log_p).sum(-1)


def score(model, sequences, temperature):
    """A list of (logprobs, entropies), one pair a sequence of `prompt` and `tokens`."""
    logits = batch_logits(model, [s["prompt"] + s["tokens"] for s in sequences])
    return [scores_of_logits(l, s["prompt"], s["tokens"], temperature) for l, s in zip(logits, sequences)]


def greedy(model, prompt, new_tokens, stop_ids):
    """Greedy continuation of one prompt, the stop token included; and the smallest lead of a chosen token's logit."""
    with torch.no_grad():
        out = model.generate(
            input_ids=torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long), do_sample=False,
            max_new_tokens=new_tokens, eos_token_id=stop_ids, pad_token_id=0, output_logits=True, return_dict_in_generate=True,
        )
    best = torch.cat(out.logits).topk(2, dim=-1).values
    return out.sequences[0, len(prompt) :].tolist(), float((best[:, 0] - best[:, 1]).min())
