// MindStudio Probe's PyTorch checker draws every tensor of a run from one generator, so a tensor's numbers depend on all tensors
// met before. This finds the generator's position for any tensor from the metadata of the calls before it, so that calls can come
// in any order.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dump/dump.hpp"
#include "dump/torch_draw.hpp"

namespace assay {

class TorchStream {
 public:
  explicit TorchStream(Dump dump) : dump_(std::move(dump)) {}

  /// The tensor at a place of the recording. [any-thread] Throws Error(ASSAY_OUT_OF_MEMORY).
  /// errors  kUnsupported: nothing can be drawn, or MindStudio Probe doesn't come to this element (it skips the call, or not all
  /// gradients
  ///         are drawn)
  Result<Tensor> make(const std::string& stem, const std::string& direction, const std::string& path);

 private:
  struct Place {
    std::string direction;
    std::string path;
    TorchDraw draw;
    std::uint64_t offset = 0;  ///< in words, from the start of the call
  };
  struct CallPlan {
    std::vector<Place> places;
    std::uint64_t words = 0;
  };

  [[nodiscard]] CallPlan plan(std::size_t call) const;
  /// Words taken by all calls before this one.
  std::uint64_t start_of(std::size_t call);
  /// The generator after so many words.
  std::mt19937 generator_at(std::uint64_t position);
  void remember(std::uint64_t position, const std::mt19937& generator);

  Dump dump_;
  std::mutex mutex_;
  std::vector<std::uint64_t> starts_{0};                          ///< of the calls reached so far
  std::deque<std::pair<std::uint64_t, std::mt19937>> snapshots_;  ///< the latest ones
};

}  // namespace assay
