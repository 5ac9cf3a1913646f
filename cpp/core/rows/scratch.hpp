// Memory that a worker keeps from one task to the next.
#pragma once

#include "rows/parts.hpp"
#include "rows/row_source.hpp"

namespace dagmar {

// Bytes for the rows of a task: the task's own share, and the most it can have with the whole common budget.
struct RowShare {
    std::size_t own = 0, most = 0;
};

// Kept, so that fresh memory is touched only once and small tasks allocate little.
template <class T>
struct RowScratch {
    TaskPlaces<T> places;
    Buffer<T> rows;
    std::size_t owned = 0;  // bytes of `rows` that were ever touched
    std::size_t paid = 0;   // those of them that came from the common budget
    PartScratch<T> part;
    GramScratch<T> stream[kParts];
    std::vector<std::int32_t> slot_of, place_in, missing;
    std::vector<std::int64_t> last_use;

    // Memory for rows of `n` values; only address space until rows are written.
    T* room_for(std::size_t n, SharedRows<T>& shared) {
        if (rows.size() < n) {
            shared.give_back(paid);
            owned = paid = 0;
        }
        return rows.at_least(n);
    }

    // Accounts for the first bytes of `rows`; false if the budget does not allow them and they are not `needed`.
    bool acquire(std::size_t bytes, const RowShare& share, SharedRows<T>& shared, bool needed) {
        const std::size_t covered = std::max(owned, share.own);
        if (bytes > covered) {
            if (shared.acquire(bytes - covered))
                paid += bytes - covered;
            else if (!needed)
                return false;
        }
        owned = std::max(owned, bytes);
        return true;
    }
};

}  // namespace dagmar
