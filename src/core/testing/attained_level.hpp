// SPDX-License-Identifier: BSD-3-Clause
/// How often a test rejects where there is nothing to find, worked out without any draw.
#pragma once

#include "core/inference/test_plan.hpp"

namespace inforest {

/// The largest probability, under the null, with which a test of this plan rejects.
///
/// Theorem. Let theta be the permutation p-value of the data: the probability that one draw
/// exceeds. If theta is superuniform, P(theta <= t) <= t, and given theta the draws exceed
/// independently with probability theta, then the test rejects with at most the probability with
/// which it rejects where theta is uniform, which is what is returned: the bound is attained.
///
/// Proof. (1) After b draws the plan rejects with k <= r(b) exceedances, accepts with k >= a(b) and
/// goes on between: too many exceedances, what the last draws can still change, and the posterior
/// P(Beta(1 + k, 1 + b - k) < tau) = P(Binomial(b + 1, tau) > k), which decreases in k, all ask
/// whether k is small or large. (2) Let the same uniforms decide which draws exceed for theta <=
/// theta': U_b < theta and U_b < theta'. So k(b) <= k'(b) for all b. If the test with theta'
/// rejects, at draw b', it was not accepted before, k(b) <= k'(b) < a(b) for b < b', and k(b') <=
/// k'(b') <= r(b'): the test with theta rejects at b' or before. (3) Hence the probability
/// beta(theta) of a rejection does not increase with theta, and E beta(theta) is largest for the
/// smallest theta in distribution, which is the uniform one. Neither r nor a need be monotone in b.
///
/// With a uniform theta the draws are those of Polya's urn: after k exceedances in b draws the next
/// one exceeds with probability (1 + k) / (2 + b). So the probabilities of all undecided (k, b)
/// follow from those of b - 1.
///
/// A certificate (see `certified_rejection`) takes the place of draws with (1 - q)^B <=
/// (1 - theta)^B <= beta(theta), since a test without any exceedance rejects: the bound stays.
double attained_level(const TestPlan& plan);

}  // namespace inforest
