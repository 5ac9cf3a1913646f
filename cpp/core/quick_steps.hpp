// The steps of an Inner with single-precision scores: twice as many lanes, and no conversions. Included by
// simd_impl.hpp, inside a namespace of its instruction set.
//
// Scores are rounded as their distance from the middle of the gap, so that those of the pairs that count have the most
// digits. They serve the steps of one call only: the caller's scores stay as they are, and the caller moves them by the
// change of lambda, in its own precision.
class QuickSteps : PairMoves<float, float> {
   public:
    explicit QuickSteps(Inner<float>& problem) : PairMoves(problem) {
        using D = Vec<double>;
        D top = splat<D>(-static_cast<double>(kFar)), bottom = -top, largest = {};
        for (std::size_t k = 0; k < p_.n; k += kWidth<double>) {
            const D score = load<D>(p_.scores + k);
            const D up = score + widened(not_up_ + k), below = score + widened(not_low_ + k);
            top = up > top ? up : top;
            bottom = below < bottom ? below : bottom;
        }
        const D middle = splat<D>(0.5 * (DAGMAR_LEVEL::largest<double>(top) - DAGMAR_LEVEL::largest<double>(-bottom)));
        for (std::size_t k = 0; k < p_.n; k += kWidth<double>) {
            const D score = load<D>(p_.scores + k) - middle;
            store_narrowed(scores_ + k, score);
            const D size = load<D>(p_.cap + k) > D{} ? (score < D{} ? -score : score) : D{};
            largest = size < largest ? largest : size;  // NaN stays
        }
        largest_ = DAGMAR_LEVEL::largest<double>(largest);
    }

    // Whether the rounding of the scores is far below this gap. (Not if a score is NaN.)
    bool serves(double enough) const { return largest_ * kRoundoff < kShare * enough; }

    // N: the number of samples where it is known, else 0.
    template <std::size_t N>
    std::int64_t run(double enough, std::int64_t max_steps) {
        const std::size_t n = N ? N : p_.n;
        const float* const diagonal = p_.diagonal;
        const V floor = splat<V>(std::max(static_cast<float>(p_.floor), 4 * std::numeric_limits<float>::min()));
        // Steps round the scores: after so long a path, that would count.
        const double most_path = square(kShare * enough / (kRoundoff * p_.largest));
        V best, bottom;
        const auto move_scores = [&](float delta, const float* row_a, const float* row_b) {
            best = splat<V>(-kFar);
            bottom = splat<V>(kFar);
#pragma GCC unroll 8
            for (std::size_t k = 0; k < n; k += width) {
                const V score = load<V>(scores_ + k) - delta * (load<V>(row_a + k) - load<V>(row_b + k));
                store(scores_ + k, score);
                const V up = score + load<V>(not_up_ + k), below = score + load<V>(not_low_ + k);
                store(candidates_ + k, up);
                best = up > best ? up : best;
                bottom = below < bottom ? below : bottom;
            }
        };
        move_scores(0.0f, diagonal, diagonal);
        for (std::int64_t step = 0; step < max_steps; ++step) {
            const float top = largest<float>(best);
            if (step > 0 && static_cast<double>(top + largest<float>(-bottom)) < enough) return step;
            p_.tired = p_.path > most_path;
            if (!(top > -kFar) || p_.tired) return step;
            const std::size_t a = place_of<N>(top);
            const float* row_a = row(a);
            const V highest = splat<V>(top), own = splat<V>(diagonal[a]), two = splat<V>(2.0f);
            // A gain and its place in one number: the place stands in the last digits, which do not matter.
            Keys strongest{}, places = lanes_;
#pragma GCC unroll 8
            for (std::size_t k = 0; k < n; k += width) {
                V drop = highest - (load<V>(scores_ + k) + load<V>(not_low_ + k));
                drop = larger<float>(drop, V{});
                V curvature = (own + load<V>(diagonal + k)) - two * load<V>(row_a + k);
                curvature = curvature > floor ? curvature : floor;
                const V inverse = about_one_over<float>(curvature);
                store(inverses_ + k, inverse);
                const V gain = drop * drop * inverse;
                const Keys key = (reinterpret_cast<Keys>(gain) & ~kPlaces) | places;
                strongest = key > strongest ? key : strongest;
                places += static_cast<std::int32_t>(width);
            }
            const std::int32_t key = largest<std::int32_t>(strongest);
            if (key <= kPlaces) return step;
            const auto b = static_cast<std::size_t>(key & kPlaces);
            const float drop = scores_[a] - scores_[b];
            double step_to_minimum = static_cast<double>(drop) * static_cast<double>(inverses_[b]);
            // A division would be on the way from one step to the next. It is needed only where single precision has
            // too few digits of the curvature, or of its inverse.
            const double exact = curvature(a, b),
                         most = static_cast<double>(diagonal[a]) + static_cast<double>(diagonal[b]);
            if (!(exact > std::max(kDigits * most, kLeast) && exact < 1.0 / kLeast)) [[unlikely]]
                step_to_minimum = static_cast<double>(drop) / exact;
            move_scores(static_cast<float>(move(a, b, step_to_minimum)), row_a, row(b));
        }
        return max_steps;
    }

    using PairMoves::store_moved;

   private:
    using V = Vec<float>;
    using Keys = Vec<std::int32_t>;
    static constexpr std::size_t width = kWidth<float>;
    static constexpr std::int32_t kPlaces = 1023;
    static_assert(kMostInner <= 1024);
    static constexpr double kRoundoff = 0x1p-24, kShare = 0.2;
    // The least curvature with enough digits: of the kernel values that it is the difference of; and in all.
    static constexpr double kDigits = 0x1p-12, kLeast = 1e-30;

    static double square(double x) { return x * x; }

    static Keys first_lanes() {
        Keys lanes;
        for (std::size_t u = 0; u < width; ++u) lanes[u] = static_cast<std::int32_t>(u);
        return lanes;
    }

    // The first candidate of this score; there is one. A whole panel of comparisons at a time, without a branch between
    // them: where it is cannot be predicted.
    template <std::size_t N>
    std::size_t place_of(float score) const {
        if constexpr (N == 2 * kLanes) {
            const std::uint32_t found = equal_lanes(candidates_, score) | equal_lanes(candidates_ + kLanes, score)
                                                                              << kLanes;
            return static_cast<std::size_t>(std::countr_zero(found));
        }
        for (std::size_t k = 0; k < p_.n; k += kLanes) {
            const std::uint32_t found = equal_lanes(candidates_ + k, score);
            if (found) return k + static_cast<std::size_t>(std::countr_zero(found));
        }
        return 0;
    }

    Keys lanes_ = first_lanes();
    double largest_ = 0.0;  // score of a sample that may move
    alignas(64) float scores_[kMostInner], candidates_[kMostInner], inverses_[kMostInner];
};
