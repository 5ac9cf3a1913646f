// Distances, squared or of differences, and kernel values between samples in integer codes (integers/codec.hpp).
//
// Codes have 8 or 16 bits and stand side by side, in bytes or half-words, in words of 32 bits. Their products take a
// quarter or half of the time of float products, and are exact. Bytes are multiplied as unsigned rows with signed
// lanes: lanes hold their codes minus 128, and the row norm makes up for it. Codes of 16 bits are signed on both sides.
// Sums wrap around; only the distance itself must be in range, below 2^31.
//
// The sum of |x - z| is made of the smaller codes, x + z - 2 min(x, z): norms are sums of codes then, and "products"
// the smaller of two codes. Both sides hold their codes as they are.
#pragma once

#include "simd/simd.hpp"

namespace dagmar {

using CodeOperands = RowsAndPanels<std::uint32_t, std::int32_t>;

// A word of a row that is not zero, and its place in the row.
struct CodeEntry {
    std::uint32_t word, place;
};
struct CodeEntries {
    const CodeEntry* first;
    std::size_t n;
};

// Features without codes add to the squared distance in float. `dots` are in the output already, for rows that have
// nonzeros among these features.
struct UncodedPart {
    const Nonzeros<float>* rows = nullptr;  // null if all features have codes
    const float *row_norms = nullptr, *lane_norms = nullptr;
    double gamma = 0.0;
};

struct CodeRbf {
    CodeOperands of;
    double gamma;                          // for distances in steps
    const CodeEntries* entries = nullptr;  // the nonzero words of each row; null to multiply whole rows
    UncodedPart uncoded = {};
};

// Where the values of a row go: to a row of its own, or to a matrix.
struct RowOutput {
    float* const* rows = nullptr;
    float* first = nullptr;
    std::size_t stride = 0;
    float* row(std::size_t q) const { return rows ? rows[q] : first + q * stride; }
};

// The code of a feature is the integer nearest to (x - origin) * per_step, between `lowest` and `highest`; per_step is
// 0 for features without codes.
struct CodeScale {
    const double *origin, *per_step;
    double lowest, highest;
};

// How far a sample is from its codes, squared and in steps (NaN if the sample has a NaN); the sum of the squares of its
// codes, and their sum.
struct Coded {
    double off2 = 0, squares = 0, sum = 0;
};

// Words of short rows.
constexpr std::size_t kShortWords = 6;

struct IntegerProducts {
    int bits;          // of a code
    bool differences;  // whether distances are sums of |x - z|, not of squares
    // exp(-gamma distance) of row vectors[q] and each lane. The bits do not depend on the instruction set.
    void (*rbf)(const CodeRbf& of, const RowOutput& out);
    // The same for rows of up to kShortWords words, with a quicker exponential, which is precise enough for labels;
    // null where there is none.
    void (*short_rbf)(const CodeOperands& of, double gamma, const RowOutput& out);
    // out[lane] = the least of the squared distances in steps and what was there.
    void (*least)(const CodeOperands& of, float* out);
    // Write the codes of a sample's features side by side; bits of the last word without a feature are zero.
    Coded (*encode_floats)(const float* x, const CodeScale& by, std::size_t n_features, std::uint32_t* words);
    Coded (*encode_doubles)(const double* x, const CodeScale& by, std::size_t n_features, std::uint32_t* words);
};

// The functions of an instruction set for codes of 8 or 16 bits; null where there are none.
const IntegerProducts* integer_products(Level level, int bits, bool differences);

}  // namespace dagmar
