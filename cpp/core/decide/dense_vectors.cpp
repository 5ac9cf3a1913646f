#include "decide/dense_vectors.hpp"

#include <algorithm>
#include <limits>

#include "base/integers.hpp"
#include "decide/choices.hpp"
#include "simd/float_products.hpp"

namespace dagmar {

template <class T>
DenseVectors<T>::DenseVectors(const Bank& bank_, Level level, const Threads& threads)
    : Vectors<T>(bank_, level), d(n_features(bank.vectors)), centre(bank.centre.begin(), bank.centre.end()) {
    this->longest = d;
    gamma_ = static_cast<T>(
        std::min(bank.kernel.unscale2(bank.kernel.gamma), static_cast<double>(std::numeric_limits<T>::max())));
    centre.resize(d, 0.0);
    if constexpr (std::is_same_v<T, float>)
        if (!bank.whole) grids_ = find_grids(bank, level, centre, threads);
    if (codes() == Codes::none) rows(threads);
}

template <class T>
const DenseRows<T>& DenseVectors<T>::rows(const Threads& threads) const {
    return rows_.get([&] { return DenseRows<T>(bank, bank.whole ? std::vector<double>(d) : centre, simd, threads); });
}

template <class T>
auto DenseVectors<T>::panels() const -> const Panels& {
    return panels_.get([&] {
        const DenseRows<T>& rows = this->rows();
        const std::size_t n = rows.norms.size(), lanes = padded(n);
        Panels panels{zeroed_array<T>(std::max<std::size_t>(1, lanes * d)), zeroed_array<T>(lanes)};
        std::copy(rows.norms.begin(), rows.norms.end(), panels.norms.get());
        for (std::size_t v = 0; v < n; ++v) {
            T* lane = panels.values.get() + v / kLanes * kLanes * d + v % kLanes;
            for (std::size_t f = 0; f < d; ++f) lane[f * kLanes] = rows.row(v)[f];
        }
        return panels;
    });
}

template <class T>
void DenseVectors<T>::load_tile(const Samples& x, Codes codes, Tile<T>& tile) const {
    tile.grid = grid(codes);
    if (tile.grid) {
        tile.codes = tile.grid == grids_.rough.get() ? Codes::rough : Codes::exact;
        tile.grid->load(x, tile.ids, tile.n, tile.coded);
        const double* off = tile.coded.off.data();
        const auto precise = [](double lane) { return lane <= Grid::kPrecise; };
        if (tile.codes == Codes::rough || std::all_of(off, off + tile.n, precise)) return;
    }
    tile.codes = Codes::none;
    tile.grid = nullptr;
    T* panels = tile.panels.at_least(kTile * d);
    const auto pack = [&](const auto& view) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(view)>, SparseView>)
            pack_panels(view, tile.ids, tile.n, centre.data(), this->bank.kernel.scale, panels);
    };
    std::visit(pack, x);
    simd.norms(panels, tile.lanes / kLanes, d, tile.norms);
}

template <class T>
void DenseVectors<T>::dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const {
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
    simd.dots(tile.row.data(), tile.row.size(), tile.panels.data(), n_panels, d, tile.out.data());
    simd.dots_of_nonzeros(tile.few.data(), tile.few.size(), tile.panels.data(), n_panels, d);
}

template <class T>
void DenseVectors<T>::kernel_values(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const {
    if constexpr (std::is_same_v<T, float>) {
        if (tile.grid) return tile.grid->kernel_values(tile.coded, tile.n, vectors, n, out);
        const FloatProducts* floats = float_products(this->level);
        const DenseRows<T>& rows = this->rows();
        if (floats && bank.kernel.type == KernelType::rbf && bank.gammas.empty() && !rows.has_nonzeros())
            return floats->rbf({rows.row(0), rows.stride(), rows.norms.data(), vectors, n, tile.panels.data(),
                                tile.norms, tile.lanes / kLanes, d},
                               static_cast<double>(gamma_), out);
    }
    Vectors<T>::kernel_values(tile, vectors, n, out);
}

// A sample in integer codes, or, where there are none or the sample is too far from exact ones, in a row.
template <class T>
class DenseVectors<T>::Sample final : public SampleOfDots<T> {
   public:
    Sample(const DenseVectors<T>& vectors, Codes codes)
        : SampleOfDots<T>(vectors), v_(vectors), grid_(v_.grid(codes)), groups_(evaluates_groups(v_.bank)),
          x_(aligned_array<T>(v_.d)) {}

    typename LoneSample<T>::Loaded load(const Samples& x, std::size_t i) override {
        if (grid_) {
            const double off = grid_->load_row(x, i, coded_);
            is_coded_ = off <= Grid::kPrecise || grid_ == v_.grids_.rough.get();
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
        v_.simd.dots(&x, 1, panels.values.get() + first * kLanes * v_.d, n, v_.d, &out);
        v_.bank.kernel.finish(v_.simd, out, panels.norms.get() + first * kLanes, this->norm2_, n * kLanes);
    }

   private:
    void dots(const std::vector<std::int32_t>& vectors, T* out) override {
        const DenseRows<T>& rows = v_.rows();
        row_.resize(vectors.size());
        for (std::size_t q = 0; q < vectors.size(); ++q) row_[q] = rows.row(usize(vectors[q]));
        v_.simd.dots_alone(x_.get(), row_.data(), vectors.size(), v_.d, out);
    }

    const DenseVectors<T>& v_;
    const Grid* grid_;
    const bool groups_;
    bool is_coded_ = false;
    GridRows coded_;
    Aligned<T> x_;
    std::vector<const T*> row_;
};

template <class T>
std::unique_ptr<LoneSample<T>> DenseVectors<T>::make_sample(Codes codes) const {
    return std::make_unique<Sample>(*this, codes);
}

template class DenseVectors<float>;
template class DenseVectors<double>;

}  // namespace dagmar
