#include "model/plan.hpp"

#include <algorithm>
#include <utility>

#include "base/integers.hpp"

namespace dagmar {
namespace {

class GraphWalk final : public Walk {
   public:
    explicit GraphWalk(const Plan& plan) : plan_(plan) {}

    void begin() override { enter(plan_.root); }

    std::int64_t next() override {
        if (is_node(edge_)) return plan_.machine[usize(edge_)];
        return lo_ == hi_ ? -1 : plan_.machine_for(listed(lo_), listed(hi_));
    }

    void tell(bool positive) override {
        if (is_node(edge_)) return enter((positive ? plan_.on_positive : plan_.on_negative)[usize(edge_)]);
        const bool last_wins = positive == (listed(lo_) < listed(hi_));
        last_wins ? ++lo_ : --hi_;
    }

    std::int32_t answer() const override {
        return static_cast<std::int32_t>(is_list(edge_, plan_.n_classes) ? listed(lo_) : usize(leaf_class(edge_)));
    }

   private:
    void enter(std::int64_t edge) {
        edge_ = edge;
        lo_ = hi_ = 0;
        if (!is_list(edge, plan_.n_classes)) return;
        const std::size_t list = usize(list_number(edge, plan_.n_classes));
        lo_ = plan_.list_begin[list];
        hi_ = plan_.list_begin[list + 1] - 1;
    }
    std::size_t listed(std::int64_t i) const { return usize(plan_.list_classes[usize(i)]); }

    const Plan& plan_;
    std::int64_t edge_ = 0, lo_ = 0, hi_ = 0;  // of a list: the places of its first and last class still in
};

// A knockout between pairs of classes; `first_` and `second_` are the two that meet now.
class Knockout : public Walk {
   public:
    explicit Knockout(const Plan& plan) : plan_(plan), n_(usize(plan.n_classes)) {}

    std::int64_t next() override { return pair() ? plan_.machine_for(first_, second_) : -1; }

    void tell(bool positive) override {
        const std::size_t lower = std::min(first_, second_), later = std::max(first_, second_);
        settle(positive ? later : lower, positive ? lower : later);
    }

    std::int32_t answer() const override { return static_cast<std::int32_t>(first_); }

   protected:
    // Sets the two that meet; false if the answer is found.
    virtual bool pair() = 0;
    virtual void settle(std::size_t winner, std::size_t loser) = 0;

    const Plan& plan_;
    std::size_t n_, first_ = 0, second_ = 0;
};

// While the class in front wins, no class that it has not met gets another loss. So it meets them in one order, by
// losses and index, which is searched from where the last one was found.
class FewestLosses final : public Knockout {
   public:
    explicit FewestLosses(const Plan& plan) : Knockout(plan), losses_(n_), met_(n_ * n_) {}

    void begin() override {
        std::fill(losses_.begin(), losses_.end(), 0);
        for (const std::size_t place : marked_) met_[place] = 0;  // the whole table is as large as the squared classes
        marked_.clear();
        leads_ = false;
        most_ = 0;
    }

   private:
    bool pair() override {
        if (!leads_) {
            first_ = usize(std::min_element(losses_.begin(), losses_.end()) - losses_.begin());
            level_ = losses_[first_];
            at_ = 0;
            leads_ = true;
        }
        const char* met = met_.data() + first_ * n_;
        for (; level_ <= most_; ++level_, at_ = 0)
            for (; at_ < n_; ++at_) {
                if (losses_[at_] != level_ || met[at_] || at_ == first_) continue;
                second_ = at_;
                return true;
            }
        return false;
    }
    void settle(std::size_t winner, std::size_t loser) override {
        most_ = std::max(most_, ++losses_[loser]);
        for (const std::size_t place : {winner * n_ + loser, loser * n_ + winner}) {
            met_[place] = 1;
            marked_.push_back(place);
        }
        leads_ = leads_ && loser != first_;
    }

    std::vector<std::int32_t> losses_;
    std::vector<char> met_;
    std::vector<std::size_t> marked_;    // the places of met_ that are set
    bool leads_ = false;                 // whether first_ is the class with the fewest losses
    std::size_t at_ = 0;                 // classes before this one have been met, or have other losses than level_
    std::int32_t level_ = 0, most_ = 0;  // the losses searched for, and the most of any class
};

class Ranked final : public Knockout {
   public:
    explicit Ranked(const Plan& plan) : Knockout(plan), out_(n_), seen_(n_) {}

    void begin() override {
        std::fill(out_.begin(), out_.end(), char{0});
        std::fill(seen_.begin(), seen_.end(), std::size_t{0});
        first_ = usize(plan_.order[0]);
    }

   private:
    bool pair() override {
        for (std::size_t& rank = seen_[first_]; rank < n_ - 1; ++rank) {
            second_ = usize(plan_.rivals[first_ * (n_ - 1) + rank]);
            if (!out_[second_]) return true;
        }
        return false;
    }
    void settle(std::size_t winner, std::size_t loser) override {
        out_[loser] = 1;
        first_ = winner;
    }

    std::vector<char> out_;
    std::vector<std::size_t> seen_;  // how many of its rivals a class has met or passed over
};

class Bracket final : public Knockout {
   public:
    explicit Bracket(const Plan& plan) : Knockout(plan) {}

    void begin() override {
        list_.assign(plan_.order.begin(), plan_.order.end());
        winners_.clear();
    }
    std::int32_t answer() const override { return list_[0]; }

   private:
    bool pair() override {
        const std::size_t game = winners_.size();
        if (game == list_.size() / 2 && list_.size() > 1) {
            if (list_.size() % 2) winners_.push_back(list_[game]);  // the one in the middle has no partner
            list_.swap(winners_);
            winners_.clear();
            return pair();
        }
        if (list_.size() == 1) return false;
        first_ = usize(list_[game]);
        second_ = usize(list_[list_.size() - 1 - game]);
        return true;
    }
    void settle(std::size_t winner, std::size_t) override { winners_.push_back(static_cast<std::int32_t>(winner)); }

    std::vector<std::int32_t> list_, winners_;
};

class Everyone final : public Knockout {
   public:
    explicit Everyone(const Plan& plan) : Knockout(plan), losses_(n_) {}

    void begin() override {
        std::fill(losses_.begin(), losses_.end(), 0);
        first_ = 0;
        second_ = 0;
    }
    std::int32_t answer() const override {
        return static_cast<std::int32_t>(std::min_element(losses_.begin(), losses_.end()) - losses_.begin());
    }

   private:
    bool pair() override {
        if (++second_ == n_) second_ = ++first_ + 1;
        return second_ < n_;
    }
    void settle(std::size_t, std::size_t loser) override { ++losses_[loser]; }

    std::vector<std::int32_t> losses_;
};

}  // namespace

std::unique_ptr<Walk> make_walk(const Plan& plan) {
    if (plan.kind == PlanKind::poll) return nullptr;
    if (plan.kind == PlanKind::graph) return std::make_unique<GraphWalk>(plan);
    switch (plan.rule) {
        case Rule::ranked:
            return std::make_unique<Ranked>(plan);
        case Rule::bracket:
            return std::make_unique<Bracket>(plan);
        case Rule::everyone:
            return std::make_unique<Everyone>(plan);
        case Rule::fewest_losses:
            break;
    }
    return std::make_unique<FewestLosses>(plan);
}

}  // namespace dagmar
