// SPDX-License-Identifier: BSD-3-Clause
/// Any selector on a number with holes (data/holes.hpp): in every draw anew of the observed rows
/// and the responses that the draw has put there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/data/holes.hpp"
#include "core/data/response.hpp"
#include "core/inference/draws.hpp"
#include "core/stage_a/holes/part_of_response.hpp"
#include "core/stage_a/holes/table_information.hpp"
#include "core/stage_a/selector.hpp"
#include "core/stage_a/selectors/mutual_information.hpp"

namespace inforest {

/// `S` is begun and bound again with each draw, which takes a few times as long as a draw of a
/// column without holes does.
template <Selector S>
class RestrictedHoles {
 public:
  static constexpr const char* name = S::name;
  static constexpr FeatureKind kFeatureKind = FeatureKind::number_with_holes;

  RestrictedHoles() = default;
  explicit RestrictedHoles(MissingRule rule) : rule_(rule) {}

  void project(std::uint64_t key)
    requires HasProjections<S>
  {
    on_part_.project(key);
    on_all_.project(key);
  }

  void begin(const Response& response) {
    response_ = &response;
    part_.begin(response);
    on_all_.begin(response);
  }

  double bind(const double* x) {
    holes_.find(x, response_->size());
    const std::vector<double>& values = holes_.values();
    const bool varies = std::any_of(values.begin(), values.end(),
                                    [&](double value) { return value != values.front(); });
    has_value_ = holes_.tests_value(rule_) && varies;
    has_absence_ = holes_.tests_absence(rule_);
    double total = 0.0;
    if (has_value_) total += value_weight() * of_value(part_.observed(holes_.observed()));
    if (has_absence_) {
      absence_ = holes_.indicator();
      if constexpr (!std::is_same_v<OnAll, TableInformation>)
        response_->centre_in_blocks(absence_.data());
      total += on_all_.bind(absence_.data());
    }
    return total;
  }

  double evaluate(Draws& draws, std::int64_t b) {
    double total = 0.0;
    if (has_value_) total += value_weight() * of_value(part_.drawn(draws, b));
    if (has_absence_) total += on_all_.evaluate(draws, b);
    return total;
  }

  double natural(double value) const { return natural_of(on_part_, value); }
  double unit(double value) const { return unit_of(on_part_, value); }
  std::int64_t work() const { return 120 * response_->size(); }

 private:
  /// Neighbours of an indicator say nothing; mutual information has a form for tables.
  using OnAll = std::conditional_t<std::is_same_v<S, MutualInformation>, TableInformation, S>;

  double value_weight() const { return rule_ == MissingRule::incorporate ? holes_.share() : 1.0; }

  double of_value(const Response& part) {
    if (part.is_constant()) return 0.0;
    values_ = holes_.values();
    part.centre_in_blocks(values_.data());
    on_part_.begin(part);
    return on_part_.bind(values_.data());
  }

  MissingRule rule_ = MissingRule::incorporate;
  const Response* response_ = nullptr;
  PartOfResponse part_;
  Holes holes_;
  bool has_value_ = false, has_absence_ = false;
  S on_part_;
  OnAll on_all_;
  std::vector<double> values_, absence_;
};

}  // namespace inforest
