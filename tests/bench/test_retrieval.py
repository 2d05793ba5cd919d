"""The bench of retrieval: the metric, who sees what, and the plain BM25 beside it (R6.11)."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from bench.bm25 import Bm25, terms
from bench.retrieval import Asked, ask_all, bounds_of, main, many_row, recall_at, rows_of
from bench.said import Document, Loaded, Question, own, read
from nonebot_plugin_memoryfs.storage import Store

DOCUMENTS = [
    Document("a", "a1", "小林", "我养了一只叫团子的猫"),
    Document("a", "a2", "小林", "明天去海边拍照"),
    Document("b", "b1", "小王", "我养了一只叫豆包的狗"),
]
NOISE = [Document("*", "n1", "路人", "食堂的麻辣烫又涨价了"), Document("*", "n2", "路人", "地铁停运了")]
QUESTIONS = [
    Question("a", "猫叫什么？团子还是别的", frozenset({"a1"}), "1"),
    Question("a", "豆包的狗", frozenset({"a1"}), "2"),
    Question("a", "麻辣烫涨价", frozenset({"n1"}), "2"),
]


def write_lines(path: Path, documents: list[Document], questions: list[Question]) -> Path:
    said = [
        {"kind": "doc", "scope": d.scope, "id": d.id, "speaker": d.speaker, "time": None, "text": d.text}
        for d in documents
    ]
    asked = [
        {"kind": "query", "scope": q.scope, "text": q.text, "gold": sorted(q.gold), "type": q.type}
        for q in questions
    ]
    lines = [json.dumps(record, ensure_ascii=False) for record in [*said, *asked]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def answer(type: str, found: str, gold: str, ms: float = 1.0, baseline: str = "") -> Asked:
    return Asked(type, frozenset(gold), list(found), ms, list(baseline))


def test_r6_11_recall_is_the_share_of_the_evidence_among_the_first() -> None:
    gold = frozenset("ace")
    assert recall_at(list("abc"), gold, 1) == pytest.approx(1 / 3)
    assert recall_at(list("abc"), gold, 3) == pytest.approx(2 / 3)
    assert recall_at([], gold, 5) == 0


def test_r6_11_rows_are_means_by_type_and_over_all_questions() -> None:
    asked = [
        answer("2", "xxxxxa", "a", ms=1, baseline="a"),
        answer("1", "ab", "ab", ms=3, baseline="a"),
        answer("1", "", "a", ms=5),
    ]
    first, second, whole = rows_of(asked, baseline=True)
    assert [row["type"] for row in (first, second, whole)] == ["1", "2", "all"]
    assert (first["questions"], first["nothing"], first["recall@5"]) == (2, 1, 0.5)
    assert (second["recall@5"], second["recall@10"]) == (0, 1)
    assert whole["recall@10"] == pytest.approx(2 / 3)
    assert (whole["BM25@5"], whole["p50"]) == (pytest.approx(0.5), 3)
    assert "BM25@5" not in rows_of(asked, baseline=False)[-1]


def test_r6_11_what_is_asked_finds_its_scope_and_the_noise_and_nothing_else(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        loaded = Loaded(store)
        loaded.add_noise(NOISE, {"a"})
        loaded.add(own(DOCUMENTS))
        asked = ask_all(loaded, QUESTIONS)
    assert asked[0].found[0] == "a1"
    assert not {"b1"} & {found for one in asked for found in one.found}
    assert asked[2].found[0] == "n1"


def test_r6_11_a_file_is_read_line_by_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl", DOCUMENTS, QUESTIONS)
    assert read(path) == (DOCUMENTS, QUESTIONS)


def test_r6_11_the_command_prints_a_table_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_lines(tmp_path / "x.jsonl", DOCUMENTS, QUESTIONS[:1])
    noise = write_lines(tmp_path / "n.jsonl", NOISE, [])
    result = tmp_path / "deep" / "retrieval.json"
    options = [
        "--noise",
        noise,
        "--noise-count",
        1,
        "--baseline",
        "--many",
        7,
        "--target",
        0.5,
        "--json",
        result,
    ]
    assert main([str(option) for option in [file, *options]]) == 0
    data = json.loads(result.read_text(encoding="utf-8"))
    assert data["bench"] == "retrieval"
    assert [row["type"] for row in data["rows"]] == ["1", "all", "among many"]
    assert data["rows"][1]["recall@10"] == data["rows"][1]["BM25@10"] == 1
    assert len({tuple(row) for row in data["rows"]}) == 1
    printed = capsys.readouterr().out
    assert "recall@10 / that of plain BM25: 1.00 × (at least 1 ×) ok" in printed
    assert "a search among many, p50" in printed


def test_r6_11_only_the_ratio_to_plain_bm25_decides() -> None:
    def judged(ours: float, plain: float, target: float | None = None) -> list[tuple[bool, bool]]:
        whole: dict[str, Any] = {"type": "all", "recall@10": ours, "BM25@10": plain}
        bounds = bounds_of([whole, many_row([9.0], baseline=True)], target)
        return [(bound.holds, bound.decides) for bound in bounds]

    assert judged(0.7, 0.7) == [(True, True), (False, False)]
    assert judged(0.6, 0.7, 0.74) == [(False, True), (False, False), (False, False)]
    assert judged(0.8, 0.7, 0.74) == [(True, True), (True, False), (False, False)]


def test_r6_11_without_a_file_nothing_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "nothing measured" in capsys.readouterr().out


def test_plain_bm25_counts_rarity_among_what_is_visible() -> None:
    search = Bm25([(name, terms(text)) for name, text in [("x", "摇滚 乐队"), ("y", "乐队"), ("z", "猫")]])
    assert search.search("摇滚乐队", 10) == ["x", "y"]
    assert search.search("摇滚乐队", 1) == ["x"]
    assert search.search("没有", 10) == []
    one = Bm25([("x", terms("cats")), ("y", terms("dog dog"))])
    assert one.search("Where is the cat?", 10) == ["x"]


def test_plain_bm25_scores_as_by_hand() -> None:
    # two documents of one and three terms, average 2; "cat" stands in the second only, twice
    search = Bm25([("x", terms("dog")), ("y", terms("cat cat dog"))])
    rarity = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    expected = rarity * 2 * 2.2 / (2 + 1.2 * (0.6 + 0.4 * 3 / 2))
    (number, part), *rest = search._postings["cat"]
    assert (number, rest) == (1, [])
    assert rarity * part == pytest.approx(expected)


def test_plain_bm25_splits_as_the_floor_was_measured() -> None:
    assert terms("我喜欢的Cats, running!") == {"我喜": 1, "喜欢": 1, "cat": 1, "run": 1}
    assert terms("what is it") == {}
