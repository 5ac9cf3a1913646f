#include "simd/simd.hpp"

#include "simd/probabilities.hpp"
#include "simd/tables.hpp"

namespace dagmar {
namespace {

const Tables& tables([[maybe_unused]] Level level) {
#ifdef DAGMAR_X86
    if (level == Level::avx512) return avx512::kTables;
    if (level == Level::avx2) return avx2::kTables;
#endif
    return plain::kTables;
}

}  // namespace

template <>
const Simd<float>& simd(Level level) {
    return tables(level).floats;
}
template <>
const Simd<double>& simd(Level level) {
    return tables(level).doubles;
}

const ProbabilityFunctions& probability_functions([[maybe_unused]] Level level) {
#ifdef DAGMAR_X86
    if (level == Level::avx512) return avx512::kProbabilities;
    if (level == Level::avx2) return avx2::kProbabilities;
#endif
    return plain::kProbabilities;
}

const IntegerProducts* integer_products(Level level, int bits, bool differences) {
    const IntegerTables* all = &tables(level).integers;
#ifdef DAGMAR_X86
    if (level == Level::avx512 && has_vnni()) all = &vnni::kIntegers;
#endif
    if (differences) return bits == 8 ? all->byte_differences : all->word_differences;
    return bits == 8 ? all->bytes : all->words;
}

}  // namespace dagmar
