#include "row_sums.hpp"

namespace dagmar {

namespace plain {
extern const RowSums<float> kRowSumsOfFloats;
extern const RowSums<double> kRowSumsOfDoubles;
}  // namespace plain
#ifdef DAGMAR_X86
namespace avx2 {
extern const RowSums<float> kRowSumsOfFloats;
extern const RowSums<double> kRowSumsOfDoubles;
}  // namespace avx2
namespace avx512 {
extern const RowSums<float> kRowSumsOfFloats;
extern const RowSums<double> kRowSumsOfDoubles;
}  // namespace avx512
#endif

template <>
const RowSums<float>& row_sums(Level level) {
#ifdef DAGMAR_X86
    if (level == Level::avx512) return avx512::kRowSumsOfFloats;
    if (level == Level::avx2) return avx2::kRowSumsOfFloats;
#endif
    (void)level;
    return plain::kRowSumsOfFloats;
}

template <>
const RowSums<double>& row_sums(Level level) {
#ifdef DAGMAR_X86
    if (level == Level::avx512) return avx512::kRowSumsOfDoubles;
    if (level == Level::avx2) return avx2::kRowSumsOfDoubles;
#endif
    (void)level;
    return plain::kRowSumsOfDoubles;
}

}  // namespace dagmar
