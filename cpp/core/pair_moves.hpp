// The multipliers of an Inner as its steps move them: s lambda between its bounds, without signs. Included by
// simd_impl.hpp, inside a namespace of its instruction set. S is the type of the scores.
template <class T, class S>
class PairMoves {
   protected:
    // Samples that may not move are so far away from all scores.
    static constexpr S kFar = sizeof(S) == sizeof(float) ? S(1e30) : std::numeric_limits<S>::infinity();

    explicit PairMoves(Inner<T>& problem) : p_(problem) {
        using D = Vec<double>;
        for (std::size_t k = 0; k < p_.n; k += kWidth<double>) {
            const D cap = load<D>(p_.cap + k), lambda = load<D>(p_.lambda + k);
            const auto positive = load<D>(p_.sign + k) > D{};
            const D at = positive ? lambda : -lambda, high = positive ? cap : D{}, low = positive ? D{} : -cap;
            const D nearly = splat<D>(1 - 1e-15);
            store(at_ + k, at);
            store(high_ + k, high);
            store(low_ + k, low);
            store(high_edge_ + k, high * nearly);
            store(low_edge_ + k, low * nearly);
            store_narrowed(not_up_ + k, at < high ? D{} : splat<D>(-static_cast<double>(kFar)));
            store_narrowed(not_low_ + k, at > low ? D{} : splat<D>(static_cast<double>(kFar)));
        }
    }

    const T* row(std::size_t k) const { return p_.rows + static_cast<std::size_t>(p_.slot[k]) * p_.stride; }

    // The curvature along a pair.
    double curvature(std::size_t a, std::size_t b) {
        const double exact = static_cast<double>(p_.diagonal[a]) + static_cast<double>(p_.diagonal[b]) -
                             2.0 * static_cast<double>(row(a)[b]);
        p_.lowest = std::min(p_.lowest, exact);
        return std::max(exact, p_.floor);
    }

    using Pair = typename VectorOf<double, 2 * sizeof(double)>::type;
    using PairBits = typename VectorOf<std::int64_t, 2 * sizeof(double)>::type;

    // What a step does to the two samples of a pair: how far they move, and what leaves them out from now on.
    struct Moved {
        double delta;
        PairBits up, low;

        S not_up(std::size_t which) const { return element(up, which); }
        S not_low(std::size_t which) const { return element(low, which); }

       private:
        // The bits of a number fill half of the register.
        static S element(PairBits bits, std::size_t which) {
            using Numbers = typename VectorOf<S, sizeof(PairBits)>::type;
            return reinterpret_cast<Numbers>(bits)[which * (sizeof(double) / sizeof(S))];
        }
    };

    // Moves along a pair, by `step` or to the first bound, which is then met exactly. Both samples stand in one
    // register, because no processor could foresee the branches between bounds.
    Moved move(std::size_t a, std::size_t b, double step) {
        const Pair at = {at_[a], at_[b]}, high = {high_[a], high_[b]}, low = {low_[a], low_[b]};
        const Pair high_edge = {high_edge_[a], high_edge_[b]}, low_edge = {low_edge_[a], low_edge_[b]};
        const double delta = std::min(step, std::min(high[0] - at[0], at[1] - low[1]));
        const Pair moved = at + Pair{delta, -delta};
        // A sample that rounding leaves just below its cap would count as free, and could alone determine the bias,
        // which is the mean over free samples.
        const PairBits at_high = at_least(moved, high_edge), at_low = at_least(low_edge, moved);
        const Pair to = at_high ? high : at_low ? low : moved;  // NaN stays
        at_[a] = to[0];
        at_[b] = to[1];
        p_.touched[a / 64] |= std::uint64_t{1} << (a % 64);
        p_.touched[b / 64] |= std::uint64_t{1} << (b % 64);
        p_.path += (delta * p_.largest) * (delta * p_.largest);
        p_.astray += std::abs(to[0] - at[0] - delta) + std::abs(at[1] - to[1] - delta);
        return {delta, at_high & bits_of(-kFar), at_low & bits_of(kFar)};
    }

    // The same; the arrays below know of it.
    double move_in_arrays(std::size_t a, std::size_t b, double step) {
        const Moved moved = move(a, b, step);
        put(not_up_, a, moved.not_up(0));
        put(not_low_, a, moved.not_low(0));
        put(not_up_, b, moved.not_up(1));
        put(not_low_, b, moved.not_low(1));
        return moved.delta;
    }

    void store_moved() const {
        for (std::size_t k = 0; k < p_.n; ++k) p_.lambda[k] = std::abs(at_[k]);
    }

    Inner<T>& p_;
    alignas(64) S not_up_[kMostInner], not_low_[kMostInner];  // added to scores, they leave out samples

   private:
    // x >= y. With AVX-512, a comparison would go to a mask register, which takes several times as long.
    static PairBits at_least(Pair x, Pair y) {
#if DAGMAR_BYTES >= 32
        return reinterpret_cast<PairBits>(_mm_cmp_pd(x, y, _CMP_GE_OQ));
#else
        return x >= y;
#endif
    }

    // A number in both halves of each element, or in all of it.
    static PairBits bits_of(S number) {
        using Numbers = typename VectorOf<S, sizeof(PairBits)>::type;
        return reinterpret_cast<PairBits>(splat<Numbers>(number));
    }

    // Where samples stand, between which bounds, and from where on they are at them.
    alignas(64) double at_[kMostInner], low_[kMostInner], high_[kMostInner], low_edge_[kMostInner],
        high_edge_[kMostInner];
};
