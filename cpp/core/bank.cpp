#include "bank.hpp"

namespace dagmar {

void Bank::index_segments() {
    std::vector<std::size_t> class_of(lists.n_vectors());
    for (std::size_t c = 0; c < lists.n_classes(); ++c)
        for (std::size_t v = lists.class_start[c]; v < lists.class_start[c + 1]; ++v) class_of[v] = c;
    segments.assign(lists.n_classes(), {});
    for (std::size_t m = 0; m < lists.n_machines(); ++m)
        for (std::int64_t at = lists.begin[m]; at < lists.begin[m + 1];) {
            const std::size_t c = class_of[static_cast<std::size_t>(lists.index[static_cast<std::size_t>(at)])];
            Segment segment{static_cast<std::int64_t>(m), at, at};
            while (segment.end < lists.begin[m + 1] &&
                   static_cast<std::size_t>(lists.index[static_cast<std::size_t>(segment.end)]) <
                       lists.class_start[c + 1])
                ++segment.end;
            segments[c].push_back(segment);
            at = segment.end;
        }
}

}  // namespace dagmar
