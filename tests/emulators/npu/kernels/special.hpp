// Functions of one variable that the standard library lacks, in double.
#pragma once

namespace assay::emulator {

double erfinv(double x);
double digamma(double x);
double sigmoid(double x);
double log_sigmoid(double x);
double softplus(double x);
double gelu_erf(double x);
double gelu_tanh(double x);
double gelu_erf_slope(double x);
double gelu_tanh_slope(double x);

}  // namespace assay::emulator
