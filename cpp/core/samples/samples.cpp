#include "samples/samples.hpp"

#include <stdexcept>
#include <string>

namespace dagmar {

void check(const SparseView& x, std::size_t n_stored) {
    if (x.indptr[0] != 0 || !std::is_sorted(x.indptr, x.indptr + x.n + 1) || usize(x.indptr[x.n]) > n_stored)
        throw std::invalid_argument("indptr of the sparse samples must ascend from 0 to at most the stored entries");
    const std::int64_t d = static_cast<std::int64_t>(std::min(x.d, std::size_t{1} << 31));
    for (std::size_t i = 0; i < x.n; ++i) {
        std::int64_t before = -1;
        for (std::int32_t t = x.indptr[i]; t < x.indptr[i + 1]; ++t) {
            const std::int64_t f = x.indices[t];
            if (f <= before || f >= d)
                throw std::invalid_argument("indices of sparse row " + std::to_string(i) +
                                            " must ascend, without duplicates, from 0 to below " + std::to_string(x.d));
            before = f;
        }
    }
}

double compare_rows(const Kernel& kernel, const SparseView& x, std::size_t i, const SparseView& z, std::size_t k) {
    const bool of_distance = kernel.of_distance();
    double sum = 0;
    std::int32_t a = x.indptr[i], b = z.indptr[k];
    const std::int32_t end_a = x.indptr[i + 1], end_b = z.indptr[k + 1];
    while (a < end_a || b < end_b) {  // merge two ascending lists
        const bool from_a = a < end_a && (b == end_b || x.indices[a] <= z.indices[b]);
        const bool from_b = b < end_b && (a == end_a || z.indices[b] <= x.indices[a]);
        const double in_a = from_a ? x.data[a] : 0.0, in_b = from_b ? z.data[b] : 0.0;
        sum += of_distance ? kernel.term(in_a, in_b) : in_a * in_b;
        a += from_a;
        b += from_b;
    }
    return sum;
}

}  // namespace dagmar
