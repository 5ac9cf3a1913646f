#include "decide/dense_rows.hpp"

#include <algorithm>

#include "base/integers.hpp"
#include "decide/vectors.hpp"

namespace dagmar {
namespace {

// Rows that a thread loads at a time: some hundredths of a millisecond of work.
std::size_t rows_at_once(std::size_t d) { return (std::size_t{1} << 15) / std::max<std::size_t>(1, d) + 1; }

// Rows a multiple of 2 KB apart would share few places of the first-level cache.
template <class T>
std::size_t stride_of(std::size_t d) {
    return d * sizeof(T) % 2048 == 0 ? d + kLanes : d;
}

}  // namespace

template <class T>
void load_row(const Samples& x, std::size_t i, const std::vector<double>& centre, double scale, T* row) {
    const auto load = [&](const auto& view) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>) {
            const auto* from = view.row(i);
            for (std::size_t f = 0; f < centre.size(); ++f)
                row[f] = static_cast<T>((static_cast<double>(from[f]) - centre[f]) * scale);
        }
    };
    std::visit(load, x);
}

template <class T>
DenseRows<T>::DenseRows(const Bank& bank, const std::vector<double>& centre, const Simd<T>& simd,
                        const Threads& threads)
    : norms(bank.lists.n_vectors()), d_(centre.size()), stride_(stride_of<T>(d_)),
      rows_(aligned_array<T>(norms.size() * stride_)) {
    share_out(norms.size(), rows_at_once(d_), threads, [&](std::size_t begin, std::size_t end) {
        constexpr std::size_t few = 8;  // rows that are still in the first-level cache when their norms are computed
        for (std::size_t first = begin; first < end; first += few) {
            const std::size_t last = std::min(end, first + few);
            for (std::size_t v = first; v < last; ++v) {
                T* row = rows_.get() + v * stride_;
                load_row(bank.vectors, v, centre, bank.kernel.scale, row);
                std::fill(row + d_, row + stride_, T(0));
            }
            simd.norms_of_rows(row(first), last - first, stride_, norms.data() + first);
        }
    });
    largest_norm2 = largest_norm2_of(norms, bank.kernel);
    products = static_cast<double>(d_);
    find_nonzeros(threads);
}

template <class T>
void DenseRows<T>::find_nonzeros(const Threads& threads) {
    const auto most = static_cast<std::size_t>(kFewNonzeros * static_cast<double>(d_));
    const auto n_nonzero = [&](std::size_t v) { return d_ - usize(std::count(row(v), row(v) + d_, T(0))); };
    // If none of 32 vectors is mostly zero, few of the others are.
    const std::size_t n = norms.size(), step = (n + 31) / 32;
    bool any = false;
    for (std::size_t v = 0; v < n && !any; v += step) any = n_nonzero(v) <= most;
    if (!any) return;
    const auto for_each_vector = [&](const auto& visit) {
        share_out(n, rows_at_once(d_), threads, [&](std::size_t first, std::size_t last) {
            for (std::size_t v = first; v < last; ++v) visit(v);
        });
    };
    std::vector<std::size_t> begin(n + 1);  // of each vector in value_; first, its number of nonzeros
    for_each_vector([&](std::size_t v) { begin[v + 1] = n_nonzero(v); });
    std::size_t n_products = 0;
    for (std::size_t v = 0; v < n; ++v) {
        const std::size_t count = begin[v + 1];
        begin[v + 1] = begin[v] + (count > most ? 0 : count);
        n_products += count > most ? d_ : count;
    }
    products = static_cast<double>(n_products) / static_cast<double>(n);
    if (begin.back() == 0) return;
    nonzeros_.resize(n);
    value_.resize(begin.back());
    feature_.resize(begin.back());
    for_each_vector([&](std::size_t v) {
        const std::size_t count = begin[v + 1] - begin[v];
        if (count == 0) return;
        T* value = value_.data() + begin[v];
        std::int32_t* feature = feature_.data() + begin[v];
        nonzeros_[v] = {value, feature, count, nullptr};
        // Zeros are written, too, and then overwritten: a branch would be unpredictable.
        const T* from = row(v);
        for (std::size_t f = 0, at = 0; at < count; ++f) {
            value[at] = from[f];
            feature[at] = static_cast<std::int32_t>(f);
            at += from[f] != T(0);
        }
    });
}

template void load_row(const Samples&, std::size_t, const std::vector<double>&, double, float*);
template void load_row(const Samples&, std::size_t, const std::vector<double>&, double, double*);
template class DenseRows<float>;
template class DenseRows<double>;

}  // namespace dagmar
