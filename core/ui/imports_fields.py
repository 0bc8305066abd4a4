"""The fields of a record as the mapping form shows them, with what other tools call them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """A field that a column may fill.

    Attributes
    ----------
    name, label, help
        In a mapping file, on screen, and in words.
    names
        What other tools call it, in order of likelihood: small letters and digits only, spaces between.
    fixed
        Whether one value for all records makes sense (`--set`).
    """

    name: str
    label: str
    help: str
    names: str = ""
    fixed: bool = False


FIRST = (
    Field(
        "model",
        "Model",
        "Whose responses these are.",
        "modelname modelid llm engine system agent",
        fixed=True,
    ),
    Field(
        "base_task",
        "Task",
        "The benchmark or task that an item belongs to.",
        "task taskname dataset benchmark subset subject eval suite category",
        fixed=True,
    ),
    Field(
        "score",
        "Score",
        "A number from 0 to 1.",
        "acc accuracy correct iscorrect passed exactmatch reward match em right isright pass grade",
    ),
    Field(
        "outcome",
        "Outcome",
        "A word: correct, incorrect, invalid, truncated or error.",
        "result status verdict grade",
    ),
)
"""Without these there is nothing to count; one of score and outcome is enough."""

MORE = (
    Field(
        "item_key",
        "Item id",
        "Evals are paired on it; without it, on the prompt.",
        "itemid item questionid docid sampleid promptid problemid exampleid qid id index idx uid",
    ),
    Field(
        "repeat",
        "Repeat",
        "Numbers several completions of one item.",
        "epoch attempt trial repetition run sample",
    ),
    Field(
        "template",
        "Template",
        "Which prompt template was used.",
        "prompttemplate promptname promptstyle prompttype strategy",
        fixed=True,
    ),
    Field(
        "sampler",
        "Sampler",
        "Which sampling settings were used.",
        "sampling decoding samplingparams generationconfig temperature temp",
        fixed=True,
    ),
    Field(
        "prompt", "Prompt", "What the model was asked.", "question input instruction query problem prompttext"
    ),
    Field(
        "response",
        "Response",
        "What the model answered, in full.",
        "output completion generation modeloutput generatedtext rawoutput reply modelresponse text",
    ),
    Field(
        "answer",
        "Answer read",
        "What was read out of the response.",
        "prediction pred extracted extractedanswer parsedanswer predicted modelanswer parsed",
    ),
    Field(
        "reference",
        "Reference",
        "The right answer.",
        "target gold expected groundtruth goldanswer expectedanswer solution correctanswer label",
    ),
    Field(
        "completion_tokens",
        "Completion tokens",
        "As the source counted them; without them the response is tokenised.",
        "outputtokens tokens ntokens tokensout generatedtokens responsetokens numtokens",
    ),
    Field("prompt_tokens", "Prompt tokens", "As the source counted them.", "inputtokens tokensin"),
    Field("reasoning_tokens", "Reasoning tokens", "As the source counted them.", "thinkingtokens"),
    Field(
        "finish_reason",
        "Finish reason",
        "Says whether a limit cut the response: stop, length and the like.",
        "stopreason finish stop",
    ),
    Field("truncated", "Truncated", "True or false.", "cutoff istruncated hitlimit"),
    Field(
        "token_limit",
        "Token limit",
        "Most tokens that a response could have.",
        "maxtokens maxnewtokens budget",
    ),
    Field("choices", "Choices", "Number of options to guess from.", "nchoices numchoices noptions"),
    Field("category", "Category", "Groups tasks.", fixed=True),
    Field(
        "groups", "Groups", "Of the eval, with commas between: size:small, family:phi.", "tags", fixed=True
    ),
    Field("hf_id", "Hugging Face id", "org/name of the model.", "hfid repoid hfmodel", fixed=True),
)

FIELDS = {field.name: field for field in (*FIRST, *MORE)}

NAMES = ("model", "base_task", "template", "sampler")
NUMBERS = ("completion_tokens", "prompt_tokens", "reasoning_tokens", "repeat", "choices", "token_limit")
"""Fields that take short texts only, and numbers only."""
