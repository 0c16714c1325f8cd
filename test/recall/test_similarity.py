"""Cosines of other embedding models on the scale of the thresholds: never a thing found that is not there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from list_memory import ListMemory
from small_building import ZONE, memories, question

from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.recall.extractive import ExtractiveAnswerer
from remembr_ros.recall.similarity import MINILM, Scale, measure
from remembr_ros.records import AnswerError


class Squeezed:
    """MiniLM, but in a cone: every cosine c becomes 0.5 + 0.5 c, as models do whose sentences are all alike."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def _with_common_part(self, vectors: Any) -> Any:
        return np.hstack([vectors, np.ones((len(vectors), 1), np.float32)]) / math.sqrt(2.0)

    def embed_queries(self, texts: Any) -> Any:
        return self._with_common_part(self._model.embed_queries(texts))

    def embed_documents(self, texts: Any) -> Any:
        return self._with_common_part(self._model.embed_documents(texts))


@pytest.mark.models
def test_minilm_is_its_own_scale(sentence_embedder: Any) -> None:
    assert measure(sentence_embedder) is MINILM and MINILM.to_minilm(0.5) == 0.5


@pytest.mark.models
def test_a_model_whose_sentences_are_all_alike_finds_the_same_and_no_more(sentence_embedder: Any) -> None:
    model = Squeezed(sentence_embedder)
    scale = measure(model)
    assert scale.trusted and scale.to_minilm(0.75) == pytest.approx(0.5, abs=0.02)
    rules = ExtractiveAnswerer(ListMemory(memories(), model), ZONE, scale, model)
    unscaled = ExtractiveAnswerer(ListMemory(memories(), model), ZONE)
    assert rules.answer(question("Did you see a dragon?")).yes_no is False
    assert rules.answer(question("Where is the swimming pool?")).error is AnswerError.NOT_FOUND
    assert unscaled.answer(question("Where is the swimming pool?")).error is None, "what the scale is for"
    assert rules.answer(question("Where is the lift?")).error is None


def test_a_model_that_tells_nothing_apart_decides_nothing() -> None:
    scale = measure(HashingEmbedder(256))
    assert not scale.trusted and scale.to_minilm(0.99) == 0.0 and math.isnan(scale.to_minilm(math.nan))
    rules = ExtractiveAnswerer(ListMemory(memories(), HashingEmbedder(256)), ZONE, scale)
    assert rules.answer(question("Where is the red chair?")).pose is not None
    assert rules.answer(question("Where is the red dragon?")).error is AnswerError.NOT_FOUND


def test_the_scale_is_a_straight_line() -> None:
    scale = Scale(same=0.8, other=0.4)
    assert scale.to_minilm(0.8) == pytest.approx(MINILM.same) and scale.to_minilm(0.4) == pytest.approx(MINILM.other)
