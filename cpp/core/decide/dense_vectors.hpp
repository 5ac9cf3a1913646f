// The vectors of a bank as dense rows, or as rows of integer codes, in the type that decisions are computed in.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "base/parallel.hpp"
#include "decide/choices.hpp"
#include "decide/dense_rows.hpp"
#include "decide/grid.hpp"
#include "decide/lazy.hpp"
#include "decide/vectors.hpp"

namespace dagmar {

// Rows and panels are made when first needed; nothing else changes after construction.
template <class T>
class DenseVectors final : public Vectors<T> {
   public:
    using Vectors<T>::bank, Vectors<T>::simd;

    DenseVectors(const Bank& of, Level level, const Threads& threads)
        : Vectors<T>(of, level), d(n_features(of.vectors)), centre(of.centre.begin(), of.centre.end()) {
        this->longest = d;
        centre.resize(d, 0.0);
        if constexpr (std::is_same_v<T, float>)
            if (!bank.whole) grids_ = find_grids(bank, level, centre, threads);
        if (codes() == Codes::none) rows(threads);
    }

    void load_tile(const Samples& x, Codes codes, Tile<T>& tile) const override {
        tile.grid = grid(codes);
        if (tile.grid) {
            tile.codes = tile.grid == grids_.rough.get() ? Codes::rough : Codes::exact;
            tile.grid->load(x, tile.ids, tile.n, tile.coded);
            const double* off = tile.coded.off.data();
            const auto precise = [](double lane) { return lane <= QuantizedVectors::kPrecise; };
            if (tile.codes == Codes::rough || std::all_of(off, off + tile.n, precise)) return;
        }
        tile.codes = Codes::none;
        tile.grid = nullptr;
        T* panels = tile.panels.at_least(kTile * d);
        for_dense(x, [&](const auto& view) {
            pack_panels(view, tile.ids, tile.n, centre.data(), bank.kernel.scale, panels);
        });
        simd.norms(panels, tile.lanes / kLanes, d, tile.norms);
    }

    void dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const override {
        const DenseRows<T>& rows = this->rows();
        tile.row.clear();
        tile.out.clear();
        tile.few.clear();
        for (std::size_t q = 0; q < n; ++q) {
            const std::size_t v = usize(vectors[q]);
            T* to = out + q * tile.lanes;
            if (const Nonzeros<T>* few = rows.nonzeros(v)) {
                tile.few.push_back({few->value, few->feature, few->n, to});
            } else {
                tile.row.push_back(rows.row(v));
                tile.out.push_back(to);
            }
        }
        const std::size_t n_panels = tile.lanes / kLanes;
        (passes_ ? passes_->rows : simd.dots)(tile.row.data(), tile.row.size(), tile.panels.data(), n_panels, d,
                                              tile.out.data());
        simd.dots_of_nonzeros(tile.few.data(), tile.few.size(), tile.panels.data(), n_panels, d);
    }

    void kernel_values(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const override {
        if constexpr (std::is_same_v<T, float>)
            if (tile.grid) return tile.grid->kernel_values(tile.coded, tile.n, vectors, n, out);
        const DenseRows<T>& rows = this->rows();
        if (bank.kernel.of_distance() && bank.gammas.empty() && !rows.has_nonzeros()) {
            constexpr double largest = std::numeric_limits<T>::max();
            const auto gamma = static_cast<T>(std::min(bank.kernel.unscale(bank.kernel.gamma), largest));
            return (passes_ ? passes_->values : simd.rbf_values)(
                {rows.row(0), rows.stride(), rows.norms.data(), vectors, n, tile.panels.data(), tile.norms,
                 tile.lanes / kLanes, d},
                gamma, out);
        }
        Vectors<T>::kernel_values(tile, vectors, n, out);
    }

    std::unique_ptr<LoneSample<T>> make_sample(Codes codes) const override {
        return std::make_unique<Sample>(*this, codes);
    }
    const std::vector<T>& norms() const override { return rows().norms; }

    // Vectors with integer codes need rows only for samples without.
    const DenseRows<T>& rows(const Threads& threads = {}) const {
        return rows_.get(
            [&] { return DenseRows<T>(bank, bank.whole ? std::vector<double>(d) : centre, simd, threads); });
    }

    // The fastest codes there are; only in single precision.
    Codes codes() const { return grids_.rough ? Codes::rough : grids_.exact ? Codes::exact : Codes::none; }
    // These codes, or exact ones where there are no rough ones; null if there are none.
    const QuantizedVectors* grid(Codes codes) const {
        return codes == Codes::rough && grids_.rough ? grids_.rough.get()
               : codes != Codes::none                ? grids_.exact.get()
                                                     : nullptr;
    }
    // Products of a vector with a sample in the fastest codes, on average.
    double products() const { return codes() == Codes::none ? rows().products : grid(codes())->n_products(); }

    std::size_t d;               // features
    std::vector<double> centre;  // of the samples; zeros if the bank has none

   private:
    // The vectors in panels, with padded norms: for one sample against all of a group.
    struct Panels {
        Aligned<T> values, norms;
    };
    const Panels& panels() const {
        return panels_.get([&] {
            const std::size_t n = norms().size();
            Panels panels{aligned_array<T>(padded(n) * d), zeroed_array<T>(padded(n))};
            std::copy(norms().begin(), norms().end(), panels.norms.get());
            const double* own_centre = bank.whole ? nullptr : centre.data();
            for_dense(bank.vectors, [&](const auto& view) {
                const auto ids = every_sample(bank.vectors);
                pack_panels(view, ids.data(), n, own_centre, bank.kernel.scale, panels.values.get());
            });
            return panels;
        });
    }

    // A sample in integer codes, or, where there are none or the sample is too far from exact ones, in a row.
    class Sample final : public LoneSample<T> {
       public:
        Sample(const DenseVectors& vectors, Codes codes)
            : LoneSample<T>(vectors), v_(vectors), grid_(v_.grid(codes)), groups_(evaluates_groups(v_.bank)),
              x_(aligned_array<T>(v_.d)) {}

        typename LoneSample<T>::Loaded load(const Samples& x, std::size_t i) override {
            if (grid_) {
                const double off = grid_->load_row(x, i, coded_);
                is_coded_ = off <= QuantizedVectors::kPrecise || grid_ == v_.grids_.rough.get();
                if (is_coded_) return {T(0), true, off};
            }
            load_row(x, i, v_.centre, v_.bank.kernel.scale, x_.get());
            v_.simd.norms_of_rows(x_.get(), 1, v_.d, &this->norm2_);
            return {this->norm2_};
        }

        bool by_panels() const override { return is_coded_ || groups_; }

        void evaluate_panels(std::size_t first, std::size_t n, T* memo) override {
            T* out = memo + first * kLanes;
            if constexpr (std::is_same_v<T, float>)
                if (is_coded_) return grid_->kernel_values_of_panels(coded_, first, n, out);
            const T* x = x_.get();
            const Panels& panels = v_.panels();
            (v_.passes_ ? v_.passes_->rows : v_.simd.dots)(&x, 1, panels.values.get() + first * kLanes * v_.d, n, v_.d,
                                                           &out);
            v_.bank.kernel.finish(v_.simd, out, panels.norms.get() + first * kLanes, this->norm2_, n * kLanes);
        }

       private:
        void dots(const std::vector<std::int32_t>& vectors, T* out) override {
            const DenseRows<T>& rows = v_.rows();
            row_.resize(vectors.size());
            for (std::size_t q = 0; q < vectors.size(); ++q) row_[q] = rows.row(usize(vectors[q]));
            (v_.passes_ ? v_.passes_->alone : v_.simd.dots_alone)(x_.get(), row_.data(), vectors.size(), v_.d, out);
        }

        const DenseVectors& v_;
        const QuantizedVectors* grid_;
        const bool groups_;
        bool is_coded_ = false;
        CodeRows coded_;
        Aligned<T> x_;
        std::vector<const T*> row_;
    };

    const DistancePasses<T>* passes_ = bank.kernel.passes(simd);  // null for a kernel of products
    Grids grids_;
    Lazy<DenseRows<T>> rows_;
    Lazy<Panels> panels_;
};

}  // namespace dagmar
