"""The tiers that discover and rank, read and checked: evals, tasks, scores, clusters, spiderwebs."""

from collections import Counter

from core.tiers import cluster, scores, spiderweb
from core.tiers.evals import read_evals
from core.tiers.selection import count_selection, relax_hints
from core.tiers.split import dimensions, read_splits
from core.tiers.tasks import accuracy_by_param, projection_frame, read_tasks, task_document, task_frame
from tests.properties.asked import Asked, cells_agree, n_of
from tests.properties.results import check_csv, check_json


def evals(asked: Asked) -> None:
    table = read_evals(asked.dataset, asked.filters)
    check_json({"evals": table.frame, "tokens": table.tokens, "unmatched": table.unmatched})
    check_csv(table.frame.drop(columns="name"))
    check_csv(table.tokens)
    expected = asked.counted.by("eval")
    assert set(table.frame["eval_id"]) == set(asked.counted.evals)
    for row in table.frame.to_dict(orient="records"):
        counts = expected.get((row["eval_id"],), Counter())
        assert (row["n"], row["truncated"], row["error"]) == (
            n_of(counts), counts["truncated"], counts["error"],
        ), row  # fmt: skip
        assert row["completions"] == row["n"] + row["truncated"] + row["error"]


def tasks(asked: Asked) -> None:
    rows = read_tasks(asked.dataset, asked.filters)
    check_json(task_document(asked.dataset, rows))
    check_csv(task_frame(rows))
    if asked.thorough:
        check_csv(projection_frame(asked.dataset, asked.filters))
    expected = asked.counted.by("task")
    assert {(row.base_task,): (row.n, row.completions) for row in rows if row.completions} == {
        task: (n_of(counts), sum(counts.values())) for task, counts in expected.items()
    }
    for row in rows[:1]:
        for param in list(row.params)[:1]:
            cells = accuracy_by_param(asked.dataset, asked.filters, row.base_task, param, asked.methods)
            assert cells["n"].sum() <= row.n
            check_json({"cells": cells})
            check_csv(cells)


def selection(asked: Asked) -> None:
    found = count_selection(asked.dataset, asked.filters)
    assert found.completions == len(asked.counted.kept)
    assert found.items == len({one.item for one in asked.counted.kept})
    for hint in relax_hints(asked.dataset, asked.filters):
        assert hint.points > 0 and hint.words
    for dimension in asked.some(dimensions(asked.dataset)):
        for split in read_splits(asked.dataset, asked.filters, dimension):
            assert count_selection(asked.dataset, split.filters).points > 0


def leaderboard(asked: Asked) -> None:
    board = scores.read_scores(asked.dataset, asked.filters, asked.methods)
    drawn = scores.read_draws(asked.dataset, asked.filters, asked.methods)
    baseline = int(board.rows["eval_id"].iloc[0])
    differences = scores.read_differences(asked.dataset, asked.filters, baseline)
    document = check_json(scores.to_document(board, drawn, differences))
    cells_agree(
        asked, [{**cell, "eval_id": row["eval_id"]} for row in document["rows"] for cell in row["cells"]]
    )
    check_csv(scores.export_frame(board, drawn, differences))
    scores.text_frame(board, drawn, differences, by_tier=True)
    assert board.summary()
    ranks = [row["rank"] for row in document["rows"] if row["rank"] is not None]
    assert ranks == sorted(ranks) and (not ranks or ranks[0] == 1)
    for row in document["rows"]:
        for cell in row["cells"]:
            if cell["accuracy"] is not None:
                assert 0 <= cell["lower"] <= cell["upper"] <= 1, cell
    if asked.thorough:
        scores.interval_chart(board).to_dict()
        scores.leaderboard_image(board, by_tier=True).to_dict()


def clusters(asked: Asked) -> None:
    for stack in ("base_task", "tier"):
        expected = asked.counted.by("eval", "task" if stack == "base_task" else "tier")
        if not any(value is not None for _, value in expected):
            continue
        for rule in asked.some(cluster.RULES):
            found = cluster.read_clusters(
                asked.dataset, asked.filters, asked.methods, stack=stack, rule=rule, pairs=True
            )
            document = check_json(cluster.to_document(found, pairs=True))
            check_csv(cluster.export_frame(found))
            check_csv(cluster.pairs_export(found))
            assert cluster.markdown(found, pairs=True)
            members = {
                (row["eval_id"], section["value"]): row["n"]
                for section in document["sections"]
                for row in section["members"]
            }
            assert {key: n for key, n in members.items() if n} == {
                key: n_of(counts) for key, counts in expected.items() if n_of(counts) and key[1] is not None
            }
            for section in document["sections"]:
                ids = {row["eval_id"] for row in section["members"]}
                assert all(set(clique) <= ids for clique in section["cliques"])
        if asked.thorough:
            cluster.section_chart(found, found.sections[0]).to_dict()


def web(asked: Asked) -> None:
    spiders = spiderweb.read_spiders(asked.dataset, asked.filters, asked.methods)
    document = check_json(spiderweb.to_document(spiders))
    cells_agree(
        asked, [{**cell, "eval_id": one["eval_id"]} for one in document["evals"] for cell in one["cells"]]
    )
    check_csv(spiderweb.export_frame(spiders))
    if asked.thorough and spiders.evals:
        spiderweb.bar_chart(spiders, spiders.evals[0]).to_dict()
