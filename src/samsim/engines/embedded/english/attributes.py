"""The attributes that English opinion words imply by themselves: "expensive" is about the price."""

from __future__ import annotations

from functools import cache

from samsim.engines.embedded.extraction import Attribute

_LISTED: dict[Attribute, str] = {
    "price": """
    worth, don't waste your money, do not waste your money,
    expensive, overpriced, over priced, over-priced, pricey, pricy, cheap, cheaper, affordable,
    inexpensive, costly, reasonable, economical, bargain, steal, rip off, rip-off, ripoff, waste of
    money, value for money, good value, great value, bang for the buck, bang for your buck, save your
    money, budget friendly, budget-friendly, reasonably priced, steep, fairly priced, moderately priced,
    unreasonable, ripped off
    """,
    "design": """
    beautiful, stylish, sleek, gorgeous, chic, elegant, good looking, good-looking, attractive, pretty,
    ugly, cute, slick, classy, colorful, tacky, gaudy, stunning, cheap looking, compact, slim, bulky
    """,
    "convenience": """
    easy, easier, easy-to-use, convenient, handy, user friendly, user-friendly, intuitive, portable,
    lightweight, hassle free, hassle-free, difficult, complicated, confusing, cumbersome, inconvenient,
    hard, breeze, effortless, simple, clunky, awkward, light, heavy
    """,
    "quality": """
    delicious, tasty, yummy, bland, fresh, stale, sturdy, durable, flimsy, reliable, unreliable, well
    made, well-made, well built, well-built, broken, broke, break, defective, faulty, crash, freeze,
    fell apart, falls apart, falling apart, soggy, stopped working, stops working, quit working, poorly
    made, cheaply made, fail, die, solid, rugged, robust, high quality, high-quality, fast, slow,
    sluggish, overcooked, undercooked, flavorful, tasteless, scrumptious, mouthwatering, shoddy,
    malfunction, overheat, inedible, delish, glitchy, buggy, junk, garbage, crap, laggy, quick,
    responsive
    """,
    "variety": """
    extensive, diverse, varied, limited, endless, wide, eclectic
    """,
}


@cache
def attribute_words() -> dict[str, Attribute]:
    """Return the attribute of each opinion word or expression."""
    return {" ".join(word.split()): attribute for attribute, listed in _LISTED.items() for word in listed.split(",")}
