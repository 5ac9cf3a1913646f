// Arrays for vector registers: aligned to a cache line, initialised only on request.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace dagmar {

struct FreeAligned {
    void operator()(void* p) const { ::operator delete[](p, std::align_val_t{64}); }
};

template <class T>
using Aligned = std::unique_ptr<T[], FreeAligned>;

// Throws std::bad_alloc when there is no memory, which Python sees as MemoryError.
template <class T>
Aligned<T> aligned_array(std::size_t n) {
    return Aligned<T>(static_cast<T*>(::operator new[](n * sizeof(T) + 64, std::align_val_t{64})));
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
