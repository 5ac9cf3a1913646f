#include "decide/vectors.hpp"

#include <algorithm>

#include "base/integers.hpp"

namespace dagmar {

template <class T>
Vectors<T>::Vectors(const Bank& bank_, Level level_)
    : bank(bank_), level(level_), simd(dagmar::simd<T>(level)), coef(bank.lists.coef.begin(), bank.lists.coef.end()),
      gammas(bank.gammas.size()) {
    for (std::size_t v = 0; v < gammas.size(); ++v) gammas[v] = static_cast<T>(bank.kernel.unscale2(bank.gammas[v]));
}

template <class T>
void Vectors<T>::kernel_values(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const {
    // Products of all lanes are finished before the next leave the first-level cache.
    constexpr std::size_t cached = 96 * 128;
    const std::size_t at_once = std::max<std::size_t>(kLanes, cached / tile.lanes);
    const std::vector<T>& norms = this->norms();
    for (std::size_t first = 0; first < n; first += at_once) {
        const std::size_t last = std::min(n, first + at_once);
        dots(tile, vectors + first, last - first, out + first * tile.lanes);
        for (std::size_t q = first; q < last; ++q) {
            const std::size_t v = usize(vectors[q]);
            bank.kernel_of(v).finish(simd, out + q * tile.lanes, tile.norms, norms[v], tile.lanes);
        }
    }
}

template <class T>
double largest_norm2_of(const std::vector<T>& norms, const Kernel& kernel) {
    double largest = 0;
    for (const T norm2 : norms) largest = larger_norm2(largest, static_cast<double>(norm2));
    return kernel.unscale2(largest);
}

template <class T>
void SampleOfDots<T>::evaluate(const std::vector<std::int32_t>& vectors, T* memo) {
    const std::size_t n = padded(vectors.size());
    dots_.assign(n, T(0));
    norms_.assign(n, T(0));
    dots(vectors, dots_.data());
    const std::vector<T>& norms = v_.norms();
    for (std::size_t q = 0; q < vectors.size(); ++q) norms_[q] = norms[usize(vectors[q])];
    if (!v_.gammas.empty()) {
        gammas_.assign(n, T(1));
        for (std::size_t q = 0; q < vectors.size(); ++q) gammas_[q] = v_.gammas[usize(vectors[q])];
    }
    v_.bank.kernel.finish(v_.simd, dots_.data(), norms_.data(), norm2_, n, gammas_.empty() ? nullptr : gammas_.data());
    for (std::size_t q = 0; q < vectors.size(); ++q) memo[vectors[q]] = dots_[q];
}

template class Vectors<float>;
template class Vectors<double>;
template double largest_norm2_of(const std::vector<float>&, const Kernel&);
template double largest_norm2_of(const std::vector<double>&, const Kernel&);
template class SampleOfDots<float>;
template class SampleOfDots<double>;

}  // namespace dagmar
