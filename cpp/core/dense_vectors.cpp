#include "dense_vectors.hpp"

#include <algorithm>

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
