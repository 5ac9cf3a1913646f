#include "row_distances.hpp"

namespace dagmar {

namespace plain {
void distances_of_rows(const double*, const double*, const std::int32_t*, std::size_t, std::size_t, double*);
}
#ifdef DAGMAR_X86
namespace avx2 {
void distances_of_rows(const double*, const double*, const std::int32_t*, std::size_t, std::size_t, double*);
}
namespace avx512 {
void distances_of_rows(const double*, const double*, const std::int32_t*, std::size_t, std::size_t, double*);
}
#endif

RowDistances row_distances(Level level) {
#ifdef DAGMAR_X86
    if (level == Level::avx512) return avx512::distances_of_rows;
    if (level == Level::avx2) return avx2::distances_of_rows;
#endif
    (void)level;
    return plain::distances_of_rows;
}

}  // namespace dagmar
