// SPDX-License-Identifier: BSD-3-Clause
#include "core/testing/impurities.hpp"

#include <algorithm>
#include <limits>

#include "core/data/response.hpp"
#include "core/independence/root.hpp"
#include "core/inference/permutation_test.hpp"
#include "core/inference/two_class.hpp"
#include "core/stage_b/splitter.hpp"
#include "core/stage_b/thresholds.hpp"
#include "core/tree/by_kind.hpp"

namespace inforest {

namespace {

template <class Use>
void with_root_splitter(const Dataset& data, const std::string& splitter_name, Use use) {
  Response response;
  response.gather(data, all_rows(data));
  with_kind(data.tested.kind(), [&](auto kind) {
    using Splitter = typename decltype(kind)::Splitter;
    with_splitter_of<Splitter>(splitter_name, [&]<class S>(S splitter) {
      if (response.has_weights()) {
        typename S::Weighted weighted;
        weighted.begin(response);
        return use(weighted, response.weights());
      }
      splitter.begin(response);
      use(splitter, nullptr);
    });
  });
}

}  // namespace

std::vector<double> split_impurities(const Dataset& data, const std::string& splitter_name,
                                     const std::vector<double>& thresholds) {
  std::vector<double> result(thresholds.size());
  with_root_splitter(data, splitter_name, [&]<class S>(S& splitter, const double* weights) {
    for (std::size_t c = 0; c < thresholds.size(); ++c) {
      Thresholds single;
      single.use(data.x, static_cast<std::uint32_t>(data.n_samples), {thresholds[c]});
      result[c] = splitter.node_impurity();  // an empty child leaves the node as it is
      if (single.size() == 0) continue;
      std::vector<typename S::Item> items(static_cast<std::size_t>(data.n_samples));
      single.arrange([&](std::uint32_t position) { return splitter.item(position); }, items.data());
      std::vector<double> placed(items.size());
      if constexpr (requires { splitter.place(weights); }) {
        if (weights != nullptr)
          single.arrange([&](std::uint32_t position) { return weights[position]; }, placed.data());
        splitter.place(weights == nullptr ? nullptr : placed.data());
      }
      splitter.scan(items.data(), single.left_sizes().data(), 1, &result[c]);
    }
  });
  return result;
}

double node_impurity(const Dataset& data, const std::string& splitter_name) {
  double result = 0.0;
  with_root_splitter(data, splitter_name,
                     [&](auto& splitter, const double*) { result = splitter.node_impurity(); });
  return result;
}

double two_class_p_value(std::int64_t size, std::int64_t ones, std::int64_t left,
                         std::int64_t ones_left, const std::string& splitter_name) {
  std::vector<std::int32_t> code(static_cast<std::size_t>(size), 0);
  std::fill_n(code.begin(), ones, 1);
  const Dataset data{.n_samples = size, .tested = Target::of_labels(code.data(), 2)};
  Response response;
  response.gather(data, all_rows(data));
  if (response.is_constant()) return 1.0;
  // The response renumbers the classes by size: class 0 is the smaller one.
  const bool ones_are_first = response.labels()[0] == 0;
  const std::int64_t observed = ones_are_first ? ones_left : left - ones_left;
  double p_value = std::numeric_limits<double>::quiet_NaN();
  with_splitter_of<LabelSplitter>(splitter_name, [&]<class S>(S splitter) {
    if constexpr (HasTwoClassTable<S>) {
      splitter.begin(response);
      const auto impurity = [&](std::int64_t count) {
        return splitter.of_table(static_cast<std::uint32_t>(left),
                                 static_cast<std::uint32_t>(count));
      };
      p_value = two_class_tail(Hypergeometric{size, response.class_size(0), left}, impurity,
                               impurity_limit(splitter.node_impurity(), impurity(observed)));
    }
  });
  return p_value;
}

}  // namespace inforest
