"""A first look: rank the features of a bundled data set. Run `python -m inforest.demo`."""

from time import perf_counter

import numpy as np
from sklearn.datasets import load_breast_cancer

from inforest import ConditionalInferenceTreeClassifier, __version__, export_text
from inforest.export import at_floor, short_p

_SHOWN = 12
_BAR = 24


def main() -> None:
    """Fit a tree to the breast cancer data and print its ranking as a table."""
    data = load_breast_cancer()  # arrays: data frames would need pandas
    X, y, names = data.data, data.target_names[data.target], data.feature_names
    start = perf_counter()
    model = ConditionalInferenceTreeClassifier(random_state=0).fit(X, y)
    seconds = perf_counter() - start
    tree = model.tree_
    importances = model.feature_importances_

    print(f"inforest {__version__}: which features tell malignant from benign tumours?")
    print(f"breast cancer data, {len(X)} samples, {X.shape[1]} features; one tree, {seconds:.2f} s")
    print()
    print(f"{'rank':>4}  {'feature':<24}{'importance':<{_BAR + 8}}{'p at first split':>16}  splits")
    for place, j in enumerate(model.ranking_[:_SHOWN], start=1):
        splits = np.flatnonzero(tree.feature == j)
        p_value = "-"
        if len(splits):
            first = tree.node(int(splits[0]))
            p_value = short_p(first.p_value_feature)
            if at_floor(first.p_value_feature, first.n_draws_feature):
                p_value = f"<= {p_value}"
        bar = "█" * round(importances[j] / importances.max() * _BAR) or ("▏" if len(splits) else "")
        print(
            f"{place:>4}  {names[j]:<24}{bar:<{_BAR}} {importances[j]:6.3f} {p_value:>16}"
            f"  {len(splits) or '-':>6}"
        )
    used = len(np.unique(tree.feature[~tree.is_leaf]))
    print()
    print(f"{used} of {X.shape[1]} features are used; the others follow by their association with")
    print("the target. The top of the tree, with the p-values of each split:")
    print()
    print(export_text(model, feature_names=names, max_depth=2))


if __name__ == "__main__":
    main()
