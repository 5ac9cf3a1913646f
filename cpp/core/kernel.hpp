// Kernels, and data in the form in which the core evaluates them.
#pragma once

#include <cstdint>
#include <vector>

#include "memory.hpp"
#include "simd.hpp"

namespace dagmar {

enum class KernelType : int { linear = 0, poly = 1, rbf = 2, sigmoid = 3, precomputed = 4 };

//   linear <x,z>    poly (gamma <x,z> + coef0)^degree    rbf exp(-gamma |x-z|^2)    sigmoid tanh(gamma <x,z> + coef0)
struct Kernel {
    KernelType type = KernelType::rbf;
    double gamma = 1.0;
    double coef0 = 0.0;
    int degree = 3;

    // Turns the dot products of one row into kernel values, in place; n is a multiple of kLanes and `norms` are squared
    // norms (read by rbf only). With `gammas` (rbf only), each value has its own in place of `gamma`.
    template <class T>
    void finish(const Simd<T>& simd, T* dots, const T* norms, T norm, std::size_t n, const T* gammas = nullptr) const;

    // One value in double precision, from <x,z> and |x-z|^2.
    double value(double dot, double distance) const;

    // For samples of squared norms up to these: the standard error of a value computed in arithmetic of this unit
    // roundoff, and the largest size of a value. A dot product of d terms collects d roundings, which add up like a random
    // walk; the kernel function passes the error on times its slope. The constant 1/8 is measured: it keeps the estimate
    // above the root mean square of the errors in the worst row of Letter, Pendigits, USPS and MNIST, within ten times.
    double error(double norm2_x, double norm2_z, std::size_t n_features, double unit) const;
    // The same for rbf kernels of any gamma g from this one up, as flat + slope * g. (Far from all samples the kernel vanishes,
    // and its error with it; that is reckoned by this gamma, with which it vanishes slowest.)
    struct ByGamma {
        double flat, slope;
    };
    ByGamma error_by_gamma(double norm2_x, double norm2_z, std::size_t n_features, double unit) const;
    double largest(double norm2_x, double norm2_z) const;
};

// Samples as given: row-major and dense, or compressed sparse rows, or rows of a kernel matrix. Nothing is owned.
template <class S>
struct DenseView {
    const S* data = nullptr;
    std::size_t n = 0, d = 0;
    const S* row(std::size_t i) const { return data + i * d; }
};
struct SparseView {
    const double* data = nullptr;
    const std::int32_t* indices = nullptr;
    const std::int32_t* indptr = nullptr;
    std::size_t n = 0, d = 0;
};

// Writes samples index[0 ... n-1] minus centre (none if null) into panels; lanes past n hold zeros.
template <class T, class S>
void pack_panels(const DenseView<S>& x, const std::int64_t* index, std::size_t n, const double* centre, T* panels);

// What one thread works in while it computes rows.
template <class T>
struct GramScratch {
    Buffer<T> rows;
    Buffer<std::int32_t> features;
};

// Training samples in class order, each class in panels of its own, so that a row of the kernel splits by class.
// `rows` writes kernel values of the samples `asked` against all of class c: out[q][0 ... padded(n_c)-1], for this gamma in
// place of the kernel's own; what stands in the lanes past n_c is finite and means nothing. Values are symmetric to the bit. Safe to call from many threads, each
// with its own scratch.
template <class T>
class GramRows {
   public:
    virtual ~GramRows() = default;
    virtual void rows(const std::int32_t* asked, std::size_t n_asked, std::size_t c, double gamma, T* const* out,
                      GramScratch<T>& scratch) const = 0;
    virtual T diagonal(std::size_t sample) const = 0;
    // How many samples the working set of a task with so many should have: more where a row alone would wait for memory.
    virtual std::size_t working(std::size_t) const { return 2 * kLanes; }
    // Whether a part of a row is dearer to compute than to keep and to copy.
    virtual bool worth_keeping() const { return true; }
    double gamma() const { return kernel_.gamma; }

    const std::vector<std::size_t>& class_start() const { return start_; }
    std::size_t n_classes() const { return start_.size() - 1; }
    std::size_t n_samples() const { return start_.back(); }
    std::size_t class_size(std::size_t c) const { return start_[c + 1] - start_[c]; }
    std::size_t class_of(std::size_t sample) const { return class_of_[sample]; }

   protected:
    GramRows(std::vector<std::size_t> start, const Kernel& kernel);
    Kernel with(double gamma) const {
        Kernel kernel = kernel_;
        kernel.gamma = gamma;
        return kernel;
    }

   private:
    Kernel kernel_;
    std::vector<std::size_t> start_;
    std::vector<std::uint32_t> class_of_;
};

// index: the samples of x in class order; start: where each class begins in it.
template <class T, class S>
std::unique_ptr<GramRows<T>> dense_gram(const DenseView<S>& x, const std::int64_t* index,
                                        std::vector<std::size_t> start, const double* centre, const Kernel& kernel,
                                        const Simd<T>& simd);
template <class T>
std::unique_ptr<GramRows<T>> sparse_gram(const SparseView& x, const std::int64_t* index, std::vector<std::size_t> start,
                                         const Kernel& kernel, const Simd<T>& simd);
template <class T, class S>
std::unique_ptr<GramRows<T>> precomputed_gram(const DenseView<S>& gram, const std::int64_t* index,
                                              std::vector<std::size_t> start, const Kernel& kernel);

// The root mean square difference of the values of two sources over the samples of class 0, in the worst of some rows.
double rounding_of_rows(const GramRows<float>& coarse, const GramRows<double>& fine,
                        const std::vector<std::int32_t>& asked);

}  // namespace dagmar
