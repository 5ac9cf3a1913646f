// Distances and rbf values between samples, behind plain functions: products and kernel function in one pass.
//
// Features are floats, or small integers. Products of 16-bit or 8-bit integers take half or a quarter of the time of
// float ones, and are exact. Samples stand in panels of kLanes, as in simd.hpp, but in *words* of 32 bits, which hold
// the levels of two features (16 bits) or of four (8 bits): panel[word * kLanes + lane].
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd.hpp"

namespace dagmar {

// Rows, of which `vectors` names those that are asked for, and the panels they meet, both of n_words words. The squared
// distance of a row and a lane is row_norm + lane_norm - 2 <row, lane>. Integers wrap around: only the distance itself
// must be in range.
template <class Word, class Norm>
struct RowsAndPanels {
    const Word* rows;
    std::size_t stride;  // from row to row
    const Norm* row_norms;
    const std::int32_t* vectors;
    std::size_t n_vectors;
    const Word* panels;
    const Norm* lane_norms;
    std::size_t n_panels, n_words;
};
using GridOperands = RowsAndPanels<std::uint32_t, std::int32_t>;
using FloatOperands = RowsAndPanels<float, float>;

// How features become levels: the integer nearest to (x - origin) * per_step, between lowest and highest.
struct GridScale {
    const double* origin;
    double per_step, lowest, highest;
};

// A sample as levels: how far it is from them, squared and in steps (not a number if the sample has such), the squares
// of the levels and their sum.
struct Levelled {
    double off2, squares, sum;
};

struct GridProducts {
    int bits;       // of a level
    bool doubled;   // whether rows hold their levels times -2
    double faster;  // than products of float: features that take the time of one
    // out[q * n_panels * kLanes + lane] = exp(-gamma distance) of row vectors[q].
    void (*rbf)(const GridOperands& of, double gamma, float* out);
    // sums[lane] += the sum of coef[q] times these, in blocks as sum_in_blocks of simd.hpp; only for rows of up to
    // kShortWords words, and null where there is none.
    void (*sum)(const GridOperands& of, double gamma, const float* coef, double* sums);
    // out[lane] = the least of the distances and what was there; and the distances themselves, as those of rbf.
    void (*least)(const GridOperands& of, float* out);
    void (*distances)(const GridOperands& of, float* out);
    // Writes the levels of a sample's features side by side.
    Levelled (*levels_of_floats)(const float* x, const GridScale& by, std::size_t n_features, std::uint32_t* words);
    Levelled (*levels_of_doubles)(const double* x, const GridScale& by, std::size_t n_features, std::uint32_t* words);
    // Widens the extents of features, low ... high, by those of some rows.
    void (*extent_of_floats)(const float* x, std::size_t n_rows, std::size_t n_features, double* low, double* high);
    void (*extent_of_doubles)(const double* x, std::size_t n_rows, std::size_t n_features, double* low, double* high);
};

// Words of short rows.
constexpr std::size_t kShortWords = 6;

// The functions of a level for levels of so many bits (8 and 7: the rows are signed and the lanes are unsigned; 7: the
// levels of rows are from -63 to 63, and doubled); null where they would not be faster than float.
const GridProducts* grid_products(Level level, int bits);

// The same for training samples, whose levels begin at 0: many features of a pixel are 0 then, and words of such are
// not multiplied. The squared distance of two samples is that of their levels, times a factor, plus that of the
// features without levels.
struct LevelEntry {
    std::uint32_t word, place;
};
struct LevelEntries {
    const LevelEntry* first;
    std::size_t n;
};
struct LevelOperands {
    GridOperands of;
    const LevelEntries* entries;  // of each row, those that are not 0; null if rows are multiplied whole
    // The features without levels: of each row, the nonzeros (null if there are no such features) and the squared norm;
    // and those of the lanes.
    const Nonzeros<float>* rest;
    const float *rest_of_rows, *rest_of_lanes;
    double gamma, rest_gamma;  // for distances in levels, and for those without
};

// The squares of the levels of a sample, and their sum.
struct LevelSums {
    std::int64_t squares, sum;
};

// Of each feature: the lowest and the highest value, and how far a value is from a whole number of steps from `origin`
// at most, in steps.
struct LevelSurvey {
    const double* origin;
    double per_unit;
    double *low, *high, *off;
};

struct LevelProducts {
    int bits;  // of a level
    // out[q][lane] = the rbf value of row vectors[q]; before that, the dot products of the features without levels, if
    // the row has nonzeros there. 8 bits: the rows are unsigned, and the lanes are signed, so that they are 128 below
    // their levels. The bits of a value do not depend on those of the words.
    void (*rbf)(const LevelOperands& of, float* const* out);
    // Writes the levels of a sample, (x - origin) * per_unit, side by side.
    LevelSums (*pack_floats)(const float* x, const double* origin, const double* per_unit, std::size_t n_features,
                             std::uint32_t* words);
    LevelSums (*pack_doubles)(const double* x, const double* origin, const double* per_unit, std::size_t n_features,
                              std::uint32_t* words);
    // Widens what is said of features by some rows.
    void (*survey_floats)(const float* x, std::size_t n_rows, std::size_t n_features, const LevelSurvey& to);
    void (*survey_doubles)(const double* x, std::size_t n_rows, std::size_t n_features, const LevelSurvey& to);
};

// The functions for levels up to this one, in as few bits as this processor multiplies fast; null where there are none.
const LevelProducts* level_products(Level level, double highest);

// The same as in GridProducts for floats, in the rows and panels of simd.hpp. The rbf values have the bits of its
// `dots` and `rbf`.
struct FloatProducts {
    void (*rbf)(const FloatOperands& of, double gamma, float* out);
    void (*least)(const FloatOperands& of, float* out);
};

// The functions of a level; null where there are none.
const FloatProducts* float_products(Level level);

}  // namespace dagmar
