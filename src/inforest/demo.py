"""A first look: rank the features of a bundled data set. Run `python -m inforest.demo`."""

import sys
import textwrap
from pathlib import Path
from time import perf_counter

from sklearn.datasets import load_breast_cancer

from inforest import __version__
from inforest.report import write_report
from inforest.report.answer import headline, short_answer

_SHOWN = 12
_BAR = 24
_WIDTH = 88
#: Enough for this small table, and quick.
_TREES = 200


def main(
    path: str | Path = "inforest-demo.html", *, command: str = "python -m inforest.demo"
) -> None:
    """Rank the features of the breast cancer data, print the answer and write the report.

    Parameters
    ----------
    path : str or Path, default="inforest-demo.html"
        The report's file.
    command : str, default="python -m inforest.demo"
        What was typed; the report says it.

    """
    data = load_breast_cancer()  # arrays: data frames would need pandas
    y = data.target_names[data.target]
    print(f"inforest {__version__}: which features tell malignant from benign tumours?")
    print(f"Breast cancer data, {len(y)} samples, {data.data.shape[1]} features. A few seconds ...")
    start = perf_counter()
    report = write_report(
        path,
        data.data,
        y,
        feature_names=data.feature_names.tolist(),
        target="diagnosis",
        data="breast cancer data of scikit-learn",
        n_estimators=_TREES,
        command=command,
        random_state=0,
        n_jobs=-1,
        verbose=int(sys.stderr.isatty()),
    )
    content = report.content
    top = content.stability.k if content.stability else ""
    print(f"\n{textwrap.fill(headline(content), _WIDTH)}\n")
    print(f"{'rank':>4}  {'feature':<24}{'importance':<{_BAR + 8}}{'adjusted p':>10}  in top {top}")
    largest = content.features[0].importance
    for place, feature in enumerate(content.features[:_SHOWN], start=1):
        bar = "█" * round(feature.importance / largest * _BAR)
        print(
            f"{place:>4}  {feature.name:<24}{bar:<{_BAR}} {feature.importance:6.3f}"
            f" {feature.adjusted_p_value:10.3g}{feature.frequency or 0:9.0%}"
        )
    print(f"  ... and {len(content.features) - _SHOWN} more\n")
    for question, answer in short_answer(content):
        print(question)
        print(textwrap.indent(textwrap.fill(answer, _WIDTH), "  "))
    print(f"\nDone in {perf_counter() - start:.1f} s. The whole report, for your browser: {path}")


if __name__ == "__main__":
    main()
