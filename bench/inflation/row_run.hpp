// Measures one row of the table in this process.
#pragma once

#include "measurement.hpp"
#include "rows.hpp"
#include "training.hpp"

namespace assay::bench {

struct RunOptions {
  TrainingOptions training;
  std::int64_t narrow_scale = 16;  ///< of rows in bfloat16, whose products take seconds on processors without instructions for it
  std::string dtype;               ///< "float32", "bfloat16"; empty: bfloat16 where precision is improved, else float32
  int repetitions = 7;
  int threads = 2;
  double seconds = 30;  ///< after which no further repetition begins, but for the third
};

/// Plain, watched and run twice in turn, after one of each that doesn't count; memory in a round of its own.
Measurement measure_row(const PublishedRow& row, const RunOptions& options);

}  // namespace assay::bench
