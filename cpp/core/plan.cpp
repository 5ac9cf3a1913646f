#include "plan.hpp"

#include <algorithm>

namespace dagmar {
namespace {

class GraphWalk final : public Walk {
   public:
    explicit GraphWalk(const Plan& plan) : plan_(plan) {}
    void begin() override { edge_ = plan_.root; }
    std::int64_t next() override { return edge_ < 0 ? -1 : plan_.machine[static_cast<std::size_t>(edge_)]; }
    void tell(bool positive) override {
        edge_ = (positive ? plan_.on_positive : plan_.on_negative)[static_cast<std::size_t>(edge_)];
    }
    std::int32_t answer() const override { return static_cast<std::int32_t>(-1 - edge_); }

   private:
    const Plan& plan_;
    std::int64_t edge_ = 0;
};

class FewestLosses final : public Walk {
   public:
    explicit FewestLosses(const Plan& plan)
        : plan_(plan), n_(static_cast<std::size_t>(plan.n_classes)), losses_(n_), met_(n_ * n_) {}

    void begin() override {
        std::fill(losses_.begin(), losses_.end(), 0);
        std::fill(met_.begin(), met_.end(), char{0});
    }

    std::int64_t next() override {
        first_ = fewest([](std::size_t) { return true; });
        second_ = fewest([this](std::size_t c) { return c != first_ && !met_[first_ * n_ + c]; });
        if (second_ == n_) return -1;
        return plan_.machine_of[std::min(first_, second_) * n_ + std::max(first_, second_)];
    }

    void tell(bool positive) override {
        const std::size_t lower = std::min(first_, second_), later = std::max(first_, second_);
        ++losses_[positive ? lower : later];
        met_[lower * n_ + later] = met_[later * n_ + lower] = 1;
    }

    std::int32_t answer() const override { return static_cast<std::int32_t>(first_); }

   private:
    template <class May>
    std::size_t fewest(const May& may) const {
        std::size_t best = n_;
        for (std::size_t c = 0; c < n_; ++c)
            if (may(c) && (best == n_ || losses_[c] < losses_[best])) best = c;
        return best;
    }

    const Plan& plan_;
    std::size_t n_, first_ = 0, second_ = 0;
    std::vector<std::int32_t> losses_;
    std::vector<char> met_;
};

}  // namespace

std::unique_ptr<Walk> make_walk(const Plan& plan) {
    if (plan.kind == PlanKind::graph) return std::make_unique<GraphWalk>(plan);
    return std::make_unique<FewestLosses>(plan);
}

}  // namespace dagmar
