#include "problem.hpp"

#include "results.hpp"

namespace assay::operators {

namespace {

constexpr std::int64_t kNoLimit = 2147483647;

Shape with_last(Shape shape, std::int64_t last) {
  shape.back() = last;
  return shape;
}

void require_pse_fit(const Array& pse, const Layout& query, const Layout& key, const std::string& layout) {
  if (layout == "TND") throw Error(ASSAY_UNSUPPORTED, "pse with layout TND is not supported");
  const std::int64_t queries = query.sequences() > 0 ? query.length(0) : 0;
  const std::int64_t keys = key.sequences() > 0 ? key.length(0) : 0;
  const bool fits = pse.shape.size() == 4 && (pse.shape[0] == 1 || pse.shape[0] == query.sequences()) &&
                    pse.shape[1] == query.heads() && (pse.shape[2] == 1 || pse.shape[2] == queries) && pse.shape[3] == keys;
  if (!fits) {
    throw Error(ASSAY_UNSUPPORTED,
                "pse of shape " + text(pse.shape) + " is not one number a score (compressed forms are not supported)");
  }
}

}  // namespace

AttentionProblem attention_problem(const Arguments& args, const char* default_layout) {
  Array query = args.array("query");
  Array key = args.array("key");
  Array value = args.array("value");
  const std::string layout = args.string("input_layout", default_layout);
  const std::int64_t heads = args.integer("head_num");
  if (heads <= 0) throw Error(ASSAY_INVALID_ARGUMENT, "head_num " + std::to_string(heads) + " is not positive");
  for (const char* name : {"padding_mask", "prefix"}) {
    if (args.has(name)) throw Error(ASSAY_UNSUPPORTED, std::string("argument '") + name + "' is not supported");
  }
  std::vector<std::int64_t> query_ends;
  std::vector<std::int64_t> key_ends;
  if (layout == "TND") {
    query_ends = args.integers("actual_seq_qlen");
    key_ends = args.integers("actual_seq_kvlen");
  }
  const Layout query_layout(layout, query.shape, heads, 0, query_ends, "query");
  const Layout key_layout(layout, key.shape, 0, query_layout.head_size(), key_ends, "key");
  const Layout value_layout(layout, value.shape, key_layout.heads(), 0, key_ends, "value");
  bool agree = query_layout.sequences() == key_layout.sequences() && key_layout.sequences() == value_layout.sequences() &&
               query_layout.head_size() == key_layout.head_size() && key_layout.heads() > 0 && heads % key_layout.heads() == 0;
  for (std::int64_t s = 0; agree && s < key_layout.sequences(); ++s) agree = key_layout.length(s) == value_layout.length(s);
  if (!agree) {
    throw Error(ASSAY_INVALID_ARGUMENT, "query " + text(query.shape) + ", key " + text(key.shape) + " and value " +
                                            text(value.shape) + " don't fit together");
  }
  const bool merged = layout == "BSH" || layout == "SBH";
  const Shape output = with_last(query.shape, merged ? heads * value_layout.head_size() : value_layout.head_size());
  const Layout output_layout(layout, output, heads, 0, query_ends, "output");

  std::optional<Array> pse = args.optional_array("pse");
  if (pse) require_pse_fit(*pse, query_layout, key_layout, layout);
  ScoreMask mask(args.optional_array("atten_mask"), args.integer("sparse_mode", 0), args.integer("pre_tokens", kNoLimit),
                 args.integer("next_tokens", kNoLimit));
  for (std::int64_t s = 0; s < query_layout.sequences(); ++s)
    mask.require_fit(query_layout.sequences(), heads, query_layout.length(s), key_layout.length(s));
  std::optional<TensorView> drop;
  if (args.has("drop_mask")) drop = args.tensor("drop_mask");
  KeepMask keep(drop, args.real("keep_prob", 1.0), score_count(query_layout, key_layout));
  return {std::move(query), std::move(key), std::move(value), std::move(pse),          query_layout,    key_layout,
          value_layout,     output,         output_layout,    args.real("scale", 1.0), std::move(mask), std::move(keep)};
}

Results attention_gradients(const Arguments& args, const AttentionProblem& problem) {
  AttentionGradients g = attend_backward(problem, grad_output(args.call(), 0, problem.output_shape));
  return gradients(
      args, {{"query", std::move(g.query)}, {"key", std::move(g.key)}, {"value", std::move(g.value)}, {"pse", std::move(g.pse)}});
}

void note_blind_rows(const AttentionResult& result, Results& results) {
  if (result.blind_rows == 0) return;
  results.notes.push_back(std::to_string(result.blind_rows) +
                          " rows see no key: 0 in the reference, another value where a device fills masked scores with a number");
}

}  // namespace assay::operators
