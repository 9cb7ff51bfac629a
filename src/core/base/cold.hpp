// SPDX-License-Identifier: BSD-3-Clause
/// `INFOREST_COLD` marks functions that only comparisons run; GCC compiles them for size.
#pragma once

#if defined(__GNUC__)
#define INFOREST_COLD __attribute__((cold, noinline))
#else
#define INFOREST_COLD
#endif
