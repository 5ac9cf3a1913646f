// What each instruction set is compiled to.
#pragma once

#include "simd/integer_products.hpp"

namespace dagmar {

// Products and differences of codes of 8 and 16 bits; null where there are none.
struct IntegerTables {
    const IntegerProducts *bytes, *words, *byte_differences, *word_differences;
};

struct Tables {
    Simd<float> floats;
    Simd<double> doubles;
    IntegerTables integers;
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
extern const IntegerTables kIntegers;
}

}  // namespace dagmar
