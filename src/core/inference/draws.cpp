// SPDX-License-Identifier: BSD-3-Clause
#include "core/inference/draws.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/random_subset.hpp"

namespace inforest {

void Draws::begin(const Response& response, std::uint64_t key, std::size_t cache_bytes,
                  Shared shared) {
  response_ = &response;
  key_ = key;
  cache_bytes_ = cache_bytes;
  size_ = response.size();
  n_placed_ = response.has_labels() ? response.n_placed() : size_;
  are_restricted_ = response.blocks().exist();
  has_masks_ = !are_restricted() && response.n_classes() == 2 && size_ >= 64 &&
               n_placed_ >= size_ / 6;  // measured
  constexpr std::int64_t kFirst = 8;    // measured
  first_own_ = shared == Shared::all || are_restricted() ? std::numeric_limits<std::int64_t>::max()
               : shared == Shared::first                 ? kFirst
                                                         : 0;
  masks_.clear();
  orders_.clear();
  values_.clear();
}

template <class T>
template <class Make>
const T* Draws::Shelf<T>::read(std::int64_t b, std::size_t cache_bytes, std::uint32_t written,
                               std::uint32_t stored, Make make) {
  // The next draw overwrites what is not stored.
  const std::size_t most = cache_bytes / sizeof(T);
  const auto capacity =
      static_cast<std::int64_t>(most > written ? (most - written) / std::max(stored, 1u) : 0);
  if (b < capacity) {
    for (; n_kept <= b; ++n_kept) {
      const std::size_t begin = static_cast<std::size_t>(n_kept) * stored, end = begin + written;
      if (kept.size() < end) kept.resize(std::clamp(2 * kept.size(), end, most));
      make(kept.data() + begin, n_kept);
    }
    return kept.data() + static_cast<std::size_t>(b) * stored;
  }
  if (extra_index != b) {
    make(extra->room<T>(written), b);
    extra_index = b;
  }
  return extra->held<T>();
}

const std::uint64_t* Draws::mask(std::int64_t b) {
  const std::uint32_t words = mask_words(size_);
  return masks_.read(b, cache_bytes_, words, words, [&](std::uint64_t* place, std::int64_t index) {
    Rng rng = stream(index);
    random_subset(rng, size_, n_placed_, place);
  });
}

const std::uint32_t* Draws::order(std::int64_t b) {
  if (has_masks_)
    return orders_.read(
        b, cache_bytes_, n_placed_, n_placed_,
        [&](std::uint32_t* place, std::int64_t index) { list_members(mask(index), size_, place); });
  if (are_restricted_) [[unlikely]]
    return orders_.read(b, cache_bytes_, n_placed_, n_placed_,
                        [&](std::uint32_t* place, std::int64_t index) {
                          Rng rng = stream(index);
                          draw_in_blocks(rng, place);
                        });
  const bool few = n_placed_ < size_ / 4;  // measured
  return orders_.read(b, cache_bytes_, few ? n_placed_ : size_, n_placed_,
                      [&](std::uint32_t* place, std::int64_t index) {
                        Rng rng = stream(index);
                        few ? draw_few(rng, place) : draw_many(rng, place);
                      });
}

void Draws::draw_many(Rng& rng, std::uint32_t* place) const {
  std::iota(place, place + size_, 0u);
  // Shuffling size - 1 entries fixes the last one.
  rng.partial_shuffle(place, size_, std::min(n_placed_, size_ - 1));
}

void Draws::draw_few(Rng& rng, std::uint32_t* place) {
  for (auto next = static_cast<std::uint32_t>(identity_.size()); next < size_; ++next)
    identity_.push_back(next);
  std::uint32_t* const items = identity_.data();
  rng.partial_shuffle(items, size_, n_placed_);
  std::copy_n(items, n_placed_, place);
  // A position that the shuffle has changed is among the first or was drawn.
  for (std::uint32_t i = 0; i < n_placed_; ++i) items[place[i]] = place[i];
  std::iota(items, items + n_placed_, 0u);
}

void Draws::draw_in_blocks(Rng& rng, std::uint32_t* place) {
  source_.resize(size_);
  std::iota(source_.begin(), source_.end(), 0u);
  response_->blocks().shuffle(rng, source_.data());
  if (!response_->has_labels()) {
    std::copy(source_.begin(), source_.end(), place);
    return;
  }
  const std::uint32_t last = response_->n_classes() - 1;
  next_.resize(last);
  for (std::uint32_t k = 0; k < last; ++k) next_[k] = response_->class_begin(k);
  for (std::uint32_t i = 0; i < size_; ++i) {
    const std::uint32_t k = response_->labels()[source_[i]];
    if (k != last) place[next_[k]++] = i;
  }
}

const double* Draws::values(std::int64_t b) {
  if (are_restricted_) [[unlikely]]
    return values_in_blocks(b);
  const std::vector<double>& y = response_->centred();
  return values_.read(b, cache_bytes_, size_, size_, [&](double* place, std::int64_t index) {
    std::copy_n(y.begin(), size_, place);
    stream(index).shuffle(place, size_);
  });
}

const double* Draws::values_in_blocks(std::int64_t b) {
  const std::vector<double>& y = response_->centred();
  return values_.read(b, cache_bytes_, size_, size_, [&](double* place, std::int64_t index) {
    std::copy_n(y.begin(), size_, place);
    Rng rng = stream(index);
    response_->blocks().shuffle(rng, place);
  });
}

}  // namespace inforest
