#include "gram/gram.hpp"

#include <algorithm>
#include <numeric>

#include "base/integers.hpp"

namespace dagmar {
namespace {

// Columns that a thread computes at a time.
constexpr std::size_t kColumns = 256;

}  // namespace

template <class T>
GramRows<T>::GramRows(const Problem& problem, const Simd<T>& simd)
    : simd_(simd), kernel_(problem.kernel), start_(problem.class_start), class_of_(start_.back()) {
    for (std::size_t c = 0; c < n_classes(); ++c)
        std::fill(class_of_.data() + start_[c], class_of_.data() + start_[c + 1], static_cast<std::uint32_t>(c));
}

template <class T>
double GramRows<T>::products(std::span<const std::int32_t> classes) const {
    double all = 0.0, n = 0.0;
    for (const std::int32_t c : classes) {
        const double size = static_cast<double>(class_size(usize(c)));
        if (size > 0.0) all += size * products_of(usize(c));
        n += size;
    }
    return n > 0.0 ? all / n : 0.0;
}

template <class T>
double GramRows<T>::products() const {
    std::vector<std::int32_t> classes(n_classes());
    std::iota(classes.begin(), classes.end(), 0);
    return products(classes);
}

template <class T>
T GramRows<T>::diagonal_value(T norm) const {
    if (kernel_.type == KernelType::rbf) return T(1);  // a distance of zero
    T values[kLanes], norms[kLanes];
    std::fill(values, values + kLanes, norm);
    std::fill(norms, norms + kLanes, norm);
    kernel_.finish(simd_, values, norms, norm, kLanes);
    return values[0];
}

template <class T>
void GramRows<T>::within(std::size_t c, double gamma, T* out, std::size_t stride, GramScratch<T>& scratch) const {
    std::vector<std::int32_t> asked(class_size(c));
    std::vector<T*> to;
    std::iota(asked.begin(), asked.end(), static_cast<std::int32_t>(start_[c]));
    for (std::size_t k = 0; k < asked.size(); ++k) to.push_back(out + k * stride);
    rows(asked.data(), asked.size(), c, gamma, to.data(), scratch);
}

// By pieces of columns, the longest first: values above the diagonal and in it are computed, the others are their
// mirror image.
template <class T>
void GramRows<T>::among(std::span<const std::int32_t> samples, double gamma, T* out, std::size_t stride,
                        Spare& spare) const {
    const std::size_t n = samples.size(), n_pieces = (n + kColumns - 1) / kColumns;
    spare.run(n_pieces, [&](std::size_t i) {
        const std::size_t first = (n_pieces - 1 - i) * kColumns, end = std::min(n, first + kColumns);
        std::vector<T*> to;
        for (std::size_t k = 0; k < end; ++k) to.push_back(out + k * stride + first);
        GramScratch<T> scratch;
        rows_against(columns(samples.subspan(first, end - first)), samples.data(), end, gamma, to.data(), scratch);
        simd_.transpose(out + first, stride, first, end - first, out + first * stride, stride);
    });
}

template <class T>
std::unique_ptr<GramRows<T>> make_gram(const Problem& problem, Level level, Spare& spare) {
    const auto make = [&](const auto& view) -> std::unique_ptr<GramRows<T>> {
        if constexpr (std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
            return sparse_gram<T>(view, problem, simd<T>(level));
        else if (problem.kernel.type == KernelType::precomputed)
            return precomputed_gram<T>(view, problem, simd<T>(level));
        else
            return dense_gram<T>(view, problem, level, spare);
    };
    return std::visit(make, problem.x);
}

template class GramRows<float>;
template class GramRows<double>;
template std::unique_ptr<GramRows<float>> make_gram<float>(const Problem&, Level, Spare&);
template std::unique_ptr<GramRows<double>> make_gram<double>(const Problem&, Level, Spare&);

}  // namespace dagmar
