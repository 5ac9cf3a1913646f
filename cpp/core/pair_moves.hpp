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
            store(at_ + k, at);
            store(high_ + k, high);
            store(low_ + k, low);
            store(nearly_ + k, cap * splat<D>(1 - 1e-15));
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

    // Moves along a pair, by `step` or to the first bound, which is then met exactly. Both samples stand in one
    // register, because no processor could foresee the branches between bounds.
    double move(std::size_t a, std::size_t b, double step) {
        using Pair = typename VectorOf<double, 2 * sizeof(double)>::type;
        const Pair at = {at_[a], at_[b]}, high = {high_[a], high_[b]}, low = {low_[a], low_[b]};
        const Pair nearly = {nearly_[a], nearly_[b]}, bound = {high[0], low[1]};
        const Pair room = {high[0] - at[0], at[1] - low[1]};
        const double delta = std::min({step, room[0], room[1]});
        const Pair moved = at + Pair{delta, -delta};
        Pair to = room == splat<Pair>(delta) ? bound : moved;
        // A sample that rounding leaves just below its cap would count as free, and could alone determine the bias,
        // which is the mean over free samples.
        const Pair size = to < Pair{} ? -to : to, cap = to > Pair{} ? high : low;
        to = size > nearly ? cap : to;
        at_[a] = to[0];
        at_[b] = to[1];
        const Pair far = splat<Pair>(static_cast<double>(kFar));
        const Pair not_up = to < high ? Pair{} : -far, not_low = to > low ? Pair{} : far;
        put(a, not_up[0], not_low[0]);
        put(b, not_up[1], not_low[1]);
        p_.path += delta * delta;
        p_.astray += std::abs(to[0] - at[0] - delta) + std::abs(at[1] - to[1] - delta);
        return delta;
    }

    void store_moved() const {
        for (std::size_t k = 0; k < p_.n; ++k) p_.lambda[k] = std::abs(at_[k]);
    }

    Inner<T>& p_;
    alignas(64) S not_up_[kMostInner], not_low_[kMostInner];  // added to scores, they leave out samples

   private:
    void put(std::size_t k, double not_up, double not_low) {
        p_.touched[k / 64] |= std::uint64_t{1} << (k % 64);
        DAGMAR_LEVEL::put(not_up_, k, static_cast<S>(not_up));
        DAGMAR_LEVEL::put(not_low_, k, static_cast<S>(not_low));
    }

    alignas(64) double at_[kMostInner], low_[kMostInner], high_[kMostInner], nearly_[kMostInner];
};
