"""Captions and questions that the weight in `memory/lexical.py` was not chosen with: a hospital and a depot.

Written before the first look at how either way of ranking does on them, with other words, signs and numbers than the
building of `names.py`.
"""

from __future__ import annotations

PLATES = [f"A light wooden door, the sign next to it says Ward {number}." for number in range(31, 71)]
GATES = [f"A loading gate marked {letter}-{number} in yellow paint." for letter in "EFG" for number in range(14)]
SIGNS = [
    "A wall with a blue board that says Radiology and an arrow.",
    "A wall with a blue board that says Cardiology and an arrow.",
    "A wall with a blue board that says Oncology and an arrow.",
    "A door with a small plate, Nurse Abernathy.",
    "A door with a small plate, Nurse Castellanos.",
    "A door with a small plate, Dr. Nguyen, head of surgery.",
    "A heavy door with the letters MRI and a warning triangle.",
    "A heavy door with the letters CT and a warning triangle.",
    "A heavy door with the letters ICU, no entry without a gown.",
    "A pallet truck by Jungheinrich stands at a wall.",
    "A pallet truck by Linde stands at a wall.",
    "A vending machine for Fanta and Sprite next to a bench.",
    "A bus stop with the line numbers 48 and 63.",
    "A bus stop with the line numbers 17 and 92.",
    "A cabinet labelled PPE with gloves and masks in it.",
    "A tank with the hazard number UN 1977, liquid nitrogen.",
    "A cardboard box from IKEA on a trolley.",
    "A screen that shows the ticket number 356.",
    "A screen that shows the ticket number 358.",
    "A green bottle with an eyewash label above a sink.",
]
SCENES = [
    "An old man in a wheelchair looks out of a window.",
    "Two children play with wooden blocks on a rug.",
    "A row of empty beds with white sheets.",
    "A forklift lifts a crate onto a high rack.",
    "A guitar stands in the corner of a lounge.",
    "A vase with sunflowers on a reception desk.",
    "An aquarium with orange fish.",
    "A wet umbrella hangs on a coat rack.",
    "A microwave and a kettle on a shelf.",
    "A broken window covered with tape.",
    "A newspaper and reading glasses on an armchair.",
    "A printer with a pile of paper beside it.",
    "A puddle of water under a pipe.",
    "A ladder leans on a wall below a ceiling lamp.",
    "A woman in a blue gown washes her hands.",
    "A stack of car tyres behind a fence.",
]
BY_NAME = {
    "where is ward 47?": PLATES[16],
    "bring me to Ward 64": PLATES[33],
    "have you been at ward 33": PLATES[2],
    "find gate F-7": GATES[21],
    "where is E-12": GATES[12],
    "when were you at G-3?": GATES[31],
    "go to the Oncology sign": SIGNS[2],
    "where did you see Nurse Castellanos?": SIGNS[4],
    "where is the office of Nguyen?": SIGNS[5],
    "where is the MRI?": SIGNS[6],
    "how do I get to the CT": SIGNS[7],
    "take me to the ICU": SIGNS[8],
    "where is the truck by Linde?": SIGNS[10],
    "did you see the Jungheinrich?": SIGNS[9],
    "where does bus 92 stop?": SIGNS[13],
    "where does line 48 leave?": SIGNS[12],
    "where is the PPE?": SIGNS[14],
    "where did you see the IKEA box?": SIGNS[16],
    "where was ticket 358 shown?": SIGNS[18],
    "where is UN 1977?": SIGNS[15],
}
BY_MEANING = {
    "where did you see a senior patient?": SCENES[0],
    "where were kids?": SCENES[1],
    "is there a musical instrument?": SCENES[4],
    "where can I warm up my food?": SCENES[8],
    "where are flowers?": SCENES[5],
    "did you see pets?": SCENES[6],
    "where is there a leak?": SCENES[12],
    "what was damaged?": SCENES[9],
    "where did I leave my spectacles?": SCENES[10],
    "where can I get a document on paper?": SCENES[11],
    "where can I borrow something to climb on?": SCENES[13],
    "where did somebody clean themselves?": SCENES[14],
    "where can patients sleep?": SCENES[2],
    "where can I get a lemonade?": SIGNS[11],
    "what do I do with something in my eye?": SIGNS[19],
    "where are protective gloves?": SIGNS[14],
    "where is the heart department in the Main building?": SIGNS[1],
    "Where did Anna leave something against the rain?": SCENES[7],
}
"""The last two have a capital, as names do, and no word of their caption."""
AROUND = [
    "The picture shows a wide passage with linoleum and handrails on both sides.",
    "Strip lights reflect on a polished concrete floor.",
    "On the left there is a trolley with folded towels.",
    "Somebody in white clothes stands with the back to the camera.",
    "There are racks with crates up to the ceiling.",
    "A round mirror hangs in the upper corner.",
    "A fire hose and a radiator can be seen near the edge.",
]
