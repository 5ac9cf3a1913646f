// The body of row_sums_<level>.cpp, which set DAGMAR_LEVEL (a namespace) and DAGMAR_BYTES (register width). They are
// compiled without fused operations.
#include "row_sums.hpp"
#include "simd_vectors.hpp"

namespace dagmar::DAGMAR_LEVEL {

// Numbers of a row as a register of doubles.
template <class S>
inline Vec<double> as_doubles(const S* p) {
    if constexpr (sizeof(S) == sizeof(double))
        return load<Vec<double>>(p);
    else
        return __builtin_convertvector(load<typename VectorOf<S, kBytes / 2>::type>(p), Vec<double>);
}

// Several rows at a time, so that the sums are read and written once for all of them.
template <std::size_t Rows, class S>
void add_some_rows(const S* x, std::size_t d, double* sums) {
    std::size_t f = 0;
    for (; f + kWidth<double> <= d; f += kWidth<double>) {
        auto sum = load<Vec<double>>(sums + f);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < Rows; ++i) sum += as_doubles(x + i * d + f);
        store(sums + f, sum);
    }
    for (; f < d; ++f)
        for (std::size_t i = 0; i < Rows; ++i) sums[f] += static_cast<double>(x[i * d + f]);
}

template <class S>
void add_rows(const S* x, std::size_t n_rows, std::size_t d, double* sums) {
    constexpr std::size_t at_once = 8;
    std::size_t i = 0;
    for (; i + at_once <= n_rows; i += at_once) add_some_rows<at_once>(x + i * d, d, sums);
    for (; i < n_rows; ++i) add_some_rows<1>(x + i * d, d, sums);
}

// The norms of several rows side by side: the sums of one row would wait for every addition.
template <std::size_t Rows, bool Centred, class S>
void norms_of_rows(const S* x, std::size_t d, const double* centre, double* out) {
    using V = Vec<double>;
    constexpr std::size_t chains = 8, width = kWidth<double>, per = chains / width;
    V sums[Rows][per] = {};
    std::size_t f = 0;
    for (; f + chains <= d; f += chains)
#pragma GCC unroll 4
        for (std::size_t u = 0; u < per; ++u) {
            V origin{};
            if constexpr (Centred) origin = load<V>(centre + f + u * width);
#pragma GCC unroll 4
            for (std::size_t i = 0; i < Rows; ++i) {
                V term = as_doubles(x + i * d + f + u * width);
                if constexpr (Centred) term -= origin;
                sums[i][u] += term * term;
            }
        }
    for (std::size_t i = 0; i < Rows; ++i) {
        double parts[chains];
        for (std::size_t u = 0; u < per; ++u) store(parts + u * width, sums[i][u]);
        for (std::size_t g = f; g < d; ++g) {
            double term = static_cast<double>(x[i * d + g]);
            if constexpr (Centred) term -= centre[g];
            parts[g - f] += term * term;
        }
        for (std::size_t u = 1; u < chains; ++u) parts[0] += parts[u];
        out[i] = parts[0];
    }
}

template <bool Centred, class S>
void norms_of_all(const S* x, std::size_t n_rows, std::size_t d, const double* centre, double* out) {
    constexpr std::size_t at_once = kBytes == 64 ? 4 : 2;
    std::size_t i = 0;
    for (; i + at_once <= n_rows; i += at_once) norms_of_rows<at_once, Centred>(x + i * d, d, centre, out + i);
    for (; i < n_rows; ++i) norms_of_rows<1, Centred>(x + i * d, d, centre, out + i);
}

template <class S>
void squared_norms(const S* x, std::size_t n_rows, std::size_t d, const double* centre, double* out) {
    centre ? norms_of_all<true>(x, n_rows, d, centre, out) : norms_of_all<false>(x, n_rows, d, centre, out);
}

template <class S>
std::size_t count_nonzero(const S* x, std::size_t n) {
    using V = Vec<S>;
    using Counts = decltype(V{} != V{});                                                // -1 where it is so
    constexpr std::size_t width = kWidth<S>, at_once = 4, most = std::size_t{1} << 30;  // that a count can hold
    std::size_t count = 0, k = 0;
    while (k + width <= n) {
        Counts counts[at_once] = {};
        const std::size_t end = std::min(n, k + most);
        for (; k + at_once * width <= end; k += at_once * width)
            for_each<at_once>([&]<std::size_t u>() { counts[u] += load<V>(x + k + u * width) != V{}; });
        for (; k + width <= end; k += width) counts[0] += load<V>(x + k) != V{};
        counts[0] += counts[1] + counts[2] + counts[3];
        for (std::size_t lane = 0; lane < width; ++lane) count += static_cast<std::size_t>(-counts[0][lane]);
    }
    for (; k < n; ++k) count += x[k] != S(0);
    return count;
}

extern const RowSums<float> kRowSumsOfFloats;
extern const RowSums<double> kRowSumsOfDoubles;
const RowSums<float> kRowSumsOfFloats = {add_rows<float>, squared_norms<float>, count_nonzero<float>};
const RowSums<double> kRowSumsOfDoubles = {add_rows<double>, squared_norms<double>, count_nonzero<double>};

}  // namespace dagmar::DAGMAR_LEVEL
