// Sources of kernel rows: the training samples of a problem, dense, sparse, or given as a kernel matrix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "base/integers.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "samples/problem.hpp"

namespace dagmar {

// Scratch memory of one thread that computes rows, for one source.
template <class T>
struct GramScratch {
    std::vector<const T*> full;
    std::vector<T*> to;
    std::vector<Nonzeros<T>> few;
    Buffer<T> tile;
};

// Samples as the columns of kernel rows: panels, padded to whole ones; and those of codes, if samples have any.
template <class T>
struct Columns {
    Aligned<T> panels, norms;
    std::size_t lanes = 0;
    Aligned<std::uint32_t> words = nullptr;
    Aligned<std::int32_t> code_norms = nullptr;
};

// Training samples in class order, each class in panels of its own, so that a row of the kernel splits by class.
// `rows` writes the kernel values of the samples `asked` against all of class c, computed with `gamma` instead of the
// kernel's: out[q][0 ... padded(n_c)-1]. Lanes past n_c hold finite numbers without meaning. Values are symmetric to
// the bit. Many threads may call it, each with its own scratch.
template <class T>
class GramRows {
   public:
    virtual ~GramRows() = default;
    virtual void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double gamma, T* const* out,
                      GramScratch<T>& scratch) const = 0;
    // All rows of class c within the class: out + k * stride is the row of its k-th sample.
    virtual void within(std::size_t c, double gamma, T* out, std::size_t stride, GramScratch<T>& scratch) const {
        std::vector<std::int32_t> asked(class_size(c));
        std::vector<T*> to;
        std::iota(asked.begin(), asked.end(), static_cast<std::int32_t>(start_[c]));
        for (std::size_t k = 0; k < asked.size(); ++k) to.push_back(out + k * stride);
        rows(asked.data(), asked.size(), c, gamma, to.data(), scratch);
    }
    // Whether any samples can be the columns of rows (`rows_against`), in the time of a part of whole rows.
    virtual bool has_columns() const { return false; }
    virtual Columns<T> columns(std::span<const std::int32_t>) const { return {}; }
    // out[q][0 ... columns.lanes-1] as in `rows`.
    virtual void rows_against(const Columns<T>&, const std::int32_t* /*asked*/, std::size_t /*n_asked*/,
                              double /*gamma*/, T* const* /*out*/, GramScratch<T>&) const {}
    // Adds rows up as they are computed, if has_columns(): sums[l] += sum over q of coef[q] K(asked[q], l), for `lanes`
    // lanes of class c from the lane `first` on, multiples of kLanes.
    virtual void add_rows(const std::int32_t* /*asked*/, const T* /*coef*/, std::size_t /*n_asked*/, std::size_t /*c*/,
                          std::size_t /*first*/, std::size_t /*lanes*/, double /*gamma*/, T* /*sums*/,
                          GramScratch<T>&) const {}
    // All rows of some samples within themselves, if has_columns(): out + i * stride is the row of the i-th, and stride
    // at least padded(their number). Idle threads help, piece by piece of the columns, the longest first: values above
    // the diagonal and in it are computed, the others are their mirror image.
    void among(std::span<const std::int32_t> samples, double gamma, T* out, std::size_t stride, Spare& spare) const {
        constexpr std::size_t n_columns = 256;  // of a piece
        const std::size_t n = samples.size(), n_pieces = (n + n_columns - 1) / n_columns;
        spare.run(n_pieces, [&](std::size_t i) {
            const std::size_t first = (n_pieces - 1 - i) * n_columns, end = std::min(n, first + n_columns);
            std::vector<T*> to;
            for (std::size_t k = 0; k < end; ++k) to.push_back(out + k * stride + first);
            GramScratch<T> scratch;
            rows_against(columns(samples.subspan(first, end - first)), samples.data(), end, gamma, to.data(), scratch);
            simd_.transpose(out + first, stride, first, end - first, out + first * stride, stride);
        });
    }
    virtual T diagonal(std::size_t sample) const = 0;
    // Numbers that are read for each sample, if all of them are (dense samples); else 0.
    virtual std::size_t n_features() const { return 0; }
    // Products that a kernel value takes, on average over the samples of one, some or all classes; infinity if unknown.
    virtual double products_of(std::size_t /*c*/) const { return std::numeric_limits<double>::infinity(); }
    double products(std::span<const std::int32_t> classes) const {
        double all = 0.0, n = 0.0;
        for (const std::int32_t c : classes) {
            const double size = static_cast<double>(class_size(usize(c)));
            if (size > 0.0) all += size * products_of(usize(c));
            n += size;
        }
        return n > 0.0 ? all / n : 0.0;
    }
    double products() const {
        std::vector<std::int32_t> classes(n_classes());
        std::iota(classes.begin(), classes.end(), 0);
        return products(classes);
    }
    // Whether computing a part of a row costs more than storing and copying it. Measured: with 16 products keeping rows
    // costs a little, with 256 it saves a fifth.
    static bool worth_keeping(double products) { return products > 24.0; }
    double gamma() const { return kernel_.gamma; }
    const Simd<T>& simd() const { return simd_; }

    const std::vector<std::size_t>& class_start() const { return start_; }
    std::size_t n_classes() const { return start_.size() - 1; }
    std::size_t n_samples() const { return start_.back(); }
    std::size_t class_size(std::size_t c) const { return start_[c + 1] - start_[c]; }
    std::size_t class_of(std::size_t sample) const { return class_of_[sample]; }

   protected:
    GramRows(const Problem& problem, const Simd<T>& simd)
        : simd_(simd), kernel_(problem.kernel), start_(problem.class_start), class_of_(start_.back()) {
        for (std::size_t c = 0; c < n_classes(); ++c)
            std::fill(class_of_.data() + start_[c], class_of_.data() + start_[c + 1], static_cast<std::uint32_t>(c));
    }
    const Kernel& kernel() const { return kernel_; }
    // K(x, x) from |x|^2, by the same operations as in a row.
    T diagonal_value(T norm) const {
        if (kernel_.of_distance()) return T(1);  // a distance of zero
        T values[kLanes], norms[kLanes];
        std::fill(values, values + kLanes, norm);
        std::fill(norms, norms + kLanes, norm);
        kernel_.finish(simd_, values, norms, norm, kLanes);
        return values[0];
    }

    const Simd<T>& simd_;

   private:
    Kernel kernel_;
    std::vector<std::size_t> start_;
    std::vector<std::uint32_t> class_of_;
};

// The rows of a problem in precision T, whatever the problem's own precision is. Idle threads help to load the samples.
template <class T>
std::unique_ptr<GramRows<T>> make_gram(const Problem& problem, Level level, Spare& spare);

// The largest difference between kernel values in single and in double precision over the samples of class 0, in the
// rows asked for. Infinity if one is not finite. Idle threads help.
double single_error(const Problem& problem, std::span<const std::int32_t> asked, Level level, Spare& spare);

// out[a * n_classes + b] = sum of w_x w_z K(x, z) over x in class a and z in class b, all pairs of samples. Computed in
// blocks that never hold the matrix, with the same bits for any number of threads. False if a signal stopped it.
template <class T>
bool class_similarity(const GramRows<T>& gram, std::span<const double> weight, const Threads& threads, double* out);

}  // namespace dagmar
