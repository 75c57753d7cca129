"""Hand-written English cases: the cues of each sentence and how its polarity words read in context.

A cue is (kind, marker, governed text) for negation, (kind, marker, left, right) for contrast and (kind, marker,
sentence) for irony. A reading is (word, "+" or "-"). Cases without cues are traps: nothing may fire there.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """One sentence with everything the analysis must find in it."""

    text: str
    cues: tuple[tuple[str, ...], ...]
    readings: tuple[tuple[str, str], ...]


CASES = (
    Case("The soup was not good.", (("negation", "not", "good"),), (("good", "-"),)),
    Case("The soup wasn't good.", (("negation", "n't", "good"),), (("good", "-"),)),
    Case("The soup wasnt good.", (("negation", "nt", "good"),), (("good", "-"),)),
    Case("I don't think the soup is good.", (("negation", "n't", "think the soup is good"),), (("good", "-"),)),
    Case(
        "I do not believe that this blender is worth the money.",
        (("negation", "not", "believe that this blender is worth the money"),),
        (("worth", "-"),),
    ),
    Case(
        "The staff never smiled or apologized.",
        (("negation", "never", "smiled or apologized"),),
        (("smiled", "-"), ("apologized", "-")),
    ),
    Case("The dessert was hardly sweet.", (("negation", "hardly", "sweet"),), (("sweet", "-"),)),
    Case("There were no clean tables.", (("negation", "no", "clean tables"),), (("clean", "-"),)),
    Case("The room had no charm at all.", (("negation", "no", "charm"),), (("charm", "-"),)),
    Case("The waiter served us without a smile.", (("negation", "without", "a smile"),), (("smile", "-"),)),
    Case(
        "The staff is neither friendly nor helpful.",
        (("negation", "neither", "friendly"), ("negation", "nor", "helpful")),
        (("friendly", "-"), ("helpful", "-")),
    ),
    Case("Nothing was fresh.", (("negation", "nothing", "was fresh"),), (("fresh", "-"),)),
    Case("It was nothing special.", (), (("nothing special", "-"),)),
    Case("None of the dishes were tasty.", (("negation", "none", "of the dishes were tasty"),), (("tasty", "-"),)),
    Case("The lens failed to focus.", (("negation", "failed to", "focus"),), (("failed", "-"),)),
    Case("The broth lacks flavor.", (("negation", "lacks", "flavor"),), (("lacks", "-"),)),
    Case("A lack of care spoiled the evening.", (("negation", "lack of", "care"),), (("lack", "-"),)),
    Case("The stew was far from perfect.", (("negation", "far from", "perfect"),), (("perfect", "-"),)),
    Case("The manager was anything but polite.", (("negation", "anything but", "polite"),), (("polite", "-"),)),
    Case("The curry was too salty to eat.", (("negation", "too", "eat"),), (("salty", "-"),)),
    Case("It no longer works properly.", (("negation", "no longer", "works properly"),), (("properly", "-"),)),
    Case("We have never had a bad meal here.", (("negation", "never", "had a bad meal here"),), (("bad", "+"),)),
    Case("The bread was not stale.", (("negation", "not", "stale"),), (("stale", "+"),)),
    Case(
        "It isn't bad value, it isn't great either.",
        (("negation", "n't", "bad value"), ("negation", "n't", "great")),
        (("bad", "+"), ("great", "-")),
    ),
    Case(
        "I wouldn't say that the sofa is comfortable.",
        (("negation", "n't", "say that the sofa is comfortable"),),
        (("comfortable", "-"),),
    ),
    Case("Nobody was rude to us.", (("negation", "nobody", "was rude to us"),), (("rude", "+"),)),
    Case(
        "The pasta was not good and overpriced.",
        (("negation", "not", "good and overpriced"),),
        (("good", "-"), ("overpriced", "-")),
    ),
    Case(
        "The seats were not soft or comfortable.",
        (("negation", "not", "soft or comfortable"),),
        (("soft", "-"), ("comfortable", "-")),
    ),
    Case(
        "Not a single complaint about the crew.",
        (("negation", "not", "a single complaint about the crew"),),
        (("complaint", "+"),),
    ),
    Case("You will not regret the upgrade.", (("negation", "not", "regret the upgrade"),), (("regret", "+"),)),
    Case(
        "The soup was tasty but the bread was stale.",
        (("contrast", "but", "The soup was tasty", "the bread was stale"),),
        (("tasty", "+"), ("stale", "-")),
    ),
    Case(
        "The soup was tasty. However, the bread was stale.",
        (("contrast", "however", "The soup was tasty.", "the bread was stale"),),
        (("tasty", "+"), ("stale", "-")),
    ),
    Case(
        "Although the room is small, the bed is comfortable.",
        (("contrast", "although", "the room is small", "the bed is comfortable"),),
        (("small", "-"), ("comfortable", "+")),
    ),
    Case(
        "The bed is comfortable although the room is small.",
        (("contrast", "although", "The bed is comfortable", "the room is small"),),
        (("comfortable", "+"), ("small", "-")),
    ),
    Case(
        "The soup was bland, though the bread was great.",
        (("contrast", "though", "The soup was bland", "the bread was great"),),
        (("bland", "-"), ("great", "+")),
    ),
    Case(
        "The soup was bland. The bread was great though.",
        (("contrast", "though", "The soup was bland.", "The bread was great"),),
        (("bland", "-"), ("great", "+")),
    ),
    Case(
        "The camera is sharp whereas the phone is slow.",
        (("contrast", "whereas", "The camera is sharp", "the phone is slow"),),
        (("sharp", "+"), ("slow", "-")),
    ),
    Case(
        "While the menu is short, every dish is excellent.",
        (("contrast", "while", "the menu is short", "every dish is excellent"),),
        (("short", "-"), ("excellent", "+")),
    ),
    Case(
        "The rooms are clean, while the lobby is dirty.",
        (("contrast", "while", "The rooms are clean", "the lobby is dirty"),),
        (("clean", "+"), ("dirty", "-")),
    ),
    Case(
        "The tent is cheap yet sturdy.",
        (("contrast", "yet", "The tent is cheap", "sturdy"),),
        (("cheap", "+"), ("sturdy", "+")),
    ),
    Case(
        "Despite the noise, we enjoyed the evening.",
        (("contrast", "despite", "the noise", "we enjoyed the evening"),),
        (("enjoyed", "+"),),
    ),
    Case(
        "The evening was lovely in spite of the rain.",
        (("contrast", "in spite of", "The evening was lovely", "the rain"),),
        (("lovely", "+"),),
    ),
    Case(
        "The jacket is perfect except for the zipper.",
        (("contrast", "except for", "The jacket is perfect", "the zipper"),),
        (("perfect", "+"),),
    ),
    Case(
        "The zipper is stiff. On the other hand, the fabric is soft.",
        (("contrast", "on the other hand", "The zipper is stiff.", "the fabric is soft"),),
        (("stiff", "-"), ("soft", "+")),
    ),
    Case(
        "The decor is dated, even though the place is new.",
        (("contrast", "even though", "The decor is dated", "the place is new"),),
        (("dated", "-"),),
    ),
    Case("But the cake was delicious.", (("contrast", "but", "", "the cake was delicious"),), (("delicious", "+"),)),
    Case(
        "The cake was dry, but it was not expensive, but we threw it away.",
        (
            ("contrast", "but", "The cake was dry", "it was not expensive"),
            ("negation", "not", "expensive"),
            ("contrast", "but", "it was not expensive", "we threw it away"),
        ),
        (("dry", "-"), ("expensive", "+")),
    ),
    Case("Not only was the cake delicious, but also the coffee was superb.", (), (("delicious", "+"), ("superb", "+"))),
    Case("The cake is not only pretty but also delicious.", (), (("pretty", "+"), ("delicious", "+"))),
    Case("It is not just cheap, it is great.", (), (("cheap", "+"), ("great", "+"))),
    Case("No doubt this is the best bakery.", (), (("best", "+"),)),
    Case("No wonder the line is long.", (), (("long", "-"),)),
    Case("No problem at all.", (), (("No problem", "+"),)),
    Case("I can't wait to return.", (), (("can't wait", "+"),)),
    Case("You can't go wrong with the lamb.", (), (("can't go wrong", "+"),)),
    Case("The service couldn't be better.", (), (("couldn't be better", "+"),)),
    Case("The trip could not have been easier.", (), (("easier", "+"),)),
    Case("I have nothing but praise for the crew.", (), (("nothing but praise", "+"),)),
    Case("All but one of the cakes were stale.", (), (("stale", "-"),)),
    Case("While I was waiting, the host was friendly.", (), (("friendly", "+"),)),
    Case("She smiled while serving us.", (), (("smiled", "+"),)),
    Case("We waited for a while.", (), ()),
    Case("The shop is at no. 5.", (), ()),
    Case("The rope has a strong knot.", (), (("strong", "+"),)),
    Case("I cannot recommend this bakery enough.", (), (("recommend", "+"),)),
    Case("The cake was not bad.", (), (("not bad", "+"),)),
    Case("The chef has not come yet.", (("negation", "not", "come"),), ()),
    Case("This is the best cake yet.", (), (("best", "+"),)),
    Case("It is yet another bad update.", (), (("bad", "-"),)),
    Case("I have never had a better burger.", (), (("better", "+"),)),
    Case("It doesn't get better than this.", (), (("better", "+"),)),
    Case("Last but not least, the tea was great.", (), (("great", "+"),)),
    Case("Don't forget the delicious pie.", (), (("delicious", "+"),)),
    Case("Don't get me wrong, the tea was great.", (), (("great", "+"),)),
    Case("If not the best, it is a good bar.", (), (("best", "+"), ("good", "+"))),
    Case("No, the tea was great.", (), (("great", "+"),)),
    Case(
        "Yeah right, like that was fresh.",
        (("irony", "yeah right", "Yeah right, like that was fresh."),),
        (("fresh", "+"),),
    ),
    Case(
        "Great, another broken zipper.",
        (("irony", "great, another", "Great, another broken zipper."),),
        (("Great", "+"), ("broken", "-")),
    ),
    Case(
        "Thanks for nothing.", (("irony", "thanks for nothing", "Thanks for nothing."),), (("Thanks for nothing", "-"),)
    ),
    Case(
        'The "fresh" fish smelled awful.',
        (("irony", '"fresh"', 'The "fresh" fish smelled awful.'),),
        (("fresh", "+"), ("awful", "-")),
    ),
    Case(
        "A lovely evening if you enjoy waiting for an hour.",
        (("irony", "if you enjoy", "A lovely evening if you enjoy waiting for an hour."),),
        (("lovely", "+"), ("enjoy", "+")),
    ),
    Case(
        "Such a fast reply, only three weeks /s",
        (("irony", "/s", "Such a fast reply, only three weeks /s"),),
        (("fast", "+"),),
    ),
    Case('The sign said "fresh" fish.', (), (("fresh", "+"),)),
    Case("The long battery life is great.", (), (("long", "+"), ("great", "+"))),
    Case("The long wait was annoying.", (), (("long", "-"), ("annoying", "-"))),
    Case("The high price surprised us.", (), (("high", "-"), ("surprised", "+"))),
    Case("High quality fabric.", (), (("High quality", "+"),)),
    Case("The beer was cold.", (), (("cold", "+"),)),
    Case("The food was cold.", (), (("cold", "-"),)),
    Case("The plastic feels cheap.", (), (("cheap", "-"),)),
    Case("The rooms are cheap.", (), (("cheap", "+"),)),
    Case("It takes notes well, knots too.", (), (("well", "+"),)),
    Case(
        "The room was clean and there was no noise, but the bed was hard.",
        (
            ("negation", "no", "noise"),
            ("contrast", "but", "The room was clean and there was no noise", "the bed was hard"),
        ),
        (("clean", "+"), ("hard", "-")),
    ),
    Case("We couldn't find a nicer hotel.", (), (("nicer", "+"),)),
    Case(
        "The printer stopped working, yet support was helpful.",
        (("contrast", "yet", "The printer stopped working", "support was helpful"),),
        (("stopped working", "-"), ("helpful", "+")),
    ),
    Case(
        "The coat is not warm because the lining is flimsy.",
        (("negation", "not", "warm"),),
        (("warm", "-"), ("flimsy", "-")),
    ),
    Case("I have yet to see a better blender.", (), (("better", "+"),)),
    Case(
        "The pump is not without its problems.",
        (("negation", "not", "without its problems"), ("negation", "without", "its problems")),
        (("problems", "-"),),
    ),
    Case("Without a doubt the best bakery in town.", (), (("best", "+"),)),
    Case("We ordered nothing other than the great soup.", (), (("great", "+"),)),
    Case("It rarely fails.", (("negation", "rarely", "fails"),), (("fails", "+"),)),
    Case("More often than not the soup is cold.", (), (("cold", "-"),)),
    Case(
        "The box was gorgeous. The candle, however, is weak.",
        (("contrast", "however", "The box was gorgeous.", "The candle, however, is weak"),),
        (("gorgeous", "+"), ("weak", "-")),
    ),
    Case(
        "The fan is quiet. Remote feels flimsy tho.",
        (("contrast", "tho", "The fan is quiet.", "Remote feels flimsy"),),
        (("quiet", "+"), ("flimsy", "-")),
    ),
    Case(
        "Truly five-star delivery 🙄",
        (("irony", "🙄", "Truly five-star delivery 🙄"),),
        (("five-star", "+"),),
    ),
    Case(
        "The sofa is cozy. It is not, however, cheap.",
        (
            ("negation", "not", "however, cheap"),
            ("contrast", "however", "The sofa is cozy.", "It is not, however, cheap"),
        ),
        (("cozy", "+"), ("cheap", "-")),
    ),
    Case("The app is less stable.", (("negation", "less", "stable"),), (("stable", "-"),)),
    Case("It is nothing less than superb.", (), (("superb", "+"),)),
    Case("The seats were less than ideal.", (("negation", "less than", "ideal"),), (("ideal", "-"),)),
)
