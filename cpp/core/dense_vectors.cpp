#include "dense_vectors.hpp"

#include <algorithm>

#include "integers.hpp"

namespace dagmar {

template <class T>
DenseVectors<T>::DenseVectors(const Bank& bank_, Level level)
    : bank(bank_), simd(dagmar::simd<T>(level)), d(n_features(bank.vectors)),
      centre(bank.centre.begin(), bank.centre.end()), norms(bank.lists.n_vectors()),
      coef(bank.lists.coef.begin(), bank.lists.coef.end()), gammas(bank.gammas.size()),
      rows_(aligned_array<T>(bank.lists.n_vectors() * d)) {
    centre.resize(d, 0.0);
    for (std::size_t v = 0; v < gammas.size(); ++v) gammas[v] = static_cast<T>(bank.kernel.unscale2(bank.gammas[v]));
    for (std::size_t v = 0; v < norms.size(); ++v) load(bank.vectors, v, rows_.get() + v * d);
    simd.norms_of_rows(rows_.get(), norms.size(), d, norms.data());
    for (const T norm2 : norms) largest_norm2 = larger_norm2(largest_norm2, static_cast<double>(norm2));
    largest_norm2 = bank.kernel.unscale2(largest_norm2);
    find_nonzeros();
}

template <class T>
void DenseVectors<T>::find_nonzeros() {
    const auto most = static_cast<std::size_t>(kFewNonzeros * static_cast<double>(d));
    std::vector<std::size_t> begin{0};  // in value_, of each vector
    std::size_t n_products = 0;
    for (std::size_t v = 0; v < norms.size(); ++v) {
        const std::size_t count = d - usize(std::count(row(v), row(v) + d, T(0)));
        begin.push_back(begin.back() + (count > most ? 0 : count));
        n_products += count > most ? d : count;
    }
    products = static_cast<double>(n_products) / static_cast<double>(std::max<std::size_t>(1, norms.size()));
    if (begin.back() == 0) return;
    nonzeros_.resize(norms.size());
    value_.resize(begin.back());
    feature_.resize(begin.back());
    for (std::size_t v = 0; v < norms.size(); ++v) {
        const std::size_t count = begin[v + 1] - begin[v];
        if (count == 0) continue;
        nonzeros_[v] = {value_.data() + begin[v], feature_.data() + begin[v], count, nullptr};
        for (std::size_t f = 0, at = begin[v]; f < d; ++f) {
            if (row(v)[f] == T(0)) continue;
            value_[at] = row(v)[f];
            feature_[at++] = static_cast<std::int32_t>(f);
        }
    }
}

template <class T>
void DenseVectors<T>::load(const Samples& x, std::size_t i, T* row) const {
    const auto centred = [&](const auto& view) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>) {
            const auto* from = view.row(i);
            for (std::size_t f = 0; f < d; ++f)
                row[f] = static_cast<T>((static_cast<double>(from[f]) - centre[f]) * bank.kernel.scale);
        }
    };
    std::visit(centred, x);
}

template class DenseVectors<float>;
template class DenseVectors<double>;

}  // namespace dagmar
