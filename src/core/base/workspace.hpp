// SPDX-License-Identifier: BSD-3-Clause
/// The memory that the steps of a node's work use one after the other; the grower owns it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/buffer.hpp"

namespace inforest {

/// Each buffer is as large as the largest node, so there is one for all that never live at once:
///
///              `values`                        `items`
///   Stage A    columns of the candidates       the last draw beyond the cache
///   Stage B    the chosen feature's values     the splitter's items, permuted in place
///   partition  the same values, read again     `right_rows`: rows on their way to the right child
///
/// A step that asks for room ends the life of what the step before has left there.
struct Workspace {
  Buffer values;

  /// For entries of this type, one per sample; positions and numbers have memory of their own,
  /// because a selector may read draws of both kinds.
  template <class Item>
  Buffer& items() {
    if constexpr (sizeof(Item) <= sizeof(std::uint32_t))
      return narrow_;
    else
      return wide_;
  }

  /// Room for row numbers where the items of this type were.
  template <class Item>
  std::int32_t* right_rows(std::size_t size) {
    return items<Item>().template room<std::int32_t>(size);
  }

 private:
  Buffer narrow_, wide_;
};

}  // namespace inforest
