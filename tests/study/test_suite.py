"""Suites: what a TOML file says becomes jobs, and what it says wrongly is named."""

import pytest

from inforest_study import suite as suites
from inforest_study.suite import parse, read, shard

BASE = {"name": "mine", "datasets": ["iris", "diabetes"], "methods": ["RF"], "folds": 2}


def keys(**changes):
    return [job.key for job in parse(BASE | changes).jobs()]


@pytest.mark.parametrize("name", suites.names())
def test_every_packaged_suite_makes_jobs_with_keys_of_their_own(name):
    suite = read(name)
    jobs = suite.jobs()
    assert suite.name == name
    assert suite.description
    assert len({job.key for job in jobs}) == len(jobs) > 100


def test_packaged_suites():
    assert set(suites.names()) == {
        "smoke",
        "fidelity",
        "sklearn",
        "paper",
        "paper-lite",
        "synthetic",
        "mechanism",
        "mixed",
        "survival",
        "ablation-runtime",
        "ablation-ranking",
        "ranking-tuned",
        "ranking-held-out",
        "partykit",
        "ctree-ours",
        "ranking-fresh",
    }
    halves = [set(read(f"ranking-{half}").datasets) for half in ("tuned", "held-out")]
    assert not halves[0] & halves[1]
    real = {info.name for info in suites.datasets.REAL if info.group == "real"}
    assert halves[0] | halves[1] == real
    paper = read("paper").jobs()
    assert {job.seed for job in paper} == set(range(5))
    assert {job.fold for job in paper} == set(range(5))
    assert len({job.dataset for job in paper}) == 31
    by_task = {"classification": 32, "regression": 33}  # the paper's grid, and this package's own
    for task, n in by_task.items():
        configs = {(job.method, job.config) for job in paper if job.task == task}
        assert len(configs) == n + 1
    lite = read("paper-lite").jobs()
    assert set(lite) <= set(paper)
    mechanism = read("mechanism").jobs()
    assert {job.fold for job in mechanism} == {None}
    assert not mechanism[0].options.scale
    assert {job.parameters["n_estimators"] for job in mechanism if job.method == "RF"} == {1000}


def test_jobs_are_small_data_first():
    assert keys(seeds=[1]) == [
        "iris/RF/default/seed1/fold0",
        "iris/RF/default/seed1/fold1",
        "diabetes/RF/default/seed1/fold0",
        "diabetes/RF/default/seed1/fold1",
    ]


def test_cheap_methods_first(toys):
    jobs = parse(BASE | {"methods": ["RF", "toy"], "datasets": ["toy-classes"]}).jobs()
    costs = [
        suites.cost(suites.methods.get(job.method), suites.datasets.info(job.dataset))
        for job in jobs
    ]
    assert costs == sorted(costs)


def test_configurations():
    def configs(**entry):
        jobs = parse(BASE | {"folds": 0, "steps": ["rank"], "methods": [entry]}).jobs()
        return [f"{job.dataset} {job.config}" for job in jobs]

    assert configs(method="CIF") == ["iris mc", "diabetes pc-honest"]
    assert configs(method="CIF", config="selected-synthetic") == ["iris rdc", "diabetes pc"]
    assert configs(method="LightGBM", config="all") == [
        "iris split",
        "iris gain",
        "diabetes split",
        "diabetes gain",
    ]
    assert configs(method="CIF", config=["mc+no_mute", "pc"]) == ["iris mc+no_mute", "diabetes pc"]
    assert configs(method="CIF", config="no_mute") == [
        "iris mc+no_mute",
        "diabetes pc-honest+no_mute",
    ]
    assert configs(method="CIF", config="selected+no_mute") == configs(
        method="CIF", config="no_mute"
    )
    assert set(configs(method=["DT", "PC filter"])) == {
        "iris default",
        "diabetes default",
        "diabetes pc",
    }


def test_parameters_on_top():
    entry = {"method": "RF", "name": "large", "parameters": {"n_estimators": 500}}
    large = parse(BASE | {"methods": [entry]}).jobs()[0]
    plain = parse(BASE).jobs()[0]
    assert large.config == "large"
    assert large.parameters == plain.parameters | {"n_estimators": 500}
    assert large.rank_digest != plain.rank_digest


def test_generated_data_are_made_anew_with_each_seed():
    found = keys(
        datasets=["iris", "synthetic-regression-easy"],
        seeds=[1, 2],
        folds=0,
        steps=["rank"],
        regenerate=True,
    )
    assert found == [
        "iris/RF/default/seed1/all",
        "iris/RF/default/seed2/all",
        "synthetic-regression-easy@1/RF/default/seed1/all",
        "synthetic-regression-easy@2/RF/default/seed2/all",
    ]


def test_digests_depend_on_what_the_result_depends_on():
    def digests(**changes):
        job = parse(BASE | changes).jobs()[0]
        return job.digest("rank"), job.digest("score")

    rank, score = digests()
    assert digests(seeds=[3], budget={"seconds": 5}) == (rank, score)
    assert digests(folds=3)[0] != rank
    assert digests(scale=False)[0] != rank
    for change in ({"ks": [3]}, {"learners": ["KNN"]}):
        assert digests(**change)[0] == rank
        assert digests(**change)[1] != score


def test_shards_are_a_partition_and_keep_folds_together():
    jobs = parse(BASE | {"methods": ["RF", "DT", "CIF"], "seeds": [0, 1]}).jobs()
    parts = [shard(jobs, part, 4) for part in range(1, 5)]
    assert sorted(job.key for part in parts for job in part) == sorted(job.key for job in jobs)
    siblings = [{job.siblings for job in part} for part in parts]
    assert sum(map(len, siblings)) == len(set().union(*siblings)) == 6
    assert max(map(len, siblings)) == 2


def test_narrow():
    suite = parse(BASE | {"methods": ["RF", "DT"], "datasets": ["bundled"]})
    jobs = suite.narrow(["DT"], ["iris"], [7]).jobs()
    assert {(job.method, job.dataset, job.seed) for job in jobs} == {("DT", "iris", 7)}
    assert len(suite.narrow(datasets=["bundled"]).jobs()) == len(suite.jobs())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dataset": []}, r"unknown key 'dataset': did you mean 'datasets'"),
        ({"datasets": "iris"}, r"datasets must be a list of names; got 'iris'"),
        ({"folds": 1}, r"folds must be 0 or at least 2; got 1"),
        ({"folds": 0}, r"folds = 0 leaves no rows to score on"),
        ({"score_folds": 3}, r"score_folds is for rankings of whole data sets; set folds = 0"),
        ({"folds": 0, "score_folds": 1}, r"score_folds must be .* of at least 2, or 0; got 1"),
        ({"timed_runs": 0}, r"timed_runs must be a whole number of at least 1; got 0"),
        ({"seeds": [-1]}, r"seeds must be a list of whole numbers of at least 0; got \[-1\]"),
        ({"seeds": []}, r"seeds must be a list of whole numbers"),
        ({"ks": "hihg-p"}, r"unknown ks 'hihg-p': did you mean 'high-p'"),
        ({"steps": ["rnak"]}, r"unknown step 'rnak': did you mean 'rank'"),
        ({"learners": ["KN"]}, r"unknown learner 'KN': did you mean 'KNN'"),
        ({"budget": {"second": 1}}, r"unknown key of budget 'second': did you mean 'seconds'"),
        ({"budget": {"seconds": 0}}, r"budget: seconds must be a positive, finite number; got 0"),
        ({"budget": {"seconds": float("inf")}}, r"budget: seconds must be .* finite number"),
        ({"budget": {"seconds": float("nan")}}, r"budget: seconds must be .* finite number"),
        ({"budget": {"memory_gb": "8"}}, r"budget: memory_gb must be .* number; got '8'"),
        ({"budget": {"every_fold": 1}}, r"budget: every_fold must be true or false; got 1"),
        ({"budget": 60}, r"budget must be a table, like \{ seconds = 600 \}; got 60"),
        ({"name": 3}, r"name must be text; got 3"),
        ({"datasets": []}, r"datasets must be a list of names; got \[\]"),
        ({"ks": [0]}, r"ks must be a list of whole numbers of at least 1; got"),
        ({"ks": [2.5]}, r"ks must be a list of whole numbers"),
        ({"ks": 5}, r"ks must be a list of whole numbers of at least 1; got 5"),
        ({"learners": []}, r"learners must be a list of names"),
        ({"learners": "KNN"}, r"learners must be a list of names; got 'KNN'"),
        ({"steps": []}, r"steps must be a list of names"),
        ({"scale": "no"}, r"scale must be true or false; got 'no'"),
        ({"regenerate": "no"}, r"regenerate must be true or false; got 'no'"),
        ({"methods": "RF"}, r"methods must be a list of names or tables; got 'RF'"),
        ({"methods": []}, r"methods must be a list of names or tables; got \[\]"),
        ({"methods": [3]}, r"methods: each must be a name or a table; got 3"),
        ({"methods": [{"method": 3}]}, r"methods: 'method' must be a list of names; got 3"),
        (
            {"methods": [{"method": "RF", "name": "a", "parameters": 3}]},
            r"methods: 'parameters' must be a table; got 3",
        ),
        ({"methods": [{"config": "mc"}]}, r"'method' is missing"),
        ({"methods": [{"method": "RF", "parameters": {"a": 1}}]}, r"'name' and 'parameters' go"),
        ({"methods": [{"configs": "mc"}]}, r"unknown key of a method 'configs'"),
    ],
)
def test_bad_suites(changes, message):
    with pytest.raises(ValueError, match=message):
        parse(BASE | changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"methods": ["LightGMB"]}, r"unknown method 'LightGMB': did you mean 'LightGBM'"),
        ({"datasets": ["irsi"]}, r"unknown data set 'irsi'; did you mean iris"),
        ({"methods": [{"method": "CIF", "config": "mcc"}]}, r"unknown CIF configuration 'mcc'"),
        ({"methods": [{"method": "CIF", "config": "mc+nomute"}]}, r"unknown CIF variant 'nomute'"),
    ],
)
def test_unknown_names_list_near_matches(changes, message):
    with pytest.raises(ValueError, match=message):
        parse(BASE | changes).jobs()


def test_one_name_for_two_configurations_is_refused():
    def entry(n):
        return {"method": "RF", "name": "mine", "parameters": {"n_estimators": n}}

    with pytest.raises(ValueError, match="RF has two configurations called 'mine'"):
        parse(BASE | {"methods": [entry(10), entry(20)]}).jobs()
    assert keys(methods=[entry(10), entry(10)]) == keys(methods=[entry(10)])


def test_missing_keys_and_files(tmp_path):
    with pytest.raises(ValueError, match="'methods' is missing"):
        parse({"name": "a", "datasets": []})
    with pytest.raises(ValueError, match="unknown suite 'smok': did you mean 'smoke'"):
        read("smok")
    with pytest.raises(ValueError, match="there is no file"):
        read(str(tmp_path / "a.toml"))
    (tmp_path / "b.toml").write_text("name = ")
    with pytest.raises(ValueError, match=r"b\.toml: Invalid value"):
        read(str(tmp_path / "b.toml"))
