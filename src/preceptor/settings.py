"""One tree of settings: defaults, then a TOML file, then PRECEPTOR_ variables. Loaded once, passed down.

Every number says where it comes from: `seed` (a published system gives it), `chosen` (by us, with the
reason in its docstring) or `calibrated` (on what). `preceptor config show` prints them all.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from preceptor.errors import SettingsError


def default_home() -> Path:
    """Return the user's data folder for Preceptor, by the platform's convention."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "preceptor"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True, frozen=True)


class ProviderSettings(_Section):
    """Where a language model is reached."""

    kind: Literal["openai", "anthropic", "google", "ollama", "local"] = "openai"
    """`openai` stands for every OpenAI-compatible server; `local` runs a GGUF in this process. (chosen)"""
    base_url: str | None = None
    """Address of an OpenAI-compatible server; empty: the vendor's own."""
    api_key: SecretStr = SecretStr("")
    """Empty is allowed: servers on this machine often want none."""
    consent: bool = False
    """The owner agrees that learner text goes to this provider; not needed for loopback and `local`."""


class RoleSettings(_Section):
    """Which engine plays a role."""

    engine: Literal["builtin", "llm"] = "builtin"
    """`builtin` needs no model and is the default. (chosen)"""
    provider: str | None = None
    """Name of a row of `providers`; required where engine is `llm`."""
    model: str | None = None
    """The provider's name of the model, or a known GGUF name for `local`."""
    temperature: float | None = Field(default=0.3, ge=0, le=2)
    """`None`: not sent. Tutor 0.3 (seed: DeepTutor, Table 8, solve); evaluation roles 0 (seed: REAT)."""
    max_tokens: int | None = Field(default=400, ge=16)
    """Longest reply, tokens; a tutor's reply is at most three sentences. (chosen)"""


class RolesSettings(_Section):
    """Engine of each role."""

    tutor: RoleSettings = RoleSettings()
    observer: RoleSettings = RoleSettings(temperature=0.0)
    solver: RoleSettings = RoleSettings(temperature=0.0, max_tokens=1200)
    critic: RoleSettings = RoleSettings(temperature=0.0, max_tokens=1200)
    mentor: RoleSettings = RoleSettings(temperature=0.0, max_tokens=1200)
    distiller: RoleSettings = RoleSettings(temperature=0.0, max_tokens=1200)
    rewriter: RoleSettings = RoleSettings(temperature=0.0, max_tokens=200)
    merger: RoleSettings = RoleSettings(temperature=0.0, max_tokens=1200)
    reflection: RoleSettings = RoleSettings(temperature=0.0, max_tokens=2000)
    """Observer, critic and mentor in one call: only for the ablation without three roles."""
    concept_reader: RoleSettings = RoleSettings(temperature=0.0, max_tokens=8000)
    transcriber: RoleSettings = RoleSettings(temperature=0.0, max_tokens=4000)
    judge: RoleSettings = RoleSettings(temperature=0.0, max_tokens=2000)
    """Judges course answers in `preceptor course evaluate`; never in a live turn."""
    learner: RoleSettings = RoleSettings(temperature=0.7, max_tokens=2000)
    """The simulated learner of `preceptor lab two-round`. Temperature (chosen: learners differ)."""

    @model_validator(mode="before")
    @classmethod
    def _keep_a_roles_own_defaults(cls, given: Any) -> Any:
        """A role of which only engine and model are set keeps its own temperature and length."""
        if not isinstance(given, dict):
            return given
        own = {name: field.default.model_dump() for name, field in cls.model_fields.items()}
        return {
            name: {**own[name], **role} if name in own and isinstance(role, dict) else role
            for name, role in given.items()
        }


class ModelSettings(_Section):
    """How calls to language models are made."""

    deadline_s: float = Field(default=60.0, gt=0)
    """Total time for one call with all its retries, seconds. (chosen)"""
    max_retries: int = Field(default=3, ge=0)
    """Retries on 429, 5xx and connection faults, inside the deadline. (chosen)"""


class EmbedderSettings(_Section):
    """The sentence embedder; without its weights everything runs lexically."""

    name: str = "all-minilm-l6-v2-int8"
    max_tokens: int = Field(default=96, ge=8, le=256)
    """The utterance is cut to this many tokens for its vector. (chosen: bounds one embedding to about 20 ms)"""


class TutoringSettings(_Section):
    """One live turn."""

    allow_reveal: bool = False
    """The instructor lets the tutor reveal the learner's own last step; a reveal is logged as one. (chosen)"""
    highest_rung: int = Field(default=4, ge=1, le=4)
    """Highest hint rung offered: 1 nudge, 2 locate, 3 next sub-step, 4 worked parallel example. (chosen)"""
    bare_guess_limit: int = Field(default=3, ge=1)
    """After so many bare guesses the tutor asks for work before it judges another. (chosen)"""
    unread_limit: int = Field(default=3, ge=1)
    """Requests to restate in a row before the tutor gives a worked parallel or calls the instructor. (chosen)"""
    memory_cap_s: float = Field(default=2.5, gt=0)
    """Past it the read is dropped and named in the turn record. (seed: A Tutor That Remembers)"""
    course_cap_s: float = Field(default=2.5, gt=0)
    """As `memory_cap_s`. (chosen: the same)"""
    experience_cap_s: float = Field(default=2.5, gt=0)
    """As `memory_cap_s`. (chosen: the same)"""
    instruction_tokens: int = Field(default=700, ge=100)
    """Share of the prompt for instructions. (chosen)"""
    memory_tokens: int = Field(default=1200, ge=0)
    """Share of the prompt for learner memory. (chosen: about 15 beliefs, 12 episodes, 10 map lines)"""
    course_tokens: int = Field(default=1000, ge=0)
    """Share of the prompt for course passages. (chosen)"""
    experience_tokens: int = Field(default=200, ge=0)
    """Share of the prompt for teaching experience. (chosen)"""


class ExperienceSettings(_Section):
    """Teaching experience: what is found in a turn, what may enter the repository, and what is switched off."""

    enabled: bool = True
    """`False`: no turn reads experience, and none is scored for it. (chosen)"""
    starter: bool = True
    """Whether a repository that nothing was ever written to begins with the entries that come with the program.
    (chosen: the first minute then shows what experience does)"""
    k: int = Field(default=1, ge=1, le=10)
    """Entries told to the tutor, at most. (seed: REAT, Figure 2 and equation 11; Algorithm 1 says top-k)"""
    tau: float | None = Field(default=None, ge=-1, le=1)
    """Least similarity, a cosine; `None`: what was calibrated for the embedder in use. (seed: REAT leaves it open)"""
    alpha: float = Field(default=0.7, ge=0, lt=1)
    """Weight of the OLD utility. (seed: REAT, equation 14; value chosen: the last three uses dominate)"""
    tau_prune: float = Field(default=75.0, ge=0, le=100)
    """Utility below which an entry may be disabled, percent. (seed: REAT, equation 15; value chosen: ten points below
    the mean of tutors without experience)"""
    least_scored_uses: int = Field(default=3, ge=1)
    """Scored uses before an entry may be disabled. (chosen: fewer show no repeated weakness)"""
    tau_rev: float = Field(default=85.0, ge=0, le=100)
    """A reply that scores below it is revised, percent. (seed: REAT, equation 5; value chosen: about half of
    first-pass turns)"""
    tau_min: int = Field(default=3, ge=0, le=4)
    """A reply with a dimension below it is revised. (seed: REAT, equation 5; value chosen: 2 is "weak, formulaic")"""
    gamma: float = Field(default=90.0, ge=0, le=100)
    """Nothing below it enters the repository, percent; at least `tau_rev`. (seed: REAT, equation 8; value chosen: its
    own line for a low score in Figure 4)"""
    gate_min: int = Field(default=3, ge=0, le=4)
    """Nothing with a dimension below it enters the repository. (chosen: as `tau_min`)"""
    mentor_rounds: int = Field(default=3, ge=0, le=10)
    """Revisions of one reply before it is dropped. (chosen: bounds what one turn can cost)"""
    distil_every_turns: int = Field(default=200, ge=1)
    """New meaningful turns after which the running program distils. (seed: REAT, "after accumulating a sufficient
    number of samples"; value chosen)"""
    gate: bool = True
    """`False`: ablation; whatever was scored is admitted. (seed: REAT, Figure 6)"""
    rewrite: bool = True
    """`False`: ablation; a turn asks with its diagnostic text as it is. (seed: REAT, Figure 6)"""
    state_filter: bool = True
    """`False`: ablation; the whole repository is searched. (seed: REAT, Figure 6)"""
    choice: Literal["nearest", "random"] = "nearest"
    """`random`: ablation; any entry of the filtered states. (seed: REAT, Figure 6)"""
    merge: bool = True
    """`False`: ablation; what would be merged is inserted. (seed: REAT, Figure 6)"""
    roles: Literal["three", "reflection"] = "three"
    """`reflection`: ablation; one call in place of observer, critic and mentor. (seed: REAT, Figure 6)"""

    @model_validator(mode="after")
    def _gate_is_stricter(self) -> Self:
        if self.gamma < self.tau_rev:
            raise ValueError(f"gamma must be at least tau_rev = {self.tau_rev:g}, got {self.gamma:g}")
        return self


class MemorySettings(_Section):
    """What of a learner's past is recalled, and in which order."""

    relevance_weight: float = Field(default=0.55, ge=0, le=1)
    """Share of a match's own worth in its score. (seed: A Tutor That Remembers)"""
    recency_weight: float = Field(default=0.15, ge=0, le=1)
    """Added to a match by how recent it is. (seed: A Tutor That Remembers)"""
    salience_weight: float = Field(default=0.20, ge=0, le=1)
    """Added to a match by its write-time salience. (chosen: what the seed leaves, shared out)"""
    concept_weight: float = Field(default=0.10, ge=0, le=1)
    """Added to a match by the share of the question's concepts it touched. (chosen: as salience)"""
    recency_half_life_days: float = Field(default=75.0, gt=0)
    """Recency is 0.5 after so many days. (chosen: 200 days give the seed's 0.157)"""
    contrast: float = Field(default=32.0, ge=1)
    """Power of the relevance beside the best: keeps recency and salience tie-breakers. (calibrated on LoCoMo 0-2)"""
    own_words_weight: float = Field(default=0.0, ge=0)
    """Share of an episode's own words in relevance. (fitted on LoCoMo 0-2, as the shares that follow)"""
    near_words_weight: float = Field(default=0.161, ge=0)
    """Share of its words together with its neighbours', those down-weighted. (fitted)"""
    spread_words_weight: float = Field(default=0.12, ge=0)
    """Share of how many of the question's words, by rarity, stand in it or nearby at all. (fitted)"""
    dialogue_words_weight: float = Field(default=0.085, ge=0)
    """Share of its whole dialogue's words. (fitted)"""
    vector_weight: float = Field(default=0.0, ge=0)
    """Share of its vector, where the embedder speaks the language. (fitted)"""
    near_vector_weight: float = Field(default=0.166, ge=0)
    """Share of the best vector of it and its two neighbours. (fitted)"""
    window_vector_weight: float = Field(default=0.185, ge=0)
    """Share of the mean vector of it and its four neighbours. (fitted)"""
    speaker_weight: float = Field(default=0.035, ge=0)
    """Added where the question names who said it. (fitted)"""
    length_weight: float = Field(default=0.231, ge=0)
    """Added to what matches by how much it says. (fitted)"""
    edge_weight: float = Field(default=0.017, ge=0)
    """Added to what matches at the first or last two places of a dialogue. (fitted)"""
    vector_unrelated: float = Field(default=0.143, ge=-1, lt=1)
    """Cosine that counts as 0: the mean of unrelated pairs. (calibrated on LoCoMo 0-2, all-minilm-l6-v2-int8)"""
    vector_match: float = Field(default=0.356, ge=-1, le=1)
    """Cosine from which a vector alone is a match: 99th percentile of unrelated pairs. (calibrated: as above)"""
    recent_pool: int = Field(default=500, ge=1)
    """How many of the most recent episodes are candidates whatever they say. (seed: A Tutor That Remembers)"""
    vector_pool: int = Field(default=200, ge=1)
    """How many semantic neighbours are candidates. (chosen: ten times what is ever shown)"""
    block_beliefs: int = Field(default=15, ge=0)
    """Beliefs told to the tutor, at most. (chosen: 20 tokens each, a quarter of the block)"""
    block_episodes: int = Field(default=12, ge=0)
    """Memories told to the tutor, at most. (chosen: what `tutoring.memory_tokens` holds)"""
    block_record_episodes: int = Field(default=24, ge=0)
    """The same for a question about the record, where the list is the answer: the budget ends it sooner. (chosen)"""
    block_map_lines: int = Field(default=10, ge=0)
    """Concepts of the subject's map told to the tutor, at most. (chosen: as above)"""
    block_line_tokens: int = Field(default=55, ge=10)
    """Longest memory or concept in the block, tokens; the rest is cut off. (chosen: three lines of a page)"""
    cached_scopes: int = Field(default=64, ge=1)
    """Indexes kept in memory, about 2 MB each at 10,000 episodes, 17 MB with vectors. (chosen)"""
    belief_prior: float = Field(default=2.0, gt=0)
    """Right and wrong checks that each count before the first one: Beta(2, 2). (chosen: one check moves to .60)"""
    understands_from: float = Field(default=0.60, gt=0.5, le=1)
    """Posterior mean from which the tutor believes "understands". (chosen)"""
    struggles_to: float = Field(default=0.40, ge=0, lt=0.5)
    """Posterior mean up to which the tutor believes "struggles"; between the two it believes nothing. (chosen)"""
    confidence_cap: float = Field(default=0.95, gt=0.5, le=1)
    """No belief is surer. (chosen)"""
    denial_checks: int = Field(default=3, ge=1)
    """Checks, right against wrong, that a belief needs to come back after the learner said it is not true. (chosen)"""
    decay_days: int = Field(default=45, ge=1)
    """A belief untouched for so long fades, once a full period. (seed: A Tutor That Remembers)"""
    decay_factor: float = Field(default=0.85, gt=0, lt=1)
    """What of its confidence is left then. (seed: A Tutor That Remembers)"""
    verify_batch: int = Field(default=50, ge=1)
    """Citations looked up a night for each learner and subject. (chosen: the seed says bounded)"""
    working_set: int = Field(default=20, ge=1)
    """Concepts of the working set. (chosen: the seed says small)"""
    calibration_buckets: int = Field(default=5, ge=1)
    """Buckets of equal width of the reliability curve. (chosen: works from five checks)"""
    calibrated_from: int = Field(default=5, ge=1)
    """Checks with a prediction from which the tutor calls its confidence calibrated. (seed: A Tutor That Remembers)"""
    nightly_hour: int = Field(default=3, ge=0, le=23)
    """Hour, on this machine's clock, at which a running server works through the night. (chosen)"""


class SafetySettings(_Section):
    """What a learner in distress is shown."""

    contact_text: str = ""
    """Whom a learner can turn to, as the owner words it; empty: a neutral sentence, no invented number."""


class ServerSettings(_Section):
    """The page."""

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    """0: any free port."""
    access_token: SecretStr = SecretStr("")
    """Required where host is not loopback; serves exactly one learner. At least 16 characters."""
    max_body_bytes: int = Field(default=65_536, ge=1024)
    """Longest request body. (chosen)"""
    max_utterance_chars: int = Field(default=4000, ge=100)
    """Longest learner message. (chosen)"""
    turns_per_day: int = Field(default=2000, ge=1)
    """Turns one learner may take in a day, UTC. (chosen: far above use, below abuse)"""


class CourseSettings(_Section):
    """What one course file may take while it is read; beyond it the file is refused with one line."""

    max_file_bytes: int = Field(default=100_000_000, ge=1000)
    """Largest file. (chosen: a scanned book is refused anyway, a textbook of 1,500 pages has about 60 MB)"""
    max_pages: int = Field(default=2000, ge=1)
    """Most pages or slides of one file. (chosen: above the longest textbooks)"""
    max_page_chars: int = Field(default=2_000_000, ge=1000)
    """Longest page; a text, Markdown, HTML or Word file is one page. (chosen: a textbook as one file)"""
    max_unpacked_bytes: int = Field(default=500_000_000, ge=1000)
    """Largest DOCX or PPTX once unpacked. (chosen: five times `max_file_bytes`)"""
    read_deadline_s: float = Field(default=180.0, gt=0)
    """Longest reading of one file; then its process is killed. (chosen: 2,000 pages take about 90 s)"""
    read_memory_bytes: int = Field(default=2_000_000_000, ge=200_000_000)
    """Address space of the process that reads files. (chosen)"""


class CourseRetrievalSettings(_Section):
    """How passages of a course are found."""

    profile: Literal["default", "kite", "two_indexes"] = "default"
    """`kite`: the seed's numbers; `default`: what our own question set preferred, at present the same (calibrated);
    `two_indexes`: with the concept map fused by rank (seed: DeepTutor)."""
    stages_off: tuple[Literal["dense", "words", "mmr", "concepts", "rerank", "late", "boost"], ...] = ()
    """Stages that do not run, for comparison. (seed: KITE has no such ablation; chosen: every stage can be left out)"""
    late_interaction: bool = False
    """Keep a vector of at most 64 bytes for each token of a course, and rerank by them too. (off: about 5 KB a passage;
    what it gains: docs/design/course_retrieval.md)"""
    reranker_folder: Path | None = None
    """Folder with `model.onnx` and `tokenizer.json` of a cross-encoder; empty: the builtin reranker.
    (seed: KITE uses ms-marco-MiniLM-L-6-v2)"""
    top: int = Field(default=8, ge=1, le=50)
    """Passages told to the tutor, at most. (seed: KITE)"""
    answerable_from: float = Field(default=0.5, ge=0, le=1)
    """Probability from which the course is taken to hold the answer. (chosen: the more likely of the two is said)"""


class StoreSettings(_Section):
    """Where records are kept."""

    url: str | None = None
    """SQLAlchemy address of a PostgreSQL database; empty: SQLite in one file in the home folder."""


class Settings(BaseSettings):
    """Everything that two installations may differ in."""

    model_config = SettingsConfigDict(
        env_prefix="PRECEPTOR_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
    )

    home: Path = Field(default_factory=default_home)
    """Database, key, models and caches. PRECEPTOR_HOME."""
    language: str = "en"
    """Language of the pages and of replies where a session sets none: a BCP 47 tag."""
    time_zone: str = "UTC"
    """The learner's IANA time zone where their browser sends none: "in July" and "yesterday" are meant in it."""
    store: StoreSettings = StoreSettings()
    roles: RolesSettings = RolesSettings()
    providers: dict[str, ProviderSettings] = {}
    models: ModelSettings = ModelSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    tutoring: TutoringSettings = TutoringSettings()
    experience: ExperienceSettings = ExperienceSettings()
    memory: MemorySettings = MemorySettings()
    safety: SafetySettings = SafetySettings()
    server: ServerSettings = ServerSettings()
    course: CourseSettings = CourseSettings()
    course_retrieval: CourseRetrievalSettings = CourseRetrievalSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Variables win over the file, which arrives as init values."""
        return env_settings, init_settings


_NOT_SETTINGS = {"PRECEPTOR_CONFIG", "PRECEPTOR_REQUIRE_DATA", "PRECEPTOR_DATA", "PRECEPTOR_TEST_POSTGRES"}
"""Variables that name the file itself, or belong to the test suite."""


def load_settings(path: Path | None = None) -> Settings:
    """Return the settings of this run.

    Args:
        path: The TOML file; `None`: PRECEPTOR_CONFIG, else `config.toml` in the home folder if there is one.

    Raises:
        SettingsError: A key is unknown, a value is out of range or the file cannot be read; the message
            names the key and what was expected.
    """
    known = {name.upper() for name in Settings.model_fields}
    for variable in os.environ:
        if variable.startswith("PRECEPTOR_") and variable not in _NOT_SETTINGS:
            head = variable.removeprefix("PRECEPTOR_").split("__")[0]
            if head not in known:
                raise SettingsError(f"{variable}: no such setting; expected one of {', '.join(sorted(known))}")
    try:
        return Settings(**_read_file(path))
    except ValidationError as error:
        lines = [f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in error.errors()]
        raise SettingsError("; ".join(lines)) from error


def _read_file(path: Path | None) -> dict[str, Any]:
    if path is None:
        named = os.environ.get("PRECEPTOR_CONFIG")
        home = Path(os.environ.get("PRECEPTOR_HOME") or default_home())
        path = Path(named) if named else home / "config.toml"
        if not named and not path.exists():
            return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from error
