"""The simplest searcher there is: words of the question counted in captions, no meaning, no time, no rules.

In: cases and memories; out: scored `Outcome`s. Where this does well, a simulated world is too easy.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from remembr_ros.evaluation.cases import Case, Given, Outcome, Place
from remembr_ros.evaluation.scores import Scorer
from remembr_ros.memory import lexical
from remembr_ros.records import AnswerKind, Memory

FOUND = 5


class Keywords:
    """An index of the words of captions; rare words weigh more (inverse document frequency)."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self._memories = memories
        self._with_caption: dict[str, list[Memory]] = defaultdict(list)
        for memory in memories:
            self._with_caption[memory.caption].append(memory)
        self._words = {caption: frozenset(lexical.words(caption)) for caption in self._with_caption}
        counts = Counter(word for words in self._words.values() for word in words)
        self._weight = {word: math.log(len(self._words) / count) for word, count in counts.items()}

    def find(self, question: str, now_ns: int) -> list[Memory]:
        """The latest windows of the captions with most of the question's words, best first; none without a word."""
        asked = frozenset(lexical.words(question))
        scored = [
            (sum(self._weight[word] for word in asked & words), caption) for caption, words in self._words.items()
        ]
        found: list[Memory] = []
        for score, caption in sorted(scored, reverse=True)[: 10 * FOUND]:
            if score <= 0.0 or len(found) >= FOUND:
                break
            found += [m for m in reversed(self._with_caption[caption]) if m.start_ns < now_ns][:FOUND]
        return found[:FOUND]


def baseline(cases: Sequence[Case], memories: Sequence[Memory], scorer: Scorer) -> list[Outcome]:
    """What the first hit says, taken as the answer of the kind that was asked for."""
    index = Keywords(memories)
    outcomes = [
        Outcome(case, "keywords", _given(case, index.find(case.question, case.now_ns)), False) for case in cases
    ]

    async def score() -> list[Outcome]:
        return [await scorer.score(outcome) for outcome in outcomes]

    return asyncio.run(score())


def _given(case: Case, hits: Sequence[Memory]) -> Given:
    first = hits[0] if hits else None
    pose = next((hit for hit in hits if hit.pose is not None), None)
    return Given(
        kind=case.truth.kind,
        text=" ".join(hit.caption for hit in hits),
        yes_no=bool(hits) if case.truth.kind is AnswerKind.BINARY else None,
        place=Place(pose.pose.x, pose.pose.y, pose.map_id) if pose is not None and pose.pose is not None else None,
        time_ns=first.start_ns if first else None,
        duration_s=(first.end_ns - first.start_ns) / 1e9 if first else None,
        count=len(hits),
        evidence_ids=tuple(hit.id for hit in hits),
        found=bool(hits),
    )
