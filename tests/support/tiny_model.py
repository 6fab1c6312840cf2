"""Writes a language model of a few kilobytes: llama.cpp loads it, and it writes nonsense in whatever form it must."""

import random
import struct
from pathlib import Path
from typing import Any

CONTEXT, WIDTH, HIDDEN = 8_192, 32, 64
_TEXT, _FLOAT, _INT, _UINT, _ARRAY, _BOOL = 8, 6, 5, 4, 9, 7
_ALIGNED = 32


def gguf(**changed: Any) -> bytes:
    """The file; `changed` are other values of its keys, with underscores for the dots."""
    words = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [2, 3, 3, *([6] * 256)]  # unknown, control, bytes
    values: dict[str, tuple[int, Any]] = {
        "general.architecture": (_TEXT, "llama"),
        "general.name": (_TEXT, "Tiny"),
        "general.license": (_TEXT, "mit"),
        "llama.context_length": (_UINT, CONTEXT),
        "llama.embedding_length": (_UINT, WIDTH),
        "llama.block_count": (_UINT, 1),
        "llama.feed_forward_length": (_UINT, HIDDEN),
        "llama.attention.head_count": (_UINT, 1),
        "llama.attention.head_count_kv": (_UINT, 1),
        "llama.rope.dimension_count": (_UINT, WIDTH),
        "llama.attention.layer_norm_rms_epsilon": (_FLOAT, 1e-5),
        "llama.vocab_size": (_UINT, len(words)),
        "tokenizer.ggml.model": (_TEXT, "llama"),
        "tokenizer.ggml.tokens": (_ARRAY, (_TEXT, words)),
        "tokenizer.ggml.scores": (_ARRAY, (_FLOAT, [0.0] * len(words))),
        "tokenizer.ggml.token_type": (_ARRAY, (_INT, kinds)),
        "tokenizer.ggml.bos_token_id": (_UINT, 1),
        "tokenizer.ggml.eos_token_id": (_UINT, 2),
        "tokenizer.ggml.unknown_token_id": (_UINT, 0),
        "tokenizer.chat_template": (_TEXT, "{% for m in messages %}{{ m['content'] }}\n{% endfor %}"),
    }
    for name, value in changed.items():
        key = next(key for key in values if key.replace(".", "_") == name)
        values[key] = (values[key][0], value)
    shapes = {
        "token_embd.weight": (WIDTH, len(words)),
        "output_norm.weight": (WIDTH,),
        "output.weight": (WIDTH, len(words)),
        "blk.0.attn_norm.weight": (WIDTH,),
        "blk.0.attn_q.weight": (WIDTH, WIDTH),
        "blk.0.attn_k.weight": (WIDTH, WIDTH),
        "blk.0.attn_v.weight": (WIDTH, WIDTH),
        "blk.0.attn_output.weight": (WIDTH, WIDTH),
        "blk.0.ffn_norm.weight": (WIDTH,),
        "blk.0.ffn_gate.weight": (WIDTH, HIDDEN),
        "blk.0.ffn_down.weight": (HIDDEN, WIDTH),
        "blk.0.ffn_up.weight": (WIDTH, HIDDEN),
    }
    chance = random.Random(0)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(values))
    for key, (kind, value) in values.items():
        head += _text(key) + struct.pack("<I", kind) + _value(kind, value)
    body = b""
    for name, shape in shapes.items():
        head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(body))
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        weights = [1.0] * count if len(shape) == 1 else [chance.gauss(0, 0.1) for _ in range(count)]
        body = _padded(body + struct.pack(f"<{count}f", *weights))
    return _padded(head) + body


def write_model(path: Path, **changed: Any) -> Path:
    """Write it; returns the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gguf(**changed))
    return path


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _value(kind: int, value: Any) -> bytes:
    if kind == _TEXT:
        return _text(value)
    if kind == _ARRAY:
        of, items = value
        return struct.pack("<IQ", of, len(items)) + b"".join(_value(of, item) for item in items)
    return struct.pack({_FLOAT: "<f", _INT: "<i", _UINT: "<I", _BOOL: "<?"}[kind], value)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % _ALIGNED)
