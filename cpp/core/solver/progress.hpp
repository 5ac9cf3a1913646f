// Whether the solver still gets anywhere.
//
// It looks back after every window of rounds. Progress means that the gap falls by a tenth, or the objective by more
// than its rounding. Without it the solver computes scores anew, and ends as stalled if that does not lower the
// objective.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace dagmar {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The objective, and how much of it rounding may change.
struct Objective {
    double value, rounding;
};

class Progress {
   public:
    static constexpr std::int64_t kWindow = 256;

    // Whether a window has ended with this round.
    bool window_ends(std::int64_t round) {
        if (round < next_look_) return false;
        next_look_ = round + kWindow;
        return true;
    }

    // At the end of a window; false if there was no progress for too long. `near`: gaps below this are within reach of
    // rounding, where waiting longer helps little.
    bool goes_on(double gap, const Objective& now, double near) {
        if (gap < kSmallerGap * best_gap_ || now.value < best_objective_ - now.rounding) {
            best_gap_ = std::min(gap, best_gap_);
            best_objective_ = std::min(now.value, best_objective_);
            idle_ = 0;
            return true;
        }
        return ++idle_ < (gap < near ? kLittlePatience : kPatience);
    }

    // After a round. False after several in a row that move no multiplier: then the working set stays the same.
    bool moves(bool moved) {
        unmoved_ = moved ? 0 : unmoved_ + 1;
        return unmoved_ < kUnmoved;
    }

    // After scores were computed anew; false if the objective is not lower than the last time.
    bool starts_anew(double gap, const Objective& now) {
        if (!(now.value < anew_objective_ - now.rounding)) return false;
        best_gap_ = gap;
        best_objective_ = anew_objective_ = now.value;
        idle_ = unmoved_ = 0;
        return true;
    }

   private:
    static constexpr double kSmallerGap = 0.9;
    static constexpr int kPatience = 16, kLittlePatience = 1, kUnmoved = 3;

    std::int64_t next_look_ = kWindow;
    double best_gap_ = kInfinity, best_objective_ = kInfinity, anew_objective_ = kInfinity;
    int idle_ = 0, unmoved_ = 0;  // windows without progress; rounds that moved nothing
};

}  // namespace dagmar
