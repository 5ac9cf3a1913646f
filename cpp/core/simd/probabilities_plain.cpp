#define DAGMAR_LEVEL plain
#define DAGMAR_BYTES 16
#include "simd/generic/probabilities.hpp"

namespace dagmar::plain {

constinit const ProbabilityFunctions kProbabilities = probability_table();

}  // namespace dagmar::plain
