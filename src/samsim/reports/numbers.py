"""Number formats shared by the page, the paper and the terminal."""

from __future__ import annotations

from samsim.metrics.statistics import Interval, Share

NOTHING = "–"


def percent(value: float | None) -> str:
    """Format a share or score in percent, with one decimal."""
    return NOTHING if value is None else f"{100 * value:.1f}"


def points(value: float | None) -> str:
    """Format a difference in percentage points, with its sign."""
    if value is None:
        return NOTHING
    rounded = round(100 * value, 1)
    return "0.0" if rounded == 0 else f"{rounded:+.1f}".replace("-", "−")


def percent_interval(interval: Interval | None) -> str:
    """Format the 95 % interval of a share or score."""
    return NOTHING if interval is None else f"[{percent(interval.low)}, {percent(interval.high)}]"


def points_interval(interval: Interval | None) -> str:
    """Format the 95 % interval of a difference."""
    return NOTHING if interval is None else f"[{points(interval.low)}, {points(interval.high)}]"


def p_value(value: float | None) -> str:
    """Format a p-value with three decimals."""
    if value is None:
        return NOTHING
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def coefficient(value: float | None) -> str:
    """Format a coefficient of agreement with three decimals."""
    return NOTHING if value is None else f"{value:.3f}".replace("-", "−")


def signed(value: float | None) -> str:
    """Format a mean difference with two decimals and its sign."""
    if value is None:
        return NOTHING
    rounded = round(value, 2)
    return "0.00" if rounded == 0 else f"{rounded:+.2f}".replace("-", "−")


def signed_interval(interval: Interval | None) -> str:
    """Format the interval of a mean difference."""
    return NOTHING if interval is None else f"[{signed(interval.low)}, {signed(interval.high)}]"


def decimal(value: float | None, places: int = 2) -> str:
    """Format a plain number."""
    return NOTHING if value is None else f"{value:,.{places}f}"


def whole(value: int | None) -> str:
    """Format a count."""
    return NOTHING if value is None else f"{value:,}"


def net(value: int) -> str:
    """Format a difference of counts, with its sign."""
    return f"{value:+,d}".replace("-", "−") if value else "0"


def dollars(value: float | None) -> str:
    """Format an amount in dollars, with four decimals below $100."""
    if value is None:
        return NOTHING
    if 0 < value < 0.00005:
        return "<$0.0001"
    return f"${value:,.2f}" if value >= 100 or value == 0 else f"${value:.4f}"


def seconds(value: float | None) -> str:
    """Format a time in seconds, or in milliseconds if it is short."""
    if value is None:
        return NOTHING
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.1f} ms"


def share(found: Share) -> str:
    """Format a share with its counts."""
    return NOTHING if found.rate is None else f"{percent(found.rate)} ({found.count:,}/{found.of:,})"
