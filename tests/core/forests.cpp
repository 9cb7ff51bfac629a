// SPDX-License-Identifier: BSD-3-Clause
/// Trees together: many threads, and samples sent down them.
#include <numeric>
#include <thread>

#include "check.hpp"
#include "core/data/sampling.hpp"
#include "core/tree/apply.hpp"
#include "core/tree/grow_forest.hpp"
#include "core/tree/permutation_importance.hpp"
#include "core/tree/validate_splits.hpp"
#include "problem.hpp"

using namespace inforest;

/// Trees are grown from one data set by many threads, as a forest does.
TEST(threads) {
  const Problem problem(300, 20, 3, 0, 5);
  const Options options = paper_like("mc", "gini");
  std::vector<Tree> alone(8), together(8);
  for (std::size_t i = 0; i < alone.size(); ++i) alone[i] = grow(problem, options, i);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < together.size(); i += 4) together[i] = grow(problem, options, i);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < alone.size(); ++i)
    check(is_same(alone[i], together[i]), "threads do not change a tree");
}

/// Samples are sent down one forest by many threads, each with its own rows.
TEST(threaded_prediction) {
  const Problem problem(400, 8, 3, 0, 11);
  const Options options = paper_like("mc", "gini");
  Sampling sampling;
  sampling.n_samples = 400;
  sampling.quota = {400};
  Tree all;
  std::vector<std::int64_t> offset{0};
  const std::vector<std::uint64_t> seeds{1, 2, 3, 4, 5, 6};
  for (const std::uint64_t seed : seeds) {
    Interrupt interrupt;
    const TreeRows rows = make_rows(sample_counts(sampling, seed),
                                    options.honesty ? options.honesty_fraction : 0.0, seed);
    Tree tree = grow(problem, rows, options, seed, interrupt);
    const std::vector<bool> sampled = in_bag(sample_counts(sampling, seed));
    validate_splits(problem.data, {sampled, rows.structure.size(), nullptr, seed}, tree);
    check(tree.validated[0] == 1, "the first split holds on unseen rows");
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(all.feature, tree.feature);
    append(all.threshold, tree.threshold);
    append(all.missing_left, tree.missing_left);
    append(all.level_set, tree.level_set);
    append(all.right, tree.right);
    append(all.value, tree.value);
    offset.push_back(all.size());
  }
  const ForestView forest{offset.data(), all.splits(), all.value.data(), 6, 3};
  std::vector<double> alone(400 * 3), together(400 * 3), oob(400 * 3);
  std::vector<std::int64_t> n_votes(400);
  predict({problem.x.data(), 400, 8, 1, 400}, forest, alone.data());
  std::vector<std::thread> threads;
  for (std::int64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const MatrixView block{problem.x.data() + 100 * t, 100, 8, 1, 400};
      predict(block, forest, together.data() + 300 * t);
      predict_out_of_bag(block, 100 * t, forest, sampling, seeds.data(), oob.data() + 300 * t,
                         n_votes.data() + 100 * t);
    });
  for (std::thread& thread : threads) thread.join();
  check(alone == together, "blocks of rows do not change a prediction");
  check(std::accumulate(n_votes.begin(), n_votes.end(), std::int64_t{0}) > 600,
        "rows are left out");

  Interrupt interrupt;
  const std::vector<std::int64_t> conditioning_begin{0, 2, 2, 2, 2, 2, 2, 2, 2};
  const std::vector<std::int32_t> conditioning{1, 2};
  const auto importance = permutation_importance(problem.data, forest, sampling, seeds.data(),
                                                 {conditioning_begin.data(), conditioning.data()},
                                                 Moved::values, 2, 1, interrupt);
  double first = 0.0;
  for (std::size_t tree = 0; tree < 6; ++tree) first += importance[8 * tree];
  check(importance.size() == 48 && first > 0.0, "the first feature matters");
}

TEST(apply) {
  const Problem problem(200, 5, 2, 0, 9);
  const Tree tree = grow(problem, paper_like("mc", "gini"), 2);
  const std::int64_t offset[2] = {0, tree.size()};
  const ForestView forest{offset, tree.splits(), tree.value.data(), 1, 2};
  std::vector<std::int32_t> leaf(200);
  apply({problem.x.data(), 200, 5, 1, 200}, forest, leaf.data());
  std::vector<std::int32_t> count(tree.feature.size(), 0);
  for (const std::int32_t node : leaf) ++count[static_cast<std::size_t>(node)];
  for (std::size_t i = 0; i < count.size(); ++i)
    if (tree.feature[i] < 0) check(count[i] == tree.n_samples[i], "rows fall where they grew");
}

/// Many threads grow parts of one forest: they share the lists of rare rows and count together.
TEST(parts_of_a_forest) {
  const Problem problem(300, 20, 2, 2, 5);
  const Options options = paper_like("mc", "gini");
  const RareRows rare_rows(problem.data);
  const std::vector<std::uint64_t> seeds{1, 2, 3, 4, 5, 6, 7, 8};
  const auto grow_part = [&](std::size_t begin, std::size_t size, std::int64_t* done) {
    Interrupt interrupt;
    std::vector<std::int64_t> candidate_counts(problem.keys.size(), 0);
    const FeatureIndex features{problem.keys.data(), rare_rows, candidate_counts.data()};
    const Sampling sampling{.n_samples = 300, .quota = {200}};
    return grow_forest(problem.data, features, options, sampling, {seeds.data() + begin, size},
                       done, interrupt);
  };
  check(RareRowsView(rare_rows).exist(), "nearly constant columns are listed");
  std::int64_t n_done = 0;
  std::vector<Forest> parts(4, Forest(2));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < parts.size(); ++t)
    threads.emplace_back([&, t] { parts[t] = grow_part(2 * t, 2, &n_done); });
  for (std::thread& thread : threads) thread.join();
  check(n_done == 8, "all trees are counted");
  Forest whole = grow_part(0, 8, nullptr);
  std::vector<double> value;
  for (Forest& part : parts) value.insert(value.end(), part.value().begin(), part.value().end());
  check(whole.value() == value, "parts are the whole");
  std::size_t n_nodes = 0, n_arrays = 0;
  whole.for_each_array([&](const std::string& name, const auto& array) {
    if (name == "feature") n_nodes = array.size();
    if (name == "offset") check(array.size() == 9, "offset has a border per tree and one more");
    if (name == "draws_selector") check(array.size() == 8, "one number per tree");
    if (name == "validated") check(array.size() == n_nodes, "one entry per node");
    ++n_arrays;
  });
  check(value.size() == 2 * n_nodes && n_nodes > 8 && n_arrays > 10, "every node is collected");
}
