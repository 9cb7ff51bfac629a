// SPDX-License-Identifier: BSD-3-Clause
#include "draws.hpp"

#include <algorithm>
#include <numeric>

namespace inforest {

void Draws::begin(const Response& response, std::uint64_t key, std::size_t cache_bytes) {
  response_ = &response;
  key_ = key;
  cache_bytes_ = cache_bytes;
  size_ = response.size();
  n_placed_ = response.centred().empty() ? response.n_placed() : size_;
  orders_.clear();
  values_.clear();
}

template <class T>
const T* Draws::Shelf<T>::read(const Draws& draws, std::int64_t b, const std::vector<T>& start,
                               std::uint32_t stored) {
  const std::uint32_t size = draws.size_;
  // Shuffling size - 1 entries fixes the last one.
  const std::uint32_t drawn = std::min(stored, size - 1);
  const auto shuffle_into = [&](T* place, std::int64_t index) {
    std::copy_n(start.begin(), size, place);
    Rng(draws.key_, static_cast<std::uint64_t>(index)).partial_shuffle(place, size, drawn);
  };
  // `size` entries are written for a draw, `stored` of them kept: the next one overwrites the rest.
  const std::size_t most = draws.cache_bytes_ / sizeof(T);
  const auto capacity =
      static_cast<std::int64_t>(most > size ? (most - size) / std::max(stored, 1u) : 0);
  if (b < capacity) {
    for (; n_kept <= b; ++n_kept) {
      const std::size_t begin = static_cast<std::size_t>(n_kept) * stored;
      if (kept.size() < begin + size) kept.resize(std::clamp(2 * kept.size(), begin + size, most));
      shuffle_into(kept.data() + begin, n_kept);
    }
    return kept.data() + static_cast<std::size_t>(b) * stored;
  }
  if (extra_index != b) {
    extra.resize(size);
    shuffle_into(extra.data(), b);
    extra_index = b;
  }
  return extra.data();
}

const std::uint32_t* Draws::order(std::int64_t b) {
  if (identity_.size() < size_) {
    identity_.resize(size_);
    std::iota(identity_.begin(), identity_.end(), 0u);
  }
  return orders_.read(*this, b, identity_, n_placed_);
}

const double* Draws::values(std::int64_t b) {
  return values_.read(*this, b, response_->centred(), size_);
}

}  // namespace inforest
