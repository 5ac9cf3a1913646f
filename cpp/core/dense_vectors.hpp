// The vectors of a bank as dense rows in the type that decisions are computed in.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "grid.hpp"
#include "memory.hpp"
#include "parallel.hpp"
#include "vectors.hpp"

namespace dagmar {

template <class T>
class DenseVectors final : public Vectors<T> {
   public:
    DenseVectors(const Bank& bank, Level level, const Threads& threads);
    using Vectors<T>::bank, Vectors<T>::simd, Vectors<T>::norms;

    // Sees to it that there are rows, norms and what is made of them. Vectors on a grid need them only for samples that
    // are not.
    void make_rows(const Threads& threads = {}) const;
    const T* row(std::size_t v) const { return rows_.get() + v * stride_; }

    // The nonzeros of a vector that is mostly zero; else null.
    const Nonzeros<T>* nonzeros(std::size_t v) const {
        return nonzeros_.empty() || !nonzeros_[v].value ? nullptr : &nonzeros_[v];
    }

    void load_tile(const Samples& x, Tile<T>& tile) const override;
    void dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const override;
    void kernel_values(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const override;
    bool add_terms(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, const T* coef,
                   double* sums) const override;

    // The grid that the vectors are on, if there is one and it saves time; only in single precision.
    const Grid* grid() const { return grids_.exact.get(); }

    // The levels that guesses are made with, if there are any.
    const Grid* levels_to_guess() const { return grids_.rough ? grids_.rough.get() : grids_.exact.get(); }

    // The levels that labels are found with first, if there are any and few signs were open so far.
    const Grid* rough_levels() const { return rough_serves_ ? grids_.rough.get() : nullptr; }
    // Told how many signs were asked with them, and how many of these are open.
    void note_open(std::size_t asked, std::size_t open) const;

    bool too_rough(const Tile<T>& tile, std::size_t asked, std::size_t open) const override;

    // Whether vectors are short: then one sample against all vectors of a group takes less time than against the few
    // that it needs. For that, after make_panels(), they stand in panels, with padded norms. (Of weights, a machine
    // needs one only: that is found sooner, unless they are few.)
    bool short_vectors() const {
        const bool few = bank.lists.n_vectors() * d <= std::size_t{1} << 14;
        return d <= 64 && bank.gammas.empty() && (!bank.whole || few);
    }
    void make_panels() const;
    const T* panels() const { return panels_.get(); }
    const T* padded_norms() const { return padded_norms_.get(); }

    // Writes sample i of x, minus the centre and times the kernel's scale, to a row.
    void load(const Samples& x, std::size_t i, T* row) const { load(x, i, centre, row); }

    std::size_t d;               // features
    std::vector<double> centre;  // of the samples; zeros if the bank has none
    double products = 0;  // of a vector with a sample, in the mean: its features, or fewer if they take less time

   private:
    void load(const Samples& x, std::size_t i, const std::vector<double>& minus, T* row) const;
    void load_rows(const Threads& threads);
    double find_nonzeros(const Threads& threads);  // returns the mean number of products
    void load_panels();

    mutable std::once_flag rows_made_, panels_made_;
    std::size_t stride_;  // from row to row
    T gamma_;             // for scaled samples
    Aligned<T> rows_, panels_, padded_norms_;
    std::vector<Nonzeros<T>> nonzeros_;  // per vector, null where it has many; empty if all have
    std::vector<T> value_;
    std::vector<std::int32_t> feature_;
    Grids grids_;
    mutable std::atomic<bool> rough_serves_{true};         // until too many signs were open
    mutable std::atomic<std::size_t> asked_{0}, open_{0};  // with rough levels
};

}  // namespace dagmar
