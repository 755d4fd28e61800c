// The order in which calls are handed out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay {

struct Costed {
  std::size_t position = 0;
  std::uint64_t cost = 0;
};

/// Calls in dump order, which is the order that disks like, but the few that are large beside a worker's share of the whole come
/// first, the largest at the front: none of them is left to run alone at the end.
std::vector<Costed> handing_order(std::vector<Costed> calls, unsigned workers);

}  // namespace assay
