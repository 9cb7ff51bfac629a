// SPDX-License-Identifier: BSD-3-Clause
/// A category of which some values may be missing (data/holes.hpp).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/data/dataset.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/category_association.hpp"
#include "core/stage_a/holes/part_of_response.hpp"
#include "core/stage_a/selector.hpp"

namespace inforest {

/// Missing values are one more level where they are incorporated, and against all others where they
/// stand alone. Where they are ignored, the statistic is that of the observed rows and of the
/// responses that a draw has put there.
class CategoryWithHoles {
 public:
  static constexpr const char* name = CategoryAssociation::name;
  static constexpr FeatureKind kFeatureKind = FeatureKind::category;
  static constexpr bool kReadsLevels = true;

  CategoryWithHoles() = default;
  explicit CategoryWithHoles(MissingRule rule) : rule_(rule) {}

  void begin(const Response& response) {
    response_ = &response;
    whole_.begin(response);
  }

  double bind(const double* x) {
    is_part_ = false;
    if (rule_ == MissingRule::incorporate) return whole_.bind(x);
    values_.clear();
    positions_.clear();
    for (std::uint32_t i = 0; i < response_->size(); ++i)
      if (!std::isnan(x[i])) values_.push_back(x[i]), positions_.push_back(i);
    if (rule_ == MissingRule::alone) {
      values_.assign(x, x + response_->size());
      for (double& value : values_) value = std::isnan(value) ? 1.0 : 0.0;
      return whole_.bind(values_.data());
    }
    if (positions_.size() == response_->size()) return whole_.bind(x);
    is_part_ = true;
    part_.begin(*response_);
    return of_observed();
  }

  double evaluate(Draws& draws, std::int64_t b) {
    return is_part_ ? of_part(part_.drawn(draws, b)) : whole_.evaluate(draws, b);
  }

  double certificate(double observed, double enough) {
    return is_part_ ? 1.0 : whole_.certificate(observed, enough);
  }
  void finish_rare(TestProgress& progress, const TestPlan& plan, const Limit& limit, Rng rng,
                   Interrupt& interrupt) const {
    if (!is_part_) whole_.finish_rare(progress, plan, limit, rng, interrupt);
  }
  /// Of the observed rows if the responses on them are permuted among themselves.
  PermutationMoments moments() {
    if (!is_part_) return whole_.moments();
    of_observed();
    return on_part_.moments();
  }
  ChiSquare chi_square(double value) const {
    return is_part_ ? on_part_.chi_square(value) : whole_.chi_square(value);
  }
  double natural(double value) const {
    return is_part_ ? on_part_.natural(value) : whole_.natural(value);
  }
  std::int64_t work() const { return is_part_ ? 40 * response_->size() : whole_.work(); }

 private:
  double of_observed() { return of_part(part_.observed(positions_)); }

  double of_part(const Response& part) {
    on_part_.begin(part);
    return part.is_constant() ? 0.0 : on_part_.bind(values_.data());
  }

  MissingRule rule_ = MissingRule::incorporate;
  const Response* response_ = nullptr;
  CategoryAssociation whole_, on_part_;
  bool is_part_ = false;
  PartOfResponse part_;
  std::vector<double> values_;            ///< those that are there
  std::vector<std::uint32_t> positions_;  ///< theirs
};

}  // namespace inforest
