// Vectors and samples in small integers: features as multiples of one step, their levels. Products of levels are faster
// than float ones, and exact (rbf_products.hpp).
//
// Pixels, counts and readings with three decimals are on a grid: their levels say all about them. Other data is rounded
// to levels, and so are samples that are off the grid of the vectors. How far a sample and the vectors are from their
// levels is known, and bounds what that does to kernel values. (By the triangle inequality, no distance changes by more
// than the two together.)
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "bank.hpp"
#include "memory.hpp"
#include "parallel.hpp"
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
    std::vector<double> off;         // of each sample and the vectors, together: see Grid::off
    std::vector<std::uint32_t> row;  // one sample
};

class Grid;

// Samples that are loaded more than once, by number: the levels of each, as in its lane.
struct KnownLevels {
    const Grid* of = nullptr;
    Aligned<std::uint32_t> words;
    std::vector<std::int32_t> norms;
    std::vector<double> off;
};

// The grid that the vectors of a bank are on, and coarser levels that they were rounded to. Null where they are on
// none, where too many signs would be open, and where float takes no longer: if most features are zero, once the centre
// is subtracted.
struct Grids {
    std::unique_ptr<const Grid> exact, rough;
};

// The levels of a bank with a dense rbf kernel. Immutable after construction.
class Grid {
   public:
    static Grids find(const Bank& bank, Level level, const std::vector<double>& centre, const Threads& threads);

    int bits() const { return products_.bits; }

    // The features that cost as much as the words of a sample.
    double n_products() const { return static_cast<double>(origin_.size()) / products_.faster; }

    // How far the vectors are from their levels at most, times the root of gamma. Up to kPrecise, also of samples,
    // kernel values are about as precise as those of float.
    double off() const { return off_; }
    static constexpr double kPrecise = 0x1p-20;

    // Writes samples to panels, and how far they are.
    void load(const Samples& x, const std::int64_t* ids, std::size_t n, GridPanels& panels) const {
        load(x, ids, n, panels, nullptr, false);
    }
    // The same with levels that are known, or that are to be; after know(), with room for so many samples. Others must
    // not be of another grid.
    void know(std::size_t n_samples, KnownLevels& known) const;
    void load(const Samples& x, const std::int64_t* ids, std::size_t n, GridPanels& panels, KnownLevels* known,
              bool first) const;

    // out[q * padded(n) + lane]: kernel values of n_vectors vectors with the n samples in the panels.
    void kernel_values(const GridPanels& panels, std::size_t n, const std::int32_t* vectors, std::size_t n_vectors,
                       float* out) const;

    // sums[lane] += the terms of these vectors, kernel values times coef, which are summed as they are computed: where
    // rows are short, that takes less time than to keep and to read them.
    bool adds_terms() const;
    void add_terms(const GridPanels& panels, std::size_t n, const std::int32_t* vectors, std::size_t n_vectors,
                   const float* coef, double* sums) const;

    // Makes room for rows, writes a point to one of them; and the squared distances, in steps, of some.
    void make_room(std::size_t n_rows, GridRows& rows) const;
    void set(const double* point, std::size_t row, GridRows& rows) const {
        set_row(DenseView<double>{point, 1, origin_.size()}, 0, row, rows);
    }
    void distances(const GridPanels& panels, std::size_t n, const GridRows& rows, const std::int32_t* which,
                   std::size_t n_rows, float* out) const;
    // least[lane]: the least of these distances and what was there.
    void least_distances(const GridPanels& panels, std::size_t n, const GridRows& rows, const std::int32_t* which,
                         std::size_t n_rows, float* least) const;
    void distances_to_vectors(const GridPanels& panels, std::size_t n, const std::int32_t* vectors,
                              std::size_t n_vectors, float* out) const {
        distances(panels, n, rows_, vectors, n_vectors, out);
    }

    // The same for one sample, as a row, which replaces what was there: returns how far it is; and its kernel values
    // with panels first ... first+n-1 of the pool.
    double load_row(const Samples& x, std::size_t i, GridRows& row) const;
    void kernel_values_of_panels(const GridRows& row, std::size_t first, std::size_t n, float* out) const;

   private:
    struct Extent;
    static Extent extent_of_some(const Samples& vectors, const GridProducts& products);
    static Extent extent_of_all(const Samples& vectors, const GridProducts& products, const Threads& threads);

    // Levels that some of the vectors, which it does not add, are at most so far from; null if there are none.
    static std::unique_ptr<Grid> round(const Bank& bank, const GridProducts& products, const Extent& extent,
                                       double off);

    Grid(const Bank& bank, const GridProducts& products, const Extent& extent, double step);

    Levelled levels(const Samples& x, std::size_t i, const GridScale& by, std::uint32_t* words) const;
    Levelled set_row(const Samples& x, std::size_t i, std::size_t row, GridRows& rows) const;
    // How far a sample is from its levels, times the root of gamma; infinity if distances could be out of range.
    double off_of(const Levelled& levelled) const;
    // The largest of what is said of every so many of the vectors.
    Levelled farthest(std::size_t step) const;
    void add_vectors(const Threads& threads);
    GridOperands operands(const GridPanels& panels, std::size_t n, const GridRows& rows, const std::int32_t* which,
                          std::size_t n_rows) const;

    const GridProducts& products_;
    std::vector<double> origin_;  // where the level is 0
    std::size_t n_words_;
    GridScale by_{}, rows_by_{};  // of lanes, and of rows
    double step_, off_ = 0;
    double farthest2_;  // squares of levels from which on distances to the vectors could be out of range
    double gamma_;      // for distances in steps
    GridRows rows_;
    const Bank& bank_;
    mutable std::once_flag pool_made_;
    mutable GridPanels pool_;  // the vectors
};

}  // namespace dagmar
