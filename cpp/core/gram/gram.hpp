// Sources of kernel rows: the training samples of a problem, dense, sparse, or given as a kernel matrix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "samples/problem.hpp"

namespace dagmar {

// Scratch memory of one thread that computes rows, for one source.
template <class T>
struct GramScratch {
    std::vector<std::int32_t> samples;  // that `gathered` holds, in the buffers
    std::vector<Nonzeros<T>> gathered;
    Buffer<T> rows;
    Buffer<std::int32_t> features;
    std::vector<const T*> full;
    std::vector<T*> to;
    std::vector<Nonzeros<T>> few;
    std::vector<WeightedRow<T>> weighted;
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
    virtual void within(std::size_t c, double gamma, T* out, std::size_t stride, GramScratch<T>& scratch) const;
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
    // at least padded(their number). Idle threads help.
    void among(std::span<const std::int32_t> samples, double gamma, T* out, std::size_t stride, Spare& spare) const;
    virtual T diagonal(std::size_t sample) const = 0;
    // Numbers that are read for each sample, if all of them are (dense samples); else 0.
    virtual std::size_t n_features() const { return 0; }
    // Products that a kernel value takes, on average over the samples of one, some or all classes; infinity if unknown.
    virtual double products_of(std::size_t /*c*/) const { return std::numeric_limits<double>::infinity(); }
    double products(std::span<const std::int32_t> classes) const;
    double products() const;
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
    GramRows(const Problem& problem, const Simd<T>& simd);
    const Kernel& kernel() const { return kernel_; }
    // K(x, x) from |x|^2, by the same operations as in a row.
    T diagonal_value(T norm) const;

    const Simd<T>& simd_;

   private:
    Kernel kernel_;
    std::vector<std::size_t> start_;
    std::vector<std::uint32_t> class_of_;
};

// The rows of a problem in precision T, whatever the problem's own precision is. Idle threads help to load the samples.
template <class T>
std::unique_ptr<GramRows<T>> make_gram(const Problem& problem, Level level, Spare& spare);

// One kind of source each (dense, sparse, precomputed.cpp); `x` is the view inside problem.x. Dense samples are floats,
// or codes if the problem has them and this level multiplies them fast.
template <class T, class S>
std::unique_ptr<GramRows<T>> dense_gram(const DenseView<S>& x, const Problem& problem, Level level, Spare& spare);
template <class T>
std::unique_ptr<GramRows<T>> sparse_gram(const SparseView& x, const Problem& problem, const Simd<T>& simd);
template <class T, class S>
std::unique_ptr<GramRows<T>> precomputed_gram(const DenseView<S>& matrix, const Problem& problem, const Simd<T>& simd);

}  // namespace dagmar
