"""What is said to the robot in bench/whisper.py: questions with their content words, and speech that is not meant for
it.

The first half of the questions (DEVELOPMENT) chose the defaults of the segmenter and the gate; figures are of the other
half. A content word may be given in several spellings, separated by "|". SITE is what the owner of an office building
would list of its places and things, whatever is asked; more than half of the names stand in no question.
"""

from __future__ import annotations

DEVELOPMENT: tuple[tuple[str, str], ...] = (
    ("Where did you see the elevator?", "where elevator"),
    ("When did you leave the building?", "when leave building"),
    ("How long were you in the laboratory?", "how long laboratory"),
    ("Did you see a red backpack today?", "see red backpack today"),
    ("Take me to the coffee machine.", "take coffee machine"),
    ("Where is the nearest fire extinguisher?", "where nearest fire extinguisher"),
    ("How many people did you meet in the kitchen?", "how many people kitchen"),
    ("What did you see on the second floor?", "what see second|2nd floor"),
    ("When was the last time you saw a cat?", "when last time cat"),
    ("Where can I find a printer?", "where find printer"),
    ("How long did you wait at the entrance?", "how long wait entrance"),
    ("Was the meeting room empty this morning?", "meeting room empty morning"),
    ("Where did you see my phone?", "where see phone"),
    ("Go back to the charging station.", "go charging station"),
    ("What time did the delivery arrive?", "what time delivery arrive"),
    ("Where is the first aid kit?", "where first aid kit"),
    ("Did somebody leave a suitcase in the hallway?", "somebody|anybody leave suitcase hallway"),
    ("How often did you pass the stairs?", "how often pass stairs"),
    ("What was written on the sign near the exit?", "what written sign near exit"),
    ("Show me the way to the conference room.", "show way conference room"),
    ("Where did you see a yellow chair?", "where see yellow chair"),
    ("When did you last see a dog?", "when last see dog"),
    ("Is there a vending machine in this building?", "vending machine building"),
    ("How many bicycles are in the parking garage?", "how many bicycles parking garage"),
)
HELD_OUT: tuple[tuple[str, str], ...] = (
    ("Where did you see the wheelchair?", "where see wheelchair"),
    ("When did you enter the library?", "when enter library"),
    ("How long were you near the reception desk?", "how long near reception desk"),
    ("Did you see a blue umbrella yesterday?", "see blue umbrella yesterday"),
    ("Take me to the bathroom.", "take bathroom"),
    ("Where is the closest trash can?", "where closest trash can"),
    ("How many cars did you see outside?", "how many cars see outside"),
    ("What did you see in the warehouse?", "what see warehouse"),
    ("When was the last time you saw a bird?", "when last time bird"),
    ("Where can I find a water fountain?", "where find water fountain"),
    ("How long did you stay in the office?", "how long stay office"),
    ("Was the front door open last night?", "front door open last night"),
    ("Where did you see my laptop?", "where see laptop"),
    ("Drive to the loading dock.", "drive loading dock"),
    ("What time did you finish the tour?", "what time finish tour"),
    ("Where is the emergency exit?", "where emergency exit"),
    ("Did anybody open the green door?", "anybody open green door"),
    ("How often did you visit the workshop?", "how often visit workshop"),
    ("What color was the car near the gate?", "what color|colour car near gate"),
    ("Show me the way to the cafeteria.", "show way cafeteria"),
    ("Where did you see a whiteboard?", "where see whiteboard|white"),
    ("When did you last see a bicycle?", "when last see bicycle"),
    ("Is there a microwave in the kitchen?", "microwave kitchen"),
    ("How many plants are in the lobby?", "how many plants lobby"),
)
NOT_FOR_THE_ROBOT: tuple[str, ...] = (
    "Good evening, here is the news. The government has agreed on a new budget for next year.",
    "Did you see the game last night? I could not believe the last minute.",
    "Where did you put the car keys? I have been looking for them all morning.",
    "The weather will be cloudy in the north, with some rain in the afternoon.",
    "I think we should buy a robot for the warehouse, the old one is broken.",
    "Robots are taking over the factories, says a report that was published today.",
    "Thank you very much for calling, all our lines are busy at the moment.",
    "Can you take me to the airport tomorrow? My flight leaves at nine.",
    "And now the sports. The home team won three to one after extra time.",
    "Yes, go ahead, I am listening. No, stop it, that is not what I meant.",
    "How long have you been waiting here? The doctor should be back soon.",
    "When does the next train leave? It should be here in about ten minutes.",
    "What is that robot doing over there? It has not moved since lunch.",
    "Please remember to bring your own cup to the meeting on Thursday.",
    "We talked about that a lot, but nobody was able to fix the problem.",
)
"""The radio, a telephone call, people talking with and about each other, and about robots."""
SITE = (
    "archive, auditorium, balcony, basement, bathroom, bicycle, bookshelf, break room, cafeteria, charging "
    "station, coat rack, coffee machine, conference room, copier, courtyard, defibrillator, dishwasher, elevator, "
    "entrance, escalator, filing cabinet, fire extinguisher, first aid kit, forklift, front desk, gym, hallway, "
    "kitchen, laboratory, ladder, laptop, library, loading dock, lobby, locker room, mail room, meeting room, "
    "microwave, parking garage, phone booth, plants, printer, projector, reception, recycling bin, refrigerator, "
    "server room, sink, sofa, staircase, storage room, television, terrace, trash can, turnstile, vending "
    "machine, warehouse, water fountain, wheelchair, whiteboard, workbench, workshop "
).strip()
"""asr.vocabulary of the condition with names: what stands in the building, in alphabetical order."""
