// The two tests that random results are judged by.
#pragma once

#include <vector>

namespace assay {

/// Probability that a normal variable lies further than `sigma` standard deviations from its mean.
double two_sided_tail(double sigma);

/// Two-sided probability of a count at least as far from n * p as `count`, by the exact binomial distribution.
///
/// n, count  whole numbers, 0 <= count <= n;  p  in (0, 1)
/// cost      a few standard deviations of terms
double binomial_p_value(double n, double count, double p);

/// Two-sample Kolmogorov-Smirnov: probability of a largest distance between the two empirical distributions at least as large,
/// if both samples come from one distribution. Asymptotic formula; conservative for small samples and for values with ties.
/// Sorts its arguments; NaN must have been taken out.
double same_distribution_p_value(std::vector<double>& left, std::vector<double>& right);

}  // namespace assay
