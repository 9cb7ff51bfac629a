// SPDX-License-Identifier: BSD-3-Clause
/// Small, nasty data sets, and trees grown from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/data/dataset.hpp"
#include "core/stage_b/options.hpp"
#include "core/tree/grow_tree.hpp"

/// A small data set; `kind` chooses continuous, tied, two-valued or extreme columns.
struct Problem {
  std::vector<double> x, y;
  std::vector<std::int32_t> code;
  std::vector<std::uint64_t> keys;
  inforest::Dataset data;

  Problem(std::int64_t n, std::int64_t p, std::int32_t n_classes, int kind, std::uint64_t seed);
  Problem(const Problem&) = delete;
};

/// Grows a tree, and checks that it counts its candidates.
inforest::Tree grow(const Problem& problem, const inforest::TreeRows& rows,
                    const inforest::Options& options, std::uint64_t seed,
                    inforest::Interrupt& interrupt);

/// The same from all rows.
inforest::Tree grow(const Problem& problem, const inforest::Options& options, std::uint64_t seed);

/// Levels at which small data are split.
inforest::Options paper_like(const std::string& selector, const std::string& splitter);

/// Whether children follow their parents and share its samples.
bool is_consistent(const inforest::Tree& tree);

bool is_same(const inforest::Tree& a, const inforest::Tree& b);
