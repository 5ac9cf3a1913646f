// Features as integer codes: multiples of one step, counted from an origin.
//
// Codes of pixels, counts or decimals are exact. Other numbers are rounded; how far a sample is from its codes is
// measured, and bounds what that does to kernel values: by the triangle inequality, no distance changes by more than
// the two samples are off together.
#pragma once

#include <type_traits>
#include <vector>

#include "base/integers.hpp"
#include "simd/integer_products.hpp"

namespace dagmar {

class Codec {
   public:
    // The codes that fit the bits of `products`.
    static constexpr double lowest(int bits) { return bits == 8 ? 0.0 : -32767.0; }
    static constexpr double highest(int bits) { return bits == 8 ? 255.0 : 32767.0; }

    // per_step: 1 / step for each feature, or 0 for features without codes.
    Codec(const IntegerProducts& products, std::vector<double> origin, std::vector<double> per_step)
        : products_(&products), bits_(products.bits), origin_(std::move(origin)), per_step_(std::move(per_step)),
          n_words_((origin_.size() * usize(bits_) + 31) / 32) {}

    const IntegerProducts& products() const { return *products_; }
    int bits() const { return bits_; }
    std::size_t n_features() const { return origin_.size(); }
    std::size_t n_words() const { return n_words_; }
    double origin(std::size_t f) const { return origin_[f]; }

    // Writes the codes of a sample, n_words() words; values outside the range of codes get the nearest code.
    template <class S>
    Coded encode(const S* x, std::uint32_t* words) const {
        const CodeScale by{origin_.data(), per_step_.data(), lowest(bits()), highest(bits())};
        if constexpr (std::is_same_v<S, float>)
            return products_->encode_floats(x, by, n_features(), words);
        else
            return products_->encode_doubles(x, by, n_features(), words);
    }

    // What a row and a lane add to distances: squares of codes, or codes. Lanes of bytes that are multiplied hold their
    // codes minus 128, which takes 128 times the sum of the row off every product.
    std::int32_t row_norm(const Coded& coded) const {
        return wrapped((products_->differences ? coded.sum : coded.squares) - (shifted() ? 256.0 * coded.sum : 0.0));
    }
    std::int32_t lane_norm(const Coded& coded) const {
        return wrapped(products_->differences ? coded.sum : coded.squares);
    }

    // Writes codes to a lane of some panels. (Codes are a row as they are.)
    void set_lane(const std::uint32_t* words, std::size_t lane, std::uint32_t* panels) const {
        const std::uint32_t sign = shifted() ? 0x80808080u : 0;  // 128 less in each byte
        const std::size_t n = n_words_;                          // a copy: `panels` cannot change it
        std::uint32_t* to = panels + lane / kLanes * kLanes * n + lane % kLanes;
        for (std::size_t w = 0; w < n; ++w) to[w * kLanes] = words[w] ^ sign;
    }

   private:
    bool shifted() const { return bits_ == 8 && !products_->differences; }
    static std::int32_t wrapped(double sum) { return static_cast<std::int32_t>(static_cast<std::int64_t>(sum)); }

    const IntegerProducts* products_;
    int bits_;
    std::vector<double> origin_, per_step_;
    std::size_t n_words_;
};

}  // namespace dagmar
