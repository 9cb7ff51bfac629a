"""`trusted_types`: what `skops.io.load` must be told to trust in files of our estimators."""

#: Classes of this package that its fitted estimators are made of.
_TYPES = (
    "inforest._engine.arrays.Tree",
    "inforest._engine.arrays.Trees",
    "inforest._engine.curves.LeafCurves",
    "inforest._engine.feature.Feature",
    "inforest._engine.features.Features",
    "inforest._engine.sampling.Sampling",
    "inforest.conditional.knockoff_result.KnockoffResult",
    "inforest.conditional.result.ConditionalResult",
    "inforest.estimators.forest.ConditionalInferenceForestClassifier",
    "inforest.estimators.forest.ConditionalInferenceForestRegressor",
    "inforest.estimators.forest_weights.KeptRows",
    "inforest.estimators.ordinal.ConditionalInferenceForestOrdinal",
    "inforest.estimators.ordinal.ConditionalInferenceTreeOrdinal",
    "inforest.estimators.survival.ConditionalInferenceSurvivalForest",
    "inforest.estimators.survival.ConditionalInferenceSurvivalTree",
    "inforest.estimators.tree.ConditionalInferenceTreeClassifier",
    "inforest.estimators.tree.ConditionalInferenceTreeRegressor",
    "inforest.independence.filter.PermutationFilter",
    "inforest.independence.result.IndependenceResult",
    "inforest.ranking.forest_ranker.ForestRanker",
    "inforest.ranking.ranking.Ranking",
    "inforest.selection.conditional_selector.ConditionalSelector",
    "inforest.selection.feature_selector.FeatureSelector",
    "inforest.selection.knockoff_selector.KnockoffSelector",
)


def trusted_types() -> list[str]:
    """Return the names of our types, for ``skops.io.load(path, trusted=trusted_types())``.

    skops refuses types that nobody has vouched for. These ones hold arrays and plain values; a
    file that asks for anything else is still refused.

    Returns
    -------
    names : list of str
        Their full names.

    Examples
    --------
    >>> from inforest.interop import trusted_types
    >>> "inforest._engine.arrays.Trees" in trusted_types()
    True

    """
    return list(_TYPES)
