// Arrays for vector registers: aligned to a cache line, initialised only on request.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dagmar {

// Copies n numbers past the caches. An allocator gives memory that another processor has just read, and on some
// machines each line of such memory is written ten times more slowly than a line that no cache holds. Other threads see
// the copy after `end_of_copies`.
template <class S>
void copy_past_caches(const S* from, S* to, std::size_t n) {
#if defined(__SSE2__)
    constexpr std::size_t width = sizeof(__m128i) / sizeof(S);
    // One by one where whole registers do not fit: other stores to the same line would bring it back.
    const auto copy_one = [&](std::size_t k) {
        int parts[sizeof(S) / sizeof(int)];
        std::memcpy(parts, from + k, sizeof(S));
        for (std::size_t i = 0; i < std::size(parts); ++i)
            _mm_stream_si32(reinterpret_cast<int*>(to + k) + i, parts[i]);
    };
    std::size_t k = 0;
    while (k < n && reinterpret_cast<std::uintptr_t>(to + k) % sizeof(__m128i) != 0) copy_one(k++);
    for (; k + width <= n; k += width)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + k),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k)));
    while (k < n) copy_one(k++);
#else
    std::copy(from, from + n, to);
#endif
}

inline void end_of_copies() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

// The block that the allocator gave stands before the array. (An allocator asked for aligned memory does not give what
// a thread has just freed, and takes ten times as long for small arrays.)
struct FreeAligned {
    void operator()(void* p) const {
        if (p) ::operator delete[](static_cast<void**>(p)[-1]);
    }
};

template <class T>
using Aligned = std::unique_ptr<T[], FreeAligned>;

// Throws std::bad_alloc when there is no memory, which Python sees as MemoryError.
template <class T>
Aligned<T> aligned_array(std::size_t n) {
    constexpr std::size_t line = 64;
    void* block = ::operator new[](n * sizeof(T) + 2 * line);  // an alignment of 16 leaves room for a pointer
    void* array = static_cast<char*>(block) + line - reinterpret_cast<std::uintptr_t>(block) % line;
    static_cast<void**>(array)[-1] = block;
    return Aligned<T>(static_cast<T*>(array));
}

template <class T>
Aligned<T> zeroed_array(std::size_t n) {
    auto array = aligned_array<T>(n);
    std::memset(static_cast<void*>(array.get()), 0, n * sizeof(T));
    return array;
}

// A buffer that grows and is used again: fresh memory is slow at its first touch.
template <class T>
class Buffer {
   public:
    T* at_least(std::size_t n) {
        if (n > size_) {
            size_ = 0;
            array_.reset();
            array_ = aligned_array<T>(n);
            size_ = n;
        }
        return array_.get();
    }
    T* data() const { return array_.get(); }
    std::size_t size() const { return size_; }

   private:
    Aligned<T> array_;
    std::size_t size_ = 0;
};

}  // namespace dagmar
