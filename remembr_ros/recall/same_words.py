"""Words that mean the same to people: "pram" where captions say "stroller", "loo", "AED", "chain saw", "walet".

In: what was asked for, words of captions; out: the same with the words that captions use. The groups of
`everyday_words.txt` and of a file of the site's own (parameter recall.words_file) are looked up; an embedding model
does not know them all, and does not know what people of one site call their machines.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from remembr_ros.errors import ConfigurationError
from remembr_ros.recall.matching import stem, words_of
from remembr_ros.recall.vocabulary import COLOURS, STOP_WORDS

PARAMETER = "recall.words_file"
MAX_BYTES = 100_000
"""Of a site's file."""
MAX_TERMS = 100
"""In a line."""
MAX_WORDS = 8
"""In a term."""
CLOSE = 0.84
"""Least similarity (difflib's ratio) of a misspelt word: "walet" for "wallet" 0.91, "choir" for "chair" 0.80."""
_LONG_ENOUGH = 5
"""Letters of a word that may be misspelt: shorter ones are close to many."""
_NEW_LINE = re.compile(r"\r\n|\r|\n")
"""As editors count lines; str.splitlines knows more."""
_ARTICLE = re.compile(r"^(?:the|an?) +(?=\S)")
_PLAIN = frozenset(
    ["big", "small", "little", "large", "huge", "tiny", "tall", "old", "new", "nice", "open", "broken", "whole", "real"]
)
"""Words that a thing may be called with and captions need not say."""

_REAL = """
    achieve area arena badge barge barrister baseball batch beads beard biker bland boost booth booths boulder braid
    brand bridge broke brook bullet bullets cable cache calculation calculations canoe card cards carrier carriers
    cartoon cartoons certain chart charts chemistry chief chord christians cinder clash clearer clone coast coin
    coins commuter compiler convey coroner crafts crash crater create crook crouch crowd crowds crown curate dessert
    desserts detect directing diver divers donor draper drive electrical electricity emergence engineer exhibiting
    exist eyelashes fibres fight finer flight float flood follower footballer foreman freeze freighter galleries
    gallery gamer glitter glover grade graph grassy handle handy hardy header hearing hoarse hospitality infantry
    inspect inspection instruct instruction instrumental keyboardist landing landscape lasts launch lightning liter
    locking lodging looming machinery manipulate maple marker markers medal medals mess messy milky ministry mister
    noted packing panther parade patent pearl pearls pension personal photograph photographs photon pier piers piper
    plain planet planets plank planks plantation pointer pointing policies powder printed printing processor
    processors profession project projection prosecutor protector psalm rabbi raising receptionist recorder
    recreation rectory route routes scandal scanner scanners scars sealing seater seminary shack shooter shore
    shores shots shovel shovels singles skater sleeping slick slippery smack socks sorting spot spots squire stack
    stacks state sticker sticky stink stole storey storm strange stretched stretching stroll stuff sweat swing
    swings technical tenth thorn thrash three trailer trailers trainee traitor trumpeter unity visor warming
    weaponry wedding weddings weight welding widow widows wight wince writing
"""
_SPELLED_RIGHT = frozenset(_REAL.split()) | STOP_WORDS | COLOURS
"""Words that look like slips of known ones ("widow", "scanner") and are not."""

Words = tuple[str, ...]
"""Stems of a term, in order."""


class SameWords:
    """Groups of terms of which each means the others, and kinds with what belongs to them. Immutable."""

    def __init__(self, lines: Iterable[str], source: str = "words", wider: SameWords | None = None) -> None:
        """`lines` in the format that everyday_words.txt explains. `wider`: groups that add what means the same as a
        term of these lines, and stand behind them. Raises ConfigurationError with the line's number."""
        self._others: dict[Words, dict[str, None]] = {}
        self._single: dict[str, str] = {}
        self._alone: dict[str, str] = {}
        self._terms: set[Words] = set()
        for number, line in enumerate(lines, 1):
            line = line.partition("#")[0].strip().lower()
            if line:
                self._add(*_read(line, f"{source}, line {number}"), wider)
        if wider is not None:
            for term, others in wider._others.items():
                self._others.setdefault(term, {}).update(others)
            self._single = wider._single | self._single
            self._alone = wider._alone | self._alone
            self._terms |= wider._terms
        self._longest: dict[str, int] = {}
        for term in self._terms:
            self._longest[term[0]] = max(len(term), self._longest.get(term[0], 0))

    def _add(self, kind: str, terms: list[str], wider: SameWords | None) -> None:
        named = {term: _stems(term) for term in (*terms, kind) if term}
        more = [other for words in named.values() for other in wider._others.get(words, ())] if wider else []
        same = {other: _stems(other) for other in (*terms, *more)}
        for words in [named[kind]] if kind else dict.fromkeys(named.values()):
            self._others.setdefault(words, {}).update((other, None) for other, its in same.items() if its != words)
        self._terms.update(named.values())
        for word in words_of(" ".join((*terms, kind))):
            self._single.setdefault(stem(word), word)
        self._alone.update((stem(term), term) for term in named if term in words_of(term))

    def knows(self, word: str) -> bool:
        """Whether `word` is part of a term: then it is no name of somebody, whatever its capitals."""
        return stem(word.lower()) in self._single

    def has(self, words: Sequence[str]) -> bool:
        """Whether these words are a term."""
        return tuple(map(stem, words)) in self._terms

    def terms_in(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """(first, behind the last) of each term of several words, from the left, the longest at its place."""
        stems, start = [stem(word) for word in words], 0
        while start < len(stems):
            ends = range(min(start + self._longest.get(stems[start], 0), len(stems)), start + 1, -1)
            end = next((end for end in ends if tuple(stems[start:end]) in self._terms), None)
            if end is not None:
                yield start, end
            start = end or start + 1

    def mentions(self, asked: str) -> bool:
        """Whether a term is in `asked`."""
        words = words_of(asked)
        ends = range(len(words) + 1)
        return any(self.has(words[start:end]) for start in ends for end in ends[start + 1 :])

    def others(self, asked: str) -> list[str]:
        """`asked` with its longest term replaced by each that means the same, in the order of the groups; colours and
        other words stay."""
        words = words_of(asked)
        stems = [stem(word) for word in words]
        longest = max((self._longest.get(one, 0) for one in stems), default=0)
        for length in range(min(longest, len(words)), 0, -1):
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
        ("chain saw"), or a word that is close (`CLOSE`) to one of a caption or to a term of one word: "beside" is no
        slip of the first half of "bedside table". `said`: lower-case words of captions."""
        stems = {stem(word): word for word in said}
        known, meant = self._single | stems, self._alone | stems
        words, right = words_of(asked), []
        while words:
            word = words.pop(0)
            if words and stem(word + words[0]) in stems and stem(words[0]) not in stems:
                right.append(word + words.pop(0))
            elif len(word) < _LONG_ENOUGH or stem(word) in known or word in _SPELLED_RIGHT:
                right.append(word)
            else:
                right.append(_close(word, meant) or word)
        return " ".join(right)


@cache
def everyday() -> SameWords:
    """The groups of the package alone."""
    file = resources.files("remembr_ros.recall") / "everyday_words.txt"
    return SameWords(file.read_text(encoding="utf-8").split("\n"), "everyday_words.txt")


def with_own(path: str, parameter: str = PARAMETER) -> SameWords:
    """The groups of the file at `path`, what the package's groups say means the same as their terms, and the package's
    groups; only these where `path` is empty. Raises ConfigurationError, which names parameter and line, where the file
    cannot be used."""
    if not path:
        return everyday()
    try:
        file = Path(path).expanduser()
        if file.exists() and not file.is_file():
            raise OSError("it is no file")
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise OSError(f"it has more than {MAX_BYTES} bytes")
        lines = _NEW_LINE.split(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        number = len(_NEW_LINE.split(content[: error.start].decode("utf-8-sig")))
        raise ConfigurationError(f"{parameter}: {path}, line {number}: this is not UTF-8") from error
    except (OSError, ValueError, RuntimeError) as error:  # a zero byte in the path, a home that is not there
        why = getattr(error, "strerror", None) or error
        raise ConfigurationError(f"{parameter}: cannot read {path!r}: {why}") from error
    return SameWords(lines, f"{parameter}: {path}", everyday())


def _read(line: str, where: str) -> tuple[str, list[str]]:
    """(kind or "", terms) of a line. Raises ConfigurationError that begins with `where`."""
    kind, colon, members = line.partition(":")
    terms = [_named(term) for term in members.split(",")] if colon else [_named(term) for term in line.split(",")]
    kind = _named(kind) if colon else ""
    words = [len(words_of(term)) for term in ([kind] if colon else []) + terms]
    if not all(words) or ":" in members or "," in kind or (not colon and len(terms) < 2):
        raise ConfigurationError(f"{where}: {_short(line)} is neither 'word, word' nor 'kind: word, word'")
    if len(terms) > MAX_TERMS or max(words) > MAX_WORDS:
        limits = f"a line has at most {MAX_TERMS} terms, a term at most {MAX_WORDS} words"
        raise ConfigurationError(f"{where}: {_short(line)} is too long; {limits}")
    return kind, terms


def _named(term: str) -> str:
    """As it is looked up: who asks for "the beast" is understood to ask for "beast"."""
    return _ARTICLE.sub("", term.strip())


def _close(word: str, known: dict[str, str]) -> str:
    """The word of `known` (by stem) that `word` is likeliest a slip of, "" where none is close."""
    alike = [other for other in known.values() if other[:1] == word[:1]]  # hardly anybody misspells the first letter
    found = difflib.get_close_matches(word, alike, 1, CLOSE)
    return found[0] if found else ""


def _short(line: str) -> str:
    return repr(line if len(line) <= 60 else f"{line[:60]}...")


def _stems(term: str) -> Words:
    return tuple(stem(word) for word in words_of(term))
