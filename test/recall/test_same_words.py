"""Words that mean the same, and slips of spelling: the package's list, a site's own, and the ways to get it wrong."""

from __future__ import annotations

import dataclasses
import time
from importlib import resources
from pathlib import Path

import pytest
from list_memory import ListMemory
from small_building import ZONE, memories, question

from remembr_ros.errors import ConfigurationError
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.recall.matching import words_of
from remembr_ros.recall.prefetch import first_searches
from remembr_ros.recall.same_words import MAX_BYTES, MAX_TERMS, MAX_WORDS, SameWords, everyday, with_own
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.recall.understand import understand

EVERYDAY = (resources.files("remembr_ros.recall") / "everyday_words.txt").read_text(encoding="utf-8").splitlines()
SAID = frozenset(words_of("A red wallet lies on the chair beside a chainsaw in the showroom, the window is open."))


@pytest.fixture
def site(tmp_path: Path):
    """site(content) -> SameWords of a file with it."""

    def write(content: str | bytes) -> SameWords:
        path = tmp_path / "site words.txt"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return with_own(str(path))

    write.path = tmp_path / "site words.txt"  # type: ignore[attr-defined]
    return write


# -- the package's list


def test_every_line_of_the_package_is_lower_case_and_names_each_term_once() -> None:
    groups = [line for line in EVERYDAY if line and not line.startswith("#")]
    assert len(groups) > 200
    for line in groups:
        kind, colon, members = line.rpartition(":")
        terms = [term.strip() for term in members.split(",")]
        assert line == line.lower() and "  " not in line and "#" not in line, line
        assert all(terms) and len(terms) == len(set(terms)), line
        assert not colon or kind.strip() not in terms, line
    assert len(groups) == len(set(groups))


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("pram", "stroller"),
        ("loo", "restroom"),
        ("AED", "defibrillator"),
        ("lift", "elevator"),
        ("prams", "stroller"),
        ("vehicle", "forklift"),
        ("something to eat", "banana"),
    ],
)
def test_other_words_for_the_same(asked: str, found: str) -> None:
    assert found in everyday().others(asked)


# -- groups and kinds


def test_each_of_a_group_means_the_others_in_their_order() -> None:
    words = SameWords(["sofa, couch, settee"])
    assert words.others("couch") == ["sofa", "settee"] and words.others("sofas") == ["couch", "settee"]
    assert words.others("chair") == [] and words.others("") == []


def test_a_kind_means_its_members_but_a_member_not_the_kind() -> None:
    words = SameWords(["pet: dog, cat"])
    assert words.others("pet") == ["dog", "cat"]
    assert words.others("dog") == [] and words.has(["dog"]) and words.knows("Dogs")


def test_the_longest_term_counts_and_the_noun_at_the_end() -> None:
    words = SameWords(["cart, trolley", "shopping cart, supermarket cart", "lift, elevator", "door, gate"])
    assert words.others("shopping cart") == ["supermarket cart"]
    assert words.others("lift door") == ["lift gate"]


def test_colours_and_other_words_stay_plain_ones_go() -> None:
    words = SameWords(["pram, stroller", "bike, bicycle"])
    assert words.others("red pram in the hall") == ["red stroller in the hall"]
    assert words.others("big old bike") == ["bike", "bicycle"]
    assert words.others("old red bike") == ["red bike", "red bicycle"]


def test_an_article_is_no_end_of_a_word() -> None:
    words = SameWords(["the tea kitchen, a sea lion, a woman with the drum"])
    assert words.others("tea kitchen") == ["sea lion", "woman with the drum"]
    assert words.has(["tea", "kitchen"]) and words.has(["woman", "with", "the", "drum"])


def test_terms_of_several_words_are_told_from_single_ones() -> None:
    words = SameWords(["chain saw, chainsaw", "fire door, fire exit, emergency exit door"])
    asked = ["the", "chain", "saws", "and", "the", "chainsaw", "behind", "emergency", "exit", "doors"]
    assert list(words.terms_in(asked)) == [(1, 3), (7, 10)] and words.has(["chainsaw"])
    assert list(SameWords([]).terms_in(asked)) == list(words.terms_in([])) == []


# -- slips


@pytest.mark.parametrize(
    ("asked", "right"),
    [
        ("walet", "wallet"),
        ("red walet", "red wallet"),
        ("chain saw", "chainsaw"),
        ("show room", "showroom"),
        ("foklift", "forklift"),
        ("strolller", "stroller"),
        ("defibrilator", "defibrillator"),
        ("tromboone", "trombone"),
    ],
)
def test_slips_of_spelling_are_put_right(asked: str, right: str) -> None:
    assert everyday().spelled(asked, SAID) == right


@pytest.mark.parametrize(
    "asked",
    [
        *("trombone", "choir", "widow", "scanner", "trailer", "planet", "mountain", "river", "dessert", "crowd"),
        *(
            "beside",
            "photograph",
            "route",
            "chiar",
            "hare",
            "wal",
            "blak",
            "the there",
            "yellow",
            "room 1012",
            "wallets",
            "chair",
            "",
        ),
    ],
)
def test_other_words_short_words_and_numbers_are_left_alone(asked: str) -> None:
    assert everyday().spelled(asked, SAID) == asked


@pytest.mark.parametrize(
    ("asked", "found"),
    [("Where is Sofia?", False), ("Where is the sofia?", True), ("Where is Karin?", False), ("Is Doris here?", False)],
)
def test_a_name_is_no_slip_of_a_thing(ask, asked: str, found: bool) -> None:
    captions = ("A sofa in the lobby.", "A cabin with a door.", "A grey wall.")
    seen = [dataclasses.replace(memory, caption=caption) for memory, caption in zip(memories(), captions, strict=False)]
    assert bool(ask(ListMemory(seen, HashingEmbedder(256)), asked).evidence) is found


# -- a site's own file


def test_the_sites_words_come_first_and_what_means_the_same_follows(site) -> None:
    words = site("Bertha, big forklift, forklift\nrobot lab, room 101\nour fleet: bertha, pallet jack\n")
    assert words.others("bertha")[:3] == ["big forklift", "forklift", "fork truck"]
    assert words.others("red forklift")[:2] == ["red bertha", "red big forklift"]
    assert words.others("robot lab") == ["room 101"]
    assert words.others("our fleet")[:2] == ["bertha", "pallet jack"]
    assert words.others("pram") == everyday().others("pram")
    assert words.knows("Bertha") and words.spelled("berta", SAID) == "bertha"
    assert not everyday().knows("bertha"), "the package's list is not changed"


def test_a_sites_meaning_stands_before_the_everyday_one(site) -> None:
    assert site("lift, forklift").others("lift")[0] == "forklift"
    assert "elevator" in site("lift, forklift").others("lift")


def test_the_rules_and_the_first_searches_of_an_agent_go_by_them(ask, site) -> None:
    words = site("Bertha, forklift\n")
    seen = [dataclasses.replace(memory, caption="A forklift.") for memory in memories()[:1]]
    memory = ListMemory(seen, HashingEmbedder(256))
    assert not ask(memory, "Where is Bertha?").evidence
    settings = RecallSettings(words_file=str(site.path))
    assert "A forklift." in ask(memory, "Where is Bertha?", settings=settings).text
    asked = question("Where is Bertha?")
    searches = first_searches(understand(asked, ZONE), asked, words)
    assert any(str(call.arguments.get("query")).startswith("forklift, ") for call in searches)


def test_no_file_is_the_packages_list() -> None:
    assert with_own("") is everyday()


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffthe Beast, forklift",  # Windows' mark of UTF-8
        "# ours\r\n\r\nthe beast, forklift # as all say\r\n",
        "  the  beast ,forklift  ",
        "x\u2028y, z\nthe beast, forklift",
    ],
)
def test_files_of_any_editor_are_read_and_articles_do_not_count(site, content: str) -> None:
    assert site(content).others("beast")[0] == "forklift"


def test_the_example_of_the_package_can_be_used() -> None:
    example = Path(__file__).resolve().parents[2] / "config" / "site_words.txt"
    words = with_own(str(example))
    assert "forklift" in words.others("bertha") and "room 101" in words.others("robot lab")
    lines = example.read_text().splitlines()
    assert all(len(line) <= 121 for line in lines) and any(line.startswith("#") for line in lines)


@pytest.mark.parametrize(
    "line",
    [
        *("forklift", "a,, b", "a, ", ", b", "fleet:", ": bertha", "a: b: c", "a, b: c", "!!, bertha", "a; b"),
        *("the: bertha, !", ",", ":", "\x00, \x01"),
    ],
)
def test_a_malformed_line_is_named_with_its_number(site, line: str) -> None:
    with pytest.raises(ConfigurationError, match=r"words_file: .*site words.txt, line 3: .* is neither") as error:
        site(f"# ours\r\nbertha, forklift\r\n{line}\n")
    assert "\x00" not in str(error.value)


@pytest.mark.parametrize(
    "line",
    [
        ", ".join(f"word{n}" for n in range(MAX_TERMS + 1)),
        f"bertha, {'big ' * MAX_WORDS}forklift",
        f"bertha, {'x ' * 40_000}",
    ],
)
def test_a_line_without_end_is_named_and_not_repeated(site, line: str) -> None:
    with pytest.raises(ConfigurationError, match=r"line 2: .* is too long; a line has at most") as error:
        site(f"bertha, forklift\n{line}\n")
    assert len(str(error.value)) < 500


def test_what_is_not_utf8_is_named_with_its_line(site) -> None:
    with pytest.raises(ConfigurationError, match="line 2: this is not UTF-8"):
        site("bertha, forklift\ncafé, canteen\n".encode("latin-1"))


@pytest.mark.parametrize("path", ["/no/such/words.txt", "~nobody-here/words.txt", "/dev/zero", "/", "words\0.txt"])
def test_a_file_that_cannot_be_read_is_named(path: str) -> None:
    with pytest.raises(ConfigurationError, match=r"recall\.words_file: cannot read") as error:
        with_own(path)
    assert repr(path) in str(error.value)


def test_a_huge_file_is_refused_and_the_largest_allowed_one_is_quick(site) -> None:
    with pytest.raises(ConfigurationError, match=f"more than {MAX_BYTES} bytes"):
        site("bertha, forklift\n" * (MAX_BYTES // 10))
    line = ", ".join(f"w{n}" for n in range(MAX_TERMS)) + "\n"
    began = time.process_time()
    words = site(line * (MAX_BYTES // len(line)))
    words.others(" ".join(["w1"] * 500))
    assert len(words.others("w1")) == MAX_TERMS - 1
    assert time.process_time() - began < 5.0


def test_words_that_are_alike_to_the_stem_are_no_others() -> None:
    assert SameWords(["banana, bananas, plantain"]).others("banana") == ["plantain"]
    assert words_of("chemist's") == ["chemist"], "a possessive is no other word"
