#include "gram/gram.hpp"

#include "gram/dense.hpp"
#include "gram/precomputed.hpp"
#include "gram/sparse.hpp"

namespace dagmar {

template <class T>
std::unique_ptr<GramRows<T>> make_gram(const Problem& problem, Level level, Spare& spare) {
    const auto make = [&]<class View>(const View& view) -> std::unique_ptr<GramRows<T>> {
        if constexpr (std::is_same_v<View, SparseView>)
            return std::make_unique<SparseGram<T>>(view, problem, simd<T>(level));
        else if (problem.kernel.type == KernelType::precomputed)
            return std::make_unique<PrecomputedGram<T, View>>(view, problem, simd<T>(level));
        else
            return dense_gram<T>(view, problem, level, spare);
    };
    return std::visit(make, problem.x);
}

template std::unique_ptr<GramRows<float>> make_gram<float>(const Problem&, Level, Spare&);
template std::unique_ptr<GramRows<double>> make_gram<double>(const Problem&, Level, Spare&);

}  // namespace dagmar
