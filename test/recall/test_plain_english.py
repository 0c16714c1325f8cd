"""What people say, made plain: each rule with sentences of its own, what must stay as it is, and hostile text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembr_ros.recall.plain_english import plainly

POLITE = {
    "Where on earth is the ladder?": "where is the ladder",
    "Sorry to trouble you again, but when did you last see the toolbox?": "when did you last see the toolbox",
    "If you don't mind me asking, where's the lift?": "where's the lift",
    "How many barrels did you see, roughly?": "how many barrels did you see",
    "When, roughly, did you see the fox?": "when did you see the fox",
    "Where is the drill please": "where is the drill",
    "You did see a fox, right?": "did you see a fox",
}
NOT_POLITE = {
    "Which door is on the right?": "which door is on the right",
    "Where did you see the other robot?": "where did you see the other robot",
    "Is the label correct?": "is the label correct",
    "Did anything happen to the cart?": "did anything happen to the cart",
    "Did you see dogs in all rooms?": "did you see dogs in all rooms",
    "Where is the exactly-two-inch chisel": "where is the exactly-two-inch chisel",
}
MISSPELT = {
    "wheres teh cart": "where's the cart",
    "hwo mnay bikes hav u seen": "how many bikes have you seen",
    "whre r the lsat crates": "where are the last crates",
}
NOT_MISSPELT = {
    "Where is building U?": "where is building u",
    "Which way is gate R": "which way is gate r",
    "where is the OT": "where is the ot",
    "who left the three hats here": "who left the three hats here",
}
KNOWING = {
    "Excuse me, could you kindly tell me where the printer is?": "where the printer is",
    "Would you mind telling me how many pallets there are?": "how many pallets there are",
    "I was wondering if you saw a deer": "did you see a deer",
    "Any chance that you saw my hat?": "have you seen my hat",
    "Hey robot, so when did you see the fox?": "when did you see the fox",
    "Quick question, when was it there?": "when was it there",
    "Would you read out to me the notice in the hall": "what is on the notice in the hall",
}
WANTED = {
    "I lost my umbrella, did it turn up with you?": "where is my umbrella",
    "We're after a trolley": "where is a trolley",
    "My brother is looking for his helmet; lead the way": "where is his helmet",
    "Can't find my gloves": "where is my gloves",
    "My gloves are missing, where are they?": "where is my gloves",
    "I left my scarf lying around somewhere lately. Where is it?": "where is my scarf",
    '"I lost my drill, any chance you saw it?"': "where is my drill",
}
NOT_WANTED = {
    "We left at five, right?": "we left at five",
    "lost and found office": "lost and found office",
    "left of the door": "left of the door",
}
SENTENCES = {
    "Did you see a billboard? What did it say?": "what did a billboard say",
    "You mentioned a ladder. When did you see it?": "when did you see a ladder",
    "The crates: where are they?": "where is the crates",
    "Dr. Miller's office, where is it?": "where is dr. miller's office",
    "I saw a C:\\path\\1 label. When did you see it?": "when did you see a c:\\path\\1 label",
    "Who did you see at 3 p.m. in the lab?": "who did you see at 3 p.m. in the lab",
    "It was 3 p.m. Where were you?": "where were you",
    "When did you see the fox? Where was it?": "when did you see the fox, where was it",
}
FRONTED = {
    "Between 9 am and noon, how often did you charge?": "how often did you charge between 9 am and noon",
    "Last Friday, for how long were you in the workshop?": "for how long were you in the workshop last friday",
}
PLAIN = {
    "Where\u2019s the cart?": "where's the cart",
    "¿dónde está la silla?": "¿dónde está la silla",
    "椅子在哪里": "椅子在哪里",
    "where is the 🚒": "where is the 🚒",
}
RULES = (
    POLITE | NOT_POLITE | MISSPELT | NOT_MISSPELT | KNOWING | WANTED | NOT_WANTED | SENTENCES | FRONTED | PLAIN
)  # fmt: skip


@pytest.mark.parametrize("said", RULES)
def test_said_and_meant(said: str) -> None:
    assert plainly(said) == RULES[said]


@pytest.mark.parametrize("said", [plain for plain in RULES.values() if "c:" not in plain and "p.m" not in plain])
def test_plain_text_stays_as_it_is(said: str) -> None:
    assert plainly(said).split() == said.split()


@pytest.mark.parametrize("said", ["please", "thank you", "sorry", "...", "'", '"', "“”"])
def test_of_politeness_alone_the_words_are_left(said: str) -> None:
    assert plainly(said) == said


@pytest.mark.parametrize("said", ["", " ", "\t\n"])
def test_no_words_give_none(said: str) -> None:
    assert plainly(said) == ""


PIECES = (
    "a ", "i ", "i need ", "is ", "and ", "so ", "hey ", "please ", "thanks ", "sorry ", ", ", ",", ". ", "?", "...",
    " - ", "'", '"', "é", "椅", "İ", "where ", "where is it ", "do you know ", "tell me ", "it ", "somewhere ", "once ",
    "any chance ", "read ", "remember ", "did u ", "my a ", "in all ", "3 p.m. ", "between ", "\\1 ", "\x00",
)  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("first", ["", "where is ", "i ", "my "])
def test_2000_characters_take_less_than_a_tenth_of_a_second(piece: str, first: str) -> None:
    said = (first + piece * 2000)[:1990] + " is it?"
    started_s = time.process_time()
    plainly(said)
    assert time.process_time() - started_s < 0.1


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=30).map("".join))
def test_any_text_gives_one_line_without_double_blanks(said: str) -> None:
    plain = plainly(said)
    assert plain == " ".join(plain.split())
    assert bool(plain) or not any(character.isalnum() for character in said)
