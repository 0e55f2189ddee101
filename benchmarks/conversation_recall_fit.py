"""Fit the shares of recall's relevance on LoCoMo's conversations 0-2 and print the settings as JSON lines.

A line for each conversation left out, then one for all three: that one goes into `MemorySettings` by hand. The other
conversations are not asked. Run: `python -m benchmarks.conversation_recall_fit DIR`, DIR holding `locomo.jsonl`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from unittest.mock import patch

from benchmarks.conversation_recall import TUNED_ON, Asked, Conversation, ask_memory, read_conversations
from preceptor.memory import recall
from preceptor.memory.matching import Match, Question, match, parts_of
from preceptor.memory.recall_training import TrainingQuestion, fit_recall_weights, training_question
from preceptor.memory.scope_index import ScopeIndex
from preceptor.models.embedder import open_embedder
from preceptor.settings import MemorySettings, load_settings


def training_questions(talk: Conversation, settings: MemorySettings) -> list[TrainingQuestion]:
    """Return what relevance is made of for each question of a conversation, as recall itself comes to it."""
    places = {turn.turn_id: row for row, turn in enumerate(talk.turns)}
    questions: list[TrainingQuestion] = []
    waiting: list[Asked] = list(talk.questions)

    def watched(index: ScopeIndex, question: Question, weights: MemorySettings) -> Match:
        asked = waiting.pop(0)
        parts = parts_of(index, question, weights)
        evidence = [places[turn_id] for turn_id in asked.evidence]
        questions.append(training_question(parts, evidence, several=asked.kind == "multi-hop"))
        return match(index, question, weights)

    with patch.object(recall, "match", watched):
        ask_memory([talk], open_embedder(load_settings()), settings)
    return questions


def main(arguments: list[str]) -> None:
    """Print the settings."""
    talks = [talk for talk in read_conversations(Path(arguments[0])) if talk.number in TUNED_ON]
    asked = {talk.number: training_questions(talk, load_settings().memory) for talk in talks}
    for left_out in (*asked, None):
        chosen = [one for number, questions in asked.items() if number != left_out for one in questions]
        sys.stdout.write(json.dumps({"left_out": left_out, "settings": fit_recall_weights(chosen)}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
