"""The kinds of things and people of a simulated deployment: how captions name them, and how people ask for them.

The two lists of a kind share no content word (test_sim_words.py); colours, and the numbers and names on signs, are the
same in both. Kinds of half "a" appear in deployments with seeds below 100, those of "b" from 100 to 199, those of "c"
from 200: rules tuned on one have never met the others. Pairs that the packaged embedder does not connect at all
("brolly" for an umbrella) were left out, by a measurement of the embedder alone: this measures remembering, not
vocabulary. The median likeness of an asked form to the noted ones is 0.63 in "a", 0.61 in "b" and 0.57 in "c".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """How a thing is about."""

    FIXTURE = "fixture"
    """At several places at once, for good."""
    MOVABLE = "movable"
    """One of it, carried elsewhere every few days."""
    RARE = "rare"
    """There for an hour or so, once to four times in all."""
    PERSON = "person"
    """Comes at its hours on its days of the week."""


@dataclass(frozen=True, slots=True)
class Kind:
    """`noted`: what captions call it, after an article and, if `coloured`, a colour; `asked`: what people call it.

    Of a coloured kind there may be several, told apart by colour. `where`: kinds of places it fits; empty = anywhere.
    `plural`: more than one, so no article.
    """

    name: str
    half: str
    role: Role
    noted: tuple[str, ...]
    asked: tuple[str, ...]
    coloured: bool = False
    plural: bool = False
    where: tuple[str, ...] = ()


def _kinds(half: str, role: Role, rows: str) -> tuple[Kind, ...]:
    """Lines "name | noted, noted | asked, asked | flags", flags: coloured, plural, @place,place."""
    made = []
    for row in rows.strip().splitlines():
        name, noted, asked, flags = (f"{row} |").split("|")[:4]
        words = flags.split()
        where = next((tuple(word[1:].split(",")) for word in words if word.startswith("@")), ())
        made.append(
            Kind(
                name.strip(),
                half,
                role,
                tuple(part.strip() for part in noted.split(",")),
                tuple(part.strip() for part in asked.split(",")),
                "coloured" in words,
                "plural" in words,
                where,
            )
        )
    return tuple(made)


KINDS: tuple[Kind, ...] = (
    *_kinds(
        "a",
        Role.FIXTURE,
        """
        elevator | elevator | lift | @hallway,entrance,garage,dock
        refrigerator | refrigerator | fridge | @kitchen,canteen,laboratory,clinic
        sofa | sofa, settee | couch | coloured
        television | television, flat-screen television | TV | @lounge,canteen,reception,gym
        extinguisher | fire extinguisher | something to put out flames, flame suppression device
        aquarium | aquarium | fish tank, tank with fish | @lounge,reception,clinic,nursery
        ping_pong | ping-pong net | table tennis | @gym,lounge,nursery
        """,
    ),
    *_kinds(
        "b",
        Role.FIXTURE,
        """
        coffee | coffee machine | espresso, espresso maker | @kitchen,lounge,office,canteen
        stairs | stairs | staircase, stairwell | @hallway,entrance,garage,auditorium
        piano | piano | pianoforte | @auditorium,lounge,showroom
        bookshelf | bookshelf, row of bookshelves | bookcase | @library,archive,office,lounge
        defibrillator | defibrillator | device for a heart attack, device for cardiac arrest
        vending | vending machine | snacks for sale, place that sells snacks | @hallway,canteen,lounge,gym
        rug | rug | carpet | coloured
        """,
    ),
    *_kinds(
        "a",
        Role.MOVABLE,
        """
        bicycle | bicycle | bike, bike to ride | coloured
        wheelchair | wheelchair | mobility aid for disabled people, seat for a disabled person
        cart | cleaning cart | housekeeping trolley
        vacuum | vacuum cleaner | hoover
        loudspeaker | loudspeaker | sound system
        xmas_tree | christmas tree | decorated fir, holiday decoration
        """,
    ),
    *_kinds(
        "b",
        Role.MOVABLE,
        """
        motorcycle | motorcycle | motorbike | coloured
        stroller | stroller, baby stroller | infant carriage, pram
        forklift | forklift | fork truck
        projector | projector | beamer
        chainsaw | chainsaw | motorized saw
        bathtub | bathtub | tub, place to bathe
        """,
    ),
    *_kinds(
        "a",
        Role.RARE,
        """
        suitcase | suitcase | luggage, piece of luggage | coloured
        dog | dog | canine, pet on a leash | coloured
        cat | cat | kitten, kitty | coloured
        teddy | teddy bear | stuffed animal, plush toy | coloured
        laptop | laptop | notebook computer
        phone | mobile phone | smartphone
        eyeglasses | eyeglasses | spectacles, eyewear | plural
        drone | drone | quadcopter, unmanned aircraft
        soccer_ball | soccer ball | football
        boots | rubber boots | waterproof footwear | coloured plural
        cake | birthday cake | celebration dessert, party dessert
        bananas | bananas | fruit | plural
        newspaper | newspaper | daily press, tabloid
        bride | bride in a wedding gown | woman getting married
        saxophone | saxophone | brass instrument, jazz instrument
        sewing | sewing machine | device to stitch clothes
        smashed | broken glass | shattered pane, smashed pane
        ambulance | ambulance | emergency vehicle, rescue vehicle
        """,
    ),
    *_kinds(
        "b",
        Role.RARE,
        """
        rabbit | rabbit | bunny, hare | coloured
        headphones | headphones | earphones, headset | coloured plural
        sneakers | sneakers | running shoes, sports shoes | coloured plural
        helmet | helmet | protective headgear | coloured
        tent | tent | camping shelter | coloured
        keys | bunch of keys | keychain, keyring
        wallet | wallet | purse, purse with money | coloured
        trophy | trophy | award, cup for the winner
        wristwatch | wristwatch | timepiece, watch
        tulips | tulips in a vase | flowers, floral arrangement | plural
        snake | snake | reptile, serpent
        magazine | magazine | journal
        pizza | pizza | italian food
        console | game console | playstation
        calculator | calculator | arithmetic device
        hammer | hammer | tool to drive nails
        car | toy car | miniature automobile | coloured
        knife | knife | blade
        """,
    ),
    *_kinds(
        "a",
        Role.PERSON,
        """
        police | policeman | cop, somebody from law enforcement
        doctor | doctor in a white coat | physician, medical person
        children | children playing | kids, youngsters | plural
        courier | courier | delivery person, delivery man
        elderly | elderly lady with a cane | senior citizen, grandmother
        priest | priest | pastor, clergyman
        """,
    ),
    *_kinds(
        "b",
        Role.PERSON,
        """
        soldier | soldier in uniform | military person, army man
        firefighters | firefighters | firemen, fire brigade | plural
        singers | singers | choir, people giving a concert | plural
        gardener | gardener with shears | landscaper
        toddler | toddler | small child, infant
        guard | uniformed guard | security officer, security man
        """,
    ),
    *_kinds(
        "c",
        Role.FIXTURE,
        """
        printer | printer | photocopier, copier | @office,library,mail,reception,archive
        trash | trash can | garbage bin, waste basket | coloured
        sanitizer | hand sanitizer dispenser | disinfectant, something to disinfect my fingers
        whiteboard | whiteboard | blackboard, dry erase board | @meeting,office,laboratory,auditorium,workshop
        washer | washing machine | laundry appliance, place for doing laundry | @gym,storage,clinic,nursery,kitchen
        microwave | microwave | appliance to heat food | @kitchen,canteen,lounge,office
        fountain | drinking fountain | water cooler | @hallway,gym,canteen,entrance
        """,
    ),
    *_kinds(
        "c",
        Role.MOVABLE,
        """
        toolbox | toolbox | tool chest, case with tools | coloured
        stepladder | stepladder | climbing steps, steps to climb
        heater | portable heater | device for warming up a room
        oxygen | oxygen cylinder | breathing gas, gas bottle
        broom | broom | sweeping brush, something to sweep up with
        compressor | air compressor | pneumatic pump, machine for pressurized gas
        """,
    ),
    *_kinds(
        "c",
        Role.RARE,
        """
        backpack | backpack | school bag | coloured
        raincoat | raincoat | rain jacket, waterproof jacket | coloured
        cap | baseball cap | hat, headwear | coloured
        pigeon | pigeon | bird, dove | coloured
        balloons | balloons | inflatables, inflatable decorations | coloured plural
        skateboard | skateboard | longboard, board with four wheels | coloured
        usb | USB stick | flash drive, thumb drive
        tablet | tablet computer | ipad, touchscreen device
        guitar | guitar | string instrument, banjo
        hamburger | hamburger | burger, fast food
        puddle | puddle of water | spill, spilled liquid
        parcel | parcel | package
        scissors | pair of scissors | cutting tool
        rat | rat | rodent, mouse
        passport | passport | travel document, identity document
        pills | bottle of pills | medication
        syringe | syringe | needle
        thermometer | thermometer | fever gauge, device to take a temperature
        """,
    ),
    *_kinds(
        "c",
        Role.PERSON,
        """
        nurse | nurse in scrubs | hospital worker, medical assistant
        janitor | janitor with a mop | caretaker, custodian
        electrician | electrician | technician, somebody who repairs the wiring
        photographer | photographer | cameraman, man taking pictures
        builders | construction workers | builders, people on the building site | plural
        chef | chef in a tall hat | cook, man who cooks
        """,
    ),
)
HALVES = {half: tuple(kind for kind in KINDS if kind.half == half) for half in "abc"}


def half_of(seed: int) -> str:
    """Whose things the deployment of a seed has."""
    return "a" if seed < 100 else "b" if seed < 200 else "c"


COLOURS = ("red", "green", "blue", "yellow", "black", "white", "orange", "purple", "brown", "grey")
ANIMAL_COLOURS = ("brown", "black", "white", "grey")
ANIMALS = ("dog", "cat", "rabbit", "teddy", "pigeon")

# fmt: off
ABSENT = {
    "a": (
        "accordion", "canoe", "parrot", "camel", "lawn mower", "drum kit", "horse", "surfboard", "tractor", "snowman",
        "jukebox", "billiard table", "fax machine", "telescope", "umbrella", "microscope", "wheelbarrow",
    ),
    "b": (
        "cement mixer", "trampoline", "elephant", "harp", "typewriter", "snowboard", "totem pole", "sailboat",
        "kangaroo", "loom", "trombone", "beehive", "windmill", "sledge", "parachute", "anvil", "cactus",
    ),
    "c": (
        "escalator", "sauna", "hammock", "cello", "goat", "crocodile", "spinning wheel", "rowing boat", "snow plough",
        "barbecue grill", "tortoise", "xylophone", "waffle iron", "chandelier", "unicycle", "gong", "hot tub",
    ),
}
"""What no deployment of that half ever has."""
NAMES = {
    "a": ("Petersen", "Okonkwo", "Lindqvist", "Moreau", "Tanaka", "Novak", "Castillo", "Brandt", "Haddad", "Kowalski"),
    "b": (
        "Fischer", "Adeyemi", "Svensson", "Dubois", "Yamamoto", "Horvat", "Ramirez", "Schuster", "Nasser", "Zielinski",
    ),
    "c": (
        "Hoffmann", "Mensah", "Eriksson", "Lefebvre", "Nakamura", "Popescu", "Herrera", "Keller", "Rahman",
        "Wisniewski",
    ),
}
ABSENT_NAMES = {
    "a": ("Whitfield", "Delgado", "Iversen"),
    "b": ("Pemberton", "Galvani", "Thorvaldsen"),
    "c": ("Hathaway", "Bianchi", "Jorgensen"),
}
NOTICES = {
    "a": ("FIRE DRILL ON FRIDAY", "WET PAINT", "LOST CAT, CALL 5512", "NO WATER UNTIL NOON", "BLOOD DONATION TODAY"),
    "b": ("SUMMER PARTY ON SATURDAY", "MIND THE STEP", "FOUND: ONE GLOVE", "NO FOOD HERE", "COUNCIL ELECTION"),
    "c": ("FLU SHOTS ON TUESDAY", "QUIET PLEASE", "OUT OF ORDER", "BAKE SALE ON THURSDAY", "KEEP THIS DOOR SHUT"),
}
# fmt: on
