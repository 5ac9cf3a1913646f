#include "arrays.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The arithmetic of dagmar: training and deciding, in C++.";
    dagmar::bindings::bind_data(m);
    dagmar::bindings::bind_train(m);
    dagmar::bindings::bind_decide(m);
}
