"""Prompts: text files, one per kind of question and language, identified by their hash.

A file has three sections. ``[system]`` describes the task (chat: the system message; completion:
the beginning of the text), ``[question]`` is the template of a question, ``[answer]`` that of its
answer. The placeholders are ``{passage}``, ``{title}``, ``{question}``, ``{options}`` and
``{answer}``.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from closeread.errors import InputError
from closeread.types import Answer, Option, Passage, Question

_FOLDER = files("closeread.readers.generative") / "prompts"
_SECTION = re.compile(r"^\[(system|question|answer)\][ \t]*\n", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{(passage|title|question|options|answer)\}")
_LANGUAGES = ("zh", "en")
_DEFAULT_STEMS = {
    ("zh", "supported"): "下列说法符合文意的一项是",
    ("zh", "contradicted"): "下列说法不符合文意的一项是",
    ("en", "supported"): "Which statement does the passage support?",
    ("en", "contradicted"): "Which statement does the passage contradict?",
}
UNANSWERABLE = {"zh": "无法回答", "en": "unanswerable"}


@dataclass(frozen=True)
class Prompt:
    """One prompt file.

    Attributes:
        name: A name like ``verification.zh``, or the path of the user's own file.
        text: The whole file.
        system: The description of the task; may be empty.
        question: The template of a question.
        answer: The template of an answer; everything before ``{answer}`` belongs to the prompt.
    """

    name: str
    text: str
    system: str
    question: str
    answer: str

    @property
    def sha256(self) -> str:
        """The sha256 of the file, which the run records."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def format_question(self, passage: Passage, question: Question) -> str:
        """Return the text of a question and its passage, as the model sees it."""
        language = language_of(passage)
        asks_for = question.asks_for or "supported"
        text = question.text.strip()
        if not text and question.options:
            text = _DEFAULT_STEMS[language, asks_for]
        values = {
            "passage": passage.text.strip(),
            "title": passage.title,
            "question": text,
            "options": "\n".join(f"{option.label}. {option.text}" for option in question.options),
        }
        return _PLACEHOLDER.sub(lambda match: values.get(match[1], ""), self.question).rstrip()

    def answer_prefix(self) -> str:
        """Return the beginning of an answer, without the space that belongs to what follows."""
        return self.answer.partition("{answer}")[0].rstrip(" ")

    def fill_answer(self, answer: str) -> str:
        """Return the whole text of an answer, as an example has it."""
        return self.answer.replace("{answer}", answer)

    def continuation(self, answer: str) -> str:
        """Return the text after ``answer_prefix`` for an answer, the space before it included."""
        return self.fill_answer(answer)[len(self.answer_prefix()) :]


def language_of(passage: Passage) -> str:
    """Return the language of the prompts for a passage: English if there are none in its own."""
    return passage.language if passage.language in _LANGUAGES else "en"


@lru_cache(maxsize=64)
def load_built_in(kind: str, language: str) -> Prompt:
    """Return the prompt that ships for a kind of question, in ``zh`` or ``en``."""
    name = f"{kind}.{language}"
    return _parse_prompt((_FOLDER / f"{name}.txt").read_text("utf-8"), name)


@lru_cache(maxsize=64)
def load_prompt(path: str) -> Prompt:
    """Return the prompt in a user's file.

    Raises:
        InputError: The file cannot be read, or lacks a section or a placeholder.
    """
    try:
        text = Path(path).read_text("utf-8-sig")  # Windows editors write a byte order mark
    except OSError as error:
        raise InputError(
            f"the prompt file cannot be read: {error.strerror}",
            where=path,
            cure="check -o prompt=FILE",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            "the prompt file is not UTF-8 text",
            where=path,
            cure="save it in UTF-8",
        ) from error
    return _parse_prompt(text, path)


def _parse_prompt(text: str, name: str) -> Prompt:
    pieces = _SECTION.split(text)
    sections = dict(
        zip(pieces[1::2], (section.removesuffix("\n") for section in pieces[2::2]), strict=True)
    )
    if problems := _find_problems(sections, names=pieces[1::2], before=pieces[0]):
        raise InputError(
            "; ".join(problems),
            where=name,
            expected="sections [system] (optional), [question] with {passage}, {question} and"
            " {options}, and [answer] with {answer}",
            cure=f"see {_FOLDER / 'choice.en.txt'} for an example",
        )
    return Prompt(name, text, sections.get("system", ""), sections["question"], sections["answer"])


def _find_problems(sections: dict[str, str], *, names: list[str], before: str) -> list[str]:
    """Return the problems of a prompt file: missing sections, and missing or extra placeholders.

    Args:
        sections: Section name -> text.
        names: The names of all sections, repeated ones included.
        before: The text before the first section.
    """
    placeholders = {name: _PLACEHOLDER.findall(text) for name, text in sections.items()}
    problems = [
        f"no [{section}] section" for section in ("question", "answer") if section not in sections
    ]
    problems += [
        f"several [{section}] sections" for section in sections if names.count(section) > 1
    ]
    problems += ["text before the first section"] if before.strip() else []
    if "question" not in placeholders.get("question", ["question"]):
        problems.append("no {question} in [question]")
    if placeholders.get("answer", ["answer"]) != ["answer"]:
        problems.append("[answer] needs {answer} once and no other placeholder")
    problems += ["{answer} in [question]"] if "answer" in placeholders.get("question", ()) else []
    problems += [f"{{{section}}} in [system]" for section in placeholders.get("system", ())]
    return problems


def format_gold(question: Question, language: str) -> str:
    """Return a question's first gold answer as an example shows it; "" if it has none."""
    if not question.answers:
        return ""
    return format_answer(question.answers[0], language)


def format_answer(answer: Answer, language: str) -> str:
    """Return an answer in the form that the prompts request."""
    if answer.kind == "choice":
        return answer.label
    if answer.kind == "none":
        return UNANSWERABLE[language]
    return "; ".join(answer.texts)


def reorder_options(question: Question, order: tuple[int, ...]) -> Question:
    """Return the question with its options in another order, under the same sequence of labels.

    Args:
        question: A question with options.
        order: The indices of its options in the new order.
    """
    import msgspec

    labels = [option.label for option in question.options]
    options = tuple(
        Option(label=label, text=question.options[index].text)
        for label, index in zip(labels, order, strict=True)
    )
    return msgspec.structs.replace(question, options=options)
