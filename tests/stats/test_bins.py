"""How a numeric axis is cut."""

from core.stats.bins import ITEMS_WANTED, LEAST_BINS, MOST_STEPS, bin_count, cut, quantile_bins


def test_bins_hold_about_equally_many_items_and_leave_no_value_out() -> None:
    counted = [(value, 1 + value % 7) for value in range(50)]
    bins = quantile_bins(counted, 5)
    held = [sum(items for value, items in counted if low <= value <= high) for low, high in bins]
    assert sum(held) == sum(items for _, items in counted)
    assert len(bins) == 5
    assert max(held) - min(held) <= 7
    assert quantile_bins([(1.5, 100), (2, 1), (3, 1)], 3) == [(1.5, 1.5), (2, 3)]


def test_few_values_are_their_own_steps() -> None:
    values = [(float(value), 1) for value in range(MOST_STEPS)]
    assert cut(reversed(values), 3) == [value for value, _ in values]
    assert cut([*values, (99.0, 1)], 3) == quantile_bins([*values, (99.0, 1)], 3)


def test_bins_of_a_surface_hold_the_wanted_items_a_cell() -> None:
    assert bin_count(ITEMS_WANTED * 49, axes=2) == 7
    assert bin_count(ITEMS_WANTED * 7) == 7
    assert bin_count(1) == LEAST_BINS
    assert bin_count(10**9, axes=2) == MOST_STEPS
