// SPDX-License-Identifier: BSD-3-Clause
/// Stage A as its text says, for any statistic, and small nodes to try it on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/data/dataset.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/feature_choice.hpp"
#include "core/stage_a/moments.hpp"
#include "core/stage_a/options.hpp"
#include "core/stage_a/scale.hpp"

using Numbers = std::vector<double>;

double mean(const Numbers& values);

/// The response of every position, as a number: the score, or the class as the node counts them.
Numbers observed_response(const inforest::Response& response);

/// The same under draw b.
Numbers permuted_response(const inforest::Response& response, inforest::Draws& draws,
                          std::int64_t b);

/// One node of a small data set whose features are more or less associated with its response.
struct Node {
  std::int64_t n_features;
  Numbers x, scores;
  std::vector<std::int32_t> labels, rows, candidates;
  std::vector<std::int32_t> n_levels;  ///< of each feature
  inforest::Dataset data;
  inforest::Response response;
  std::uint64_t key;

  /// With `mixed`, every other feature is a category.
  Node(std::int32_t n_labels, double strength, bool mixed, std::uint64_t seed);
  Node(const Node&) = delete;

  Numbers column(std::int32_t feature) const;
};

/// A feature's statistic from its values and the responses.
using Plain = std::function<double(std::int32_t feature, const Numbers& x, const Numbers& y)>;

/// The known moments of its statistic, if they are.
using Moments = std::function<std::optional<inforest::PermutationMoments>(std::int32_t feature,
                                                                          const Numbers& x)>;

/// What a strategy should answer, and which features it should mute.
struct Answer {
  inforest::FeatureChoice choice;
  std::vector<std::uint8_t> muted;
};

/// All values of all candidates, and the rules of the strategies read off them.
class PlainSelection {
 public:
  PlainSelection(const Node& node, const inforest::StageAOptions& options, const Plain& statistic,
                 const Moments& moments = nullptr);

  Answer answer() const;

 private:
  bool is_maxt() const;
  /// How candidate values of a feature are compared with others': by their tails if moments are
  /// known; else maxT estimates them, and the others compare values.
  inforest::TailScale scale_of(std::int32_t feature, const Plain& statistic,
                               const Moments& moments) const;
  std::size_t largest() const;
  bool rejects(std::int64_t exceedances) const;
  /// A test of these values; with early stopping it ends when its decision cannot change.
  inforest::TestOutcome test(double limit, const Numbers& drawn) const;

  void first_rejection(Answer& answer) const;
  void smallest_p_value(Answer& answer) const;
  void maximum(Answer& answer) const;

  const Node& node_;
  const inforest::StageAOptions& options_;
  double tau_ = 0.0;
  std::int64_t n_draws_ = 0;
  Numbers observed_;  ///< of each candidate
  std::vector<inforest::TailScale> scale_;
  Numbers score_;               ///< what they are compared by
  std::vector<Numbers> drawn_;  ///< of each candidate under each draw
};
