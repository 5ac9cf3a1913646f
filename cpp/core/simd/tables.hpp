// What each instruction set is compiled to.
#pragma once

#include "simd/integer_products.hpp"

namespace dagmar {

struct Tables {
    Simd<float> floats;
    Simd<double> doubles;
    const IntegerProducts* words;  // codes of 16 bits; null where there are none
};

// Constant-initialised: no code of an instruction set runs before best_level() allows it.
namespace plain {
extern const Tables kTables;
}
namespace avx2 {
extern const Tables kTables;
}
namespace avx512 {
extern const Tables kTables;
}
namespace vnni {  // AVX-512 with instructions that multiply bytes or words and add up the products
extern const IntegerProducts kEightBits, kSixteenBits;
}

}  // namespace dagmar
