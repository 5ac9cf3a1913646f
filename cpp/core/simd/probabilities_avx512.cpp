#define DAGMAR_LEVEL avx512
#define DAGMAR_BYTES 64
#include "simd/generic/probabilities.hpp"

namespace dagmar::avx512 {

constinit const ProbabilityFunctions kProbabilities = probability_table();

}  // namespace dagmar::avx512
