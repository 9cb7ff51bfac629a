"""What a report says, as plain values: no arrays, no HTML, nothing that was not computed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """What was asked.

    Attributes
    ----------
    data : str
        Where the table came from.
    target : str
        The column to explain.
    task : str
        "classification" or "regression".
    n_rows, n_features : int
        The size of the table that was ranked, after leaving out.
    classes : tuple of (str, int)
        Labels and their numbers of rows; empty for regression.
    notices : tuple of str
        What was done to the table before, one sentence each.
    design : tuple of str
        Which rows belong together and what that has changed, one sentence each.
    facts : str
        What else is known of the target, such as the number of events.

    """

    data: str
    target: str
    task: str
    n_rows: int
    n_features: int
    classes: tuple[tuple[str, int], ...] = ()
    notices: tuple[str, ...] = ()
    design: tuple[str, ...] = ()
    facts: str = ""


@dataclass(frozen=True)
class RiskGroup:
    """Rows with a similar predicted risk, and how many of them are left as time goes by.

    Attributes
    ----------
    name : str
        Such as "low risk".
    n_rows, n_events : int
        How many there are, and how many of them had the event.
    time, survival : tuple of float
        Kaplan and Meier's curve: when it changes, and its values from then on.

    """

    name: str
    n_rows: int
    n_events: int
    time: tuple[float, ...]
    survival: tuple[float, ...]

    def survival_at(self, time: float) -> float:
        """Return the share that is expected not to have had the event."""
        return next(
            (s for t, s in zip(self.time[::-1], self.survival[::-1], strict=True) if t <= time), 1.0
        )


@dataclass(frozen=True)
class RiskGroups:
    """How well the forest parts rows by their risk, on rows its trees have not seen.

    Attributes
    ----------
    groups : tuple of RiskGroup
        From low to high.
    concordance : float
        Harrell's, of the out-of-bag risks.
    last : float
        The last time of all.
    n_left_out : int
        Rows that every tree has seen, which are in no group.

    """

    groups: tuple[RiskGroup, ...]
    concordance: float
    last: float
    n_left_out: int = 0


@dataclass(frozen=True)
class RankedFeature:
    """One line of the ranking.

    Attributes
    ----------
    name : str
        The feature's name.
    importance : float
        Its share of what all splits tell, less what redundancy takes off.
    p_value, adjusted_p_value : float
        Of its test of independence of the target; adjusted for the number of features.
    frequency : float or None
        How often it was among the best on random halves of the rows.
    split_share : float or None
        Its share of all splits of the forest.
    repeats : str
        Which better feature it says again, in words; nothing if it does not.

    """

    name: str
    importance: float
    p_value: float
    adjusted_p_value: float
    frequency: float | None = None
    split_share: float | None = None
    repeats: str = ""


@dataclass(frozen=True)
class LevelFacts:
    """One level of a category.

    Attributes
    ----------
    level : str
        Its name.
    n_rows : int
        How many rows have it.
    value : float
        By what levels are put in order.
    response : str
        What the target is in these rows, in words.

    """

    level: str
    n_rows: int
    value: float
    response: str


@dataclass(frozen=True)
class ColumnFacts:
    """What a column of a mixed table holds.

    Attributes
    ----------
    name : str
        The feature's name.
    kind : str
        What it is, in words.
    missing : float
        The share of rows without a value.
    p_missing : float or None
        Of the test whether the absence itself has to do with the target, adjusted for the number
        of columns with gaps; None where nothing, or everything, is missing.
    levels : tuple of LevelFacts
        Of a category, from the lowest response to the highest.

    """

    name: str
    kind: str
    missing: float = 0.0
    p_missing: float | None = None
    levels: tuple[LevelFacts, ...] = ()


@dataclass(frozen=True)
class KCurve:
    """Predictions with the best k features, for several k.

    Attributes
    ----------
    k : tuple of int
        Numbers of features, ascending; the last one is all of them.
    mean, error : tuple of float
        Cross-validated score and its standard error.
    chosen : int
        The number of features to keep.
    scoring : str
        What the score is, in words.
    model : str
        What predicts, in words.
    n_folds : int
        Parts of the cross-validation.
    chance : float
        The score of blind guessing.
    was_given : bool
        Whether the user said how many to keep; else it was chosen by the one-standard-error rule.

    """

    k: tuple[int, ...]
    mean: tuple[float, ...]
    error: tuple[float, ...]
    chosen: int
    scoring: str
    model: str
    n_folds: int
    chance: float
    was_given: bool = False

    @property
    def best(self) -> tuple[float, float]:
        """The largest mean and its standard error."""
        return max(zip(self.mean, self.error, strict=True))

    @property
    def predicts(self) -> bool:
        """Whether the best score is better than guessing by two standard errors.

        No test: of several scores the best one is taken, and the folds share their rows, so that
        noise often gets there. It may withdraw a claim, never make one.
        """
        mean, error = self.best
        return mean - 2 * error > self.chance

    def score(self, k: int) -> tuple[float, float]:
        """Return mean and standard error for one k of the curve."""
        i = self.k.index(k)
        return self.mean[i], self.error[i]


@dataclass(frozen=True)
class Fact:
    """A number with its name, an interval if it has one, and what it means."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class Section:
    """The outcome of one diagnostic.

    Attributes
    ----------
    conclusion : str
        What to conclude, in one sentence.
    facts : tuple of Fact
        Its numbers.

    """

    conclusion: str
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Beyond(Section):
    """Which features say something that the others do not say, with an error rate.

    Attributes
    ----------
    verdicts : tuple of (str, str)
        Each feature's name, and the word for what was found.

    """

    verdicts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Repeats(Section):
    """The ranking made again on random halves of the rows.

    Attributes
    ----------
    k : int
        How many of the best features were looked at; a number that no result has decided.
    common : float
        How many of them two rankings have in common, on average.
    verdict : str
        "stable", "fairly stable" or "not stable".

    """

    k: int = 0
    common: float = 0.0
    verdict: str = ""


@dataclass(frozen=True)
class Usage(Section):
    """What the splits of the forest use.

    Attributes
    ----------
    n_splits, n_trees : int
        How many there are.

    """

    n_splits: int = 0
    n_trees: int = 1


@dataclass(frozen=True)
class Sensitive(Section):
    """The ranking made again with other numbers of candidates at each node.

    Attributes
    ----------
    k : int
        How many of the best features were looked at.
    changes : bool
        Whether they change by more than other seeds change them.

    """

    k: int = 0
    changes: bool = False


@dataclass(frozen=True)
class Luck(Section):
    """The same analysis on shuffled targets: what it finds where there is nothing to find.

    Attributes
    ----------
    importances : tuple of (str, float)
        Features and the share of the target's spread that their splits explain, best first.
    threshold : float
        What a feature must exceed to be better than luck.
    by_luck : tuple of float
        The best feature's value in each analysis of a shuffled target.
    n_better : int
        How many features are better than luck.

    """

    importances: tuple[tuple[str, float], ...] = ()
    threshold: float = 0.0
    by_luck: tuple[float, ...] = ()
    n_better: int = 0


@dataclass(frozen=True)
class Provenance:
    """What is needed to repeat the report.

    Attributes
    ----------
    command : str
        What to type, or the call in Python.
    seed : int
        The random seed.
    created : str
        When, as text.
    settings : tuple of (str, str)
        Names and values.
    versions : tuple of (str, str)
        Programs and their versions.

    """

    command: str
    seed: int
    created: str
    settings: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Content:
    """Everything a report says.

    Attributes
    ----------
    question : Question
        What was asked.
    features : tuple of RankedFeature
        The ranking, best first.
    alpha : float
        The level at which a feature counts as associated.
    k_curve : KCurve or None
        How many features to keep, if that was looked at.
    stability : Repeats or None
        Whether the ranking comes out the same again, if that was looked at.
    skipped : tuple of str
        Parts that were asked for and are missing, each with the reason.
    split_usage : Usage or None
        What the trees used, if that was looked at.
    null_check : Luck or None
        The check without signal, if it was run.
    sensitivity : Sensitive or None
        Whether the ranking depends on how many features a node may choose from, if that was looked
        at.
    provenance : Provenance
        How to repeat it.
    k : int or None
        The number of features to keep; None if nobody asked.
    least_p : float
        The smallest p-value that the permutations can give.
    redundancy : float
        How much a feature loses that repeats a better one; 0 is nothing.
    risk_groups : RiskGroups or None
        Survival by predicted risk, if the target is a censored time.
    columns : tuple of ColumnFacts
        What the columns hold, best feature first; empty if all are complete numbers.
    statistic : str
        What the p-values test, by the name it has in `independence_test`.
    beyond : Beyond or None
        Which features say something that the others do not say, if that was asked.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import make_report
    >>> X, y = load_iris(return_X_y=True)
    >>> content = make_report(X, y, n_estimators=20, k=2, checks=False, random_state=0).content
    >>> content.finds_something, content.question.n_rows
    (True, 150)

    """

    question: Question
    features: tuple[RankedFeature, ...]
    alpha: float
    provenance: Provenance
    k: int | None = None
    k_curve: KCurve | None = None
    stability: Repeats | None = None
    split_usage: Usage | None = None
    null_check: Luck | None = None
    sensitivity: Sensitive | None = None
    skipped: tuple[str, ...] = ()
    least_p: float = 0.0
    redundancy: float = 1.0
    risk_groups: RiskGroups | None = None
    columns: tuple[ColumnFacts, ...] = ()
    statistic: str = ""
    beyond: Beyond | None = None

    @property
    def n_associated(self) -> int:
        """How many features have an adjusted p-value below alpha."""
        return sum(feature.adjusted_p_value < self.alpha for feature in self.features)

    @property
    def finds_something(self) -> bool:
        """Whether the tests say that there is something to find.

        With nothing to find, they say so with a probability of at most alpha. The comparison with
        luck has no say in it: two tests of the same question, each at alpha, would together be
        wrong more often than alpha.
        """
        return self.n_associated > 0
