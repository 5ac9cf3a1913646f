// The steps of an Inner with single-precision scores: twice as many lanes, and no conversions. Included by
// simd_impl.hpp, inside a namespace of its instruction set.
//
// Scores are rounded as their distance from the middle of the gap, so that those of the pairs that count have the most
// digits. They serve the steps of one call only: the caller's scores stay as they are, and the caller moves them by the
// change of lambda, in its own precision.
class QuickSteps {
   public:
    explicit QuickSteps(Inner<float>& problem) : p_(problem) {
        using D = Vec<double>;
        constexpr double infinity = std::numeric_limits<double>::infinity();
        D top = splat<D>(-infinity), bottom = splat<D>(infinity), largest = {};
        for (std::size_t k = 0; k < p_.n; k += kWidth<double>) {
            const D cap = load<D>(p_.cap + k), lambda = load<D>(p_.lambda + k), score = load<D>(p_.scores + k);
            const auto positive = load<D>(p_.sign + k) > D{};
            const D at = positive ? lambda : -lambda, high = positive ? cap : D{}, low = positive ? D{} : -cap;
            store(at_ + k, at);
            store(high_ + k, high);
            store(low_ + k, low);
            store(nearly_ + k, cap * splat<D>(1 - 1e-15));
            const auto may_up = at<high, may_low = at> low;
            store_narrowed(not_up_ + k, may_up ? D{} : splat<D>(-static_cast<double>(kFar)));
            store_narrowed(not_low_ + k, may_low ? D{} : splat<D>(static_cast<double>(kFar)));
            const D up = may_up ? score : splat<D>(-infinity), below = may_low ? score : splat<D>(infinity);
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
                drop = drop > V{} ? drop : V{};
                V curvature = (own + load<V>(diagonal + k)) - two * load<V>(row_a + k);
                curvature = curvature > floor ? curvature : floor;
                const V gain = drop * drop * about_one_over<float>(curvature);
                const Keys key = (reinterpret_cast<Keys>(gain) & ~kPlaces) | places;
                strongest = key > strongest ? key : strongest;
                places += static_cast<std::int32_t>(width);
            }
            const std::int32_t key = largest<std::int32_t>(strongest);
            if (key <= kPlaces) return step;
            const auto b = static_cast<std::size_t>(key & kPlaces);
            move_scores(static_cast<float>(move(a, b)), row_a, row(b));
        }
        return max_steps;
    }

    void store_lambda() const {
        for (std::size_t k = 0; k < p_.n; ++k) p_.lambda[k] = std::abs(at_[k]);
    }

   private:
    using V = Vec<float>;
    using Keys = Vec<std::int32_t>;
    static constexpr std::size_t width = kWidth<float>;
    static constexpr std::int32_t kPlaces = 1023;
    static_assert(kMostInner <= 1024);
    // Beyond all scores; samples that may not move are so far away.
    static constexpr float kFar = 1e30f;
    static constexpr double kRoundoff = 0x1p-24, kShare = 0.2;

    static double square(double x) { return x * x; }

    static Keys first_lanes() {
        Keys lanes;
        for (std::size_t u = 0; u < width; ++u) lanes[u] = static_cast<std::int32_t>(u);
        return lanes;
    }

    const float* row(std::size_t k) const { return p_.rows + static_cast<std::size_t>(p_.slot[k]) * p_.stride; }

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

    // Moves along the pair to the minimum or to the first bound, which is then met exactly.
    double move(std::size_t a, std::size_t b) {
        const double exact = static_cast<double>(p_.diagonal[a]) + static_cast<double>(p_.diagonal[b]) -
                             2.0 * static_cast<double>(row(a)[b]);
        const double curvature = std::max(exact, p_.floor);
        p_.lowest = std::min(p_.lowest, exact);
        const double room_a = high_[a] - at_[a], room_b = at_[b] - low_[b];
        const double delta = std::min({static_cast<double>(scores_[a] - scores_[b]) / curvature, room_a, room_b});
        set(a, delta == room_a ? high_[a] : at_[a] + delta);
        set(b, delta == room_b ? low_[b] : at_[b] - delta);
        p_.path += delta * delta;
        return delta;
    }

    // See Steps::set and Steps::put.
    void set(std::size_t k, double value) {
        const double cap = value > 0 ? high_[k] : low_[k];
        value = std::abs(value) > nearly_[k] ? cap : value;
        at_[k] = value;
        p_.touched[k / 64] |= std::uint64_t{1} << (k % 64);
        put(not_up_, k, value < high_[k] ? 0.0f : -kFar);
        put(not_low_, k, value > low_[k] ? 0.0f : kFar);
    }
    void put(float* values, std::size_t k, float value) const {
        float* from = values + k / width * width;
        const V old = load<V>(from);
        store(from, lanes_ == splat<Keys>(static_cast<std::int32_t>(k % width)) ? splat<V>(value) : old);
    }

    Inner<float>& p_;
    Keys lanes_ = first_lanes();
    double largest_ = 0.0;  // score of a sample that may move
    alignas(64) float scores_[kMostInner], candidates_[kMostInner];
    alignas(64) float not_up_[kMostInner], not_low_[kMostInner];  // added to scores, they leave out samples
    double at_[kMostInner], low_[kMostInner], high_[kMostInner], nearly_[kMostInner];
};
