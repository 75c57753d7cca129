"""Closed word lists of the English extractors: general knowledge of the language, compiled by hand."""

from __future__ import annotations

POSSESSIVES = frozenset("my your our their its his her".split())

# Adjectives that name a kind of thing and belong to the aspect term.
COMPOUND_ADJECTIVES = frozenset(
    """
    hard optical wireless external internal digital mobile electric grilled fried baked steamed roasted smoked stuffed
    mashed indian italian french thai chinese japanese mexican korean vietnamese spanish greek american turkish
    mediterranean red white black green blue outdoor indoor vegetarian vegan main live pre-theater prix-fixe
    """.split()
)
# Adjectives that describe without evaluating and never belong to the term.
PLAIN_ADJECTIVES = frozenset(
    """
    whole entire same other own new old first second third last next only different various many few several such main
    overall certain recent actual sure able ready additional extra further previous current particular specific
    most more much less least little big small large huge tiny long short high low young early late real total
    complete single double common usual general local nearby available possible similar like favorite favourite
    good bad great nice better best worse worst
    """.split()
)
CONTAINER_NOUNS = frozenset(
    "glass glasses bottle bottles piece pieces plate plates bowl bowls cup cups style styles quality "
    "selection choice variety list type types kind kinds".split()
)
# Nouns that a review is hardly ever about, even with an opinion next to them.
EMPTY_NOUNS = frozenset(
    """
    time times thing things way ways lot lots bit day days night nights year years week weeks month months hour hours
    minute minutes one ones kind sort type reason reasons fact part rest end point chance idea luck
    friend friends husband wife boyfriend girlfriend mother father mom dad son daughter family guy guys man woman
    person world city town neighborhood area block street new york nyc manhattan brooklyn review reviews
    opinion number couple example everyone anyone something nothing anything moment occasion visit visits birthday
    anniversary date weekend sunday saturday friday monday tuesday wednesday thursday morning evening afternoon today
    tonight yesterday problem problems issue issues complaint complaints surprise job deal favor
    mood manner degree amount sense mind heart eye eyes hand hands mouth word words
    question questions answer doubt trouble mistake luck thanks kudos plus minus downside drawback con cons pros
    better best worst bargain steal disappointment disaster nightmare joke shame pleasure treat gem
     option options alternative addition bunch ton tons plenty dozen
    """.split()
)
# The reviewed product as a whole: an opinion about it is general, not about an aspect.
WHOLE_THINGS = frozenset(
    """
    laptop laptops computer computers notebook notebooks netbook netbooks machine machines product products item items
    mac macs macbook macbooks pc pcs restaurant restaurants experience purchase everything everyone everybody unit
    device gadget buy
    """.split()
)
# Makers stand for the whole product too, if they are names ("Apple", not "an apple").
MAKERS = frozenset("toshiba dell acer hp asus sony lenovo apple samsung".split())
LINKING_VERBS = frozenset(
    """
    look looks looked looking seem seems seemed taste tastes tasted tasting feel feels felt sound sounds sounded smell
    smells smelled remain remains remained stay stays stayed become becomes became get gets got turn turned come comes
    came arrive arrived prove proved appear appears appeared go goes went keep keeps kept
    """.split()
)
BE_FORMS = frozenset("is are was were be been being am 's 're 'm".split())
RELATIVE_PRONOUNS = frozenset("which that who".split())
RESUMING_PRONOUNS = frozenset("it they them".split())
# Verbs whose object is what the writer likes or dislikes.
OBJECT_VERBS = frozenset(
    """
    love like enjoy recommend hate dislike prefer adore appreciate praise regret despise detest crave savor favor
    replace try
    """.split()
)
# Verbs whose subject is judged by the verb itself.
SUBJECT_VERBS = frozenset(
    """
    impress disappoint suck rock satisfy exceed fail crash freeze break die lack shine excel delight amaze overheat
    lag annoy frustrate malfunction stink delight please leak crack ruin stun surprise improve rule
    """.split()
)
# "I was impressed with the screen": the writer's state, with the target after a preposition.
STATE_ADJECTIVES = frozenset(
    """
    impressed disappointed pleased happy satisfied unhappy dissatisfied delighted thrilled amazed surprised annoyed
    frustrated glad happier unimpressed underwhelmed overwhelmed disapointed content crazy excited tired sick sorry
    """.split()
)
STATE_PREPOSITIONS = frozenset("with by in at about of for from".split())
# Verbs that are themselves the aspect if the subject is only a pronoun: "it works great", "easy to use".
ACTION_ASPECTS = frozenset(
    "use carry navigate work run boot load type read set install operate clean handle transport start perform price "
    "charge connect setup maintain learn look feel sound startup respond play game serve".split()
)
MANNER_ADVERBS = frozenset(
    """
    well great good perfectly flawlessly smoothly quickly easily nicely fine fast slowly poorly badly beautifully
    wonderfully seamlessly promptly properly efficiently terribly horribly reasonably superbly excellently perfect
    excellent amazing awesome better best effortlessly consistently generously slow right smooth quick
    """.split()
)
OPINION_NOUNS = frozenset(
    """
    problem problems issue issues plus drawback drawbacks downside downfall complaint complaints gripe favorite
    favorites favourite joke disaster nightmare disappointment bummer gem bargain steal rip-off ripoff perfection must
    highlight standout letdown flaw flaws trouble heaven breeze ease crap junk garbage waste treat perk plenty lots
    """.split()
)
NOT_PARTICIPLES = frozenset("including being having using making getting considering regarding offering needed".split())

COMPARATIVES = frozenset(
    "better warmer hotter fresher faster bigger friendlier larger cleaner quicker brighter".split()
)
# Before a noun these name a kind ("spicy tuna", "dark chocolate"); they are opinions only as predicates.
KIND_ADJECTIVES = frozenset("spicy sweet sour dark light thin raw plain classic traditional special hot thick".split())
VAGUE_PRONOUNS = frozenset("it this that they them these those everything all i we".split())
VAGUE_NOUNS = frozenset("job deal choice one thing experience buy value investment purchase disappointment".split())
# Adverbs that readers perceive as part of the judgment, unlike plain "very" or "really".
STRESSING_ADVERBS = frozenset(
    "super ultra wonderfully horribly surprisingly unbelievably outrageously insanely ridiculously".split()
)
OBJECT_PRONOUNS = frozenset("me us you him her them".split())
PARTICIPLES = frozenset("made built done laid cut put kept lit fit run written sewn chosen thought spoken".split())
# What a product is for: the denial of any of these is a complaint.
FUNCTION_VERBS = frozenset("work function respond answer load charge connect boot recognize".split())
# Endings of adjectives that may be tagged as nouns.
ADJECTIVE_ENDINGS = (
    "y",
    "ful",
    "ous",
    "ive",
    "able",
    "ible",
    "less",
    "ic",
    "ish",
    "ing",
    "ed",
    "al",
    "est",
    "er",
    "ant",
)
