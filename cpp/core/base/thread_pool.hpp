// The pool of threads: the one object that the core keeps between calls, because making threads takes longer than many
// decisions. No result depends on it.
#pragma once

#include <functional>

namespace dagmar {

// A thread that throws for the first time allocates what the C++ library keeps per thread (a few words), and the
// process ends if there is no memory for that. This allocates it now, before memory has run out. Costs nothing the next
// time.
void prepare_to_throw();

// Calls work(0) here and work(1), ..., work(n_helpers) in other threads, or in as many as are free while this one
// works. Calls `look` every 50 ms while it waits for them. Throws what one of them threw, after all have ended.
void work_together(int n_helpers, const std::function<void(int)>& work, const std::function<void()>& look);

}  // namespace dagmar
