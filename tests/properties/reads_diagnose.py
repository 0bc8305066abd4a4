"""The tiers that diagnose, read and checked: surfaces, hazards, spectra, lengths, pairs, texts, models."""

from collections import Counter

from core.tiers import compare, completions, compression, fft, hazard, modelinfo, report, surface
from core.tiers.compression.bins import PANELS
from tests.properties.asked import Asked, n_of
from tests.properties.counted import OUTCOMES
from tests.properties.results import check_csv, check_json


def surfaces(asked: Asked) -> None:
    grid = surface.read_surfaces(asked.dataset, asked.filters, asked.methods)
    difference = None
    if len(grid.evals) > 1:
        difference = surface.read_surface_difference(asked.dataset, grid, *grid.evals[:2])
        check_csv(surface.difference_frame(grid, difference))
    check_json(surface.to_document(grid, difference))
    check_csv(surface.export_frame(grid))
    expected = asked.counted.by("eval", "cell")
    found = {
        (row["eval_id"], (row["surface"], row["x"], row["y"])): [row[name] for name in ("n", *OUTCOMES)]
        for row in grid.cells.to_dict(orient="records")
    }
    assert {key: counts for key, counts in found.items() if any(counts)} == {
        key: [n_of(counts), *(counts[name] for name in OUTCOMES)] for key, counts in expected.items()
    }
    if asked.thorough:
        surface.surface_heatmaps(grid, surface.pages(grid)[0]).to_dict()


def hazards(asked: Asked) -> None:
    largest = hazard.largest_tokens(asked.dataset, asked.filters)
    size = max(hazard.page_bucket_size(largest), -(-largest // 100))
    found = hazard.read_hazard(asked.dataset, asked.filters, asked.methods, bucket_size=size)
    document = check_json(hazard.to_document(found, budget=10))
    check_csv(hazard.export_frame(found))
    expected: Counter[tuple[str, str]] = Counter()
    for one in asked.counted.kept:
        if one.tokens is not None and one.outcome != "error":
            expected[one.task, one.model] += 1
    assert {(one["task"], one["model"]): one["n"] for one in document["groups"]} == dict(expected)
    for group in document["groups"]:
        ended = [sum(group[name]) for name in ("correct", "incorrect", "censored")]
        assert sum(ended) == group["n"]
        assert not group["at_risk"] or group["at_risk"][0] == group["n"]
    if asked.thorough:
        hazard.group_chart(found, found.curves[0]).to_dict()


def spectra(asked: Asked) -> None:
    grid = fft.read_grid(asked.dataset, asked.filters)
    pair = fft.default_evals(grid)
    comparison = None if pair is None else fft.read_comparison(asked.dataset, grid, *pair)
    for kind in asked.some(fft.KINDS):
        lines = fft.read_lines(asked.dataset, grid, kind, grid.rows, grid.columns)
        check_json(fft.to_document(grid, lines, kind, comparison))
        check_csv(fft.lines_frame(grid, lines, kind))
    if comparison is not None:
        check_csv(fft.comparison_frame(comparison))


def lengths(asked: Asked) -> None:
    options = compression.Options(stacked=True, series=compression.NO_SERIES)
    ((_, panels),) = compression.split_panels(asked.dataset, asked.filters, options, None)
    files = compression.result_files(asked.dataset, panels, asked.filters, asked.methods, "json")
    document = check_json(files[0].make().decode())
    check_csv(compression.figure_frame(panels, compression.figures_of(asked.dataset, panels, asked.methods)))
    expected = asked.counted.by("eval")
    found = {
        (stack,): {outcome: panels.counted("n", outcome, stack) for outcome in PANELS}
        for stack in panels.stacks
    }
    assert found == {
        key: {
            "correct": counts["correct"],
            "incorrect": counts["incorrect"] + counts["invalid"],
            "truncated": counts["truncated"],
        }
        for key, counts in expected.items()
    }
    assert panels.n + panels.failed == sum(sum(counts.values()) for counts in expected.values())
    assert document["loops"]["loops"] == len(document["loops"]["listed"])
    if asked.thorough:
        compression.panel_chart(panels).to_dict()


def pairs(asked: Asked) -> None:
    offered = compare.offered_evals(asked.dataset, asked.filters)
    if len(offered) < 2:
        return
    a, b = offered[:2]
    if any(one.outcome == "error" for one in asked.counted.kept):
        # Evals of which every completion failed have no item to compare.
        counts = asked.counted.by("eval")
        if any(sum(counts[one,].values()) == counts[one,]["error"] for one in offered):
            return
    for measure in asked.some(compare.MEASURES):
        found = compare.read_comparison(asked.dataset, asked.filters, a, b, measure=measure)
        by_length = [
            compare.read_lengths(asked.dataset, asked.filters, asked.methods, a, b, rule=rule)
            for rule in compare.RULES
        ]
        check_json(compare.to_document(found, by_length, asked.methods))
        check_csv(compare.export_frame(found))
        for row in found.rows.to_dict(orient="records"):
            parts = sum(row[name] for name in ("both_right", "both_wrong", "gained", "lost"))
            assert parts == row["n_items"]
        against = compare.read_against(asked.dataset, asked.filters, a, measure=measure)
        check_json(compare.against_document(against, asked.methods))
        check_csv(compare.export_frame(against))
        _pair_by_hand(asked, a, b, found)
    if asked.thorough:
        compare.forest_chart(found, "wrong").to_dict()


def _pair_by_hand(asked: Asked, a: int, b: int, found: compare.Comparison) -> None:
    """Common and left out items are all that either answered; nothing is lost between the two."""
    answered: dict[int, set[int]] = {a: set(), b: set()}
    for eval_id, one in asked.counted.pairs():
        if eval_id in answered and one.outcome != "error":
            answered[eval_id].add(one.item)
    overall = found.overall("wrong")
    assert overall["n_items"] + overall["left_out"] == len(answered[a] | answered[b])


def listed(asked: Asked) -> None:
    everything = completions.Wanted()
    assert completions.count_completions(asked.dataset, asked.filters, everything) == asked.total
    rows = list(completions.records(asked.dataset, asked.filters, everything))
    assert [row["completion_id"] for row in rows] == [one.number for one in asked.counted.kept]
    assert Counter(row["outcome"] for row in rows) == +asked.counted.outcomes(asked.counted.kept)
    for outcome in asked.some(OUTCOMES):
        wanted = completions.Wanted(outcomes=(outcome,))
        assert (
            completions.count_completions(asked.dataset, asked.filters, wanted)
            == asked.counted.outcomes(asked.counted.kept)[outcome]
        )
    text = b"".join(completions.lines(iter(rows), "jsonl")).decode()
    # Not splitlines: a response may hold any other character that Unicode calls a line's end.
    assert [check_json(line)["completion_id"] for line in text.split("\n")[:-1]] == [
        row["completion_id"] for row in rows
    ]
    b"".join(completions.lines(iter(rows), "csv"))
    for kind in asked.some(completions.KINDS):
        found = completions.read_hardest(asked.dataset, asked.filters, kind=kind, fewest=1, rows=1000)
        assert len(found.rows) == found.total(kind)
        check_csv(found.rows)
    for row in rows[:2]:
        completions.read_completion(asked.dataset, asked.filters, row["completion_id"])
        completions.read_item(asked.dataset, asked.filters, row["item_id"])


def models(asked: Asked) -> None:
    metadata = modelinfo.read_metadata(modelinfo.folder_of(asked.dataset.config_path))
    info = modelinfo.read_modelinfo(asked.dataset, asked.filters, asked.methods, metadata)
    for name in asked.some(list(modelinfo.AXES)):
        assert modelinfo.summarise(info, modelinfo.axis(name))
        for kind in modelinfo.SCORES:
            modelinfo.correlation_sentence(info, modelinfo.axis(name), modelinfo.score_kind(kind))
    document = check_json(modelinfo.to_document(info, []))
    check_csv(modelinfo.export_frame(info))
    modelinfo.text_frame(info)
    expected = asked.counted.by("eval")
    assert {(row["eval_id"],): row["n"] for row in document["rows"] if row["n"]} == {
        key: n_of(counts) for key, counts in expected.items() if n_of(counts)
    }


def whole_report(asked: Asked) -> None:
    if asked.turn and not asked.thorough:
        return
    found = report.read_report(asked.dataset, asked.filters, asked.methods)
    faults = [one.fault for one in found.sections if "could not be made" in one.fault]
    assert not faults
    text = report.to_markdown(found)
    assert f"{asked.total:,} completion" in text
    if asked.thorough:
        assert "<script" not in report.to_html(found)
