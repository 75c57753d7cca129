"""Build the shipped English opinion lexicon from VADER's lexicon and our own review words.

    build_english_lexicon.py VADER_LEXICON.txt OUT.tsv

VADER's scores (-4 … 4) are divided by 4; our own words take precedence. VADER's entries for chat (emoticons,
slang) and words that do not evaluate anything in a review are dropped.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

OWN_WORDS = Path(__file__).with_name("english_review_words.tsv")
SMALLEST_SCORE = 0.8
_WORD = re.compile(r"^[a-z]{3,}(?:-[a-z]+)?$")
# Everyday verbs and nouns whose VADER score comes from other kinds of text, function words, chat slang.
UNFIT = frozenset(
    """
    abilities ability accept accepted accepting accepts accident accidentally accidents accused active admit admits
    admitted adopt adorn adornment advanced agree agreed agreeing agrees alarm allow allowed allowing allows alone
    ambitious amen anti appease applause argue argued arguing arguments art ask asset assets attachment attachments
    attack attacked attacking attacks attract attracting attracts award awards ban bargain battle battles beaten
    beating block blocks bloody bomb bore bother brave broke calm cancel cancelled cancer care cared cares casual
    caution celebrate certain certainly challenge champ champagne chance chances charge charged charges cheers
    cherry clear clearly combat comedy comfort commit committed compliments confidence confident conflict console
    convince cook crash create created creates creating creation creations credit cried critic critical critics cry
    crying curious cut cuts cutting damn damned dang dear death defeated defend defender definite definitely demand
    demanded demanding demands deny depressor desire desired destroy determined devil deviled devote diamond
    diamonds discard discarded discounted drag dream drop dropped drops drug drunk dump eager easter easy emergency
    energetic energy engage engaged engagement engages enjoy ensure ensured ensures entertain exclusive excuse
    excuses exhaust exhausts expand exploration fallen fan fans fatigue fatigues fav feel festival festivals fiesta
    fight fights fire fired firing fit fits flirting flops focused forced forget forgotten free freedom freelance
    freely friend friends fun funeral gain gained game geek geeks gift giggle giving glamour glorified god good
    grace grand grant granted grave greet greeted greeting greetings growing grown growth gun guns hack haha hahaha
    hand hard harder heart hearts hell help helped helping helps hero heroes heroic heros hide hiding highlight
    holiday holidays honest honestly honor hope hoped hopefully hopes hoping hug humor ill importance important
    importantly impose impression impressions incentive increase increased increases injury innocent intact interest
    interested interestingly interests interrupt intrigue invite invited inviting isolate isolated isolates
    isolation jewel jewels join joked jokes joking kia kidding kill killed killing kind laugh laughed laughing
    laughs leave leaving liberty like liked likes lmao lol lone lonely loom lost lover lovers low lower lows luck
    lucky lying mad magnification matter matters mia mischief miserably miss missed misses mistake murder natural
    naturally neat need needy numb number nuts oks omg opportunities opportunity original overload pardon parties
    party partying passion passive pay peace penalty pita play played playful playing plays please poised poison
    pray prayed prepared pressure pretty prevent prize promise promised promises promote promoted promotes promoting
    prosecute prospect protect protected protects protesting proud proudly question questions rape reach readiness
    ready reassure relief rescue resolve resolved resolves responsible restored restores restoring retreat reward
    riches rigorous risk rob robber robust romance safe safely safety save saved saves saving savings scarecrow
    scream screamed screams screw screwing screws secure secured securely security sentence serious seriously
    seriousness severe sex sexy share shared shares sharing shock shocked shoot shot shy significant sincerely
    skeptical slaw smart smile smiled smiling smothered solution solutions solve solved solves sorry spark special
    stimulate stop stopped stopping stops straight strainer strainers straining strength strengthening stress strike
    strikes strong strongly suffer suicide sunny support supported supporting supports sure surely surprise
    surprised surprising survived suspect suspects swear sweet sweetheart sweets talent tears tension tensioner
    tensions thank thankful thanks thief thoughtful thrill tired tolerant top tops tough toughest trap traps
    treasure treat true truly trust trusted trusties truth united unmatched value values vip vision visionary
    vitality vitamin vitamins vote want wants war warm warmers warned warning wealth wealthy weapon weep welcome
    well whoa win winner winning wins wish wishes wishing witch won woo worried worry worth worthy wow yeah yes
    youthful zealot
    """.split()
)  # fmt: skip
# Stems of insults and violence: no product review needs them, and they should not ship.
UNFIT_STEM = re.compile(
    r"^(?:fuck|whor|bitch|bastard|rape|rapi|murder|assassin|assault|ass(?:hole)?s?$|assfuck|dick|cunt|fag|slut|nigg|terror|"
    r"tortur|slaughter|genocid|suicid|weapon|war(?:fare|monger|s$|red|ring)|bomb|kill|prison|crimin|execut|jesus|god|hell|"
    r"holocaust|lmf|rofl|rotfl|wanker|bankster|molest|incest|massacr|lynch)"
)
# Kept, but as adjectives with a score of our own.
OWN_CORRECTIONS = {
    "good": 0.6, "well": 0.5, "special": 0.5, "sweet": 0.4, "warm": 0.5, "strong": 0.4, "worth": 0.6, "top": 0.5,
    "clear": 0.4, "friendly": 0.7, "great": 0.8, "nice": 0.6, "love": 0.8, "loved": 0.8, "loves": 0.8, "loving": 0.7,
    "like": 0.5, "liked": 0.5, "likes": 0.5, "enjoy": 0.6, "enjoyed": 0.6, "enjoys": 0.6, "enjoying": 0.6,
    "appreciate": 0.5, "appreciated": 0.5, "prefer": 0.4, "adore": 0.8, "happy": 0.7, "glad": 0.6, "cheap": 0.2,
    "inviting": 0.6, "safe": 0.5, "secure": 0.4, "original": 0.4, "smart": 0.5, "fresh": 0.6, "interesting": 0.5,
    "surprised": 0.3, "miss": -0.4, "low": -0.3, "tough": -0.4, "lousy": -0.7, "shame": -0.6, "exclusive": 0.4,
    "beautiful": 0.8, "perfect": 0.9, "excellent": 0.9, "excellence": 0.8, "wonderful": 0.8, "pretty": 0.5,
    "better": 0.5, "awkward": -0.4, "serious": -0.1, "worried": -0.4, "lost": -0.4, "stress": -0.5, "mistake": -0.5,
    "mistakes": -0.5, "sorry": -0.3, "energetic": 0.5, "thank": 0.4, "thanks": 0.4, "honest": 0.5, "hospitality": 0.6,
    "kind": 0.6, "natural": 0.4, "playful": 0.4, "smile": 0.5, "smiles": 0.5, "smiling": 0.5, "benefits": 0.5,
    "advantage": 0.5, "improvement": 0.4, "improved": 0.4,
}  # fmt: skip


def main(arguments: list[str]) -> None:
    vader, out = Path(arguments[0]), Path(arguments[1])
    rows = {word: (score, "vader") for word, score in _vader_words(vader)}
    rows.update({word: (score, "own") for word, score in _own_words()})
    rows.update({word: (score, "own") for word, score in OWN_CORRECTIONS.items()})
    lines = ["# word or expression<TAB>score from -1 to 1<TAB>source; made by tools/build_english_lexicon.py"]
    lines += [f"{word}\t{score:g}\t{source}" for word, (score, source) in sorted(rows.items())]
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(rows)} entries, {sum(source == 'own' for _, source in rows.values())} of our own")


def _vader_words(path: Path) -> list[tuple[str, float]]:
    words = []
    for line in path.read_text(encoding="utf-8").splitlines():
        word, score = line.split("\t")[:2]
        fit = _WORD.match(word) and word not in UNFIT and not UNFIT_STEM.match(word)
        if fit and abs(float(score)) >= SMALLEST_SCORE:
            words.append((word, round(float(score) / 4, 2)))
    return words


def _own_words() -> list[tuple[str, float]]:
    words = []
    for line in OWN_WORDS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            score, listed = line.split("\t")
            words += [(word.strip(), float(score)) for word in listed.split(",")]
    return words


if __name__ == "__main__":
    main(sys.argv[1:])
