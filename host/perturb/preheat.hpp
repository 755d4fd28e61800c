// Learns, per API and dtype, how large a ratio is normal, by asking a high-precision run about a sample of the calls.
//
//   Preheat preheat({.steps = 15, .max_samples = 20});
//   for (int step = 0; ...; ++step) {
//     preheat.begin_step(step);
//     for (call : calls) {
//       const std::size_t number = preheat.count_call(call.api);
//       compare with preheat.threshold(call.api, dtype);
//       if (preheat.wants_sample(call.api, number)) preheat.record(call.api, dtype, {ratio, agrees_with_high_precision});
//     }
//   }
//
// Step 0 only counts the calls of each API. In the steps after it, a few calls of each API are samples; when all of a step's
// samples are in, the threshold moves: down to where inconsistent results begin, halved while everything is consistent, doubled
// when a consistent result lies above it. From step `steps` on nothing moves any more.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "assay/sdk/dtype.hpp"

namespace assay {

struct PreheatOptions {
  int steps = 15;
  std::size_t max_samples = 20;  ///< per API and step
};

class Preheat {
 public:
  struct Sample {
    double ratio = 0;        ///< of the outputs; 0 for sign flips and integers
    bool consistent = true;  ///< the high-precision run agrees with the original
  };

  explicit Preheat(PreheatOptions options) : options_(options) {}

  void begin_step(int step);
  /// The number of this call among the API's calls of the step, from 1.
  std::size_t count_call(const std::string& api);
  [[nodiscard]] bool wants_sample(const std::string& api, std::size_t call_number) const;
  void record(const std::string& api, assay_dtype dtype, const Sample& sample);

  /// What holds before anything was learned.
  static constexpr double kUnlearned = 2.05;

  /// The largest consistent ratio.
  [[nodiscard]] double threshold(const std::string& api, assay_dtype dtype) const;

  /// The same for one API, by dtype; absent ones are not learned.
  using Thresholds = std::map<std::string, double>;
  [[nodiscard]] Thresholds thresholds(const std::string& api) const;

  struct Learned {
    std::string api;
    std::string dtype;
    double threshold;
    bool settled;  ///< the limit between consistent and inconsistent results was found
  };
  [[nodiscard]] std::vector<Learned> learned() const;

 private:
  struct Limit {
    double threshold = kUnlearned;
    bool settled = false;
  };
  struct Api {
    std::size_t calls = 0;      ///< counted in step 0
    std::size_t calls_now = 0;  ///< of the current step
    std::set<std::size_t> wanted;
    std::size_t received = 0;
    std::map<std::string, std::vector<Sample>> samples;  ///< by dtype
    std::map<std::string, Limit> limits;
  };

  static void adjust(Limit& limit, const std::vector<Sample>& samples, double floor);

  PreheatOptions options_;
  int step_ = 0;
  std::map<std::string, Api> apis_;
};

}  // namespace assay
