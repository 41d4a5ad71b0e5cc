"""Writes fixtures/<model>/: what PyTorch, transformers and PEFT compute on small random models, for tests/reference/*.test.ts.

Run after `npm ci`, with requirements.txt installed:
    python tests/reference/make_fixtures.py

Models, all float32 in computation, eager attention, every bias and norm random:
    qwen2-tied      tied embeddings, hidden 32 = 2 heads of 16, 1 key/value head; one float32 file
    qwen2-untied    own output matrix, hidden 48, 4 heads of 16, 2 key/value heads, other theta and epsilon; bfloat16 shards
    qwen3-tied      query/key norms and no biases, hidden 48, 4 heads of 16, 2 key/value heads; one float16 file
    qwen2-seven     tied embeddings, hidden 32, 7 heads of 16 that share one key/value head; one bfloat16 file
    qwen3-untied    own output matrix, hidden 32, 2 heads of 16, each with a key/value head of its own; float32 shards

Files of each:
    config.json, generation_config.json, *.safetensors, …   the repository, by save_pretrained
    adapter-all/, adapter-qv/                               random adapters (A and B), by PEFT's save_pretrained
    manifest.json                                           the batch (prompts and tokens), settings, scalars and greedy ids
    expected.safetensors                                    tensors by these names, <who> being base, all or qv and <t> 1 or 0.7:
        logits.<who>.<row>                    [prompt + tokens, vocab]
        logprob.<who>.<t>.<row>               [tokens]
        entropy.<who>.<t>.<row>               [tokens]
        cotangent.logprob.<row>, cotangent.entropy.<row>   c and e of L = sum of c·logp + e·H at temperature 0.7
        grad.<who>.<parameter>                dL/d(parameter), before clipping
        step1.<who>.<parameter>, step3.<who>.<parameter>   parameters after one and three clipped AdamW steps on L
        full.<parameter>                      d(mean next-token cross-entropy of all rows)/d(parameter), base only
        ppograd.<who>.<parameter>             gradient, before clipping, of PPO's objective, ratios to given old log-probs
        ppo.<who>.<parameter>                 parameters after one clipped step with it
        update.<who>.<parameter>              parameters after four epochs of PPO with entropy bonus and penalty, from its own log-probs

In qwen2-tied also adapter-rslora/, whose scale is alpha / sqrt(rank), with adapter-rslora.json: the scores under it.

And adapter-by-us/, an adapter that write_adapter.ts wrote for qwen2-tied, with adapter-by-us.json: the scores that PEFT gives under it.
"""
import json
import shutil
import subprocess

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

from scoring import FIXTURES, ROOT, batch_logits, greedy, score, scores_of_logits, write_json

SHAPE = dict(num_hidden_layers=2, vocab_size=64, max_position_embeddings=128, bos_token_id=None, eos_token_id=None)
MODELS = {
    "qwen2-tied": dict(
        seed=1, dtype=torch.float32, shard="10MB", make=Qwen2ForCausalLM,
        config=lambda: Qwen2Config(
            hidden_size=32, num_attention_heads=2, num_key_value_heads=1, intermediate_size=48, tie_word_embeddings=True,
            rms_norm_eps=1e-6, rope_parameters={"rope_type": "default", "rope_theta": 10000.0}, **SHAPE)),
    "qwen2-untied": dict(
        seed=2, dtype=torch.bfloat16, shard="40KB", make=Qwen2ForCausalLM,
        config=lambda: Qwen2Config(
            hidden_size=48, head_dim=16, num_attention_heads=4, num_key_value_heads=2, intermediate_size=80,
            tie_word_embeddings=False, rms_norm_eps=1e-3, rope_parameters={"rope_type": "default", "rope_theta": 500.0}, **SHAPE)),
    "qwen3-tied": dict(
        seed=3, dtype=torch.float16, shard="10MB", make=Qwen3ForCausalLM,
        config=lambda: Qwen3Config(
            hidden_size=48, head_dim=16, num_attention_heads=4, num_key_value_heads=2, intermediate_size=64,
            tie_word_embeddings=True, rms_norm_eps=1e-5, rope_parameters={"rope_type": "default", "rope_theta": 1000000.0}, **SHAPE)),
    "qwen2-seven": dict(
        seed=4, dtype=torch.bfloat16, shard="10MB", make=Qwen2ForCausalLM,
        config=lambda: Qwen2Config(
            hidden_size=32, head_dim=16, num_attention_heads=7, num_key_value_heads=1, intermediate_size=40,
            tie_word_embeddings=True, rms_norm_eps=1e-6, rope_parameters={"rope_type": "default", "rope_theta": 10000.0}, **SHAPE)),
    "qwen3-untied": dict(
        seed=5, dtype=torch.float32, shard="40KB", make=Qwen3ForCausalLM,
        config=lambda: Qwen3Config(
            hidden_size=32, head_dim=16, num_attention_heads=2, num_key_value_heads=2, intermediate_size=64,
            tie_word_embeddings=False, rms_norm_eps=1e-6, rope_parameters={"rope_type": "default", "rope_theta": 1000000.0}, **SHAPE)),
}
ADAPTERS = {"all": ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"], "qv": ["q_proj", "v_proj"]}
RANK, ALPHA = 4, 8
RANK_STABILISED = "qwen2-tied"
PROMPT_LENGTHS, TOKEN_LENGTHS = (3, 11, 7), (9, 2, 5)
TEMPERATURES = (1.0, 0.7)
LOSS_TEMPERATURE = 0.7
OPTIMIZER = dict(lr=1e-2, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01)
MAX_GRAD_NORM = 1.0
CLIP, ENTROPY_COEF, KL_COEF = 0.2, 0.01, 0.05
# A ratio closer than this to the clip range's border could fall on its other side by rounding alone.
CLEAR_DISTANCE = 1e-4
GREEDY_TOKENS = 8
# A greedy choice closer than this could fall the other way by rounding alone.
CLEAR_LEAD = 1e-3


def randomize(model):
    """Weights large enough that attention and predictions are far from uniform; no bias zero, no norm one."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            if name.endswith("norm.weight"):
                p.copy_(1 + 0.3 * torch.randn_like(p))
            elif name.endswith(".bias"):
                p.copy_(0.5 * torch.randn_like(p))
            else:
                p.copy_(torch.randn_like(p) * (0.25 if "embed_tokens" in name or "lm_head" in name else 1.2 * p.shape[1] ** -0.5))


def attach_adapter(folder, who, targets, rslora=False):
    """A copy of the base under a random adapter, which is saved beside it."""
    out = folder / f"adapter-{who}"
    base = load(folder)
    model = get_peft_model(base, LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=targets, lora_dropout=0.0, use_rslora=rslora, task_type="CAUSAL_LM"))
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "lora_" in name:
                p.copy_(torch.randn_like(p) * 0.1)
    model.save_pretrained(out)
    (out / "README.md").unlink()
    config = json.loads((out / "adapter_config.json").read_text())
    config["base_model_name_or_path"] = folder.name
    config["target_modules"].sort()
    (out / "adapter_config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    return load_adapter(folder, who)


def load_adapter(folder, who):
    return PeftModel.from_pretrained(load(folder), folder / f"adapter-{who}", is_trainable=True).eval()


def load(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()


def own_name(name):
    """PEFT keeps the adapter's name in memory and leaves it out of its files."""
    return name.replace(".default.weight", ".weight")


def record_scores(expected, who, model, sequences):
    with torch.no_grad():
        rows = [s["prompt"] + s["tokens"] for s in sequences]
        for row, (logits, s) in enumerate(zip(batch_logits(model, rows), sequences)):
            alone = model(input_ids=torch.tensor([rows[row]])).logits[0]
            assert torch.allclose(alone, logits, atol=1e-4), "padding changed what is valid"
            expected[f"logits.{who}.{row}"] = logits
            for t in TEMPERATURES:
                logprobs, entropies = scores_of_logits(logits, s["prompt"], s["tokens"], t)
                expected[f"logprob.{who}.{t:g}.{row}"] = logprobs
                expected[f"entropy.{who}.{t:g}.{row}"] = entropies


def loss_of(model, sequences, cotangents):
    pairs = zip(score(model, sequences, LOSS_TEMPERATURE), cotangents)
    return sum((c * logprobs).sum() + (e * entropies).sum() for (logprobs, entropies), (c, e) in pairs)


def record_training(expected, who, model, sequences, cotangents):
    """Gradient of L and three AdamW steps; returns the losses and gradient norms before each."""
    trained = {own_name(n): p for n, p in model.named_parameters() if p.requires_grad}
    optimizer = torch.optim.AdamW(trained.values(), **OPTIMIZER)
    losses, norms = [], []
    for step in (1, 2, 3):
        optimizer.zero_grad()
        loss = loss_of(model, sequences, cotangents)
        loss.backward()
        losses.append(loss.item())
        if step == 1:
            expected.update({f"grad.{who}.{n}": p.grad.clone() for n, p in trained.items()})
        norms.append(float(torch.nn.utils.clip_grad_norm_(trained.values(), MAX_GRAD_NORM)))
        optimizer.step()
        if step != 2:
            expected.update({f"step{step}.{who}.{n}": p.detach().clone() for n, p in trained.items()})
    assert norms[0] > MAX_GRAD_NORM, "the gradient is not clipped, so clipping is not tested"
    return {"losses": losses, "gradNorms": norms}


def flat_scores(model, sequences):
    pairs = score(model, sequences, LOSS_TEMPERATURE)
    return torch.cat([l for l, _ in pairs]), torch.cat([e for _, e in pairs])


def ppo_loss(logprobs, entropies, old, ref, advantages, entropy_coef, kl_coef):
    """The clipped objective as a loss, and the fraction of ratios beyond the clip range."""
    rho = (logprobs - old).exp()
    surrogate = torch.min(rho * advantages, rho.clamp(1 - CLIP, 1 + CLIP) * advantages)
    d = ref - logprobs
    loss = -surrogate.mean() - entropy_coef * entropies.mean() + kl_coef * (d.exp() - 1 - d).mean()
    distance = (rho.detach() - 1).abs()
    assert (distance - CLIP).abs().min() > CLEAR_DISTANCE, "a ratio is too close to the clip range's border; change the seed"
    return loss, float((distance > CLIP).float().mean())


def record_ppo(expected, who, model, sequences):
    """One step with given old log-probs, and an update of four epochs, both from the parameters that the model has."""
    trained = {own_name(n): p for n, p in model.named_parameters() if p.requires_grad}
    start = {n: p.detach().clone() for n, p in trained.items()}
    with torch.no_grad():
        own, _ = flat_scores(model, sequences)
        with model.disable_adapter():
            ref, _ = flat_scores(model, sequences)
    advantages = torch.randn_like(own)

    def run(key, old, epochs, entropy_coef, kl_coef):
        with torch.no_grad():
            for n, p in trained.items():
                p.copy_(start[n])
        optimizer = torch.optim.AdamW(trained.values(), **OPTIMIZER)
        losses, clipped, norms = [], [], []
        for epoch in range(epochs):
            optimizer.zero_grad()
            loss, clipfrac = ppo_loss(*flat_scores(model, sequences), old, ref, advantages, entropy_coef, kl_coef)
            loss.backward()
            losses.append(loss.item())
            clipped.append(clipfrac)
            if key == "ppo" and epoch == 0:
                expected.update({f"ppograd.{who}.{n}": p.grad.clone() for n, p in trained.items()})
            norms.append(float(torch.nn.utils.clip_grad_norm_(trained.values(), MAX_GRAD_NORM)))
            optimizer.step()
        assert any(0 < c < 1 for c in clipped), "clipping is not tested"
        expected.update({f"{key}.{who}.{n}": p.detach().clone() for n, p in trained.items()})
        with torch.no_grad():
            after = flat_scores(model, sequences)[0].tolist()
        return {"losses": losses, "clipfracs": clipped, "gradNorms": norms, "after": after}

    old = own + 0.3 * torch.randn_like(own)
    return {
        "clip": CLIP, "entropyCoef": ENTROPY_COEF, "klLossCoef": KL_COEF, "advantages": advantages.tolist(), "old": old.tolist(),
        "step": run("ppo", old, 1, 0, 0), "update": run("update", own, 4, ENTROPY_COEF, KL_COEF),
    }


def record_full_gradient(expected, model, sequences):
    rows = [s["prompt"] + s["tokens"] for s in sequences]
    logits = batch_logits(model, rows)
    losses = [torch.nn.functional.cross_entropy(l[:-1], torch.tensor(row[1:]), reduction="none") for l, row in zip(logits, rows)]
    loss = torch.cat(losses).mean()
    loss.backward()
    expected.update({f"full.{n}": p.grad.clone() for n, p in model.named_parameters()})
    return loss.item()


def greedy_ids(model, sequences, stop):
    rows = [greedy(model, s["prompt"], GREEDY_TOKENS, [stop]) for s in sequences]
    assert min(lead for _, lead in rows) > CLEAR_LEAD, "a greedy choice is too close; change the seed"
    return [ids for ids, _ in rows]


def make(name, spec):
    torch.manual_seed(spec["seed"])
    folder = FIXTURES / name
    shutil.rmtree(folder, ignore_errors=True)
    model = spec["make"](spec["config"]())
    randomize(model)
    model.to(spec["dtype"]).save_pretrained(folder, max_shard_size=spec["shard"])
    # No text is read with these models.
    for part in ("tokenizer", "tokenizer_config"):
        write_json(folder / f"{part}.json", {})
    model = load(folder)
    vocab = model.config.vocab_size
    sequences = [
        {"prompt": torch.randint(vocab, (p,)).tolist(), "tokens": torch.randint(vocab, (t,)).tolist()}
        for p, t in zip(PROMPT_LENGTHS, TOKEN_LENGTHS)
    ]
    cotangents = [(torch.randn(t), torch.randn(t)) for t in TOKEN_LENGTHS]
    expected = {}
    for row, (c, e) in enumerate(cotangents):
        expected[f"cotangent.logprob.{row}"], expected[f"cotangent.entropy.{row}"] = c, e
    record_scores(expected, "base", model, sequences)
    # The stop token is one that greedy decoding reaches, so that rows end at different times.
    stop = greedy(model, sequences[0]["prompt"], GREEDY_TOKENS, [])[0][3]
    manifest = {
        "sequences": sequences, "rank": RANK, "alpha": ALPHA, "adapters": ADAPTERS, "temperatures": TEMPERATURES,
        "lossTemperature": LOSS_TEMPERATURE,
        "optimizer": {"learningRate": OPTIMIZER["lr"], "weightDecay": OPTIMIZER["weight_decay"], "maxGradNorm": MAX_GRAD_NORM},
        "greedy": {"maxNewTokens": GREEDY_TOKENS, "stopId": stop, "base": greedy_ids(model, sequences, stop)},
        "training": {}, "ppo": {},
    }
    for who, targets in ADAPTERS.items():
        adapted = attach_adapter(folder, who, targets)
        record_scores(expected, who, adapted, sequences)
        manifest["greedy"][who] = greedy_ids(adapted, sequences, stop)
        manifest["ppo"][who] = record_ppo(expected, who, load_adapter(folder, who), sequences)
        manifest["training"][who] = record_training(expected, who, adapted, sequences, cotangents)
    manifest["fullLoss"] = record_full_gradient(expected, model, sequences)
    save_file({n: t.detach().contiguous() for n, t in expected.items()}, folder / "expected.safetensors")
    write_json(folder / "manifest.json", manifest)


def read_our_adapter():
    subprocess.run(["npx", "tsx", "tests/reference/write_adapter.ts"], cwd=ROOT, check=True)
    folder = FIXTURES / "qwen2-tied"
    sequences = json.loads((folder / "manifest.json").read_text())["sequences"]
    model = PeftModel.from_pretrained(load(folder), FIXTURES / "adapter-by-us").eval()
    with torch.no_grad():
        logprobs, entropies = flat_scores(model, sequences)
    write_json(FIXTURES / "adapter-by-us.json", {"logprobs": logprobs.tolist(), "entropies": entropies.tolist()})


def make_rank_stabilised():
    folder = FIXTURES / RANK_STABILISED
    torch.manual_seed(6)
    sequences = json.loads((folder / "manifest.json").read_text())["sequences"]
    with torch.no_grad():
        logprobs, entropies = flat_scores(attach_adapter(folder, "rslora", ["k_proj", "down_proj"], rslora=True), sequences)
    write_json(folder / "adapter-rslora.json", {"logprobs": logprobs.tolist(), "entropies": entropies.tolist()})


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name, spec in MODELS.items():
        make(name, spec)
        print(f"{FIXTURES / name} written")
    make_rank_stabilised()
    read_our_adapter()
