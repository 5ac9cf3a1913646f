// Arrays for vector registers: aligned to a cache line, initialised only on request.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace dagmar {

// The pointer to the block that the allocator gave stands before the array. (An allocator asked for aligned memory does
// not give out what a thread has just freed, and takes ten times as long for small arrays.)
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

   private:
    Aligned<T> array_;
    std::size_t size_ = 0;
};

}  // namespace dagmar
