"""The kinds of things and people of a simulated deployment: how captions name them, and how people ask for them.

The two lists of a kind share no content word (test_sim_words.py); colours, and the numbers and names on signs, are the
same in both. Kinds of half "a" appear in deployments with seeds below 100, those of half "b" in the others: rules tuned
on the first have never met the second. Pairs that the packaged embedder does not connect at all ("brolly" for an
umbrella) were left out, by a measurement of the embedder alone: this measures remembering, not vocabulary.
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
)
HALVES = {half: tuple(kind for kind in KINDS if kind.half == half) for half in "ab"}

COLOURS = ("red", "green", "blue", "yellow", "black", "white", "orange", "purple", "brown", "grey")
ANIMAL_COLOURS = ("brown", "black", "white", "grey")
ANIMALS = ("dog", "cat", "rabbit", "teddy")

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
}
"""What no deployment of that half ever has."""
NAMES = {
    "a": ("Petersen", "Okonkwo", "Lindqvist", "Moreau", "Tanaka", "Novak", "Castillo", "Brandt", "Haddad", "Kowalski"),
    "b": (
        "Fischer", "Adeyemi", "Svensson", "Dubois", "Yamamoto", "Horvat", "Ramirez", "Schuster", "Nasser", "Zielinski",
    ),
}
ABSENT_NAMES = {"a": ("Whitfield", "Delgado", "Iversen"), "b": ("Pemberton", "Galvani", "Thorvaldsen")}
NOTICES = {
    "a": ("FIRE DRILL ON FRIDAY", "WET PAINT", "LOST CAT, CALL 5512", "NO WATER UNTIL NOON", "BLOOD DONATION TODAY"),
    "b": ("SUMMER PARTY ON SATURDAY", "MIND THE STEP", "FOUND: ONE GLOVE", "NO FOOD HERE", "COUNCIL ELECTION"),
}
# fmt: on
