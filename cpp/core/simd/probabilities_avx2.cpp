#define DAGMAR_LEVEL avx2
#define DAGMAR_BYTES 32
#include "simd/generic/probabilities.hpp"

namespace dagmar::avx2 {

constinit const ProbabilityFunctions kProbabilities = probability_table();

}  // namespace dagmar::avx2
