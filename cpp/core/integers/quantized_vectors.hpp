// Vectors in integer codes, and the samples that they are compared with, for an rbf or Laplacian kernel.
#pragma once

#include <mutex>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "integers/codec.hpp"
#include "integers/survey.hpp"
#include "samples/samples.hpp"

namespace dagmar {

// Samples as rows of codes, and what they add to distances.
struct CodeRows {
    std::vector<std::uint32_t> words;
    std::vector<std::int32_t> norms;
};

// Samples side by side.
struct CodePanels {
    Buffer<std::uint32_t> words;
    Buffer<std::int32_t> norms;
    std::vector<double> off;         // of each sample and the vectors, together: see QuantizedVectors::off
    std::vector<std::uint32_t> row;  // one sample
};

// Immutable after add_vectors().
class QuantizedVectors {
   public:
    // For codes of 8 or 16 bits around these ranges, if there are such at this level; the vectors (dense) must
    // outlive this.
    QuantizedVectors(const Samples& vectors, Level level, int bits, const FeatureRanges& ranges, double step,
                     const Kernel& kernel);

    // Whether distances between codes of this many bits are in range, up to this many steps in each feature.
    static bool in_range(int bits, std::size_t n_features, double n_steps);

    int bits() const { return codec_.bits(); }
    // Features in float that take the time of a vector's codes.
    double n_products() const { return n_products_; }

    // How far the vectors are from their codes at most, times the root of gamma; for differences, the sum over
    // features, times gamma. Up to kPrecise, also for samples, kernel values are about as precise as in single
    // precision.
    double off() const { return off_; }
    static constexpr double kPrecise = 0x1p-20;

    // The farthest of every `step`-th vector from its codes, and from the origin.
    Coded farthest(std::size_t step) const;
    // How far a sample is from its codes, likewise; infinity if distances could be out of range.
    double off_of(const Coded& coded) const;
    // Encodes the vectors.
    void add_vectors(const Threads& threads);

    // Writes samples to panels, and how far they are.
    void load(const Samples& x, const std::int64_t* ids, std::size_t n, CodePanels& panels) const;

    // out[q * padded(n) + lane]: kernel values of some vectors with the n samples in the panels.
    void kernel_values(const CodePanels& panels, std::size_t n, const std::int32_t* vectors, std::size_t n_vectors,
                       float* out) const {
        rbf(operands(panels, n, rows_, vectors, n_vectors), out);
    }

    // Makes room for rows, and writes a point to one of them.
    void make_room(std::size_t n_rows, CodeRows& rows) const {
        rows.words.resize(n_rows * codec_.n_words());
        rows.norms.resize(n_rows);
    }
    void set(const double* point, std::size_t row, CodeRows& rows) const {
        set_row(DenseView<double>{point, 1, codec_.n_features()}, 0, row, rows);
    }
    // least[lane]: the least of the squared distances of some rows, in steps, and what was there.
    void least_distances(const CodePanels& panels, std::size_t n, const CodeRows& rows, const std::int32_t* which,
                         std::size_t n_rows, float* least) const {
        codec_.products().least(operands(panels, n, rows, which, n_rows), least);
    }

    // One sample as a row, which replaces what was there: returns how far it is. And its kernel values with panels
    // first ... first+n-1 of the vectors.
    double load_row(const Samples& x, std::size_t i, CodeRows& row) const {
        make_room(1, row);
        return off_of(set_row(x, i, 0, row)) + off_;
    }
    void kernel_values_of_panels(const CodeRows& row, std::size_t first, std::size_t n, float* out) const;

   private:
    Coded encode(const Samples& x, std::size_t i, std::uint32_t* words) const;
    Coded set_row(const Samples& x, std::size_t i, std::size_t row, CodeRows& rows) const;
    CodeOperands operands(const CodePanels& panels, std::size_t n, const CodeRows& rows, const std::int32_t* which,
                          std::size_t n_rows) const {
        return {rows.words.data(),   codec_.n_words(),    rows.norms.data(),  which,           n_rows,
                panels.words.data(), panels.norms.data(), padded(n) / kLanes, codec_.n_words()};
    }
    void rbf(const CodeOperands& of, float* out) const;

    const Samples& vectors_;
    Codec codec_;
    double n_products_, off_ = 0;
    double farthest2_;  // samples with codes of larger squares could be too far from the vectors for distances in range
    double gamma_;      // for distances in steps
    CodeRows rows_;
    mutable std::once_flag panels_made_;
    mutable CodePanels panels_;  // the vectors, for one sample as a row
};

}  // namespace dagmar
