// SPDX-License-Identifier: BSD-3-Clause
/// Memory for plain numbers of one type after the other; it grows and is never given back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace inforest {

class Buffer {
 public:
  /// Room for `size` numbers, which may be anything; what the buffer has held is lost.
  template <class T>
  T* room(std::size_t size) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    if (size * sizeof(T) > n_bytes_) {
      const std::size_t n_bytes = std::max(size * sizeof(T), 2 * n_bytes_);
      n_bytes_ = 0;
      memory_.reset();  // before there is more: nothing is copied
      memory_ = std::make_unique_for_overwrite<std::byte[]>(n_bytes);
      n_bytes_ = n_bytes;
    }
    std::uninitialized_default_construct_n(held<T>(), size);
    return held<T>();
  }

  /// What the last call of `room`, for the same type, was filled with.
  template <class T>
  T* held() {
    return reinterpret_cast<T*>(memory_.get());
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t n_bytes_ = 0;
};

}  // namespace inforest
