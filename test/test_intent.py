"""Which words ask the robot to move, and which only talk about moving."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembr_ros.intent import asks_to_go

REQUESTS = [
    "take me to the elevator",
    "Take me to the elevator.",
    "Please take me to the elevator",
    "Can you take me to the elevator?",
    "could you please bring us to the exit?",
    "Would you guide me to the kitchen?",
    "Hey robot, where's the lift? Take me there!",
    "hey carter take me to the red chair",
    "Robot, go to the coffee machine",
    "go back to the lab",
    "Drive to where you saw my phone.",
    "Drive over there",
    "navigate to the loading dock",
    "Lead me to the meeting room",
    "lead the way to the meeting room",
    "Show me the way to the toilets",
    "meet me at the entrance",
    "I'm thirsty, take me to the coffee machine",
    "I need you to go to the office",
    "let\u2019s go to the window",
    "Take me somewhere I can sit down",
    "find my phone and take me to it",
    "Where did you see my phone, and take me there",
    "Where did you see a plant, and can you take me there?",
    "When did you last see my bag? Please take me there.",
    "return to the charging station",
    "take me to the place that you did not visit yesterday",
    "take me to the bus stop",
    "take me to the day care",
    "take me to the gate, I fly tomorrow",
    "take me to the place where you were when I called",
    "go to room five",
    "take me to the table at the five star restaurant",
    "take me to the toilet, my train leaves in five minutes",
    "take me to the lift, see you tomorrow",
    "take me to the meeting room, it starts at 3",
    "take me to the night entrance",
    "take me to the week planner",
    "take me to the opening hours sign",
    "take me to the 24 hour shop",
    "take me to the first year classroom",
    "take me to the night nurse in room 5",
    "take me to Monday's meeting room",
    "take me to May",
    "take me to the beginning of the hall",
    "take me to the question desk",
    "bring me to the lift in a second",
    "where did you see a cat in the morning? take me there",
    "take me to the night nurse",
    "take me to the point of sale",
    "take me to the second floor",
    "take me to the room you were in at 5 pm",
    "go to where you saw the fox in the evening",
    "go to the man in the morning coat",
    "GO TO THE KITCHEN",
]

NO_REQUESTS = [
    "Take me back to the day John fell.",
    "Take me to the moment just before the bus stop.",
    "Go back to the time there was a rabbit.",
    "Take me to the time 10 am.",
    "take me to the days everyone wore hats",
    "take me back to the day school began",
    "take me back to the moment light came",
    "take me back to the day care was opened",
    "take me back to the day yesterday",
    "take me to the time around noon",
    "take me to the hour 14",
    "take me to the day her cat died",
    "Take me to the time people sat in the meeting room.",
    "go to the kitchen at 5 pm please",
    "go to the kitchen at 5 p.m.",
    "could you take me to the kitchen at 5 pm?",
    "can you go to the lab in the morning?",
    "take me to the lab. Tomorrow.",
    "take me to the lab, but not now",
    "at 5 pm, take me to the kitchen",
    "later, take me to the kitchen",
    "take me to the kitchen on Monday",
    "go to the lab this Friday",
    "go to the lab in a few minutes",
    "go to the lab in an hour and a half",
    "go to the lab in 5 minutes please",
    "go to the lab at 5 pm and come back",
    "go to the lab soon",
    "go to the lab at half past five",
    "go to the lab at five o'clock",
    "take me to the lab after lunch",
    "take me to the lab when I call you",
    "go to the door as soon as the bell rings",
    "go to bed now",
    "take me back to the hour between two and three",
    'Take me back to the day "we met"',
    "Go to the time stamp 14:00.",
    "Take me back to the night we met",
    "take me back to the evening when you saw the fox",
    "take me back to the first time you saw the cat",
    "take me back to the good old days",
    "take me back to October 3",
    "take me back to Monday",
    "take me back to an hour ago",
    "take me back five minutes ago",
    "take me back to two hours ago",
    "take me to that night",
    "go to the next question",
    "go to bed",
    "Go to the kitchen tomorrow.",
    "Take me to the kitchen at 5 pm.",
    "Take me to the kitchen in an hour.",
    "Take me to the kitchen in ten minutes",
    "Take me to the kitchen later.",
    "Take me to the kitchen next week.",
    "Take me to the kitchen in the evening.",
    "Take me to the day care tomorrow morning.",
    "Please go to the lab at noon",
    "",
    "   ",
    "did you go to the kitchen?",
    "where did you go?",
    "How do I go to the kitchen?",
    "how can I get to the elevator",
    "Don't go to the kitchen",
    "don\u2019t take me to the elevator",
    "please do not drive to the lab",
    "never go to the server room",
    "can you not go to the lab",
    "take me to the elevator. No, never mind.",
    "go to the lab - no wait, forget it",
    "Hold on. Go to the lab. Just kidding.",
    "take me to the elevator, no, don't",
    "Did you leave the office and go to the lab?",
    "Did you wake up, go to the lab, and drive to the dock?",
    "When you go to the kitchen, what do you see?",
    "What happened when I said take me to the elevator?",
    "what does the sign that says go to exit 3 look like?",
    "who asked you to go to the lab?",
    "Will you go to the kitchen tomorrow?",
    "I want to go to the elevator",
    "Take me through your day",
    "Bring me up to speed",
    "bring me up to date",
    "bring me my phone",
    "Take me back to this morning",
    "go back to when you saw the cat",
    "take me back to 10:30",
    "go to sleep",
    "go ahead",
    "how long did it take me to fix the door?",
    "where is the elevator?",
    "what did you take to the lab?",
    "have you been to the lab",
    "a whiteboard reading: go to the server room",
    "wie komme ich zum Aufzug",
    "it would be bad to, go to the red door",
]


@pytest.mark.parametrize("text", REQUESTS)
def test_a_request_to_go_is_heard(text: str) -> None:
    assert asks_to_go(text)


@pytest.mark.parametrize("text", NO_REQUESTS)
def test_talking_about_a_place_is_not_a_request(text: str) -> None:
    assert not asks_to_go(text)


@given(st.text(max_size=2000))
def test_any_text_gives_a_verdict(text: str) -> None:
    assert asks_to_go(text) in (True, False)


@pytest.mark.parametrize("text", ["please " * 300, "and " * 500, "go back " * 250, "don't " * 330 + "x"])
def test_a_long_text_is_judged_quickly(text: str) -> None:
    started = time.perf_counter()
    asks_to_go(text)
    assert time.perf_counter() - started < 0.5
