#include "ending.hpp"
#include "held_problem.hpp"

NB_MODULE(_core, m) {
    // A thread that still serves predictions when Python ends keeps its model, which is no leak to report to users.
    nanobind::set_leak_warnings(false);
    dagmar::bindings::survive_exit();
    m.doc() = "The arithmetic of dagmar: training and deciding, in C++.";
    dagmar::bindings::bind_problem(m);
    dagmar::bindings::bind_train(m);
    dagmar::bindings::bind_plan(m);
    dagmar::bindings::bind_decide(m);
    dagmar::bindings::bind_probabilities(m);
    dagmar::bindings::bind_parts(m);
#ifdef DAGMAR_TSAN
    dagmar::bindings::bind_race(m);
#endif
}
