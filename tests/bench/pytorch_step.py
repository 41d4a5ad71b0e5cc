"""The same LoRA training step in PyTorch and PEFT, for `npm run bench -- pytorch`: commands and answers are JSON, one a line.

    python tests/bench/pytorch_step.py MODEL ADAPTER BATCH

MODEL and ADAPTER are folders as save_pretrained writes them; BATCH is a JSON file. `step` takes one step and answers with its loss and
seconds; `adapter FILE` writes the adapter as it is now.
"""
import json
import sys
import time

import torch
from peft import PeftModel
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM


def main():
    folder, adapter, batch_file = sys.argv[1:]
    with open(batch_file) as file:
        batch = json.load(file)
    torch.set_num_threads(batch["threads"])
    base = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa")
    model = PeftModel.from_pretrained(base, adapter, is_trainable=True)
    model.train()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=batch["learning_rate"], betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0)
    ids = torch.tensor(batch["ids"])
    kept = batch["generated"]
    targets = ids[:, -kept:]
    old = torch.tensor(batch["old"])
    advantages = torch.tensor(batch["advantages"])

    def step():
        # Logits of the generated tokens only, as the engine has them; all rows are full, so no mask is needed beside the causal one.
        logits = model(input_ids=ids, use_cache=False, logits_to_keep=kept + 1).logits[:, :-1]
        logprobs = torch.log_softmax(logits / batch["temperature"], dim=-1).gather(2, targets[..., None])[..., 0]
        ratio = (logprobs - old).exp()
        clipped = ratio.clamp(1 - batch["clip"], 1 + batch["clip"])
        loss = -torch.minimum(ratio * advantages, clipped * advantages).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, batch["max_grad_norm"])
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        return loss.item()

    answer({"parameters": sum(parameter.numel() for parameter in trained)})
    for line in sys.stdin:
        command, _, argument = line.strip().partition(" ")
        started = time.perf_counter()
        if command == "step":
            loss = step()
            answer({"loss": loss, "seconds": time.perf_counter() - started})
        else:
            state = {name.replace(".default", ""): p.detach().contiguous() for name, p in model.named_parameters() if p.requires_grad}
            save_file(state, argument)
            answer({})


def answer(value):
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    main()
