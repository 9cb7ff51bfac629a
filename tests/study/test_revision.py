"""The engine's revision: results that it made are told apart from those of another one."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import inforest
from inforest_study import export, methods, suite
from inforest_study.analysis import Analysis
from inforest_study.cli import app
from inforest_study.findings import findings
from inforest_study.job import Job
from inforest_study.reranked import without_reranking
from inforest_study.run import missing, run
from inforest_study.status import status
from inforest_study.store import Store
from inforest_study.study import Study
from inforest_study.tables.inventory import revisions
from inforest_study.work import Budget, Request, do

OURS = {"CIF", "CIF-all", "CIT", "cforest-ours", "ctree-ours", "inforest"}
OURS |= {f"{name} filter" for name in ("DC", "MC", "PC", "RDC")}
SUITE = """
name = "two"
datasets = ["iris"]
methods = ["MC filter", "DT", { method = "DT", config = "reranked" }]
folds = 2
ks = [2]
learners = ["KNN"]
"""
COMMITTED = Path(__file__).parents[2] / "results" / "study"


@pytest.fixture(autouse=True)
def raise_revision(monkeypatch):
    """Begin with the first revision, and return what makes it the second."""
    monkeypatch.setattr(inforest, "engine_revision", 1)
    return lambda: monkeypatch.setattr(inforest, "engine_revision", 2)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(SUITE)
    return str(path)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def digests(name):
    return {
        job.key: (job, job.digest("rank"), job.digest("score")) for job in suite.read(name).jobs()
    }


def made(jobs):
    """Return what the keys of jobs say of who made the ranking."""
    return {"/".join(job.key.split("/")[1:3]) for job in jobs}


def as_before_revisions(store):
    """Rewrite a store as it was when results did not record a revision."""
    for path in store.results.rglob("*.parquet"):
        table = parquet.read_table(path)
        facts = json.loads(table.schema.metadata[b"inforest"])
        del facts["engine_revision"]
        table = table.replace_schema_metadata({b"inforest": json.dumps(facts)})
        parquet.write_table(table, path)


def test_methods_say_whether_they_use_the_engine():
    assert {name for name in methods.names() if methods.get(name).uses_engine} == OURS


@pytest.mark.parametrize("name", ["smoke", "ranking-tuned"])
def test_a_raised_revision_makes_new_jobs_of_our_methods_only(name, raise_revision):
    before = digests(name)
    raise_revision()
    after = digests(name)
    assert list(before) == list(after)
    changed = {key for key in before if before[key][1] != after[key][1]}
    assert changed == {key for key in before if before[key][2] != after[key][2]}
    ours = {key for key, (job, *_) in before.items() if job.method in OURS}
    reranked = {key for key, (job, *_) in before.items() if job.config.endswith("+reranked")}
    assert changed == ours | reranked
    assert ours
    assert set(before) - changed


def test_the_first_revision_is_not_in_the_digest():
    """Results from before revisions were recorded keep their names: this is one of then."""
    job = Job("wine", "CIF", "mc", 0, 3, parameters={"alpha": 0.05})
    of = {r: replace(job, engine_revision=r).digest("rank") for r in (None, 1, 2, 3)}
    assert of[None] == of[1] == "cb0a5dfc"
    assert len(set(of.values())) == 3


def test_committed_results_of_the_papers_methods_would_not_be_computed_again():
    """Their digests are those of today's jobs in the first revision."""
    known = {}
    for job in (job for name in suite.names() for job in suite.read(name).jobs()):
        known.setdefault(job.key, set()).add(job.rank_digest)
    runs = Study.read(COMMITTED).runs
    is_of_the_paper = (runs["method"] != "inforest") & ~runs["config"].str.endswith("+reranked")
    runs = runs[(runs["step"] == "rank") & is_of_the_paper]
    place = ("fold" + runs["fold"].astype("string")).fillna("all")
    keys = runs[["dataset", "method", "config"]].agg("/".join, axis=1)
    keys = keys + "/seed" + runs["seed"].astype("string") + "/" + place
    assert {"CIF", "MC filter", "RF"} < set(runs["method"])
    pairs = zip(keys, runs["ranking"], strict=True)
    assert [key for key, digest in pairs if digest not in known[key]] == []


def test_committed_results_are_of_the_first_revision():
    study = Study.read(COMMITTED)
    for frame in (study.scores, study.runs, study.rankings):
        is_ours = frame["method"].isin(OURS) | frame["config"].str.endswith("+reranked")
        assert set(frame.loc[is_ours, "engine_revision"]) == {1}
        assert frame.loc[~is_ours, "engine_revision"].isna().all()


def test_a_store_holds_results_of_several_revisions(path, store, threads, raise_revision):
    jobs = suite.read(path).jobs()
    run(jobs, store, threads())
    as_before_revisions(store)
    assert missing(jobs, store) == []
    first = export.scores(store)
    assert status(store, jobs).revisions == {("MC filter", 1): 2, ("DT", 1): 2}

    raise_revision()
    jobs = suite.read(path).jobs()
    todo = missing(jobs, store)
    assert made(todo) == {"MC filter/mc", "DT/default+reranked"}
    assert status(store, jobs).counts["MC filter", "rank"] == {"missing": 2}
    assert status(store, jobs).revisions == {("MC filter", 1): 2, ("DT", 1): 2}
    progress = run(jobs, store, threads())
    assert progress.ended == {"done": len(todo)}
    assert missing(jobs, store) == []
    assert status(store, jobs).revisions == status(store).revisions
    assert status(store).revisions == {(m, r): 2 for m in ("MC filter", "DT") for r in (1, 2)}

    both = export.scores(store)
    of_ours = both.filter(pa.compute.equal(both["engine_revision"], 1))
    assert of_ours.equals(first.filter(pa.compute.equal(first["engine_revision"], 1)))
    table = export.runs(store).to_pandas()
    assert set(table.loc[table["config"] == "default", "engine_revision"].isna()) == {True}
    assert sorted(table.loc[table["method"] == "MC filter", "engine_revision"]) == [1] * 4 + [2] * 4


def test_status_and_report_name_the_revisions(path, store, threads, raise_revision):
    run(suite.read(path).jobs(), store, threads())
    raise_revision()
    said = CliRunner().invoke(app, ["status", path, "--store", str(store.root)]).stdout
    assert "MC filter: 2 x ranked by engine revision 1, which is 2 now: `run` ranks anew" in said
    run(suite.read(path).jobs(), store, threads())
    said = CliRunner().invoke(app, ["status", "--store", str(store.root)]).stdout
    assert "MC filter: 2 x ranked by engine revision 2\n" in said

    study = Study.read(store.root)
    rows = [
        tuple(row[k] for k in ("method", "engine_revision", "rankings"))
        for row in revisions(study).rows
    ]
    assert rows == [("DT", 1, 2), ("DT", 2, 2), ("MC filter", 1, 2), ("MC filter", 2, 2)]
    said = dict(findings(Analysis(study)))["What was run"]
    assert "Rankings of our own methods are by revision 1 and revision 2 of the engine." in said


def test_compact_results_keep_revisions_and_need_none(path, store, threads, tmp_path):
    run(suite.read(path).jobs(), store, threads())
    study = Study.read(store.root)
    study.write(tmp_path / "compact")
    for name in ("scores", "runs", "rankings"):
        file = tmp_path / "compact" / f"{name}.parquet"
        expected = getattr(study, name)["engine_revision"]
        read = getattr(Study.read(tmp_path / "compact"), name)["engine_revision"]
        pd.testing.assert_series_equal(read, expected)
        parquet.write_table(parquet.read_table(file).drop_columns("engine_revision"), file)
        read = getattr(Study.read(tmp_path / "compact"), name)["engine_revision"]
        pd.testing.assert_series_equal(read, expected)


def test_reranking_starts_from_a_ranking_of_the_same_engine(raise_revision):
    raise_revision()
    job = next(
        job for job in suite.read("ranking-tuned").jobs() if job.config.endswith("+reranked")
    )
    for method, revision in (("RF", None), ("CIF", 2)):
        plain = without_reranking(replace(job, method=method))
        assert plain.engine_revision == revision


def test_a_worker_with_another_engine_ranks_nothing(path, raise_revision):
    jobs = suite.read(path).jobs()
    raise_revision()
    for job in jobs:
        outcome = do(Request.of(job, "rank", None, Budget()))
        if job.engine_revision is None:
            assert outcome.status == "done"
        else:
            assert outcome.status == "failed"
            assert "has revision 2 of the engine, the runner's 1" in outcome.reason
