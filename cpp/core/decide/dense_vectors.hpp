// The vectors of a bank as dense rows, or as rows of integer codes, in the type that decisions are computed in.
#pragma once

#include <vector>

#include "base/parallel.hpp"
#include "decide/dense_rows.hpp"
#include "decide/grid.hpp"
#include "decide/lazy.hpp"
#include "decide/vectors.hpp"

namespace dagmar {

// Rows and panels are made when first needed; nothing else changes after construction.
template <class T>
class DenseVectors final : public Vectors<T> {
   public:
    DenseVectors(const Bank& bank, Level level, const Threads& threads);
    using Vectors<T>::bank, Vectors<T>::simd;

    void load_tile(const Samples& x, Codes codes, Tile<T>& tile) const override;
    void dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const override;
    void kernel_values(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const override;
    std::unique_ptr<LoneSample<T>> make_sample(Codes codes) const override;
    const std::vector<T>& norms() const override { return rows().norms; }
    double largest_norm2() const override { return rows().largest_norm2; }

    // Vectors with integer codes need rows only for samples without.
    const DenseRows<T>& rows(const Threads& threads = {}) const;

    // The fastest codes there are; only in single precision.
    Codes codes() const { return grids_.rough ? Codes::rough : grids_.exact ? Codes::exact : Codes::none; }
    // These codes, or exact ones where there are no rough ones; null if there are none.
    const Grid* grid(Codes codes) const {
        return codes == Codes::rough && grids_.rough ? grids_.rough.get()
               : codes != Codes::none                ? grids_.exact.get()
                                                     : nullptr;
    }
    // Products of a vector with a sample in the fastest codes, on average.
    double products() const { return codes() == Codes::none ? rows().products : grid(codes())->n_products(); }

    std::size_t d;               // features
    std::vector<double> centre;  // of the samples; zeros if the bank has none

   private:
    class Sample;

    // The vectors in panels, with padded norms: for one sample against all of a group.
    struct Panels {
        Aligned<T> values, norms;
    };
    const Panels& panels() const;

    T gamma_;  // for scaled samples
    Grids grids_;
    Lazy<DenseRows<T>> rows_;
    Lazy<Panels> panels_;
};

}  // namespace dagmar
