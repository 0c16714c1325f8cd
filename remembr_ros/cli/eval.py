"""`remembr eval`: how good are the answers, with which model, captions and settings.

In: questions with known answers and the memories they are about. Out: a folder with report.md, report.json, plots, and
what it takes to go on after an interruption. Exit code 1: something could not be read or reached, 2: wrong usage.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from remembr_ros.cli.memory_file import (
    COLLECTION,
    DEFAULT_COLLECTION,
    DEFAULT_URI,
    DEFAULTS,
    TIMEOUT_S,
    URI,
    clear_errors,
    finite,
    progress_bar,
    token,
)
from remembr_ros.errors import ConfigurationError, MemoryUnavailable
from remembr_ros.evaluation import report
from remembr_ros.evaluation.cases import Case
from remembr_ros.evaluation.compare import Comparison, compare
from remembr_ros.evaluation.navqa.questions import ZONE_NAME, read_questions
from remembr_ros.evaluation.navqa.questions import Annotated as Question
from remembr_ros.evaluation.run import Prices
from remembr_ros.evaluation.scores import Tolerances
from remembr_ros.evaluation.summary import overall
from remembr_ros.evaluation.variants import variants
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.when import load_zone

eval_app = typer.Typer(
    help="Measure how good the answers are.", no_args_is_help=True, add_completion=False, rich_markup_mode=None
)
VARIANTS = Annotated[
    str,
    typer.Option(
        "--variants", help="Ways to answer, comma-separated, or all. Empty: extractive, and agent with --llm."
    ),
]
LLM = Annotated[str, typer.Option("--llm", help="Language model, vendor:model, as the parameter llm.model.")]
BASE_URL = Annotated[str, typer.Option("--base-url", help="Its endpoint, as the parameter llm.base_url.")]
VISION_MODEL = Annotated[str, typer.Option("--vision-model", help="A model of the same vendor that sees pictures.")]
JUDGE = Annotated[str, typer.Option("--judge", help="Model that judges answers in words; empty: by word overlap.")]
JUDGE_URL = Annotated[str, typer.Option("--judge-base-url", help="Its endpoint.")]
PRICES = Annotated[
    tuple[float, float] | None, typer.Option("--prices", help="Of a million prompt and reply tokens, to report costs.")
]
CURRENCY = Annotated[str, typer.Option("--currency", help="Of --prices.")]
WORDS_FILE = Annotated[str, typer.Option("--words-file", help="As the parameter recall.words_file.")]
EMBEDDER = Annotated[str, typer.Option("--embedder", help="As the parameter embedder.model.")]
OUT = Annotated[Path, typer.Option("--out", help="Folder of results and report; a second run goes on there.")]
TIME_LIMIT = Annotated[
    float, typer.Option("--time-limit", help="Longest time for one answer [s].", min=1.0, callback=finite)
]
WITHIN = Annotated[float, typer.Option("--within", help="A place is right so near [m].", min=0.0, callback=finite)]
MINUTES = Annotated[float, typer.Option("--minutes", help="A time is right so near [min].", min=0.0, callback=finite)]
PARALLEL = Annotated[int, typer.Option("--parallel", help="Questions at a time; each is slower then.", min=1, max=64)]
LIMIT = Annotated[int, typer.Option("--limit", help="Only the first so many questions; 0: all.", min=0)]
DEFAULT_EMBEDDER = str(DEFAULTS["embedder.model"])


@eval_app.command()
def navqa(
    questions: Annotated[Path, typer.Option("--questions", help="Folder of NaVQA with data.csv.", file_okay=False)],
    captions: Annotated[list[Path] | None, typer.Option("--captions", help="Caption files, one a sequence.")] = None,
    more: Annotated[list[Path] | None, typer.Argument(metavar="FILE", help="More caption files.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Only check and list the questions.")] = False,
    llm: LLM = "",
    base_url: BASE_URL = "",
    variants_: VARIANTS = "",
    vision_model: VISION_MODEL = "",
    time_limit: TIME_LIMIT = 120.0,
    parallel: PARALLEL = 1,
    judge: JUDGE = "",
    judge_base_url: JUDGE_URL = "",
    prices: PRICES = None,
    currency: CURRENCY = "",
    embedder: EMBEDDER = DEFAULT_EMBEDDER,
    out: OUT = Path("navqa-results"),
    limit: LIMIT = 0,
) -> None:
    """The questions of the ReMEmbR paper, about captions of the CODa drives that you have made."""
    from remembr_ros.evaluation.memories import stored
    from remembr_ros.evaluation.navqa.captions import read_drives
    from remembr_ros.evaluation.navqa.cases import make_cases
    from remembr_ros.memory.embedders import create_embedder

    console, files = Console(), [*(captions or []), *(more or [])]
    with clear_errors():
        asked = read_questions(questions)
        if list_:
            _list(console, asked)
            return
        if not files:
            raise ConfigurationError("--captions: name the caption files, one for each sequence (or --list)")
        drives = read_drives(files, asked)
        cases = make_cases(asked, drives)[: limit or None]
        missing = sorted({one.sequence for one in asked} - set(drives), key=lambda name: (len(name), name))
        lines = [
            f"{len(cases)} of {len(asked)} questions; captions of sequences {', '.join(sorted(drives))}"
            + (f", none of {', '.join(missing)}." if missing else "."),
            f"{sum(len(drive.memories) for drive in drives.values())} captions, embedder {embedder}.",
            f"Clock times are {ZONE_NAME}.",
        ]
        memories = {f"navqa_{name}_{drive.digest}_{_word(embedder)}": drive.memories for name, drive in drives.items()}
        chosen = variants(variants_, llm=llm, base_url=base_url, vision_model=vision_model, time_limit_s=time_limit)
        comparison = Comparison(
            tuple(chosen), load_zone(ZONE_NAME), out, " ".join(memories), judge, judge_base_url,
            prices=_prices(prices), currency=currency, parallel=parallel,
        )  # fmt: skip
        model = create_embedder(embedder, parameter="--embedder")
        with progress_bar("storing captions") as bar, stored(out / "memory.db", model, memories, bar) as stores:
            _compare(console, comparison, cases, dict(zip(drives, stores.values(), strict=True)), "NaVQA", lines)


@eval_app.command()
def sim(
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            help="Of the deployment; things of seeds below 200 were used for tuning, seeds from 200 have others.",
            min=1,
        ),
    ] = 101,
    days: Annotated[int, typer.Option("--days", help="How long it lasts.", min=2, max=60)] = 30,
    windows: Annotated[int, typer.Option("--windows", help="How many memories it has.", min=1000)] = 200_000,
    count: Annotated[int, typer.Option("--count", help="About how many questions.", min=10)] = 340,
    within: WITHIN = 5.0,
    minutes: MINUTES = 2.0,
    llm: LLM = "",
    base_url: BASE_URL = "",
    variants_: VARIANTS = "",
    time_limit: TIME_LIMIT = 120.0,
    parallel: PARALLEL = 1,
    judge: JUDGE = "",
    judge_base_url: JUDGE_URL = "",
    prices: PRICES = None,
    currency: CURRENCY = "",
    embedder: EMBEDDER = DEFAULT_EMBEDDER,
    out: OUT = Path("sim-results"),
    limit: LIMIT = 0,
) -> None:
    """A simulated deployment of weeks whose truth is known. It is not NaVQA: its captions are made up."""
    from remembr_ros.evaluation.kept_vectors import KeptVectors
    from remembr_ros.evaluation.memories import stored
    from remembr_ros.evaluation.sim.deployment import Deployment
    from remembr_ros.evaluation.sim.drive import ZONE
    from remembr_ros.evaluation.sim.questions import Questions
    from remembr_ros.memory.embedders import create_embedder

    console = Console()
    with clear_errors():
        chosen = variants(variants_, llm=llm, base_url=base_url, time_limit_s=time_limit)
        model = KeptVectors(create_embedder(embedder, parameter="--embedder"))
        with console.status("making the deployment"):
            deployment = Deployment(seed, days=days, windows=windows)
            cases = Questions(deployment).cases(count)[: limit or None]
        name = f"sim_{seed}_{days}_{windows}_{_word(embedder)}"
        comparison = Comparison(
            tuple(chosen), ZONE, out, name, judge, judge_base_url, Tolerances(within, minutes, minutes),
            _prices(prices), currency, parallel,
        )  # fmt: skip
        lines = [
            f"{len(cases)} questions about {days} simulated days, seed {seed}. This is not NaVQA.",
            f"{len(deployment.memories)} memories, embedder {embedder}.",
        ]
        memories = {name: deployment.memories}
        with progress_bar("storing captions") as bar, stored(out / "memory.db", model, memories, bar) as stores:
            _compare(console, comparison, cases, stores[name], "A simulated deployment", lines)


@eval_app.command()
def own(
    questions: Annotated[Path, typer.Argument(help="YAML or JSON lines, see docs/evaluate.md.", exists=True)],
    timezone: Annotated[str, typer.Option("--timezone", help="IANA name; empty: this computer's.")] = "",
    llm: LLM = "",
    base_url: BASE_URL = "",
    variants_: VARIANTS = "",
    vision_model: VISION_MODEL = "",
    time_limit: TIME_LIMIT = 120.0,
    parallel: PARALLEL = 1,
    judge: JUDGE = "",
    judge_base_url: JUDGE_URL = "",
    prices: PRICES = None,
    currency: CURRENCY = "",
    within: WITHIN = 5.0,
    minutes: MINUTES = 2.0,
    embedder: EMBEDDER = DEFAULT_EMBEDDER,
    words_file: WORDS_FILE = "",
    uri: URI = DEFAULT_URI,
    collection: COLLECTION = DEFAULT_COLLECTION,
    out: OUT = Path("own-results"),
    limit: LIMIT = 0,
) -> None:
    """Your own questions about your own robot's memory."""
    from remembr_ros.evaluation.own import contents, read_cases
    from remembr_ros.memory.embedders import create_embedder
    from remembr_ros.memory.store import MemoryStore

    with clear_errors():
        zone = load_zone(timezone, parameter="--timezone")
        cases = read_cases(questions, zone)[: limit or None]
        chosen = variants(
            variants_, llm=llm, base_url=base_url, vision_model=vision_model, time_limit_s=time_limit,
            words_file=words_file,
        )  # fmt: skip
        # Opened as it is first: opening it to write makes one where there is none.
        with MemoryStore.open_existing(uri, collection=collection, token=token(), timeout_s=TIMEOUT_S) as there:
            if not there.count():
                raise MemoryUnavailable(f"--uri: there is no memory in {uri}, collection {collection}: it is empty")
            model = create_embedder(embedder, parameter="--embedder")
            with MemoryStore.open(uri, model, collection=collection, token=token(), timeout_s=TIMEOUT_S) as store:
                name = f"{uri} {collection} {contents(store)}{_content(words_file)}"
                comparison = Comparison(
                    tuple(chosen), zone, out, name, judge, judge_base_url, Tolerances(within, minutes, minutes),
                    _prices(prices), currency, parallel,
                )  # fmt: skip
                lines = [f"{len(cases)} questions, {store.count()} memories, embedder {embedder}."]
                _compare(Console(), comparison, cases, store, "Own questions", lines)


def _compare(
    console: Console,
    comparison: Comparison,
    cases: list[Case],
    memory: SearchableMemory | Mapping[str, SearchableMemory],
    title: str,
    lines: list[str],
) -> None:
    """Ask, with a bar for each variant, and show what came of it."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("asking", total=None)

        def tell(name: str, done: int, total: int) -> None:
            bar.update(task, description=name, completed=done, total=total)

        runs = compare(comparison, cases, memory, title=title, lines=lines, progress=tell)
    table = Table(title="right answers")
    for column in ("variant", "all", "clean"):
        table.add_column(column, justify="left" if column == "variant" else "right")
    for name, outcomes in runs.items():
        table.add_row(name, report.percent(overall(outcomes)), report.percent(overall(report.clean(outcomes))))
    console.print(table)
    console.print(f"report: {comparison.folder / 'report.md'}", markup=False, highlight=False)


def _list(console: Console, asked: list[Question]) -> None:
    for one in asked:
        notes = f"  [yellow]{escape('; '.join(one.notes))}[/yellow]" if one.notes else ""
        head = f"{one.sequence:>3} {one.length_class:<6} {one.kind.value:<8} {','.join(one.clocks)}"
        console.print(f"{head}  {escape(one.question)}{notes}", highlight=False, soft_wrap=True)
    lengths = ["SHORT", "MEDIUM", "LONG"]
    classes = [*lengths, *sorted({one.length_class for one in asked} - set(lengths))]
    counts = Table(title=f"{len(asked)} questions of {len({one.sequence for one in asked})} sequences")
    for column in ("", *classes, "all"):
        counts.add_column(column.lower(), justify="right" if column else "left")
    for kind, total in Counter(one.kind for one in asked).most_common():
        own_classes = Counter(one.length_class for one in asked if one.kind is kind)
        counts.add_row(kind.value, *(str(own_classes[name]) for name in classes), str(total))
    counts.add_row("all", *(str(sum(one.length_class == name for one in asked)) for name in classes), str(len(asked)))
    console.print(counts)
    console.print(f"{sum(len(one.notes) for one in asked)} clock times lie outside the stretch they are asked about")


def _prices(given: tuple[float, float] | None) -> Prices | None:
    return None if given is None else Prices(*given)


def _content(words_file: str) -> str:
    """What tells answers with other words in a file of the same name from these."""
    return f" {zlib.crc32(Path(words_file).expanduser().read_bytes())}" if words_file else ""


def _word(embedder: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in embedder)[-40:]
