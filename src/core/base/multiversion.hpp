// SPDX-License-Identifier: BSD-3-Clause
/// Compiles a function for the baseline and for AVX2; the loader picks what the CPU allows.
///
/// Floating-point contraction is off for the whole core, so both versions add the same numbers in
/// the same order and give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define INFOREST_MULTIVERSION __attribute__((target_clones("avx2", "default")))
#else
#define INFOREST_MULTIVERSION
#endif
