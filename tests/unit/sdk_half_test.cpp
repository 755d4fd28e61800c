// Exhaustive: every bit pattern of every narrow format, and the rounding at every boundary between two neighbours.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "assay/sdk/half.hpp"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Format {
  const char* name;
  unsigned bits;
  int exponent_bits;
  int fraction_bits;
  bool infinity;
  double (*widen)(unsigned);
  unsigned (*narrow)(double);
};

const Format kFormats[] = {
    {"float16", 16, 5, 10, true, [](unsigned b) { return float16_to_double(static_cast<std::uint16_t>(b)); },
     [](double v) { return unsigned{double_to_float16(v)}; }},
    {"bfloat16", 16, 8, 7, true, [](unsigned b) { return bfloat16_to_double(static_cast<std::uint16_t>(b)); },
     [](double v) { return unsigned{double_to_bfloat16(v)}; }},
    {"float8_e4m3fn", 8, 4, 3, false, [](unsigned b) { return float8_e4m3fn_to_double(static_cast<std::uint8_t>(b)); },
     [](double v) { return unsigned{double_to_float8_e4m3fn(v)}; }},
    {"float8_e5m2", 8, 5, 2, true, [](unsigned b) { return float8_e5m2_to_double(static_cast<std::uint8_t>(b)); },
     [](double v) { return unsigned{double_to_float8_e5m2(v)}; }}};

/// The value of a pattern by the definition of the format, by repeated exact doubling and halving.
double by_definition(const Format& f, unsigned pattern) {
  const unsigned exponent = (pattern >> f.fraction_bits) & ((1u << f.exponent_bits) - 1);
  const unsigned fraction = pattern & ((1u << f.fraction_bits) - 1);
  const unsigned top = (1u << f.exponent_bits) - 1;
  double value = fraction;
  if (f.infinity && exponent == top) {
    value = fraction == 0 ? kInf : std::numeric_limits<double>::quiet_NaN();
  } else if (!f.infinity && exponent == top && fraction == (1u << f.fraction_bits) - 1) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    if (exponent != 0) value += 1u << f.fraction_bits;
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    int scale = (exponent == 0 ? 1 : static_cast<int>(exponent)) - bias - f.fraction_bits;
    for (; scale > 0; --scale) value *= 2;
    for (; scale < 0; ++scale) value /= 2;
  }
  return (pattern >> (f.bits - 1)) != 0 ? -value : value;
}

TEST(Half, WidensEveryPatternExactly) {
  for (const Format& f : kFormats) {
    for (unsigned pattern = 0; pattern < 1u << f.bits; ++pattern) {
      const double actual = f.widen(pattern);
      const double expected = by_definition(f, pattern);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(actual)) << f.name << " " << pattern;
      } else {
        ASSERT_EQ(actual, expected) << f.name << " " << pattern;
        ASSERT_EQ(std::signbit(actual), std::signbit(expected)) << f.name << " " << pattern;
      }
    }
  }
}

TEST(Half, NarrowsEveryValueBackToItsPattern) {
  for (const Format& f : kFormats) {
    for (unsigned pattern = 0; pattern < 1u << f.bits; ++pattern) {
      const double value = f.widen(pattern);
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(f.widen(f.narrow(value)))) << f.name << " " << pattern;
      } else {
        ASSERT_EQ(f.narrow(value), pattern) << f.name;
      }
    }
  }
}

TEST(Half, RoundsToNearestEvenBetweenAllNeighbours) {
  for (const Format& f : kFormats) {
    const unsigned sign = 1u << (f.bits - 1);
    unsigned boundaries = 0;
    for (unsigned low = 0; std::isfinite(f.widen(low)) && std::isfinite(f.widen(low + 1)); ++low) {
      const double middle = (f.widen(low) + f.widen(low + 1)) / 2;
      const unsigned even = low % 2 == 0 ? low : low + 1;
      ASSERT_EQ(f.narrow(middle), even) << f.name << " " << low;
      ASSERT_EQ(f.narrow(-middle), even | sign) << f.name << " " << low;
      ASSERT_EQ(f.narrow(std::nextafter(middle, 0.0)), low) << f.name << " " << low;
      ASSERT_EQ(f.narrow(std::nextafter(middle, kInf)), low + 1) << f.name << " " << low;
      ++boundaries;
    }
    EXPECT_GT(boundaries, 100u) << f.name;
  }
}

TEST(Half, OverflowsHalfAStepBeyondTheLargestNumber) {
  for (const Format& f : kFormats) {
    unsigned largest = 0;
    while (std::isfinite(f.widen(largest + 1))) ++largest;
    const double step = f.widen(largest) - f.widen(largest - 1);
    const double limit = f.widen(largest) + step / 2;
    // At the limit itself the even neighbour wins: the overflow for the IEEE formats, the number for e4m3fn.
    EXPECT_EQ(f.narrow(limit), largest % 2 == 0 ? largest : largest + 1) << f.name;
    EXPECT_EQ(f.narrow(std::nextafter(limit, 0.0)), largest) << f.name;
    for (const double beyond : {std::nextafter(limit, kInf), 1e30 * limit, 1e300, kInf}) {
      const double back = f.widen(f.narrow(beyond));
      EXPECT_TRUE(f.infinity ? back == kInf : std::isnan(back)) << f.name << " " << beyond;
    }
  }
}

TEST(Half, KeepsTheSignOfZeroAndOfUnderflow) {
  for (const Format& f : kFormats) {
    EXPECT_EQ(f.narrow(0.0), 0u) << f.name;
    EXPECT_EQ(f.narrow(-0.0), 1u << (f.bits - 1)) << f.name;
    EXPECT_EQ(f.narrow(-std::numeric_limits<double>::denorm_min()), 1u << (f.bits - 1)) << f.name;
  }
}

}  // namespace
}  // namespace assay
