"""Names and signs: does it help to count the words that a question and a caption share, beside their meaning?

In: captions as captioners write them (room plates, signs, labels, and scenes without any), short ones of a sentence and
long ones of four, as a vision language model gives; and questions, half of them by a name or a number, half in other
words than the caption's. Out: the share of questions whose caption is first, and is among the first five, by meaning
alone and with telling words among the nearest captions (`memory/lexical.py`). The weight of words was chosen with the
captions and questions in this file; `held_out_` are the figures for those of `_names_held_out.py`, which decide.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bench import _names_held_out as held_out
from bench.report import Figure, Result
from remembr_ros.memory import lexical
from remembr_ros.memory.embedders import Embedder, create_embedder

PLATES = [f"I see a white door with a plate that says room {number} beside a grey wall." for number in range(190, 250)]
BAYS = [
    f"I see a shelf with boxes, the label on it reads {letter}{number}." for letter in "ABCD" for number in range(1, 16)
]
SIGNS = [
    "I see a green box on the wall with a heart and the letters AED.",
    "I see a wall with a red fire extinguisher and a sign above it.",
    "I see a door with a sign that reads Dr. Okonkwo.",
    "I see a door with a sign that reads Dr. Petersen.",
    "I see a door with a sign that reads Prof. Lindqvist.",
    "I see a poster that says IROS 2024 in a corridor.",
    "I see a poster that says ICRA 2023 in a corridor.",
    "I see a glass door with the letters HVAC on it.",
    "I see a glass door with the letters UPS on it.",
    "I see a machine with the logo KUKA in a workshop.",
    "I see a machine with the logo FANUC in a workshop.",
    "I see a vending machine with a Coca-Cola logo next to a bin.",
    "I see a red emergency telephone, number 112, on a column.",
    "I see an exit sign above a double door at the end of a hall.",
    "I see a notice: wet floor, in front of the kitchen.",
    "I see a lift with the sign Level B2.",
    "I see a lift with the sign Level B3.",
]
SCENES = [
    "I see two people talking at a round table with laptops.",
    "I see a long corridor with a blue carpet and closed doors.",
    "I see a kitchen with a coffee machine and cups on the counter.",
    "I see a bicycle leaning against a brick wall outside.",
    "I see a staircase with metal rails and a window.",
    "I see a black office chair in front of a desk with two screens.",
    "I see a plant in a white pot beside a sofa.",
    "I see a cat that sleeps on a cardboard box.",
    "I see a suitcase that stands alone near the entrance.",
    "I see a person with a yellow helmet and a vest.",
    "I see a smartphone on a wooden desk next to a notebook.",
    "I see a mop and a bucket in a corner.",
    "I see a whiteboard full of equations.",
    "I see a car park with three cars in the rain.",
    "I see a water bottle on a window sill.",
    "I see a man who pushes a trolley with parcels.",
]
BY_NAME = {
    "where is room 204": PLATES[14],
    "take me to room 217": PLATES[27],
    "when did you pass 231?": PLATES[41],
    "did you see room 198?": PLATES[8],
    "where is shelf B7": BAYS[21],
    "go to label D12": BAYS[56],
    "where did you see C3?": BAYS[32],
    "where is the AED?": SIGNS[0],
    "where is the aed": SIGNS[0],
    "where is the office of Dr. Petersen?": SIGNS[3],
    "take me to Okonkwo": SIGNS[2],
    "where does professor lindqvist sit?": SIGNS[4],
    "where did you see the ICRA poster?": SIGNS[6],
    "where is the UPS?": SIGNS[8],
    "which room has HVAC?": SIGNS[7],
    "where is the Fanuc?": SIGNS[10],
    "take me to level B3": SIGNS[16],
    "where is the Kuka robot?": SIGNS[9],
}
BY_MEANING = {
    "where can I get something hot to drink?": SCENES[2],
    "where did you see my phone?": SCENES[10],
    "is there somewhere to sit and work?": SCENES[5],
    "where did somebody leave luggage?": SCENES[8],
    "did you meet an animal?": SCENES[7],
    "where can I buy a soda?": SIGNS[11],
    "where are the cleaning tools?": SCENES[11],
    "did you see a construction worker?": SCENES[9],
    "where is a defibrillator?": SIGNS[0],
    "where was a meeting?": SCENES[0],
    "where did you see vehicles?": SCENES[13],
    "where did somebody write mathematics?": SCENES[12],
    "where is the way out?": SIGNS[13],
    "who delivered packages?": SCENES[15],
    "how can I put out a fire?": SIGNS[1],
    "where can I go upstairs on foot?": SCENES[4],
}


AROUND = [
    "The scene shows a hallway with white walls and a wooden floor, and fluorescent lights on the ceiling.",
    "There is a large open space with several desks, chairs and computer monitors.",
    "The floor is made of grey tiles and the light comes from windows on the left.",
    "A person with a backpack is walking away in the distance.",
    "On the right there is a row of metal lockers.",
    "In the background two people are talking beside a column.",
    "A trash can and a potted plant stand near the wall.",
]


def run(quick: bool) -> Result:
    """Some seconds, also with `quick`."""
    embedder = create_embedder("packaged")
    chosen_with = _figures(embedder, "", [*PLATES, *BAYS, *SIGNS, *SCENES], AROUND, BY_NAME, BY_MEANING, seed=1)
    captions = [*held_out.PLATES, *held_out.GATES, *held_out.SIGNS, *held_out.SCENES]
    held = _figures(
        embedder, "held_out_", captions, held_out.AROUND, held_out.BY_NAME, held_out.BY_MEANING, seed=2
    )  # fmt: skip
    values = {figure.name: figure.value for figure in held}
    gains = {
        kind: sum(values[f"held_out_{kind}_{length}_fused_first"] - values[f"held_out_{kind}_{length}_dense_first"]
                  for length in ("short", "long")) / 2
        for kind in ("name", "meaning")
    }  # fmt: skip
    held += [Figure(f"held_out_{kind}_gain", gain, "", "first, fused less dense") for kind, gain in gains.items()]
    return Result((*chosen_with, *held))


def _figures(
    embedder: Embedder, prefix: str, short: Sequence[str], around: Sequence[str], by_name: Mapping[str, str],
    by_meaning: Mapping[str, str], seed: int,
) -> list[Figure]:  # fmt: skip
    chance = random.Random(seed)
    long = [_long(caption, around, chance) for caption in short]
    long += [" ".join(chance.sample(around, 4)) for _ in range(100)]
    figures = []
    for length, captions in (("short", short), ("long", long)):
        vectors = embedder.embed_documents(captions)
        for kind, questions in (("name", by_name), ("meaning", by_meaning)):
            ranks: dict[str, list[int]] = {"dense": [], "fused": []}
            for question, wanted in questions.items():
                scores = vectors @ embedder.embed_queries([question])[0]
                for way, values in (("dense", scores), ("fused", _fused(question, captions, scores))):
                    ranks[way].append(int((values > values[short.index(wanted)]).sum()))
            for way, found in ranks.items():
                name = f"{prefix}{kind}_{length}_{way}"
                figures.append(Figure(f"{name}_first", float(np.mean([rank == 0 for rank in found])), ""))
                figures.append(Figure(f"{name}_first_five", float(np.mean([rank < 5 for rank in found])), ""))
    return figures


def _long(caption: str, around: Sequence[str], chance: random.Random) -> str:
    sentences = chance.sample(around, 3)
    sentences.insert(chance.randrange(4), caption)
    return " ".join(sentences)


def _fused(question: str, captions: Sequence[str], scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """As a search does it: telling words count among the nearest captions."""
    if not lexical.names_something(question):
        return scores
    nearest = np.argsort(-scores)[: lexical.POOL]
    fused = scores - 10.0
    shares = lexical.telling_shares(question, [captions[number] for number in nearest])
    fused[nearest] = scores[nearest] + lexical.WEIGHT * np.array(shares)
    return fused
