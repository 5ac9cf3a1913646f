// Threads that are inside native code when the interpreter ends.
//
// Python 3.11 to 3.13 end a thread that asks for the interpreter lock during finalization by pthread_exit, which glibc
// carries out by unwinding the stack. Guards of the lock and bound functions are noexcept (nanobind's, and those inside
// NumPy's np.unique), so the unwinding calls std::terminate, and the process would lose its exit code to SIGABRT. Such
// a thread sleeps until the process is gone, as Python 3.14 lets it.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace dagmar::bindings {

[[noreturn]] inline void sleep_until_exit() noexcept {
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

inline std::atomic<bool> python_ends = false;
inline std::terminate_handler previous_terminate = nullptr;

// The one guard for all calls: what std::terminate does in a thread that Python ends. A forced unwinding is no
// exception, so an exception that nobody caught still ends the process.
inline void survive_exit() {
    namespace nb = nanobind;
    nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { python_ends = true; }));
    previous_terminate = std::set_terminate([] {
        if (python_ends && !std::current_exception()) sleep_until_exit();
        previous_terminate();
    });
}

// Calls a Python function while objects are alive whose destructors need the lock: a thread that Python ends here must
// not unwind through them.
template <class Call>
auto call_python(const Call& call) {
#if defined(__GLIBCXX__)
    try {
        return call();
    } catch (const abi::__forced_unwind&) {
        sleep_until_exit();
    }
#else
    return call();
#endif
}

}  // namespace dagmar::bindings
