#include "row_distances.hpp"

namespace dagmar {

namespace plain {
void distances_of_rows(const double* const*, std::size_t, const double*, const std::int32_t*, std::size_t, std::size_t,
                       double* const*);
}
#ifdef DAGMAR_X86
namespace avx2 {
void distances_of_rows(const double* const*, std::size_t, const double*, const std::int32_t*, std::size_t, std::size_t,
                       double* const*);
}
namespace avx512 {
void distances_of_rows(const double* const*, std::size_t, const double*, const std::int32_t*, std::size_t, std::size_t,
                       double* const*);
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
