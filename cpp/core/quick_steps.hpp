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

    // N: the number of samples where it is known, one or two panels, else 0.
    template <std::size_t N>
    std::int64_t run(double enough, std::int64_t max_steps) {
        if constexpr (N > 0)
            return run_in_registers<N>(enough, max_steps);
        else
            return run_in_memory(enough, max_steps);
    }

    using PairMoves::store_moved;

   private:
    using V = Vec<float>;
    using Keys = Vec<std::int32_t>;
    static constexpr std::size_t width = kWidth<float>;
    using Few = typename VectorOf<float, 16>::type;
    static constexpr std::int32_t kPlaces = 1023;
    static_assert(kMostInner <= 1024);
    static constexpr double kRoundoff = 0x1p-24, kShare = 0.2;
    // The digits that places take must be such a part of the gap at most.
    static constexpr float kDistinct = 8.0f;
    // The least curvature with enough digits: of the kernel values that it is the difference of; and in all.
    static constexpr double kDigits = 0x1p-12, kLeast = 1e-30;

    static double square(double x) { return x * x; }

    std::int64_t run_in_memory(double enough, std::int64_t max_steps) {
        const std::size_t n = p_.n;
        const float* const diagonal = p_.diagonal;
        const double most_path = longest(enough);
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
            if (ended(top, bottom, step, enough, most_path)) return step;
            const std::size_t a = place_of(top);
            const float* const row_a = row(a);
            const V highest = splat<V>(top), own = splat<V>(diagonal[a]);
            Keys strongest{}, places = lanes_;
#pragma GCC unroll 8
            for (std::size_t k = 0; k < n; k += width) {
                const V inverse = inverse_curvature(own, load<V>(diagonal + k), load<V>(row_a + k));
                store(inverses_ + k, inverse);
                const V below = load<V>(scores_ + k) + load<V>(not_low_ + k);
                const Keys key = gain_at<kPlaces>(highest, below, inverse, places);
                strongest = key > strongest ? key : strongest;
                places += static_cast<std::int32_t>(width);
            }
            const std::int32_t key = largest<std::int32_t>(strongest);
            if (key <= kPlaces) return step;
            const auto b = static_cast<std::size_t>(key & kPlaces);
            const double to_minimum = step_to_minimum(a, b, top - scores_[b], inverses_[b]);
            move_scores(static_cast<float>(move_in_arrays(a, b, to_minimum)), row_a, row(b));
        }
        return max_steps;
    }

    // The same for so few samples that their scores, and what leaves them out, stay in registers. The time of a step is
    // that of the way from one to the next. So all inverse curvatures are computed before.
    template <std::size_t N>
    std::int64_t run_in_registers(double enough, std::int64_t max_steps) {
        constexpr std::size_t count = N / width;
        constexpr std::int32_t mask = N - 1;
        const double most_path = longest(enough);
        V scores[count], not_up[count], not_low[count];
        Keys places[count];
        for_each<count>([&]<std::size_t i>() {
            scores[i] = load<V>(scores_ + i * width);
            not_up[i] = load<V>(not_up_ + i * width);
            not_low[i] = load<V>(not_low_ + i * width);
            places[i] = lanes_ + static_cast<std::int32_t>(i * width);
        });
        alignas(64) float inverses[N][N];
        for (std::size_t k = 0; k < N; ++k) {
            if (p_.slot[k] < 0) continue;  // no sample
            const V own = splat<V>(p_.diagonal[k]);
            for_each<count>([&]<std::size_t i>() {
                const V diagonal = load<V>(p_.diagonal + i * width);
                store(inverses[k] + i * width, inverse_curvature(own, diagonal, load<V>(row(k) + i * width)));
            });
        }
        for (std::int64_t step = 0; step < max_steps; ++step) {
            // The score to go up is found with its place in the last digits: to look for the place would take longer.
            V below[count], best = splat<V>(-kFar), bottom = splat<V>(kFar);
            Keys highest_key = splat<Keys>(std::numeric_limits<std::int32_t>::min());
            for_each<count>([&]<std::size_t i>() {
                const V up = scores[i] + not_up[i];
                below[i] = scores[i] + not_low[i];
                best = up > best ? up : best;
                bottom = below[i] < bottom ? below[i] : bottom;
                const Keys key = (in_order(reinterpret_cast<Keys>(up)) & ~mask) | places[i];
                highest_key = key > highest_key ? key : highest_key;
            });
            const float top = largest<float>(best);
            if (ended(top, bottom, step, enough, most_path)) return step;
            const auto top_key = largest_of<std::int32_t>(highest_key), rounded = in_order(top_key & ~mask);
            const auto a = static_cast<std::size_t>(top_key[0] & mask);
            const float nearly_top = reinterpret_cast<Few>(rounded)[0];
            Keys strongest{};
            for_each<count>([&]<std::size_t i>() {
                const V inverse = load<V>(inverses[a] + i * width);
                const Keys key = gain_at<mask>(splat<V>(nearly_top), below[i], inverse, places[i]);
                strongest = key > strongest ? key : strongest;
                store(scores_ + i * width, scores[i]);
            });
            const std::int32_t key = largest<std::int32_t>(strongest);
            // Where no pair is left, or too few digits tell them apart, steps on finer scores go on.
            p_.tired = key <= mask || (top - nearly_top) * kDistinct > top + largest<float>(-bottom);
            if (p_.tired) return step;
            const auto b = static_cast<std::size_t>(key & mask);
            const auto moved = move(a, b, step_to_minimum(a, b, scores_[a] - scores_[b], inverses[a][b]));
            const float delta = static_cast<float>(moved.delta);
            const float *const row_a = row(a), *const row_b = row(b);
            for_each<count>([&]<std::size_t i>() {
                scores[i] -= delta * (load<V>(row_a + i * width) - load<V>(row_b + i * width));
                const auto is_a = places[i] == (Keys{} + static_cast<std::int32_t>(a));
                const auto is_b = places[i] == (Keys{} + static_cast<std::int32_t>(b));
                not_up[i] = is_a ? splat<V>(moved.not_up(0)) : is_b ? splat<V>(moved.not_up(1)) : not_up[i];
                not_low[i] = is_a ? splat<V>(moved.not_low(0)) : is_b ? splat<V>(moved.not_low(1)) : not_low[i];
            });
        }
        return max_steps;
    }

    // Whether to end before this step: the gap is closed, nothing may go up, or scores were rounded too often.
    bool ended(float top, V bottom, std::int64_t step, double enough, double most_path) {
        if (step > 0 && static_cast<double>(top + largest<float>(-bottom)) < enough) return true;
        p_.tired = p_.path > most_path;
        return !(top > -kFar) || p_.tired;
    }

    // Bits of numbers as integers in the same order, and back.
    template <class Integers>
    static Integers in_order(Integers bits) {
        return bits ^ (bits >> 31 & std::numeric_limits<std::int32_t>::max());
    }

    // The first candidate of this score; there is one. A whole panel of comparisons at a time, without a branch between
    // them: where it is cannot be predicted.
    std::size_t place_of(float score) const {
        for (std::size_t k = 0; k < p_.n; k += kLanes) {
            const std::uint32_t found = equal_lanes(candidates_ + k, score);
            if (found) return k + static_cast<std::size_t>(std::countr_zero(found));
        }
        return 0;
    }

    // Steps round the scores: after a longer path (sum of squares), that would count.
    double longest(double enough) const { return square(kShare * enough / kRoundoff); }

    V inverse_curvature(V own, V diagonal, V row) const {
        const V floor = splat<V>(std::max(static_cast<float>(p_.floor), 4 * std::numeric_limits<float>::min()));
        return about_one_over<float>(larger<float>((own + diagonal) - splat<V>(2.0f) * row, floor));
    }

    // A gain and its place in one number: the place stands in the last digits, which do not matter.
    template <std::int32_t Mask>
    static Keys gain_at(V highest, V below, V inverse, Keys places) {
        const V drop = larger<float>(highest - below, V{});
        return (reinterpret_cast<Keys>(drop * drop * inverse) & ~Mask) | places;
    }

    // A division would be on the way from one step to the next. It is needed only where single precision has too few
    // digits of the curvature, or of its inverse.
    double step_to_minimum(std::size_t a, std::size_t b, float drop, float inverse) {
        const double exact = curvature(a, b),
                     most = static_cast<double>(p_.diagonal[a]) + static_cast<double>(p_.diagonal[b]);
        if (!(exact > std::max(kDigits * most, kLeast) && exact < 1.0 / kLeast)) [[unlikely]]
            return static_cast<double>(drop) / exact;
        return static_cast<double>(drop) * static_cast<double>(inverse);
    }

    static Keys first_lanes() {
        Keys lanes;
        for (std::size_t u = 0; u < width; ++u) lanes[u] = static_cast<std::int32_t>(u);
        return lanes;
    }

    Keys lanes_ = first_lanes();
    double largest_ = 0.0;  // score of a sample that may move
    alignas(64) float scores_[kMostInner], candidates_[kMostInner], inverses_[kMostInner];
};
