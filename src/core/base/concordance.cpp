// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/concordance.hpp"

#include <algorithm>
#include <numeric>

namespace inforest {

void ConcordanceCounter::rank(std::span<const double> risk) {
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return risk[a] < risk[b]; });
  std::uint32_t distinct = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (i > 0 && risk[order_[i]] != risk[order_[i - 1]]) ++distinct;
    rank_[order_[i]] = distinct;
  }
}

void ConcordanceCounter::add(std::uint32_t rank, double weight) {
  at_[rank] += weight;
  for (std::size_t i = rank + 1; i < sum_.size(); i += i & (~i + 1)) sum_[i] += weight;
}

double ConcordanceCounter::below(std::uint32_t rank) const {
  double total = 0.0;
  for (std::size_t i = rank; i > 0; i -= i & (~i + 1)) total += sum_[i];
  return total;
}

Concordance ConcordanceCounter::operator()(std::span<const double> time,
                                           std::span<const std::uint8_t> event,
                                           std::span<const double> risk,
                                           std::span<const double> weight) {
  const std::size_t n = time.size();
  order_.resize(n);
  rank_.resize(n);
  sum_.assign(n + 1, 0.0);
  at_.assign(n, 0.0);
  rank(risk);
  // From the last time to the first; censored rows before events of the same time.
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return time[a] != time[b] ? time[a] > time[b] : event[a] < event[b];
  });
  Concordance found;
  double total = 0.0;
  const auto weight_of = [&](std::uint32_t row) { return weight.empty() ? 1.0 : weight[row]; };
  const auto insert = [&](std::uint32_t row) {
    add(rank_[row], weight_of(row));
    total += weight_of(row);
  };
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    for (; end < n && time[order_[end]] == time[order_[begin]]; ++end)
      if (event[order_[end]] == 0) insert(order_[end]);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = order_[i];
      if (event[row] == 0) continue;
      found.comparable += weight_of(row) * total;
      found.concordant += weight_of(row) * below(rank_[row]);
      found.tied += weight_of(row) * at_[rank_[row]];
    }
    for (std::size_t i = begin; i < end; ++i)
      if (event[order_[i]] != 0) insert(order_[i]);
    begin = end;
  }
  return found;
}

}  // namespace inforest
