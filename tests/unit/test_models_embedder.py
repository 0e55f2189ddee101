"""Vectors for English, and for nothing else."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import skip_or_fail

from preceptor.errors import ModelError, SettingsError
from preceptor.models.embedder import OnnxEmbedder, embedder_languages, open_embedder
from preceptor.models.fetch import fetch_model
from preceptor.settings import EmbedderSettings, Settings, load_settings

NAME = "all-minilm-l6-v2-int8"
FOREIGN = {
    "ar": [
        "القطة نائمة على الأريكة", "سعر النفط ارتفع اليوم", "أحب القهوة في الصباح", "المدرسة بعيدة عن البيت",
        "سافر أخي إلى البحر", "تسقط الأمطار في الشتاء", "قرأت كتابا عن النجوم", "الطبيب يعمل في المستشفى",
        "نلعب كرة القدم مساء", "الخبز طازج ولذيذ",
    ],
    "zh": [
        "猫在沙发上睡觉", "今天油价上涨了", "我早上喜欢喝咖啡", "学校离家很远", "弟弟去了海边",
        "冬天经常下雨", "我读了一本关于星星的书", "医生在医院工作", "我们晚上踢足球", "面包又新鲜又好吃",
    ],
    "hi": [
        "बिल्ली सोफे पर सो रही है", "आज तेल महंगा हो गया", "मुझे सुबह चाय पसंद है", "स्कूल घर से दूर है",
        "भाई समुद्र तट पर गया", "सर्दी में बारिश होती है", "मैंने तारों की किताब पढ़ी", "डॉक्टर अस्पताल में है",
        "हम शाम को खेलते हैं", "रोटी ताज़ी है",
    ],
}  # fmt: skip
PARAPHRASES = [
    ("She multiplied the wrong numbers.", "The figures that she multiplied were not the right ones."),
    ("I do not know how to begin.", "I have no idea where to start."),
    ("The learner forgot to convert the units.", "The student did not change hours into minutes first."),
    ("How many apples are left in the basket?", "What number of apples remains in the basket?"),
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    home = load_settings().home
    try:
        folder = fetch_model(home, NAME, progress=lambda *_: None)
    except ModelError as error:
        skip_or_fail(f"the embedder's weights cannot be had: {error}")
    return OnnxEmbedder(folder, languages=embedder_languages(folder), max_tokens=96)


@pytest.mark.parametrize("language", sorted(FOREIGN))
@pytest.mark.parametrize("told", [True, False])
def test_no_two_unrelated_foreign_texts_match(embedder: OnnxEmbedder, language: str, told: bool) -> None:
    vectors = embedder.embed(FOREIGN[language], language=language if told else None)
    assert not [pair for pair in combinations(vectors, 2) if pair[0] is not None and pair[1] is not None]


def test_paraphrase_is_closer_than_any_other_text(embedder: OnnxEmbedder) -> None:
    first = embedder.embed([one for one, _ in PARAPHRASES])
    second = embedder.embed([other for _, other in PARAPHRASES])
    assert all(vector is not None for vector in first + second)
    cosines = np.array(first) @ np.array(second).T
    assert (cosines.argmax(axis=1) == np.arange(len(PARAPHRASES))).all()


def test_vectors_have_length_one_and_do_not_depend_on_their_batch(embedder: OnnxEmbedder) -> None:
    texts = [f"{'very ' * n}long sentence number {n}" for n in range(40)]
    together = embedder.embed(texts)
    for text, vector in zip(texts[::7], together[::7], strict=True):
        (alone,) = embedder.embed([text])
        assert vector is not None
        assert alone is not None
        assert vector.shape == (embedder.dimensions,) == (384,)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
        assert float(vector @ alone) > 0.99, "int8 activations are scaled by batch, so equal only nearly"


def test_text_is_cut_to_the_limit(embedder: OnnxEmbedder) -> None:
    start = "the cat sat on the mat and looked at the moon " * 12
    (short,), (long,) = embedder.embed([start]), embedder.embed([start + "stocks fell in London"])
    assert short is not None
    assert long is not None
    assert float(short @ long) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("text", ["", "   ", "😀😀😀 🎉", "你好 ok", "Сколько яблок осталось?"])
def test_text_it_cannot_read_gets_no_vector(embedder: OnnxEmbedder, text: str) -> None:
    assert embedder.embed([text]) == [None]


@pytest.mark.parametrize("text", ["5 * 3 = 15", "2πr with r = 4", "idk", "x = -½", "Zoë paid €5"])
def test_english_with_signs_and_names_gets_one(embedder: OnnxEmbedder, text: str) -> None:
    assert embedder.embed([text])[0] is not None


def test_language_with_a_region_is_the_language(embedder: OnnxEmbedder) -> None:
    assert embedder.embed(["two apples"], language="en-GB")[0] is not None
    assert embedder.embed(["dos manzanas"], language="es") == [None]


def test_fingerprint_names_weights_tokenizer_and_cut(embedder: OnnxEmbedder) -> None:
    assert embedder.fingerprint == f"{NAME}:8199be6f699a:be50c3628f2b:96"


def test_without_weights_there_is_no_embedder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRECEPTOR_HOME", raising=False)
    assert open_embedder(Settings(home=tmp_path)) is None


def test_embedder_of_the_owner_must_declare_its_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRECEPTOR_HOME", raising=False)
    folder = tmp_path / "models" / "mine"
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"not a model")
    settings = Settings(home=tmp_path, embedder=EmbedderSettings(name="mine"))
    with pytest.raises(SettingsError, match="languages"):
        open_embedder(settings)
    (folder / "embedder.toml").write_text('languages = ["tlh"]')
    with pytest.raises(SettingsError, match="tlh"):
        open_embedder(settings)
    (folder / "embedder.toml").write_text('languages = ["de", "fr"]')
    with pytest.raises(ModelError, match="tokenizer"):
        open_embedder(settings)
