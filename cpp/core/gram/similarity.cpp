#include "gram/gram.hpp"

namespace dagmar {

template <class T>
bool class_similarity(const GramRows<T>& gram, std::span<const double> weight, const Threads& threads, double* out) {
    constexpr std::size_t at_once = 48;  // rows: a multiple of the block of the dot products
    const std::size_t n_classes = gram.n_classes();
    std::vector<std::pair<std::size_t, std::size_t>> pieces;  // class, first sample
    for (std::size_t a = 0; a < n_classes; ++a)
        for (std::size_t first = gram.class_start()[a]; first < gram.class_start()[a + 1]; first += at_once)
            pieces.emplace_back(a, first);
    std::vector<double> sums(pieces.size() * n_classes, 0.0);
    const auto sum_piece = [&](std::size_t p, int /*worker*/) {
        const auto [a, first] = pieces[p];
        const std::size_t count = std::min(at_once, gram.class_start()[a + 1] - first);
        std::int32_t asked[at_once];
        T* rows[at_once];
        std::iota(asked, asked + count, static_cast<std::int32_t>(first));
        Buffer<T> values;
        GramScratch<T> scratch;
        for (std::size_t b = a; b < n_classes; ++b) {  // the other half is the same by symmetry
            const std::size_t lanes = padded(gram.class_size(b));
            T* first_row = values.at_least(count * lanes);
            for (std::size_t q = 0; q < count; ++q) rows[q] = first_row + q * lanes;
            gram.rows(asked, count, b, gram.gamma(), rows, scratch);
            double sum = 0;
            const double* w = weight.data() + gram.class_start()[b];
            for (std::size_t q = 0; q < count; ++q) {
                double row = 0;
                for (std::size_t k = 0; k < gram.class_size(b); ++k) row += w[k] * static_cast<double>(rows[q][k]);
                sum += weight[first + q] * row;
            }
            sums[p * n_classes + b] = sum;
        }
    };
    Stop stop;
    if (!parallel_for(pieces.size(), threads, stop, sum_piece)) return false;
    std::fill(out, out + n_classes * n_classes, 0.0);
    for (std::size_t p = 0; p < pieces.size(); ++p)
        for (std::size_t b = pieces[p].first; b < n_classes; ++b)
            out[pieces[p].first * n_classes + b] += sums[p * n_classes + b];
    for (std::size_t a = 0; a < n_classes; ++a)
        for (std::size_t b = 0; b < a; ++b) out[a * n_classes + b] = out[b * n_classes + a];
    return true;
}

template bool class_similarity(const GramRows<float>&, std::span<const double>, const Threads&, double*);
template bool class_similarity(const GramRows<double>&, std::span<const double>, const Threads&, double*);

}  // namespace dagmar
