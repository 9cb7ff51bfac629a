// SPDX-License-Identifier: BSD-3-Clause
/// The permutations of one node: draw b is a pure function of (key, b), made when first read.
#pragma once

#include <cstdint>
#include <vector>

#include "response.hpp"
#include "rng.hpp"

namespace inforest {

/// All candidates of a node read the same draws, which Bonferroni allows: it needs no independence
/// between the tests. The first draws are kept; those beyond the cache are made anew when asked: a
/// candidate that does not reject rarely reads more than a few.
///
/// A draw is i.i.d. uniform over all arrangements:
///   classification  order(b)[i], class_begin(k) <= i < class_begin(k) + class_size(k), are the
///                   positions given class k, for k < K - 1; all others get the largest class;
///   regression      position i gets the response of position order(b)[i]; values(b) holds those
///                   responses themselves, centred.
class Draws {
 public:
  /// `cache_bytes`: how much of each kind of draw to keep.
  void begin(const Response& response, std::uint64_t key, std::size_t cache_bytes = kSmallCache);

  static constexpr std::size_t kSmallCache = std::size_t{1} << 18;
  /// For tests that read all draws of all candidates.
  static constexpr std::size_t kLargeCache = std::size_t{16} << 20;

  const std::uint32_t* order(std::int64_t b);
  const double* values(std::int64_t b);

 private:
  /// Draws of one kind (positions or values), kept side by side.
  template <class T>
  struct Shelf {
    std::vector<T> kept;
    std::vector<T> extra;  ///< the last draw beyond the cache
    std::int64_t n_kept = 0;
    std::int64_t extra_index = -1;

    void clear() { n_kept = 0, extra_index = -1; }
    const T* read(const Draws& draws, std::int64_t b, const std::vector<T>& start,
                  std::uint32_t stored);
  };

  const Response* response_ = nullptr;
  std::uint64_t key_ = 0;
  std::size_t cache_bytes_ = kSmallCache;
  std::uint32_t size_ = 0;
  std::uint32_t n_placed_ = 0;
  std::vector<std::uint32_t> identity_;
  Shelf<std::uint32_t> orders_;
  Shelf<double> values_;
};

}  // namespace inforest
