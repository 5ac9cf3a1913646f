#include "decide/choices.hpp"

#include <algorithm>
#include <numeric>

#include "base/integers.hpp"
#include "samples/sparse_copy.hpp"

namespace dagmar {
namespace {

double cost_of(const VectorFacts& vectors, const Costs& costs, std::size_t n_values, std::size_t n_terms) {
    return static_cast<double>(n_values) * (vectors.products + costs.value) + static_cast<double>(n_terms) * costs.term;
}

// The cost of asking all machines between c and the other classes.
double check_cost(const VectorFacts& vectors, const Costs& costs, std::size_t c) {
    const Bank& bank = vectors.bank;
    const std::size_t own = bank.lists.class_start[c + 1] - bank.lists.class_start[c];
    return cost_of(vectors, costs, own + bank.others[c], bank.terms[c]);
}

// How much longer a term of a machine takes sample by sample than in lanes.
constexpr std::size_t kAlone = 16;

// Whether a walk asks so few of the machines that summing those, sample by sample, takes less time than summing all in
// lanes. Walks over pairs ask little more than one machine per class.
bool asks_few(const Plan& plan, std::size_t n_machines) {
    const bool asks_all = plan.kind == PlanKind::knockout && plan.rule == Rule::everyone;
    return !asks_all && n_machines > kAlone * usize(plan.n_classes);
}

// The terms of such a walk, as if they were summed in lanes.
std::size_t terms_of_walk(const Plan& plan, const BankLists& lists) {
    return kAlone * usize(plan.n_classes) * (lists.index.size() / lists.n_machines() + 1);
}

// Up to this many samples go one by one. Dense ones would leave most of a panel empty in lanes; a sparse sample takes
// almost as long alone as a panel.
constexpr std::size_t kFewDense = 24, kFewSparse = 1;

std::size_t sum_of(const std::vector<std::size_t>& n) { return std::accumulate(n.begin(), n.end(), std::size_t{0}); }

// The samples of each class among n, before they are guessed: as the vectors of the classes.
std::vector<std::size_t> expected_classes(const std::vector<std::size_t>& class_start, std::size_t n_samples) {
    std::vector<std::size_t> n(class_start.size() - 1);
    const std::size_t all = class_start.back();
    for (std::size_t c = 0; c < n.size(); ++c)
        n[c] = (n_samples * (class_start[c + 1] - class_start[c]) + all / 2) / std::max<std::size_t>(1, all);
    return n;
}

}  // namespace

DecideChoices DecideChoices::of(const VectorFacts& vectors, const Plan& plan, std::size_t n_samples,
                                const Costs& costs) {
    DecideChoices choices;
    const BankLists& lists = vectors.bank.lists;
    const Codes precise = vectors.has_exact_codes ? Codes::exact : Codes::none;
    if (plan.kind == PlanKind::poll) {
        choices.way = Way::all_in_lanes;
        choices.codes = precise;  // values are compared with each other, and not with zero
        return choices;
    }
    if (n_samples <= (vectors.sparse ? kFewSparse : kFewDense)) {
        choices.codes = vectors.codes;
        return choices;
    }
    choices.in_lanes_ = asks_few(plan, lists.n_machines()) ? Way::asked_in_lanes : Way::all_in_lanes;
    choices.way = choices.in_lanes_;
    choices.has_exact_codes_ = vectors.has_exact_codes;
    // With kernel values of all vectors at hand, an open sign is computed again in double: rough codes leave too many.
    choices.codes = choices.way == Way::asked_in_lanes ? precise : vectors.codes;
    if (!plan.unanimous || vectors.n_prototypes == 0) return choices;
    const bool all = choices.in_lanes_ == Way::all_in_lanes;
    choices.guesses = !all;
    choices.all_cost_ =
        cost_of(vectors, costs, lists.n_vectors(), all ? lists.index.size() : terms_of_walk(plan, lists));
    for (std::size_t c = 0; c < lists.n_classes(); ++c) choices.check_cost_.push_back(check_cost(vectors, costs, c));
    // Prototypes have no zeros to skip.
    const double products =
        vectors.codes == Codes::none ? static_cast<double>(n_features(vectors.bank.vectors)) : vectors.products;
    const double guess = static_cast<double>(vectors.n_prototypes) * (products + costs.distance);
    // As if the cost of a guess made fewer of them right.
    const double right = kExpected[0] - guess / choices.all_cost_;
    if (choices.check_pays(expected_classes(lists.class_start, n_samples), right)) {
        choices.way = Way::guess_and_check;
        choices.guesses = true;
        choices.codes = vectors.codes;
    }
    return choices;
}

std::vector<std::string> DecideChoices::words() const {
    static const char* const ways[] = {"one by one", "all machines in lanes", "asked machines in lanes",
                                       "guess and check"};
    static const char* const numbers[] = {"floating point", "exact integer codes", "rough integer codes"};
    return {ways[static_cast<int>(way)], numbers[static_cast<int>(codes)]};
}

void DecideChoices::choose_for_rest(const std::vector<std::size_t>& n_of_class) {
    constexpr double alone = 6.0;  // times the cost of a check in lanes: a sample alone loads every vector for itself
    const double in_lanes = all_cost_ * static_cast<double>(padded(sum_of(n_of_class)));
    const bool lanes = in_lanes < alone * cost_of_checks(n_of_class, false);
    way = lanes ? in_lanes_ : Way::one_by_one;
    // Rough codes would leave many signs of these samples open. (Floats would need rows of the vectors.)
    if (!lanes || has_exact_codes_ || way == Way::asked_in_lanes) codes = std::min(codes, Codes::exact);
}

bool DecideChoices::check_pays(const std::vector<std::size_t>& n_of_class, double right) const {
    return cost_of_checks(n_of_class, true) < right * all_cost_ * static_cast<double>(sum_of(n_of_class));
}

// With the cost of empty lanes, if in lanes: the samples of a class fill whole panels.
double DecideChoices::cost_of_checks(const std::vector<std::size_t>& n_of_class, bool in_lanes) const {
    double sum = 0;
    for (std::size_t c = 0; c < n_of_class.size(); ++c)
        if (const std::size_t n = n_of_class[c]) sum += check_cost_[c] * static_cast<double>(in_lanes ? padded(n) : n);
    return sum;
}

std::size_t tile_width(std::size_t n, int n_threads, std::size_t n_kept) {
    constexpr std::size_t narrow = 2 * kLanes, cached = std::size_t{1} << 17;
    const std::size_t shared = n_threads == 1 ? kTile : std::max(narrow, padded(n / (4 * usize(n_threads))));
    const std::size_t kept = std::max(kLanes, cached / (n_kept + 1) / kLanes * kLanes);
    return std::min({kTile, shared, kept});
}

bool uses_weights(const Bank& bank) {
    return bank.kernel.type == KernelType::linear && !std::holds_alternative<SparseView>(bank.vectors) &&
           bank.lists.n_machines() <= bank.lists.n_vectors();
}

bool decides_sparse(const Bank& bank) {
    if (std::holds_alternative<SparseView>(bank.vectors)) return true;
    bool serves = false;
    if (bank.kernel.skips_zeros())
        for_dense(bank.vectors, [&](const auto& view) { serves = serves_as_sparse(view, bank.kernel.type); });
    return serves;
}

bool evaluates_groups(const Bank& bank) {
    // A machine needs one weight vector only, which is found sooner, unless they are few.
    const std::size_t d = n_features(bank.vectors);
    const bool few = bank.lists.n_vectors() * d <= std::size_t{1} << 14;
    return d <= 64 && bank.gammas.empty() && (!bank.whole || few);
}

}  // namespace dagmar
