"""The commands: arguments and shared options in, calls to the client, text or JSON out."""

import os
import sys
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Annotated, get_args

import typer

from app.command_line import show
from app.settings import DEFAULT_PROFILE, data_paths
from storage.errors import UsageError
from storage.records.questions import AnswerKind
from storage.records.reports import ReportField
from storage.text import plural

Profile = Annotated[str, typer.Option("--profile", help="A named set of settings; see `pageproof profiles`.")]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="One setting; may be given often.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program.")]
Data = Annotated[
    Path | None, typer.Option("--data", help="The library's folder; else PAGEPROOF_DATA, else ./data.")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Ask anew, and keep no answer; or answers.cache=false.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it is there already.")]
PROFILE = DEFAULT_PROFILE
_KINDS: tuple[str, ...] = get_args(AnswerKind)
SOME_FAILED = 1
NOT_SET_UP = 3
ALL_FAILED = 4
typer_app = typer.Typer(
    help="Typed, page-cited, checked answers from companies' annual reports.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"pageproof {metadata.version('pageproof')}")
        raise typer.Exit


@typer_app.callback()
def _all_commands(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Typed, page-cited, checked answers from companies' annual reports."""


@typer_app.command()
def ingest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH…", help="PDFs or folders of PDFs; none: the library's own."),
    ] = None,
    catalog: Annotated[Path | None, typer.Option(help="CSV: sha1 or file, company_name, aliases, …")] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that read; else one for each core, at most 4; all of a Ray cluster."),
    ] = None,
    executor: Annotated[str | None, typer.Option(help="local or ray; else the setting ingest.executor.")] = None,
    ray_address: Annotated[
        str | None, typer.Option(help="Of a running Ray cluster, such as auto; else ingest.ray_address.")
    ] = None,
    export: Annotated[Path | None, typer.Option(help="Write the pages as read into this folder.")] = None,
    until: Annotated[str, typer.Option(help="The last step: read, facts or index.")] = "index",
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Read PDFs into published company indexes."""
    from app.runs.ingest import last_step, run_ingest  # late: pulls in LlamaIndex
    from indexes.ingestion.requests import IngestRequest, can_be_folder

    request = IngestRequest(
        paths=tuple(paths or ()), catalog=catalog, workers=workers, until=last_step(until), export=export
    )
    chosen = {"ingest.executor": executor, "ingest.ray_address": ray_address}
    sets = [*(overrides or ()), *(f"{key}={value}" for key, value in chosen.items() if value is not None)]
    if export is not None:
        data_paths(data).refuse_inside(export)
    if export is not None and not can_be_folder(export):
        raise UsageError(f"--export {export}: a file stands where the folder would be")
    # A file or another program gets a line as each report is done; a terminal has bars instead.
    on_result = None if as_json or sys.stderr.isatty() else show.ingested_one
    ingested = run_ingest(request, profile, sets, data, on_result)
    failed = [o for o in ingested if o.status == "failed"]
    show.ingested(ingested, as_json, is_printed=on_result is not None)
    if export is not None and not as_json and len(failed) < len(ingested):
        show.wrote(export, "the pages as read", as_json)
    if failed and len(failed) == len(ingested):
        raise typer.Exit(ALL_FAILED)
    if failed or any(o.warning for o in ingested):
        raise typer.Exit(SOME_FAILED)


@typer_app.command()
def ask(
    questions: Annotated[
        list[str], typer.Argument(help="A question; several are a conversation, each after the one before.")
    ],
    kind: Annotated[str | None, typer.Option(help=f"{', '.join(_KINDS[:-1])} or {_KINDS[-1]}.")] = None,
    company: Annotated[str | None, typer.Option(help="The company, whatever the text says.")] = None,
    no_cache: NoCache = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question, or a conversation of several, with citations."""
    from pageproof import open_pageproof
    from query_engines.options import model_name

    with open_pageproof(profile, overrides=_with_cache(overrides, no_cache), data=data, purpose="ask") as client:
        conversation, chosen = client.conversation(), _kind(kind)
        model = model_name(client.settings.llm)
        found = [conversation.ask(text, kind=chosen, company=company) for text in questions]
    if as_json:
        from app.files.answer_json import answer_json  # late: openpyxl

        show.as_json([answer_json(each) for each in found] if len(found) > 1 else answer_json(found[0]))
        return
    for each in found:
        show.answer(each, model)


@typer_app.command()
def answer(
    questions: Annotated[Path, typer.Argument(help="A question file: the challenge's JSON, CSV, or XLSX.")],
    out: Annotated[
        Path | None, typer.Option(help="Answers: .json (submission), .jsonl, .csv, .xlsx, .html.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep the answers that are already there, and ask what is missing.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the answers that are already there.")] = False,
    in_place: Annotated[
        bool,
        typer.Option("--in-place", help="Write the answers into the workbook of questions; a copy is made first."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what is understood of the file and what a model would cost.")
    ] = False,
    no_cache: NoCache = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Answer a file of questions."""
    from app.command_line.show import AnswerBar
    from app.files.answers import Overwriting
    from app.runs.answers import estimate, prepare_answers, run_answers

    allowed = Overwriting(resume=resume, force=force, in_place=in_place)
    if dry_run:
        show.estimated(estimate(questions, profile, overrides or (), data), as_json)
        return
    data_paths(data).refuse_inside(out or questions)
    files = prepare_answers(questions, out, allowed)
    show.failures(files.notes)
    with AnswerBar() as bar:
        run = run_answers(files, profile, _with_cache(overrides, no_cache), data, bar.show)
    show.answered(run, files.out, as_json)
    if not run.is_whole:
        raise typer.Exit(SOME_FAILED)


@typer_app.command()
def overview(
    company: Annotated[str, typer.Argument(help="A company of the library.")],
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Print what a company's newest report holds: figures, people, events, contents."""
    from app.library.overview import overview_markdown
    from pageproof import open_pageproof

    with open_pageproof(profile, overrides=overrides or (), data=data, purpose="overview") as client:
        found = client.overview(company)
    if as_json:
        show.as_json(found)
    else:
        typer.echo(overview_markdown(found))


@typer_app.command()
def facts(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="COMPANY…", help="All, where none is named.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A file: .xlsx, .csv or .json.")] = None,
    force: Force = False,
    metric: Annotated[list[str] | None, typer.Option(help="Only this one; may be given often.")] = None,
    years: Annotated[int | None, typer.Option(min=1, help="Only the last so many fiscal years.")] = None,
    calculated: Annotated[
        bool, typer.Option("--calculated", help="Also every figure calculated from them.")
    ] = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Print or write the fact table: companies, metrics, periods, each value with its page."""
    from app.command_line.show import fact_table
    from app.runs.ingest import run_facts

    if out is not None:
        from app.files.answers import refuse_replacing  # late: openpyxl

        data_paths(data).refuse_inside(out)
        refuse_replacing(out, force=force)
    sheet = run_facts(names or (), metric or (), profile, overrides or (), data, calculated=calculated)
    sheet = sheet if years is None else sheet.of_last(years)
    if out is not None:
        from app.library.fact_files import write_facts

        write_facts(sheet, out)
        reported = len({row.company for row in sheet.facts})
        what = f"{plural(len(sheet.facts), 'figure')} of {plural(reported, 'company')}"
        show.wrote(out, what, as_json)
    if as_json:
        show.as_json(sheet)
    elif out is None:
        fact_table(sheet)
    show.failures(sheet.missing)
    if sheet.missing:
        raise typer.Exit(SOME_FAILED)


@typer_app.command()
def kpis(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="COMPANY…", help="All, where none is named.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A file: .xlsx, .csv or .json.")] = None,
    force: Force = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Print or write the thirty-one figures that everybody asks for, with the figures of other scopes beside them."""
    from storage.records.metrics import Ontology

    facts(names, out, force, list(Ontology.load().kpis), 2, False, profile, overrides, data, as_json)


@typer_app.command()
def companies(
    company: Annotated[str | None, typer.Argument(help="Only this one.")] = None,
    edit: Annotated[bool, typer.Option("--edit", help="Change it: in EDITOR, or with the options below.")] = False,
    name: Annotated[str | None, typer.Option(help="Its name; a known company's name makes the two one.")] = None,
    alias: Annotated[list[str] | None, typer.Option(help="Another name; may be given often.")] = None,
    drop_alias: Annotated[list[str] | None, typer.Option(help="No longer another name.")] = None,
    currency: Annotated[str | None, typer.Option(help="Of its reports: three letters such as EUR.")] = None,
    period_end: Annotated[str | None, typer.Option(help="YYYY-MM-DD; of one report.")] = None,
    type_: Annotated[str | None, typer.Option("--type", help="Such as 10-K; of one report.")] = None,
    months: Annotated[int | None, typer.Option(help="That one report covers.")] = None,
    quarter: Annotated[int | None, typer.Option(help="1 to 4, as the company counts; of one report.")] = None,
    fiscal_year: Annotated[int | None, typer.Option(help="As the company calls it; of one report.")] = None,
    report: Annotated[str | None, typer.Option(help="Only this file or SHA-1.")] = None,
    source: Annotated[Path | None, typer.Option("--from", help="Edit by this CSV instead of an editor.")] = None,
    remove: Annotated[str | None, typer.Option(help="Take this file or SHA-1 out of the library.")] = None,
    data: Data = None,
    as_json: AsJson = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
) -> None:
    """List companies, reports and where each thing was read; --edit changes them, --remove takes one out."""
    from app.settings import load_settings
    from storage.stores.library import Library

    load_settings(profile, overrides or ())  # wrong settings are told here as everywhere
    paths = data_paths(data)
    library = Library(paths.catalog)
    given: dict[ReportField, str | int | None] = {
        "type": type_,
        "months": months,
        "quarter": quarter,
        "fiscal_year": fiscal_year,
    }
    filing = {field: value for field, value in given.items() if value is not None}
    changes = (name, alias, drop_alias, currency, period_end, filing, report, source)
    if not edit and any(changes):
        raise UsageError(
            "--name, --alias, --drop-alias, --currency, --period-end, --type, --months, --quarter, --fiscal-year, "
            "--report and --from need --edit"
        )
    if remove is not None:
        from app.runs.ingest import run_removal

        show.removed(run_removal(paths, library, remove), as_json)
        return
    if edit:
        from app.library.company_edits import Change  # late: pulls in LlamaIndex
        from app.runs.ingest import run_edit

        change = Change(
            name=name,
            add_aliases=tuple(alias or ()),
            drop_aliases=tuple(drop_alias or ()),
            currency=currency,
            period_end=period_end,
            report=report,
            filing=filing,
        )
        show.edited(run_edit(company, change, source, profile, overrides or (), data), as_json)
        return
    known = library.companies()
    if company:
        from app.library.company_edits import named

        known = (named(known, company),)
    show.companies(known, as_json, paths.root)


@typer_app.command()
def runs(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN [RUN]]", help="One run's questions, or two compared.")
    ] = None,
    owner: Annotated[str | None, typer.Option(help="Those of this person in the chat, by their login.")] = None,
    data: Data = None,
    as_json: AsJson = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
) -> None:
    """List the runs of ask, answer, chat and programs; show one's questions; compare two."""
    from app.command_line import show_runs
    from app.recording.run_views import compared, seen, summaries
    from app.settings import load_settings
    from storage.stores.run_log import RunLog

    load_settings(profile, overrides or ())  # wrong settings are told here as everywhere
    paths = data_paths(data)
    log = RunLog((paths if owner is None else paths.of_owner(owner)).runs)
    match names or []:
        case []:
            show_runs.listed(summaries(log), as_json)
        case [name]:
            show_runs.one(seen(log, name), as_json)
        case [before, after]:
            show_runs.two(compared(seen(log, before), seen(log, after)), as_json)
        case more:
            raise UsageError(f"runs shows one run or compares two, not {len(more)}")


@typer_app.command()
def profiles(as_json: AsJson = False) -> None:
    """List the profiles and what each still needs."""
    from app.readiness import profile_states

    show.profiles(profile_states(os.environ), as_json)


@typer_app.command()
def prompts(
    out: Annotated[Path, typer.Option(help="A new or empty folder.")],
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Write the prompts as files to edit; the setting answers.prompts names their folder."""
    from app.assembly import build_prompts  # late: pulls in LlamaIndex
    from app.settings import load_settings
    from prompts.tasks.prompt_files import write_prompts

    written = write_prompts(build_prompts(load_settings(profile, overrides or ())), out)
    show.written(written, as_json)


@typer_app.command()
def doctor(
    deep: Annotated[bool, typer.Option("--deep", help="Read every file of the library, too.")] = False,
    model: Annotated[bool, typer.Option("--model", help="Ask a hosted model, too; that takes tokens.")] = False,
    data: Data = None,
    as_json: AsJson = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
) -> None:
    """Try what the settings name; say what is here, what is missing and how to get it."""
    from app.assembly import build_maintenance  # late: pulls in LlamaIndex
    from app.readiness import examine
    from app.runs.ingest import checked_files, checked_index
    from app.runs.model_trial import checked_model
    from app.settings import load_settings

    caches = build_maintenance(load_settings(profile, overrides or ()), data_paths(data)).measured()
    found = examine(profile, overrides or (), data, os.environ, caches)
    is_there = not any(f.state == "missing" and f.what.startswith("model server") for f in found)
    asked = checked_model(profile, overrides or (), data, also_elsewhere=model) if is_there else []
    files = checked_files(data_paths(data), deep=deep)
    findings = [*found, *asked, checked_index(profile, overrides or (), data), *files]
    show.findings(findings, as_json)
    if any(finding.state == "missing" for finding in findings):
        raise typer.Exit(NOT_SET_UP)


@typer_app.command()
def repair(
    profile: Profile = PROFILE, overrides: Overrides = None, data: Data = None, as_json: AsJson = False
) -> None:
    """Put a damaged library in order: what can be made again is, and the catalog goes back to its last copy."""
    from app.runs.ingest import run_repair  # late: pulls in LlamaIndex

    done = run_repair(profile, overrides or (), data)
    show.repaired(done, as_json)
    if not done.is_whole:
        raise typer.Exit(SOME_FAILED)


@typer_app.command()
def upgrade(
    profile: Profile = PROFILE, overrides: Overrides = None, data: Data = None, as_json: AsJson = False
) -> None:
    """Make again what an older version of Pageproof made of the reports; says first what it takes."""
    from app.runs.ingest import run_upgrade  # late: pulls in LlamaIndex

    results = run_upgrade(profile, overrides or (), data, lambda cost: typer.echo(cost, err=True))
    show.ingested(results, as_json)
    if not results and not as_json:
        typer.echo("everything is of this version")
    if any(result.status == "failed" or result.warning for result in results):
        raise typer.Exit(SOME_FAILED)


@typer_app.command()
def chat(
    host: Annotated[str, typer.Option(help="An address of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 8000,
    headless: Annotated[bool, typer.Option(help="Do not open a browser.")] = False,
    hash_password: Annotated[
        bool, typer.Option("--hash-password", help="Print a line for the file that chat.people names.")
    ] = False,
    with_api: Annotated[
        bool, typer.Option("--with-api", help="Serve the REST API and MCP at the same address, too.")
    ] = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
) -> None:
    """Open the chat."""
    if hash_password:
        from app.chat.session.people import people_line

        typer.echo(people_line(*_name_and_password()))
        return
    from app.chat.launcher import serve  # late: Chainlit
    from app.serving.launcher import api_beside  # late: MCP

    serve(
        profile,
        data,
        host,
        port,
        headless,
        overrides or (),
        beside=partial(api_beside, data=data) if with_api else None,
    )


@typer_app.command()
def demo(
    host: Annotated[str, typer.Option(help="An address of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 8000,
    headless: Annotated[bool, typer.Option(help="Do not open a browser.")] = False,
    into_library: Annotated[
        bool, typer.Option("--into-library", help="Put the samples among your own reports.")
    ] = False,
    profile: Profile = PROFILE,
    overrides: Overrides = None,
    data: Data = None,
) -> None:
    """Ingest the sample reports into a library of their own, then open the chat over them."""
    from app.chat.launcher import check_port, serve
    from app.runs.ingest import run_ingest, samples
    from app.settings import load_settings
    from indexes.ingestion.requests import IngestRequest

    check_port(load_settings(profile, overrides or (), data=data).chat, host, port)  # before minutes of reading
    if data is None and not into_library:
        data = data_paths().root / "demo"
    folders, catalog = samples()
    ingested = run_ingest(IngestRequest(paths=folders, catalog=catalog), profile, overrides or (), data)
    show.ingested(ingested, as_json=False)
    if any(o.status == "failed" for o in ingested):
        raise typer.Exit(SOME_FAILED)
    serve(profile, data, host, port, headless, overrides or ())


def _name_and_password() -> tuple[str, str]:
    """As typed on the terminal, the password unseen; of a pipe, its two lines."""
    if sys.stdin.isatty():
        name = typer.prompt("Name", err=True)
        return name, typer.prompt("Password", hide_input=True, confirmation_prompt="Again", err=True)
    lines = sys.stdin.read().splitlines()
    if len(lines) != 2:
        raise UsageError(f"--hash-password reads a name and a password, one a line; got {len(lines)} lines")
    return lines[0], lines[1]


def _with_cache(overrides: list[str] | None, no_cache: bool) -> list[str]:
    return [*(overrides or ()), *(["answers.cache=false"] if no_cache else [])]


def _kind(word: str | None) -> AnswerKind | None:
    if word is None:
        return None
    from prompts.kinds import KIND_WORDS, KINDS

    kind = KIND_WORDS.get(word.lower())
    if kind is None:
        raise UsageError(f"--kind {word!r} is no kind of answer; expected {', '.join((*KINDS, 'string'))}")
    return kind
