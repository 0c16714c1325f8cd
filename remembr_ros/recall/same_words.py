"""Words that mean the same to people: "pram" where captions say "stroller", "loo", "AED", "chain saw", "walet".

In: what was asked for, words of captions; out: the same with the words that captions use. The groups of
`everyday_words.txt` and of a file of the site's own (parameter recall.words_file) are looked up; an embedding model does
not know them all, and does not know what people of one site call their machines.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from remembr_ros.errors import ConfigurationError
from remembr_ros.recall.matching import stem, words_of
from remembr_ros.recall.vocabulary import COLOURS, STOP_WORDS

PARAMETER = "recall.words_file"
CLOSE = 0.84
"""Least similarity (difflib's ratio) of a misspelt word: "walet" for "wallet" 0.91, "choir" for "chair" 0.80."""
_LONG_ENOUGH = 5
"""Letters of a word that may be misspelt: shorter ones are close to many."""
_PLAIN = frozenset("big small little large huge tiny tall old new nice open broken whole real".split())
"""Words that a thing may be called with and captions need not say."""

Words = tuple[str, ...]
"""Stems of a term, in order."""


class SameWords:
    """Groups of terms of which each means the others, and kinds with what belongs to them. Immutable."""

    def __init__(self, lines: Iterable[str], source: str = "words") -> None:
        """`lines` in the format that everyday_words.txt explains. Raises ConfigurationError with the line's number."""
        self._others: dict[Words, list[str]] = {}
        self._single: set[str] = set()
        self._terms: set[Words] = set()
        for number, line in enumerate(lines, 1):
            line = line.partition("#")[0].strip().lower()
            if not line:
                continue
            kind, colon, members = line.rpartition(":")
            terms = [term.strip() for term in members.split(",")]
            if not all(terms) or (colon and not kind.strip()) or (not colon and len(terms) < 2):
                raise ConfigurationError(
                    f"{source}, line {number}: {line!r} is neither 'word, word' nor 'kind: word, word'"
                )
            for term in [kind.strip()] if colon else terms:
                known = self._others.setdefault(_stems(term), [])
                known += [other for other in terms if other != term and other not in known]
            self._terms.update(map(_stems, (*terms, kind) if colon else terms))
            self._single.update(stem for term in (*terms, kind) for stem in _stems(term))
        self._longest = max(map(len, self._others), default=0)

    def knows(self, word: str) -> bool:
        """Whether `word` is part of a term: then it is no name of somebody, whatever its capitals."""
        return stem(word.lower()) in self._single

    def is_term(self, words: Sequence[str]) -> bool:
        """Whether these words together, two at least, are a term."""
        return len(words) > 1 and self.has(words)

    def has(self, words: Sequence[str]) -> bool:
        """Whether these words are a term."""
        return tuple(map(stem, words)) in self._terms

    def others(self, asked: str) -> list[str]:
        """`asked` with its longest term replaced by each that means the same, in the order of the groups; colours and
        other words stay."""
        words = words_of(asked)
        stems = [stem(word) for word in words]
        for length in range(min(self._longest, len(words)), 0, -1):
            for start in range(len(words) - length, -1, -1):  # the noun is at the end
                found = self._others.get(tuple(stems[start : start + length]))
                if found:
                    before = [word for word in words[:start] if word not in _PLAIN]
                    after = [word for word in words[start + length :] if word not in _PLAIN]
                    same = " ".join([*before, *words[start : start + length], *after])
                    others = [" ".join([*before, other, *after]) for other in found]
                    return ([same] if same != " ".join(words) else []) + others
        return []

    def spelled(self, asked: str, said: Collection[str]) -> str:
        """`asked` with words put right that neither a caption nor a group has: parts written apart that captions join
        ("chain saw"), or a word that is close to one (`CLOSE`). `said`: lower-case words of captions."""
        stems = {stem(word): word for word in said}
        known = stems.keys() | self._single
        words, right = words_of(asked), []
        while words:
            word = words.pop(0)
            if words and stem(word + words[0]) in stems and stem(words[0]) not in stems:
                right.append(word + words.pop(0))
            elif stem(word) in known or len(word) < _LONG_ENOUGH or word in STOP_WORDS or word in COLOURS:
                right.append(word)
            else:
                close = difflib.get_close_matches(word, [*said, *self._single], 1, CLOSE)
                right.append(close[0] if close else word)
        return " ".join(right)


@cache
def everyday() -> SameWords:
    """The groups of the package alone."""
    return SameWords(_everyday_lines(), "everyday_words.txt")


def with_own(path: str) -> SameWords:
    """The package's groups and those of the file at `path`; only the package's where it is empty. Raises
    ConfigurationError, which names the parameter, where the file cannot be read."""
    if not path:
        return everyday()
    try:
        own = Path(path).expanduser().read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{PARAMETER}: cannot read {path}: {error}") from error
    SameWords(own, f"{PARAMETER} {path}")  # its line numbers
    return SameWords([*own, *_everyday_lines()], path)


def _everyday_lines() -> list[str]:
    file = resources.files("remembr_ros.recall") / "everyday_words.txt"
    return file.read_text(encoding="utf-8").splitlines()


def _stems(term: str) -> Words:
    return tuple(stem(word) for word in words_of(term))
