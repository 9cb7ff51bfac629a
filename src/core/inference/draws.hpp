// SPDX-License-Identifier: BSD-3-Clause
/// The permutations of one node, made when first read.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/base/rng.hpp"
#include "core/base/workspace.hpp"
#include "core/data/response.hpp"

namespace inforest {

/// All candidates of a node may read the same draws, which Bonferroni allows: it needs no
/// independence between the tests. Draw b is a function of (key, b). The first draws are kept;
/// those beyond the cache are made anew when asked: a candidate that does not reject rarely reads
/// more than a few.
///
/// A draw is i.i.d. uniform over all arrangements, with blocks over those inside the blocks:
///   classification  order(b)[i], class_begin(k) <= i < class_begin(k) + class_size(k), are the
///                   positions given class k, for k < K - 1; all others get the largest class;
///                   where `has_masks()`, the bits of mask(b) tell the same of class 0;
///   regression      position i gets the response of position order(b)[i]; values(b) holds those
///                   responses themselves, centred.
class Draws {
 public:
  Draws() = default;
  /// Draws beyond the cache are made where the node's items will be.
  explicit Draws(Workspace& workspace) {
    orders_.extra = &workspace.items<std::uint32_t>();
    values_.extra = &workspace.items<double>();
  }
  Draws(const Draws&) = delete;

  /// Which draws the candidates share.
  enum class Shared {
    all,
    first,  ///< a few, which most candidates do not survive; then one may make its own
    none,   ///< one makes its own if it can, even where whole draws are quicker: for tests
  };
  /// `cache_bytes`: how much of each kind of draw to keep.
  void begin(const Response& response, std::uint64_t key, std::size_t cache_bytes = kSmallCache,
             Shared shared = Shared::all);

  static constexpr std::size_t kSmallCache = std::size_t{1} << 18;
  /// For tests that read all draws of all candidates.
  static constexpr std::size_t kLargeCache = std::size_t{16} << 20;

  /// Whether responses stay in their blocks. What is known of unrestricted permutations (bounds,
  /// masks, own and tilted draws) does not hold then.
  bool are_restricted() const { return are_restricted_; }
  /// Rows that are permuted.
  std::uint32_t size() const { return size_; }
  /// Whether a selector may make draw b by itself, from `stream(b)`.
  bool is_own(std::int64_t b) const { return b >= first_own_; }
  /// Nothing is shared.
  bool are_all_own() const { return first_own_ == 0; }
  Rng stream(std::int64_t b) const { return Rng(key_, static_cast<std::uint64_t>(b)); }

  /// Two classes, of sizes for which masks are quicker than a shuffle.
  bool has_masks() const { return has_masks_; }
  const std::uint64_t* mask(std::int64_t b);
  const std::uint32_t* order(std::int64_t b);
  const double* values(std::int64_t b);

 private:
  /// Draws of one kind (masks, positions or values), kept side by side.
  template <class T>
  struct Shelf {
    std::vector<T> kept;
    Buffer own;
    Buffer* extra = &own;  ///< the last draw beyond the cache
    std::int64_t n_kept = 0;
    std::int64_t extra_index = -1;

    void clear() { n_kept = 0, extra_index = -1; }
    /// Draw b. `make(place, b)` writes `written` entries, of which the first `stored` count.
    template <class Make>
    const T* read(std::int64_t b, std::size_t cache_bytes, std::uint32_t written,
                  std::uint32_t stored, Make make);
  };

  /// Two ways to the first `n_placed_` positions of a uniform permutation: one writes all `size_`
  /// positions first, the other mends afterwards what it has changed of the identity.
  void draw_many(Rng& rng, std::uint32_t* place) const;
  void draw_few(Rng& rng, std::uint32_t* place);
  /// The positions of a draw that permutes the responses inside their blocks.
  void draw_in_blocks(Rng& rng, std::uint32_t* place);
  const double* values_in_blocks(std::int64_t b);

  const Response* response_ = nullptr;
  std::uint64_t key_ = 0;
  std::size_t cache_bytes_ = kSmallCache;
  std::int64_t first_own_ = std::numeric_limits<std::int64_t>::max();
  std::uint32_t size_ = 0;
  std::uint32_t n_placed_ = 0;
  bool has_masks_ = false;
  bool are_restricted_ = false;
  std::vector<std::uint32_t> identity_;  ///< 0, 1, 2, ... between the draws
  std::vector<std::uint32_t> source_, next_;
  Shelf<std::uint64_t> masks_;
  Shelf<std::uint32_t> orders_;
  Shelf<double> values_;
};

}  // namespace inforest
