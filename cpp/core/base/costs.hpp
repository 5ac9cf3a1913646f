// What operations cost: the one table that choices between two ways read. Such choices are made in train/choices.hpp,
// decide/choices.hpp and decide/grid.hpp, and for integer codes of training samples in integers/code_choice.hpp.
//
// The unit is one product of two single-precision features in a pass over packed panels: 0.026 ns on an AVX-512 core at
// 2.6 GHz, about 0.05 ns with AVX2. Other costs were measured relative to it, on one core, with data in the
// second-level cache. Choices that change the steps of the solver must not depend on the instruction set, because
// results have the same bits on all of them; they read only costs that are the same in every table.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/level.hpp"

namespace dagmar {

struct Costs {
    double value = 20.0;      // finishing a kernel value, besides its products: the exponential, a store and a load
    double distance = 8.0;    // the same without the exponential
    double term = 1.5;        // a term of a machine's sum: a product and the load of a stored kernel value
    double difference = 3.0;  // a term |x - z|: three instructions in place of one
    double nonzero = 1.5;     // a product with a feature that is looked up by its index
    // Features in integer codes of one or two bytes that are multiplied in the time of one float.
    double byte_codes = 3.8, word_codes = 1.9;
};

// All costs but those of integers scale by about the same factor from one instruction set to the next.
inline const Costs& costs(Level level) {
    // Without VNNI, sums of integer products need the same ports as float ones; AVX2 has no byte products.
    static const Costs avx512 = has_vnni() ? Costs{} : Costs{.byte_codes = 1.0, .word_codes = 1.0};
    static constexpr Costs avx2{.byte_codes = 1.8, .word_codes = 1.8}, plain{.byte_codes = 1.0, .word_codes = 1.0};
    return level == Level::avx512 ? avx512 : level == Level::avx2 ? avx2 : plain;
}

inline double codes_per_product(Level level, int bits) {
    return bits <= 8 ? costs(level).byte_codes : costs(level).word_codes;
}

// Work, in products, that is worth another thread: waking one takes 15 to 35 us; a thread that still spins after its
// last job takes over within 1 us.
constexpr double kWorthWaking = 0x1p19, kWorthSharing = 0x1p17;

// The number of parts to cut work into so that each is worth a thread.
inline std::size_t parts_worth(double products, std::size_t most, double worth = kWorthSharing) {
    const double parts = products / worth;
    return parts < 1.0 ? 1 : std::min(std::max<std::size_t>(1, most), static_cast<std::size_t>(parts));
}

}  // namespace dagmar
