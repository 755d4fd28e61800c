#include "layout.hpp"

namespace assay::operators {

namespace {

[[noreturn]] void does_not_fit(const char* what, const Shape& shape, const std::string& name) {
  throw Error(ASSAY_INVALID_ARGUMENT, std::string(what) + " of shape " + text(shape) + " does not fit layout " + name);
}

}  // namespace

Layout::Layout(const std::string& name, const Shape& shape, std::int64_t heads, std::int64_t head_size,
               const std::vector<std::int64_t>& ends, const char* what)
    : heads_(heads), head_size_(head_size) {
  const bool merged = name == "BSH" || name == "SBH";
  if (!merged && name != "BSND" && name != "BNSD" && name != "TND")
    throw Error(ASSAY_UNSUPPORTED, "input_layout '" + name + "' is not supported");
  if (shape.size() != (merged || name == "TND" ? 3u : 4u)) does_not_fit(what, shape, name);

  if (merged) {
    const std::int64_t hidden = shape[2];
    if (heads_ == 0 && head_size_ > 0) heads_ = hidden / head_size_;
    if (heads_ <= 0 || hidden % heads_ != 0) does_not_fit(what, shape, name);
    head_size_ = hidden / heads_;
    head_stride_ = head_size_;
    const bool batch_first = name == "BSH";
    const std::int64_t batch = shape[batch_first ? 0 : 1];
    const std::int64_t length = shape[batch_first ? 1 : 0];
    sequence_stride_ = batch_first ? length * hidden : hidden;
    position_stride_ = batch_first ? hidden : batch * hidden;
    lengths_.assign(static_cast<std::size_t>(batch), length);
  } else {
    const std::size_t head_dim = name == "BNSD" || name == "TND" ? 1 : 2;
    if (heads_ != 0 && heads_ != shape[head_dim]) does_not_fit(what, shape, name);
    heads_ = shape[head_dim];
    head_size_ = shape.back();
    if (name == "BNSD") {
      head_stride_ = shape[2] * head_size_;
      position_stride_ = head_size_;
    } else {
      head_stride_ = head_size_;
      position_stride_ = heads_ * head_size_;
    }
    if (name != "TND") {
      sequence_stride_ = count(shape, 1, 4);
      lengths_.assign(static_cast<std::size_t>(shape[0]), shape[name == "BNSD" ? 2 : 1]);
    }
  }
  starts_.assign(lengths_.size(), 0);
  if (name != "TND") return;

  std::int64_t start = 0;
  for (const std::int64_t end : ends) {
    // Sequences at the end that take no part are recorded as 0.
    const std::int64_t stop = end == 0 ? start : end;
    if (stop < start || stop > shape[0]) {
      throw Error(ASSAY_INVALID_ARGUMENT, "the sequence lengths " + text(ends) + " of " + what + " are not cumulative within " +
                                              std::to_string(shape[0]) + " rows");
    }
    starts_.push_back(start);
    lengths_.push_back(stop - start);
    start = stop;
  }
}

std::int64_t Layout::offset(std::int64_t sequence, std::int64_t head) const {
  return sequence * sequence_stride_ + start(sequence) * position_stride_ + head * head_stride_;
}

}  // namespace assay::operators
