// SPDX-License-Identifier: BSD-3-Clause
/// `_core`: functions on arrays. Arrays in, arrays out; no C++ object lives in Python.
#include "bind/convert.hpp"

using namespace inforest::bind;
using namespace nanobind::literals;

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of inforest: functions on arrays.";
  m.def(
      "selector_names", [](const std::string& kind) { return selector_names(to_kind(kind)); },
      "kind"_a, "Names of the Stage A statistics for 'labels' or 'scores'.");
  m.def(
      "splitter_names", [](const std::string& kind) { return splitter_names(to_kind(kind)); },
      "kind"_a, "Names of the Stage B impurities for 'labels' or 'scores'.");
  add_growing(m);
  add_trees(m);
  add_leaf_rows(m);
  add_independence(m);
  add_survival(m);
}
