"""The demo's judge: right answers pass, wrong ones do not, and the truth needs nothing of the package."""

from types import SimpleNamespace
from typing import Any

import pytest

from demo.questions import Asking, Truth
from demo.route import plan_tour
from demo.world import Place, make_world

START_NS = 1_780_304_400_000_000_000


@pytest.fixture(scope="module")
def truth() -> Truth:
    world = make_world(1)
    return Truth(world, plan_tour(world, 5), START_NS)


def answer(**fields: Any) -> Any:
    """Fields of msg/Answer that the judge reads."""
    empty = {"has_pose": False, "has_time": False, "has_duration": False, "yes_no": -1, "count": -1, "text": ""}
    return SimpleNamespace(**(empty | fields))


def at(x: float, y: float) -> dict[str, Any]:
    return {"has_pose": True, "pose": SimpleNamespace(pose=SimpleNamespace(position=SimpleNamespace(x=x, y=y)))}


def of_kind(truth: Truth, kind: str) -> Asking:
    return next(asking for asking in truth.questions() if asking.kind == kind)


@pytest.mark.parametrize("seed", range(1, 13))
def test_questions_of_every_kind_about_things_that_were_seen(seed: int) -> None:
    world = make_world(seed)
    truth = Truth(world, plan_tour(world, 4), START_NS)
    questions = truth.questions()
    assert {"where", "how long", "yes", "no", "what", "go"} <= {asking.kind for asking in questions}
    assert {"first", "last"} & {asking.kind for asking in questions}
    seen = {view.print_index for view in truth.views}
    assert all(asking.print_index in seen for asking in questions if asking.kind != "no")
    no = next(asking for asking in questions if asking.kind == "no")
    assert no.word not in {word for index in seen for word in world.prints[index].photograph.words}


def test_where_is_right_in_the_room_and_wrong_next_door(truth: Truth) -> None:
    asking = of_kind(truth, "where")
    spot = truth.world.rooms[asking.print_index].spot
    assert truth.judge(asking, answer(**at(spot.x, spot.y))).right
    assert not truth.judge(asking, answer(**at(spot.x + 4.0, spot.y))).right
    assert not truth.judge(asking, answer()).right


def test_when_is_right_within_five_seconds(truth: Truth) -> None:
    asking = next(a for a in truth.questions() if a.kind in ("first", "last"))
    view = [v for v in truth.views if v.print_index == asking.print_index][0 if asking.kind == "first" else -1]

    def told(seconds: float) -> Any:
        stamp_ns = START_NS + round(seconds * 1e9)
        return answer(has_time=True, time=SimpleNamespace(sec=stamp_ns // 10**9, nanosec=stamp_ns % 10**9))

    assert truth.judge(asking, told(view.start_s)).right
    assert truth.judge(asking, told(view.end_s + 4.5)).right
    assert not truth.judge(asking, told(view.start_s - 6.0)).right


def test_how_long_is_right_within_six_seconds_or_a_quarter(truth: Truth) -> None:
    asking = of_kind(truth, "how long")
    view = next(v for v in truth.views if v.print_index == asking.print_index)
    length = view.end_s - view.start_s

    def told(seconds: float) -> Any:
        return answer(has_duration=True, duration=SimpleNamespace(sec=int(seconds), nanosec=0))

    assert truth.judge(asking, told(length)).right
    assert not truth.judge(asking, told(length + 8.0 + 0.25 * length)).right


def test_yes_and_no(truth: Truth) -> None:
    assert truth.judge(of_kind(truth, "yes"), answer(yes_no=1)).right
    assert not truth.judge(of_kind(truth, "yes"), answer(yes_no=0)).right
    assert truth.judge(of_kind(truth, "no"), answer(yes_no=0)).right
    assert not truth.judge(of_kind(truth, "no"), answer(yes_no=-1)).right


def test_what_needs_a_word_of_the_photograph(truth: Truth) -> None:
    asking = of_kind(truth, "what")
    word = truth.world.prints[asking.print_index].photograph.words[0]
    assert truth.judge(asking, answer(text=f"I see a {word}.")).right
    assert not truth.judge(asking, answer(text="I see a submarine.")).right


def test_going_counts_only_when_the_robot_stands_there_and_sees_it(truth: Truth) -> None:
    asking = of_kind(truth, "go")
    spot = truth.world.rooms[asking.print_index].spot
    told = answer(**at(spot.x, spot.y))
    assert truth.judge(asking, told, spot).right
    assert not truth.judge(asking, told, Place(spot.x, spot.y, spot.yaw + 3.0)).right
    assert not truth.judge(asking, told, Place(spot.x, spot.y - 1.0, spot.yaw)).right
    assert not truth.judge(asking, told, None).right
