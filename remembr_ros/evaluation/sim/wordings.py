"""How people ask, by family. {t} is a thing with "the", {a} with "a", {n} bare, {p} a period or nothing, {r} a room."""

from __future__ import annotations

WHERE = (
    "Where is {t}?",
    "Where did you see {t} {p}?",
    "Do you know where {t} is?",
    "Take me to {t}, please.",
    "In which place did you notice {a} {p}?",
    "I am looking for {t}. Where should I go?",
    "Can you find {t} for me?",
    "Where have you come across {a} {p}?",
)
WHERE_LAST = (
    "Where is {t} now?",
    "Where did you last see {t}?",
    "Where was {t} the last time you saw it?",
    "What is the most recent place of {t}?",
)
WHERE_THEN = ("Where was {t} {p}?", "Where did you see {t} {p}?", "Where could {t} be found {p}?")
WHERE_ROOM = ("Where is the {r}?", "Take me to the {r}.", "How do I get to the {r}?", "I want to go to the {r}.")
NEAREST = (
    "Where is the nearest {n}?",
    "Take me to the closest {n}.",
    "Which {n} is the nearest one from here?",
    "Where can I find the closest {n}?",
)
FIRST = (
    "When did you first see {t}?",
    "When did you see {t} for the first time?",
    "When was the first time you noticed {a}?",
    "At what time did you first come across {t}?",
)
LAST = (
    "When did you last see {t}?",
    "When was the last time you saw {t}?",
    "When did you see {t} most recently?",
    "When was {t} last seen?",
)
WHEN = (
    "When did you see {t} {p}?",
    "At what time did you pass {t} {p}?",
    "When was {a} there {p}?",
    "What time was it when you saw {t} {p}?",
)
HOW_LONG = (
    "How long did you stay in the {r} {p}?",
    "How long were you in the {r} {p}?",
    "How much time did you spend in the {r} {p}?",
    "For how long did you remain in the {r} {p}?",
)
BETWEEN = (
    "How long was it between {t} and {u} {p}?",
    "How much time passed between seeing {t} and seeing {u} {p}?",
)
HOW_MANY = (
    "How many times did you see {t} {p}?",
    "How often did you come across {t} {p}?",
    "On how many occasions did you notice {a} {p}?",
    "How many times have you seen {a} {p}?",
)
YES_NO = (
    "Did you see {a} {p}?",
    "Have you noticed {a} {p}?",
    "Was there {a} {p}?",
    "Did you come across {a} {p}?",
)
NOTICE = (
    "What did the notice in the {r} say?",
    "What was written on the sign in the {r}?",
    "What does the poster in the {r} say?",
)
COLOUR = ("What colour was {t} in the {r}?", "Which color did {t} in the {r} have?")
WHOSE = ("Whose office is room {number}?", "Which name is on the door of room {number}?", "Who sits in room {number}?")
AT_TIME = (
    "What did you see on {date} at {clock}?",
    "What was around you on {date} at {clock}?",
    "What were you looking at on {date} at {clock}?",
)
