// SPDX-License-Identifier: BSD-3-Clause
/// The rows of one tree as data of their own, numbered anew.
///
/// Where X lies row by row, perhaps in a file, and a tree takes few of the rows, every node would
/// fetch each number from another place. They are fetched once instead. The tree is the same: a
/// node knows its rows by their order alone, and that stays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/base/stored_column.hpp"
#include "core/data/dataset.hpp"
#include "core/data/sampling.hpp"

namespace inforest {

class SampleBlock {
 public:
  explicit SampleBlock(const Dataset& all) : all_(all), data_(all) {}

  /// Whether it pays to take these rows.
  static bool suits(const Dataset& all, const TreeRows& rows) {
    constexpr std::size_t kFew = 4;  // a block of a quarter of X, at most
    return all.x == nullptr && all.stored.is_by_rows() && all.ranks == nullptr &&
           kFew * (rows.structure.size() + rows.estimation.size()) <=
               static_cast<std::size_t>(all.n_samples);
  }

  /// `data()` becomes these rows, which ascend, and they get their numbers in it.
  void take(TreeRows& rows) {
    distinct_.clear();
    std::merge(rows.structure.begin(), rows.structure.end(), rows.estimation.begin(),
               rows.estimation.end(), std::back_inserter(distinct_));
    distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
    renumber(rows.structure);
    renumber(rows.estimation);
    copy_rows(all_.stored, all_.n_features, distinct_, values_);
    data_.n_samples = static_cast<std::int64_t>(distinct_.size());
    data_.stored = {values_.data(), all_.stored.type, 1, data_.n_samples};
    data_.tested = take(all_.tested, tested_);
    data_.kept = all_.kept == all_.tested ? data_.tested : take(all_.kept, kept_);
    data_.weights = take(all_.weights, weights_);
    data_.blocks = take(all_.blocks, blocks_);
  }

  const Dataset& data() const { return data_; }

 private:
  void renumber(std::vector<std::int32_t>& rows) const {
    std::size_t place = 0;
    for (std::int32_t& row : rows) {
      while (distinct_[place] != row) ++place;
      row = static_cast<std::int32_t>(place);
    }
  }

  struct Values {
    std::vector<std::int32_t> labels;
    std::vector<double> scores;
  };

  template <class T>
  const T* take(const T* all, std::vector<T>& some) const {
    if (all == nullptr) return nullptr;
    some.clear();
    for (const std::int32_t row : distinct_) some.push_back(all[row]);
    return some.data();
  }

  Target take(const Target& all, Values& some) const {
    Target target = all;
    target.labels = take(all.labels, some.labels);
    if (all.scores == nullptr) return target;
    some.scores.clear();
    for (std::int64_t q = 0; q < all.n_scores; ++q)
      for (const std::int32_t row : distinct_)
        some.scores.push_back(all.scores[q * all_.n_samples + row]);
    target.scores = some.scores.data();
    return target;
  }

  const Dataset& all_;
  Dataset data_;
  std::vector<std::int32_t> distinct_;
  std::vector<std::uint8_t> values_;
  Values tested_, kept_;
  std::vector<double> weights_;
  std::vector<std::int32_t> blocks_;
};

}  // namespace inforest
