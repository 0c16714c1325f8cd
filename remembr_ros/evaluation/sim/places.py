"""The kinds of rooms of a simulated building: how captions speak of them, how people do, and what they look like.

Captions and people use different words for the same room; no content word is in both lists (test_sim_words.py). Scenes
name no thing that anybody asks for.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlaceKind:
    """One kind of room. `noted`: how captions name it, `asked`: how people do; `scenes`: sentences with {room}.

    `asked` is empty where the packaged embedder connects no other name with it, see things.py.
    """

    name: str
    noted: tuple[str, ...]
    asked: tuple[str, ...]
    scenes: tuple[str, ...]


PLACES: tuple[PlaceKind, ...] = (
    PlaceKind(
        "entrance",
        ("wide lobby", "foyer"),
        ("entrance hall",),
        (
            "The image shows a {room} with tall glass doors through which daylight falls on a polished stone floor.",
            "The robot looks across a {room}; the street can be seen outside behind the glass.",
            "A {room} with a high ceiling, where visitors come in from the street.",
        ),
    ),
    PlaceKind(
        "hallway",
        ("long corridor", "narrow passage"),
        ("hallway",),
        (
            "The robot moves along a {room} with doors on both sides and neon lamps on the ceiling.",
            "The image shows a {room} that leads towards a window at its far end.",
            "A {room} with white walls and a shiny linoleum floor stretches ahead.",
        ),
    ),
    PlaceKind(
        "canteen",
        ("canteen", "canteen with rows of benches"),
        ("cafeteria",),
        (
            "A {room} with long tables, where trays and plates are stacked near a serving hatch.",
            "The image shows a {room}; some people eat lunch while others carry their trays.",
            "The robot stands in a {room}, with menus hanging above a counter.",
        ),
    ),
    PlaceKind(
        "kitchen",
        ("kitchen", "kitchen with cupboards and a stove"),
        ("cooking area",),
        (
            "The image shows a small {room} with tiled walls, drawers and a worktop of grey stone.",
            "A {room} where dishes dry beside the tap and a towel hangs on a hook.",
            "In this {room} there are spice jars on a board and a kettle on the worktop.",
        ),
    ),
    PlaceKind(
        "meeting",
        ("boardroom", "boardroom with a large oval table"),
        (),
        (
            "A {room} with twelve chairs around a table and a bowl of sweets in its middle.",
            "The image shows a {room} behind a glass wall, with blinds half closed.",
            "The robot looks into a {room}; cables hang from the table and glasses stand on it.",
        ),
    ),
    PlaceKind(
        "library",
        ("reading room", "reading room with quiet corners"),
        (),
        (
            "A {room} with green table lights, where visitors bend over their papers.",
            "The image shows a {room} with wooden panels and a gallery above.",
            "In the {room} a few persons study in silence at separate tables.",
        ),
    ),
    PlaceKind(
        "workshop",
        ("workshop", "workshop with vices and drills"),
        (),
        (
            "The image shows a {room} with workbenches, a lathe and shavings of metal on the floor.",
            "A {room} in which wrenches hang in order of size on a perforated wall.",
            "The robot rolls through a {room} that smells of oil, past half assembled motors.",
        ),
    ),
    PlaceKind(
        "storage",
        ("storeroom", "storeroom with high racks"),
        ("warehouse",),
        (
            "A {room} with metal racks up to the ceiling, and crates with barcodes on them.",
            "The image shows a dim {room}, a single bulb above aisles of crates.",
            "The robot passes between the racks of a {room} filled with spare parts.",
        ),
    ),
    PlaceKind(
        "office",
        ("open-plan office", "office with many desks"),
        (),
        (
            "The image shows an {room} where employees type in front of two monitors each.",
            "An {room} with low partitions, and jackets hanging over the backs of swivel chairs.",
            "The robot moves between the desks of an {room}; papers lie next to the keyboards.",
        ),
    ),
    PlaceKind(
        "servers",
        ("server room", "chilled chamber of computer racks"),
        (),
        (
            "A {room} with blinking lights behind perforated metal doors and cables under a raised floor.",
            "The image shows a {room}; rows of black cabinets hum on both sides.",
            "In the {room} blue cables run in bundles above the cabinets.",
        ),
    ),
    PlaceKind(
        "reception",
        ("reception desk", "reception with a curved desk"),
        (),
        (
            "The image shows a {room}, with a bell, a visitors' list and a screen on it.",
            "Behind the {room} a wall with the emblem of the company is lit from below.",
            "The robot approaches a {room}; somebody types behind it.",
        ),
    ),
    PlaceKind(
        "dock",
        ("loading bay", "loading bay with a roller door"),
        (),
        (
            "A {room} with yellow lines on the concrete, its roller door half open.",
            "The image shows a {room}; wooden pallets are piled beside the gate.",
            "In the {room} a van is backed up to the platform.",
        ),
    ),
    PlaceKind(
        "laboratory",
        ("laboratory", "laboratory with fume hoods"),
        ("lab", "place for chemical experiments"),
        (
            "The image shows a {room} with flasks, pipettes and a row of glass cabinets.",
            "A {room} in which devices stand on white benches under bright light.",
            "The robot passes a {room}; gloves and labelled jars lie on its benches.",
        ),
    ),
    PlaceKind(
        "gym",
        ("gym", "gym with treadmills"),
        ("fitness studio", "place for working out"),
        (
            "A {room} with mirrors along the wall, dumbbells in a row and mats on the floor.",
            "The image shows a {room}, where somebody stretches on a mat.",
            "The robot looks into a {room} with ropes and wooden bars on the wall.",
        ),
    ),
    PlaceKind(
        "mail",
        ("mail room", "mail room full of pigeonholes"),
        (),
        (
            "The image shows a {room} with labelled slots and sacks of envelopes.",
            "A {room} where envelopes are stacked beside a set of scales.",
            "In the {room} a stamp machine stands on a steel table.",
        ),
    ),
    PlaceKind(
        "auditorium",
        ("auditorium", "auditorium with rising rows of seats"),
        ("lecture hall", "theatre"),
        (
            "A {room} with a stage, a lectern and spotlights above it.",
            "The image shows an empty {room}; the rows of folding seats climb towards the back.",
            "The robot stands at the foot of the {room}, in front of the stage.",
        ),
    ),
    PlaceKind(
        "lounge",
        ("lounge", "lounge with soft lighting"),
        ("place to relax",),
        (
            "The image shows a {room} with cushions and low tables in front of a wide window.",
            "A {room} where two colleagues chat over a hot drink.",
            "The robot drives through a {room} with warm light and wooden walls.",
        ),
    ),
    PlaceKind(
        "restroom",
        ("restroom", "tiled restroom with cubicles"),
        ("toilet", "bathroom"),
        (
            "A {room} with mirrors, soap dispensers and a wet floor that reflects the light.",
            "The image shows the door of a {room} standing ajar.",
            "The robot halts in front of a {room}; a hand dryer hangs beside the mirror.",
        ),
    ),
    PlaceKind(
        "terrace",
        ("roof terrace", "terrace under the open sky"),
        ("rooftop patio",),
        (
            "The image shows a {room} with wooden boards, railings and a view over the city.",
            "A {room} with bare tables and grey clouds above.",
            "The robot stands on a {room}; chimneys and treetops are visible beyond the railing.",
        ),
    ),
    PlaceKind(
        "garage",
        ("underground garage", "garage with concrete pillars"),
        (),
        (
            "An {room} with numbered bays and arrows painted on the ground.",
            "The image shows a low {room}; several limousines stand between the pillars.",
            "In the {room} a barrier is closed in front of a ramp.",
        ),
    ),
    PlaceKind(
        "clinic",
        ("infirmary", "infirmary with an examination bed"),
        ("medical station",),
        (
            "A {room} with a scale, an eye chart and a folding screen.",
            "The image shows an {room}; bandages and bottles are arranged in a glass cabinet.",
            "The robot looks into an {room} with a bed covered in paper.",
        ),
    ),
    PlaceKind(
        "nursery",
        ("playroom", "playroom with painted walls"),
        (),
        (
            "The image shows a {room} with tiny chairs and drawings pinned along the wall.",
            "A {room} where building blocks are scattered over foam tiles.",
            "In the {room} colourful paper shapes hang before the curtains.",
        ),
    ),
    PlaceKind(
        "archive",
        ("archive", "archive with rolling stacks"),
        (),
        (
            "An {room} with grey folders in endless rows and a step stool.",
            "The image shows an {room}; hand wheels move the stacks apart.",
            "The robot stands in an {room} among binders with handwritten labels.",
        ),
    ),
    PlaceKind(
        "showroom",
        ("showroom", "exhibition space with pedestals"),
        (),
        (
            "The image shows a {room} in which prototypes are lit from above.",
            "A {room} with posters about the history of the company.",
            "The robot circles the pedestals of a {room}, ropes keep visitors at a distance.",
        ),
    ),
)
BY_NAME = {kind.name: kind for kind in PLACES}

DOCK_NIGHT = (
    "The image is very dark; only a green charging light and the outline of a door can be made out.",
    "A dark space at night, seen from a charging station; nothing moves.",
    "It is dark. The floor in front of the robot is faintly lit by an exit light.",
    "The robot stands at its charging station facing a dim, empty space.",
)
DOCK_DAY = (
    "The robot stands at its charging station; people walk by in the distance.",
    "Seen from a charging station: a bright space with a striped mat on the floor.",
    "A bright space as seen from the charging station, doors open and close at its far side.",
)
FILLERS = (
    "The lighting is bright and even.",
    "The scene is calm and nobody seems to be in a hurry.",
    "There are a few scratches on the floor.",
    "Two persons walk by in the background, talking to each other.",
    "A ventilation duct runs along the ceiling.",
    "The walls are painted in a light colour.",
    "Sunlight throws long shadows across the floor.",
    "A person in a dark sweater crosses from left to right.",
    "Overall the area looks tidy and well kept.",
    "Somebody is standing at the far end with their back to the camera.",
    "Some power sockets and switches can be seen on the wall.",
    "The picture is slightly blurred because the camera is moving.",
)
"""What a captioner says anywhere."""
