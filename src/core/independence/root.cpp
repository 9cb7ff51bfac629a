// SPDX-License-Identifier: BSD-3-Clause
#include "core/independence/root.hpp"

#include <utility>

#include "core/base/rng.hpp"

namespace inforest {

AnySelector root_selector(const Dataset& data, const std::vector<std::string>& selectors,
                          std::uint64_t seed, const Response& response) {
  AnySelector result;
  with_selector(data.tested.kind(), selectors, [&](auto selector) {
    project(selector, derive_key(seed, Stream::projections));
    selector.begin(response);
    result.emplace<decltype(selector)>(std::move(selector));
  });
  return result;
}

}  // namespace inforest
