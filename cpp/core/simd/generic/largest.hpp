// The largest of many numbers, and where it is.
#pragma once

#include <bit>
#include <cstring>

#include "simd/generic/vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// The largest element, in all elements of 16 bytes. It is found by halving, because comparing the elements one by one
// is a long chain. (Below 16 bytes, compilers would extract the elements.)
template <class T, std::size_t Bytes = kBytes>
inline typename VectorOf<T, 16>::type largest_of(typename VectorOf<T, Bytes>::type v) {
    if constexpr (Bytes > 16) {
        typename VectorOf<T, Bytes / 2>::type halves[2];
        std::memcpy(halves, &v, Bytes);
        return largest_of<T, Bytes / 2>(halves[0] > halves[1] ? halves[0] : halves[1]);
    } else {
        using V = typename VectorOf<T, 16>::type;
        if constexpr (sizeof(T) == 4) {
            const V turned = {v[2], v[3], v[0], v[1]};
            v = v > turned ? v : turned;
        }
        V turned = v;
        for (std::size_t k = 0; k < 16 / sizeof(T); k += 2) turned[k] = v[k + 1], turned[k + 1] = v[k];
        return v > turned ? v : turned;
    }
}
template <class T>
inline T largest(Vec<T> v) {
    return largest_of<T>(v)[0];
}

// A bit for each lane of a panel: whether it holds this value.
template <class T>
inline std::uint32_t equal_lanes(const T* panel, T value) {
    std::uint32_t found = 0;
#pragma GCC unroll 8
    for (std::size_t u = 0; u < kPerPanel<T>; ++u) {
        const Vec<T> v = load<Vec<T>>(panel + u * kWidth<T>);
        std::uint32_t bits = 0;
#if DAGMAR_BYTES == 64
        if constexpr (sizeof(T) == sizeof(float))
            bits = _mm512_cmp_ps_mask(v, _mm512_set1_ps(value), _CMP_EQ_OQ);
        else
            bits = _mm512_cmp_pd_mask(v, _mm512_set1_pd(value), _CMP_EQ_OQ);
        // Where no register is free, GCC 12 would store the 8 or 16 bits of a mask and load 32. This forces a register.
        asm("" : "+r"(bits));
#elif DAGMAR_BYTES == 32
        if constexpr (sizeof(T) == sizeof(float))
            bits = static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(v, _mm256_set1_ps(value), _CMP_EQ_OQ)));
        else
            bits = static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(v, _mm256_set1_pd(value), _CMP_EQ_OQ)));
#else
        for (std::size_t lane = 0; lane < kWidth<T>; ++lane)
            bits |= static_cast<std::uint32_t>(v[lane] == value) << lane;
#endif
        found |= bits << (u * kWidth<T>);
    }
    return found;
}

// A whole panel is compared at a time, without a branch between the lanes, because the place is unpredictable.
template <class T>
std::size_t find(const T* values, const std::uint16_t* bits, T value, std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; k += kLanes) {
        const std::uint32_t found = equal_lanes(values + k, value) & (bits ? bits[k / kLanes] : 0xFFFFu);
        if (found) return k + static_cast<std::size_t>(std::countr_zero(found));
    }
    return end;
}

// Finds the largest of n numbers and its first place: stores them all, and searches.
template <class S>
class LargestLane {
   public:
    LargestLane(S* numbers, std::size_t n) : numbers_(numbers), n_(n) {}

    // The numbers of the register at lane k.
    void offer(std::size_t k, Vec<S> numbers) {
        store(numbers_ + k, numbers);
        best_ = numbers > best_ ? numbers : best_;
    }

    S value() const { return largest<S>(best_); }
    S about() const { return value(); }
    std::size_t place() const { return find<S>(numbers_, nullptr, value(), 0, n_); }

   private:
    Vec<S> best_ = splat<Vec<S>>(-std::numeric_limits<S>::infinity());
    S* numbers_;
    std::size_t n_;
};

// Finds the largest of some positive floats, roughly, and its place: the place replaces the last bits of a number, so
// one comparison finds both. N: the number of floats, a power of 2, or 0 if that is not known.
template <std::size_t N>
class PackedLargest {
   public:
    PackedLargest(float*, std::size_t) {}
    void offer(std::size_t k, Vec<float> numbers) {
        const Keys keys = (reinterpret_cast<Keys>(numbers) & ~mask) | counting_from(static_cast<std::int32_t>(k));
        best_ = keys > best_ ? keys : best_;
    }

    float value() const { return std::bit_cast<float>(largest<std::int32_t>(best_) & ~mask); }
    std::size_t place() const { return static_cast<std::size_t>(largest<std::int32_t>(best_) & mask); }

   private:
    using Keys = Vec<std::int32_t>;
    static constexpr std::int32_t mask = N > 0 ? N - 1 : 1023;
    static_assert(kMostPairSamples <= 1024);
    Keys best_{};
};

// Finds the largest of N floats exactly, and the place of one that differs from it in the last bits at most.
template <std::size_t N>
class PackedHighest {
   public:
    PackedHighest(float*, std::size_t) {}
    void offer(std::size_t k, Vec<float> numbers) {
        best_ = numbers > best_ ? numbers : best_;
        const Keys keys =
            (in_order(reinterpret_cast<Keys>(numbers)) & ~mask) | counting_from(static_cast<std::int32_t>(k));
        best_key_ = keys > best_key_ ? keys : best_key_;
    }

    float value() const { return largest<float>(best_); }
    // The number at place(), rounded down.
    float about() const { return std::bit_cast<float>(in_order(largest<std::int32_t>(best_key_) & ~mask)); }
    std::size_t place() const { return static_cast<std::size_t>(largest<std::int32_t>(best_key_) & mask); }

   private:
    using Keys = Vec<std::int32_t>;
    static constexpr std::int32_t mask = N - 1;

    // The bits of floats as integers in the same order, and back.
    template <class Integers>
    static Integers in_order(Integers bits) {
        return bits ^ (bits >> 31 & std::numeric_limits<std::int32_t>::max());
    }

    Vec<float> best_ = splat<Vec<float>>(-std::numeric_limits<float>::infinity());
    Keys best_key_ = splat<Keys>(std::numeric_limits<std::int32_t>::min());
};

inline std::size_t largest_chunks(const double* values, std::size_t n, double base, double least, std::size_t count,
                                  std::size_t* places) {
    using V = Vec<double>;
    using Keys = Vec<std::int32_t>;
    constexpr std::size_t width = kWidth<double>, wide = kWidth<float>;
    constexpr std::int32_t mask = static_cast<std::int32_t>(kMostChunks) - 1;
    alignas(64) double above[kMostChunks];
    alignas(64) float shares[kMostChunks];  // of the largest distance, so that they are in the range of float
    V most = {};
    for (std::size_t k = 0; k < padded(n); k += width) {
        const V distance = load<V>(values + k) - splat<V>(base);
        store(above + k, distance);
        most = distance > most ? distance : most;
    }
    const double unit = 1.0 / std::clamp(largest<double>(most), 1e-300, 1e300);
    for (std::size_t k = 0; k < padded(n); k += width) store_narrowed(shares + k, load<V>(above + k) * splat<V>(unit));
    // A share and its place in one number. Places count down in the last bits, so that the first of equals wins.
    Keys* const keys = reinterpret_cast<Keys*>(shares);
    for (std::size_t i = 0; i < padded(n) / wide; ++i)
        keys[i] = (keys[i] & ~mask) | (mask - counting_from(static_cast<std::int32_t>(i * wide)));
    const std::int32_t none = std::bit_cast<std::int32_t>(static_cast<float>(std::max(least, 0.0) * unit)) | mask;
    // One after the other, the largest is found and removed. It stays in a register: the places are read at the end.
    std::int32_t found[kMostLargest];
    Keys last{};
    for (std::size_t k = 0; k < count; ++k) {
        Keys best{};
        for (std::size_t i = 0; i < padded(n) / wide; ++i) {
            keys[i] = keys[i] == last ? Keys{} : keys[i];
            best = keys[i] > best ? keys[i] : best;
        }
        found[k] = largest<std::int32_t>(best);
        last = splat<Keys>(found[k]);
    }
    for (std::size_t k = 0; k < count; ++k) {
        if (found[k] <= none) return k;
        places[k] = static_cast<std::size_t>(mask - (found[k] & mask));
    }
    return count;
}

}  // namespace dagmar::DAGMAR_LEVEL
