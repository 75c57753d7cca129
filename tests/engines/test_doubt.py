"""Unsure → neutral with low confidence (seed 001 A.1 to A.3, rule 3), in every protocol."""

from __future__ import annotations

import pytest

from samsim.pipeline.api import Pipeline

PROTOCOLS = ("cr_v1", "cr_v2", "single", "debate")
PIPELINES = {protocol: Pipeline({"protocol": protocol}) for protocol in PROTOCOLS}
LOW = 0.4

DOUBTED = {
    "향이 좋은지 잘 모르겠어요": "향",
    "향이 좋은지는 아직 잘 모르겠네요.": "향",
    "향이 좋은 건지 모르겠어요.": "향",
    "빵이 맛있는지 잘 모르겠어요.": "빵",
    "품질이 나쁜지 잘 모르겠습니다.": "품질",
    "향이 좋은지 아닌지 모르겠다.": "향",
    "향이 좋은지 나쁜지 판단이 안 서요.": "향",
    "향이 안 좋은지 모르겠어요.": "향",
    "소리가 좋은지 확실하지 않아요.": "소리",
    "소리가 나쁜지 확신이 없어요.": "소리",
    "품질이 좋은지 의문이에요.": "품질",
    "음질이 좋은지 알 수가 없네요.": "음질",
    "음질이 좋을지도 몰라요.": "음질",
    "음질이 좋은가 싶어요.": "음질",
    "음질이 좋다고 해야 할지 모르겠어요.": "음질",
    "향이 좋은지는 써봐야 알 것 같아요.": "향",
    "I'm not sure whether the sound is good": "sound",
    "I'm not sure if the sound is bad.": "sound",
    "I am not entirely sure the sound is good.": "sound",
    "I'm not certain that the screen is dim.": "screen",
    "I don't know if the sound is good.": "sound",
    "I can't tell whether the picture is blurry.": "picture",
    "It's hard to say if the battery is reliable.": "battery",
    "It is too early to tell whether the strap is durable.": "strap",
    "I have no idea if the food is good.": "food",
    "I'm unsure whether the speakers are bad.": "speakers",
    "It is not clear whether the waiter was rude.": "waiter",
    "I wonder if the sound is good.": "sound",
    "I doubt the sound is good.": "sound",
    "The jury is still out on whether the battery is good.": "battery",
    "Whether the camera is good remains to be seen.": "camera",
    "Not sure if it's good.": "",
    "I'm not sure if I would buy it again.": "",
}
# (aspect, polarity) of what is said beside a doubt, or with its words but without doubting.
STATED = {
    "가격이 비싼지 잘 모르겠지만 디자인은 예뻐요.": ("디자인", "positive"),
    "간식이 맛있는지 아이가 잘 먹어요.": ("간식", "positive"),
    "향이 얼마나 좋은지 몰라요!": ("향", "positive"),
    "가격이 왜 이렇게 비싼지 모르겠어요.": ("가격", "negative"),
    "향이 이렇게 좋은지 몰랐어요.": ("향", "positive"),
    "향이 좋지 않을까 싶어요.": ("향", "positive"),
    "사용법이 헷갈려요.": ("사용법", "negative"),
    "I'm not sure if it's just me but the food is bland.": ("food", "negative"),
    "I don't know why people complain, the food is great.": ("food", "positive"),
    "No doubt the sound is good.": ("sound", "positive"),
    "I don't doubt the sound is good.": ("sound", "positive"),
    "I'm sure the sound is good.": ("sound", "positive"),
    "The setup was hard.": ("setup", "negative"),
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("text", DOUBTED)
def test_what_the_writer_is_unsure_of_is_neutral_with_low_confidence(text: str, protocol: str) -> None:
    (only,) = PIPELINES[protocol].analyze(text).final_tuples
    assert (only.aspect_term, only.polarity) == (DOUBTED[text], "neutral")
    assert only.confidence <= LOW


@pytest.mark.parametrize("text", ["좋은지 잘 모르겠어요.", "튼튼한지 어떤지는 두고 봐야죠.", "친절한 건지 헷갈려요."])
def test_a_doubt_about_what_is_not_named_claims_nothing(text: str) -> None:
    assert PIPELINES["cr_v2"].analyze(text).final_tuples == []


@pytest.mark.parametrize("text", STATED)
def test_what_is_stated_beside_a_doubt_keeps_its_polarity(text: str) -> None:
    found: dict[tuple[str, str], float] = {
        (item.aspect_term, item.polarity): item.confidence for item in PIPELINES["cr_v2"].analyze(text).final_tuples
    }
    assert found[STATED[text]] > LOW
