#include "sparse_vectors.hpp"

#include <algorithm>

#include "decide_lanes.hpp"

namespace dagmar {

template <class T>
SparseVectors<T>::SparseVectors(const Bank& bank_, Level level)
    : Vectors<T>(bank_, level),
      places(std::get<SparseView>(bank.vectors), every_sample(bank.vectors), padded(n_samples(bank.vectors))) {
    rows.load(std::get<SparseView>(bank.vectors), every_sample(bank.vectors), places, bank.kernel.scale, simd);
    for (std::size_t v = 0; v < norms.size(); ++v) {
        norms[v] = rows.norm(v);
        this->longest = std::max(this->longest, rows.common(v).n + rows.rare(v).n);
    }
    this->note_largest_norm();
}

template <class T>
void SparseVectors<T>::load_tile(const Samples& x, Tile<T>& tile) const {
    const SparseView& view = std::get<SparseView>(x);
    tile.nonzeros.load(view, {tile.ids, tile.n}, places, bank.kernel.scale, simd);
    const Placed all{0, tile.n, 0};
    tile.sparse.load(tile.nonzeros, {&all, 1}, tile.lanes, places);
    for (std::size_t lane = 0; lane < tile.lanes; ++lane)
        tile.norms[lane] = lane < tile.n ? norm_of(view, tile.ids[lane], tile.nonzeros.norm(lane)) : T(0);
}

template <class T>
void SparseVectors<T>::dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const {
    tile.out.resize(n);
    for (std::size_t q = 0; q < n; ++q) tile.out[q] = out + q * tile.lanes;
    tile.sparse.dots(simd, rows, vectors, n, 0, tile.lanes, tile.out.data());
}

template <class T>
T SparseVectors<T>::load(const Samples& x, std::size_t i, SparseRows<T>& row) const {
    const SparseView& view = std::get<SparseView>(x);
    const auto id = static_cast<std::int64_t>(i);
    row.load(view, {&id, 1}, places, bank.kernel.scale, simd);
    return norm_of(view, id, row.norm(0));
}

template <class T>
T SparseVectors<T>::norm_of(const SparseView& x, std::int64_t sample, T of_row) const {
    const std::int32_t begin = x.indptr[sample], end = x.indptr[sample + 1];
    if (usize(end - begin) <= this->longest) return of_row;
    double sum = 0;
    for (std::int32_t t = begin; t < end; ++t) {
        const double scaled = x.data[t] * bank.kernel.scale;
        sum += scaled * scaled;
    }
    return static_cast<T>(sum);
}

template class SparseVectors<float>;
template class SparseVectors<double>;

}  // namespace dagmar
