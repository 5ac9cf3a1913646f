// The vectors of a bank as sparse rows in the type that decisions are computed in. The bank and the samples may be
// dense: their nonzeros are copied, those of samples for each tile.
#pragma once

#include <algorithm>
#include <cmath>

#include "decide/vectors.hpp"
#include "samples/sparse_copy.hpp"
#include "samples/sparse_lanes.hpp"

namespace dagmar {

// Immutable after construction.
template <class T>
class SparseVectors final : public Vectors<T> {
   public:
    using Vectors<T>::bank, Vectors<T>::simd;

    SparseVectors(const Bank& of, Level level, const Threads& threads)
        : SparseVectors(of, level, every_sample(of.vectors), Spare(threads.n - 1)) {}

    void load_tile(const Samples& x, Codes, Tile<T>& tile) const override {
        Spare none(0);
        const AsSparse samples(x, {tile.ids, tile.n}, none);
        tile.nonzeros.load(samples.view(), samples.ids(), places_, bank.kernel.scale, simd);
        const Placed all{0, tile.n, 0};
        tile.sparse.load(tile.nonzeros, {&all, 1}, tile.lanes, places_);
        for (std::size_t lane = 0; lane < tile.lanes; ++lane)
            tile.norms[lane] = lane < tile.n ? norm_of(samples, lane, tile.nonzeros.norm(lane)) : T(0);
        if (!bank.kernel.of_differences()) return;
        for (std::size_t lane = 0; lane < tile.lanes; ++lane)
            tile.sizes[lane] = lane < tile.n ? size_of(samples, lane, tile.nonzeros.size(lane)) : T(0);
    }

    void dots(Tile<T>& tile, const std::int32_t* vectors, std::size_t n, T* out) const override {
        tile.out.resize(n);
        for (std::size_t q = 0; q < n; ++q) tile.out[q] = out + q * tile.lanes;
        tile.sparse.sums(bank.kernel, simd, rows_, vectors, n, 0, tile.lanes, tile.out.data());
        if (!bank.kernel.of_differences()) return;
        for (std::size_t q = 0; q < n; ++q)
            to_distances(tile.out[q], tile.sizes, sizes_[usize(vectors[q])], tile.lanes);
    }

    std::unique_ptr<LoneSample<T>> make_sample(Codes) const override { return std::make_unique<Sample>(*this); }
    const std::vector<T>& norms() const override { return norms_; }

   private:
    SparseVectors(const Bank& of, Level level, const std::vector<std::int64_t>& every, Spare&& spare)
        : SparseVectors(of, level, AsSparse(of.vectors, every, spare)) {}
    SparseVectors(const Bank& of, Level level, const AsSparse& vectors)
        : Vectors<T>(of, level), places_(vectors.view(), vectors.ids(), padded(vectors.ids().size())),
          norms_(vectors.ids().size()), sizes_(norms_.size()) {
        rows_.load(vectors.view(), vectors.ids(), places_, of.kernel.scale, simd);
        for (std::size_t v = 0; v < norms_.size(); ++v) {
            norms_[v] = rows_.norm(v);
            sizes_[v] = rows_.size(v);
            this->longest = std::max(this->longest, rows_.common(v).n + rows_.rare(v).n);
        }
    }

    // The squared norm of a sample, given that of its row. Bounds count as many roundings as a vector has nonzeros, so
    // the norm of a longer sample is summed in double.
    T norm_of(const AsSparse& samples, std::size_t k, T of_row) const {
        return sum_of(samples, k, of_row, [](double value) { return value * value; });
    }
    // Likewise the size.
    T size_of(const AsSparse& samples, std::size_t k, T of_row) const {
        return sum_of(samples, k, of_row, [](double value) { return std::abs(value); });
    }
    template <class Term>
    T sum_of(const AsSparse& samples, std::size_t k, T of_row, const Term& term) const {
        const SparseView& x = samples.view();
        const std::int64_t id = samples.ids()[k];
        const std::int32_t begin = x.indptr[id], end = x.indptr[id + 1];
        if (usize(end - begin) <= this->longest) return of_row;
        double sum = 0;
        for (std::int32_t t = begin; t < end; ++t) sum += term(x.data[t] * bank.kernel.scale);
        return static_cast<T>(sum);
    }

    // The sample is spread out over the features that vectors have, so that each dot product is a short sum over the
    // nonzeros of a vector.
    class Sample final : public LoneSample<T> {
       public:
        explicit Sample(const SparseVectors& vectors)
            : LoneSample<T>(vectors), v_(vectors), common_(v_.places_.n_common()), rare_(v_.places_.n_rare()) {}

        typename LoneSample<T>::Loaded load(const Samples& x, std::size_t i) override {
            const auto id = static_cast<std::int64_t>(i);
            Spare none(0);
            const AsSparse sample(x, {&id, 1}, none);
            if (loaded_) spread(true);
            row_.load(sample.view(), sample.ids(), v_.places_, v_.bank.kernel.scale, v_.simd);
            spread(false);
            loaded_ = true;
            this->norm2_ = v_.norm_of(sample, 0, row_.norm(0));
            size_ = v_.size_of(sample, 0, row_.size(0));
            return {this->norm2_};
        }

       private:
        void dots(const std::vector<std::int32_t>& vectors, T* out) override {
            for (std::size_t q = 0; q < vectors.size(); ++q) {
                const std::size_t v = usize(vectors[q]);
                out[q] = sum(v_.rows_.common(v), common_) + sum(v_.rows_.rare(v), rare_);
                if (v_.bank.kernel.of_differences()) to_distances(out + q, &v_.sizes_[v], size_, 1);
            }
        }
        // Writes the nonzeros of the sample to their places, or zeros.
        void spread(bool zeros) {
            const Nonzeros<T> common = row_.common(0), rare = row_.rare(0);
            for (std::size_t t = 0; t < common.n; ++t) common_[usize(common.feature[t])] = zeros ? 0 : common.value[t];
            for (std::size_t t = 0; t < rare.n; ++t) rare_[usize(rare.feature[t])] = zeros ? 0 : rare.value[t];
        }
        T sum(const Nonzeros<T>& part, const std::vector<T>& sample) const {
            const Kernel& kernel = v_.bank.kernel;
            T sum = 0;
            if (kernel.of_differences())
                for (std::size_t t = 0; t < part.n; ++t)
                    sum += kernel.shared(part.value[t], sample[usize(part.feature[t])]);
            else
                for (std::size_t t = 0; t < part.n; ++t) sum += part.value[t] * sample[usize(part.feature[t])];
            return sum;
        }

        const SparseVectors& v_;
        std::vector<T> common_, rare_;  // the sample, by the places of its features
        SparseRows<T> row_;
        T size_ = 0;
        bool loaded_ = false;
    };

    FeaturePlaces places_;  // features that no vector has take no memory: there may be millions of them
    SparseRows<T> rows_;
    std::vector<T> norms_, sizes_;
};

}  // namespace dagmar
