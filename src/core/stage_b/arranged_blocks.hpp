// SPDX-License-Identifier: BSD-3-Clause
/// The blocks of a node's items, which lie in the order of the cuts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/blocks.hpp"
#include "core/data/response.hpp"
#include "core/stage_b/cuts.hpp"

namespace inforest {

/// It keeps its memory from node to node.
class ArrangedBlocks {
 public:
  /// Valid until it is called again; none exist if the response has none.
  template <Cuts C>
  const Blocks& of(C& cuts, const Response& response) {
    if (!response.blocks().exist()) return response.blocks();
    order_.resize(response.size());
    cuts.arrange([](std::uint32_t position) { return position; }, order_.data());
    blocks_.follow(response.blocks(), order_);
    return blocks_;
  }

 private:
  std::vector<std::uint32_t> order_;  ///< the position of each item
  Blocks blocks_;
};

}  // namespace inforest
