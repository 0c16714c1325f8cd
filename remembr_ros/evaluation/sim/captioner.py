"""What a captioner would say of a view. In: a room and the things in view; out: sentences, and which things they name.

Wordy and imperfect as a vision-language model's: `OMITTED` of the things in view are not mentioned, `WRONG_COLOUR` of
the coloured ones get another colour, `CONFUSED` are taken for something else; the rest is scenery.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from remembr_ros.evaluation.sim.building import Room
from remembr_ros.evaluation.sim.inventory import Thing
from remembr_ros.evaluation.sim.places import FILLERS
from remembr_ros.evaluation.sim.things import COLOURS

OMITTED = 0.3
WRONG_COLOUR = 0.02
CONFUSED = 0.004
_MOST = 2
"""Things that one caption mentions."""
_FIRST = (
    "The image shows {t} in {r}.",
    "There {is_are} {t} in the middle of {r}.",
    "{T} can be seen in {r}.",
    "In {r} there {is_are} {t} close to the wall.",
    "The robot looks at {t} in {r}.",
)
_SECOND = (
    "Farther back there {is_are} {t}.",
    "{T} can be made out on the right.",
    "To the left the camera catches {t}.",
)


@dataclass(frozen=True, slots=True)
class Description:
    """A caption and the things that it names rightly."""

    caption: str
    named: tuple[Thing, ...]


def describe(chance: random.Random, room: Room, in_view: Sequence[Thing], all_things: Sequence[Thing]) -> Description:
    """One caption of one view."""
    where = chance.choice(room.kind.noted)
    article = f"{'an' if where[0] in 'aeiou' else 'a'} {where}"
    mentioned = [thing for thing in in_view if chance.random() >= OMITTED]
    chance.shuffle(mentioned)
    named: list[Thing] = []
    sentences: list[str] = []
    scene = _articles(chance.choice(room.kind.scenes).format(room=where))
    for thing in mentioned[:_MOST]:
        words, plural, right = _words(chance, thing, all_things)
        shape = chance.choice(_SECOND if sentences else _FIRST)
        sentences.append(
            shape.format(t=words, T=words[0].upper() + words[1:], r=article, is_are="are" if plural else "is")
        )
        if right:
            named.append(thing)
    if not sentences:
        sentences = [scene]
    elif chance.random() < 0.2:
        sentences.append(scene)
    if chance.random() < 0.7:
        sentences.append(chance.choice(FILLERS))
    return Description(" ".join(sentences), tuple(named))


def _articles(sentence: str) -> str:
    """ "a" and "an" as the next sound wants it."""
    return re.sub(r"\b([Aa])n? (?=([a-z]))", lambda found: found[1] + ("n " if found[2] in "aeiou" else " "), sentence)


def _words(chance: random.Random, thing: Thing, all_things: Sequence[Thing]) -> tuple[str, bool, bool]:
    """(words, plural, whether they are right)."""
    if chance.random() < CONFUSED:
        other = chance.choice(all_things)
        return chance.choice(other.noted), other.plural, other is thing
    words = chance.choice(thing.noted)
    if thing.colour and chance.random() < WRONG_COLOUR:
        return (
            words.replace(thing.colour, chance.choice([c for c in COLOURS if c != thing.colour])),
            thing.plural,
            False,
        )
    return words, thing.plural, True
