// Vectors and samples whose features are multiples of one step: pixels, counts, readings with three decimals. Their
// levels are small integers, whose products are faster than float ones and exact (rbf_products.hpp).
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "bank.hpp"
#include "memory.hpp"
#include "rbf_products.hpp"

namespace dagmar {

// Samples as rows of words, and what their squared norms add to distances.
struct GridRows {
    std::vector<std::uint32_t> words;
    std::vector<std::int32_t> norms;
};

// Samples side by side.
struct GridPanels {
    Buffer<std::uint32_t> words;
    Buffer<std::int32_t> norms;
    double error = 0;                  // that of the grid
    std::vector<std::int16_t> levels;  // of one sample
};

// The grid of a bank with a dense rbf kernel. Immutable after construction.
class Grid {
   public:
    // Null if the vectors are on no grid, or if float takes no longer: where most features are zero, once the centre is
    // subtracted.
    static std::unique_ptr<const Grid> find(const Bank& bank, Level level, const std::vector<double>& centre);

    // The features that cost as much as the words of a sample.
    double n_products() const { return static_cast<double>(origin_.size()) / products_.faster; }

    // The relative error of kernel values if samples are not on the grid but close to it, as decimals rounded to float.
    double error() const { return error_; }

    // Writes samples to panels; false if one is not on the grid.
    bool load(const Samples& x, const std::int64_t* ids, std::size_t n, GridPanels& panels) const;

    // out[q * padded(n) + lane]: kernel values of n_vectors vectors with the n samples in the panels.
    void kernel_values(const GridPanels& panels, std::size_t n, const std::int32_t* vectors, std::size_t n_vectors,
                       float* out) const;

    // Adds a point, rounded to the grid; and the squared distances, in steps, of some rows.
    void add_rounded(const double* point, GridRows& rows) const;
    void distances(const GridPanels& panels, std::size_t n, const GridRows& rows, const std::int32_t* which,
                   std::size_t n_rows, float* out) const;
    void distances_to_vectors(const GridPanels& panels, std::size_t n, const std::int32_t* vectors,
                              std::size_t n_vectors, float* out) const {
        distances(panels, n, rows_, vectors, n_vectors, out);
    }

    // The same for one sample, as a row: false if it is not on the grid; and its kernel values with all vectors of
    // class c, and more up to a whole panel.
    bool load_row(const Samples& x, std::size_t i, GridRows& row) const;
    void kernel_values_of_class(const GridRows& row, std::size_t c, float* out) const;

   private:
    Grid(const Bank& bank, const GridProducts& products, const std::vector<double>& low,
         const std::vector<double>& high, double step, bool rounded);

    bool levels(const Samples& x, std::size_t i, std::int16_t* out) const;
    void add_row(const std::int16_t* levels, GridRows& rows) const;
    void write_words(const std::int16_t* levels, int shift, std::uint32_t* words, std::size_t stride) const;
    bool add_vectors(const Samples& vectors);
    GridOperands operands(const GridPanels& panels, std::size_t n, const GridRows& rows, const std::int32_t* which,
                          std::size_t n_rows) const;

    const GridProducts& products_;
    std::vector<double> origin_;  // where the level is 0
    std::size_t n_words_;
    GridScale by_{};
    double error_ = 0;
    double gamma_;  // for distances in steps
    GridRows rows_;
    const Bank& bank_;
    mutable std::once_flag classes_made_;
    mutable std::vector<GridPanels> classes_;  // the vectors of each class
};

}  // namespace dagmar
