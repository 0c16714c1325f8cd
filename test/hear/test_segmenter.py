"""Where utterances begin and end, from probabilities alone; and that no sample is lost."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from remembr_ros.errors import ConfigurationError
from remembr_ros.hear.audio import AudioBlock
from remembr_ros.hear.segmenter import FRAME, FRAME_NS, Segmenter, SegmenterSettings, Utterance


class Stub:
    """Probability of frame n; the sound of frame n is the number n."""

    def __init__(self, probability: Callable[[int], float]) -> None:
        self.probability = probability
        self.resets = 0

    def __call__(self, frame: np.ndarray) -> float:
        return self.probability(int(frame[0]))

    def reset(self) -> None:
        self.resets += 1


def heard(
    probability: Callable[[int], float],
    frames: int,
    settings: SegmenterSettings | None = None,
    block: int = FRAME,
    starts: list[int] | None = None,
) -> list[Utterance]:
    segmenter = Segmenter(Stub(probability), settings, on_speech_start=[].append if starts is None else starts.append)
    sound = np.repeat(np.arange(frames, dtype=np.float32), FRAME)
    found = []
    for at in range(0, len(sound), block):
        found += segmenter.add(AudioBlock(at * 62_500, sound[at : at + block]))
    return found + segmenter.flush()


def spans(utterance: Utterance) -> tuple[int, int]:
    """First and last frame in it."""
    return int(utterance.samples[0]), int(utterance.samples[-1])


def field_fault_47(frame: int) -> float:
    """Speech truly from frame 20; the detector sees it from 26; a pause of 400 ms (13 frames); ends at 90."""
    return 0.9 if 26 <= frame < 45 or 58 <= frame < 90 else 0.1


def test_field_fault_47_the_first_word_is_not_cut_and_a_pause_does_not_split() -> None:
    (utterance,) = heard(field_fault_47, 150)
    first, last = spans(utterance)
    assert first <= 20 and 26 - first >= 0.3 / 0.032 - 1
    assert last >= 90 + 5, "a trailing pad is kept"
    assert (utterance.speech_start_ns, utterance.speech_end_ns) == (26 * FRAME_NS, 90 * FRAME_NS)
    assert utterance.start_ns == first * FRAME_NS and not utterance.truncated


@pytest.mark.parametrize("block", [1, 160, 320, 511, 512, 513, 4096])
def test_the_cut_into_blocks_does_not_matter(block: int) -> None:
    (utterance,) = heard(field_fault_47, 150, block=block)
    (wanted,) = heard(field_fault_47, 150)
    assert spans(utterance) == spans(wanted) and utterance.speech_start_ns == wanted.speech_start_ns


def test_a_long_pause_makes_two_utterances() -> None:
    first, second = heard(lambda frame: 0.9 if 20 <= frame < 40 or 80 <= frame < 100 else 0.0, 150)
    assert spans(first)[1] < spans(second)[0] + 1 and spans(second)[0] <= 80 - 9


def test_a_too_long_utterance_comes_in_pieces_and_no_sample_is_lost() -> None:
    settings = SegmenterSettings(max_length_s=4.0)
    found = heard(lambda frame: (0.6 if frame % 40 == 35 else 0.9) if 20 <= frame < 400 else 0.0, 450, settings)
    assert len(found) > 2 and [one.truncated for one in found] == [True] * (len(found) - 1) + [False]
    together = np.concatenate([one.samples for one in found])
    assert np.array_equal(together, np.repeat(np.arange(spans(found[0])[0], spans(found[-1])[1] + 1), FRAME))
    assert all(after.start_ns == before.end_ns for before, after in pairwise(found))
    assert all(spans(one)[1] % 40 == 35 for one in found[:-1]), "cut where speech is least likely"


def test_in_a_pause_what_was_said_is_the_utterance_that_comes_if_nobody_goes_on() -> None:
    segmenter = Segmenter(Stub(field_fault_47))
    pauses: list[Utterance] = []
    ended: list[Utterance] = []
    for frame in range(150):
        ended += segmenter.add(AudioBlock(frame * FRAME_NS, np.full(FRAME, frame, np.float32)))
        if segmenter.pause is not None and all(segmenter.pause is not one for one in pauses):
            pauses.append(segmenter.pause)
        assert segmenter.pause is None or not 58 <= frame < 90, "somebody speaks again"
    (utterance,) = ended
    assert [spans(pause)[1] for pause in pauses] == [44 + 10, 89 + 10], "0.3 s of each pause"
    assert np.array_equal(pauses[1].samples, utterance.samples)
    assert (pauses[1].start_ns, pauses[1].speech_end_ns) == (utterance.start_ns, utterance.speech_end_ns)
    assert segmenter.pause is None


def test_a_click_is_no_utterance_and_announces_nobody() -> None:
    starts: list[int] = []
    assert heard(lambda frame: 0.9 if frame in (20, 21, 22) else 0.0, 100, starts=starts) == [] and starts == []


def test_speech_is_announced_once_while_it_goes_on() -> None:
    starts: list[int] = []
    heard(field_fault_47, 150, starts=starts)
    assert starts == [26 * FRAME_NS]


def test_hysteresis_keeps_a_word_that_fades() -> None:
    fading = heard(lambda frame: 0.9 if 20 <= frame < 30 else 0.4 if 30 <= frame < 60 else 0.0, 120)
    assert fading[0].speech_end_ns == 60 * FRAME_NS
    assert heard(lambda frame: 0.4, 100) == []


def test_the_end_of_the_stream_ends_what_was_going_on() -> None:
    (utterance,) = heard(lambda frame: 0.9 if frame >= 20 else 0.0, 50)
    assert spans(utterance)[1] == 49


def test_a_gap_or_a_clock_set_back_ends_an_utterance_and_forgets_the_detector() -> None:
    for jump_ns in (5 * 10**9, -5 * 10**9):
        stub = Stub(lambda frame: 0.9)
        segmenter = Segmenter(stub)
        first, second = np.zeros(FRAME * 30, np.float32), np.ones(FRAME * 30, np.float32)
        assert segmenter.add(AudioBlock(10**10, first)) == []
        (utterance,) = segmenter.add(AudioBlock(10**10 + 30 * FRAME_NS + jump_ns, second))
        assert len(utterance.samples) == 30 * FRAME and stub.resets >= 1
        assert segmenter.speaking


def test_jitter_of_the_stamps_is_no_gap() -> None:
    segmenter, found = Segmenter(Stub(field_fault_47)), []
    jitter = np.random.default_rng(0).integers(-50_000_000, 50_000_000, 150)
    for number in range(150):
        block = np.full(FRAME, number, np.float32)
        found += segmenter.add(AudioBlock(10**10 + number * FRAME_NS + int(jitter[number]), block))
    assert len(found) == 1


@pytest.mark.parametrize(
    "wrong", [{"threshold": 0.0}, {"threshold": 1.0}, {"max_length_s": 40.0}, {"max_pause_s": 25.0}]
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match="vad"):
        SegmenterSettings(**wrong)
