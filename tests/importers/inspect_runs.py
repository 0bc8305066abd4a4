"""Runs of Inspect with its mock model; as a script, one that is stopped: LOG_DIR kill|cancel."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, eval, task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, accuracy, match, mean, scorer
from inspect_ai.solver import generate, solver

ITEMS = 12
EPOCHS = 2
STOPS_AT = 5


@scorer(metrics={"exact": [accuracy()], "close": [mean()]})
def parts() -> Any:
    async def score(state: Any, target: Any) -> Score:
        right = state.output.completion.strip().endswith(target.text)
        return Score(value={"exact": "C" if right else "I", "close": 0.25}, answer="parts", explanation="why")

    return score


GRADES: list[Any] = ["C", "I", "P", "N", float("nan"), True]


@scorer(metrics=[accuracy()])
def graded() -> Any:
    async def score(state: Any, target: Any) -> Score:
        return Score(value=GRADES[int(str(state.sample_id).split("/")[1]) % len(GRADES)])

    return score


@solver
def fails(at: list[str]) -> Any:
    async def solve(state: Any, generate: Any) -> Any:
        if str(state.sample_id) in at:
            raise RuntimeError("the sandbox is gone")
        return state

    return solve


@solver
def stops(how: str) -> Any:
    async def solve(state: Any, generate: Any) -> Any:
        if state.sample_id == STOPS_AT and how == "kill":
            os._exit(9)
        if state.sample_id == STOPS_AT and how == "cancel":
            os.kill(os.getpid(), signal.SIGINT)
        return state

    return solve


@solver
def talks() -> Any:
    async def solve(state: Any, generate: Any) -> Any:
        for _ in range(3):
            state = await generate(state)
            state.messages.append(ChatMessageUser(content="go on"))
        return state

    return solve


def answers() -> Any:
    """A model that answers 0, 1, 2, ... and is cut every fifth time."""
    count = iter(range(10**6))

    def answer(*_: Any) -> ModelOutput:
        number = next(count)
        said = [ContentReasoning(reasoning=f"thought {number}"), ContentText(text=f"It is {number % 3}")]
        output = ModelOutput(
            model="mock",
            choices=[
                {
                    "message": ChatMessageAssistant(content=said, source="generate"),
                    "stop_reason": "max_tokens" if number % 5 == 4 else "stop",
                }
            ],
        )
        output.usage = ModelUsage(
            input_tokens=7, input_tokens_cache_read=3, output_tokens=20 + number, total_tokens=30 + number,
            reasoning_tokens=5,
        )  # fmt: skip
        return output

    return answer


@task
def sums(length: int = 3, names: list[str] = ["a", "b"]) -> Task:  # noqa: B006
    return Task(
        dataset=[
            Sample(
                id=f"sum/{number}",
                input=[ChatMessageSystem(content="Be brief."), ChatMessageUser(content=f"What is {number}?")],
                target=str(number % 3),
                choices=["0", "1", "2"],
                metadata={
                    "digits": number % 2, "kind": "odd" if number % 2 else "even", "index": number + 100,
                    "tree": {"a": 1}, "note": "n" * 2000, "level": 0.5 * (number % 4),
                },
            )
            for number in range(ITEMS)
        ],
        solver=[fails(["sum/3"]), generate()],
        scorer=[match(location="end"), parts(), graded()],
        epochs=Epochs(EPOCHS, ["mean", "pass_at_1"]),
        fail_on_error=False,
        version=2,
    )  # fmt: skip


@task
def short(how: str = "") -> Task:
    return Task(
        dataset=[Sample(id=number, input=f"question {number}", target="It is 1") for number in range(8)],
        solver=[stops(how), generate()],
        scorer=match(location="exact"),
    )


@task
def chat() -> Task:
    return Task(
        dataset=[Sample(id=number, input=f"question {number}", target="2") for number in range(3)],
        solver=talks(),
        scorer=match(location="end"),
        message_limit=4,
    )


def run(made: Task, folder: Path, **options: Any) -> EvalLog:
    """Run a task against the mock model and return its log."""
    model = get_model("mockllm/model", custom_outputs=answers())
    options = {"max_samples": 1, "log_buffer": 1} | options
    (log,) = eval(made, model=model, log_dir=str(folder), display="none", **options)
    return log


if __name__ == "__main__":
    run(short(sys.argv[2]), Path(sys.argv[1]))
