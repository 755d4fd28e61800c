#include <gtest/gtest.h>

#include "assay/sdk/error.hpp"
#include "assay/sdk/value.hpp"

namespace assay {
namespace {

std::string text(assay_string s) { return {s.data, s.size}; }

TEST(ValueArena, LowersEveryKind) {
  ValueArena arena;
  EXPECT_EQ(arena.lower(Value()).kind, ASSAY_VALUE_NONE);
  EXPECT_EQ(arena.lower(Value(Ellipsis{})).kind, ASSAY_VALUE_ELLIPSIS);
  const Value yes(true);
  EXPECT_EQ(arena.lower(yes).kind, ASSAY_VALUE_BOOL);
  EXPECT_EQ(arena.lower(yes).as.boolean, 1);
  const Value integer(std::int64_t{-5});
  EXPECT_EQ(arena.lower(integer).kind, ASSAY_VALUE_INT);
  EXPECT_EQ(arena.lower(integer).as.integer, -5);
  EXPECT_EQ(arena.lower(Value(0.5)).as.real, 0.5);
  const assay_value complex = arena.lower(Value(std::complex<double>(1, -2)));
  EXPECT_EQ(complex.kind, ASSAY_VALUE_COMPLEX);
  EXPECT_EQ(complex.as.complex.imag, -2.0);
  const Value string(std::string("a\0b", 3));
  EXPECT_EQ(arena.lower(string).kind, ASSAY_VALUE_STRING);
  EXPECT_EQ(text(arena.lower(string).as.string), std::string("a\0b", 3));
  const Value format(MemoryFormat{"channels_last"});
  EXPECT_EQ(arena.lower(format).kind, ASSAY_VALUE_MEMORY_FORMAT);
  EXPECT_EQ(text(arena.lower(format).as.string), "channels_last");
  EXPECT_EQ(arena.lower(Value(kBFloat16)).as.dtype.code, ASSAY_DTYPE_BFLOAT);
  EXPECT_EQ(arena.lower(Value(assay_device{ASSAY_DEVICE_CUDA, 3})).as.device.id, 3);
  EXPECT_EQ(arena.lower(Value(assay_slice{1, 2, 3, ASSAY_SLICE_STOP, 0})).as.slice.present, std::uint32_t{ASSAY_SLICE_STOP});
  const Value tensor(Tensor::allocate(kFloat32, {2}));
  EXPECT_EQ(arena.lower(tensor).kind, ASSAY_VALUE_TENSOR);
  EXPECT_EQ(arena.lower(tensor).as.tensor, &tensor.as<Tensor>().abi());
}

TEST(ValueArena, KeepsNestedArraysInPlaceWhileItGrows) {
  List inner;
  for (std::int64_t i = 0; i < 100; ++i) inner.items.emplace_back(i);
  Dict dict;
  dict.items.emplace_back("list", Value(inner));
  dict.items.emplace_back("tuple", Value(Tuple{{Value(std::string("x")), Value()}}));
  const Value tree(dict);
  ValueArena arena;
  const assay_value lowered = arena.lower(tree);
  for (int i = 0; i < 1000; ++i) arena.lower(tree);
  ASSERT_EQ(lowered.kind, ASSAY_VALUE_DICT);
  ASSERT_EQ(lowered.as.dict.size, 2u);
  EXPECT_STREQ(lowered.as.dict.items[0].name, "list");
  const assay_sequence list = lowered.as.dict.items[0].value.as.sequence;
  ASSERT_EQ(list.size, 100u);
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(list.items[i].as.integer, i);
  const assay_value tuple = lowered.as.dict.items[1].value;
  EXPECT_EQ(tuple.kind, ASSAY_VALUE_TUPLE);
  EXPECT_EQ(text(tuple.as.sequence.items[0].as.string), "x");
  EXPECT_EQ(tuple.as.sequence.items[1].kind, ASSAY_VALUE_NONE);
}

TEST(GiveResults, MovesEverythingToTheCallerUntilRelease) {
  auto memory = std::make_shared<float>(3.0f);
  const std::weak_ptr<float> watch = memory;
  Results results;
  results.outputs.emplace_back(Tensor::wrap(memory.get(), kFloat32, {}, {}, memory, false));
  results.outputs.emplace_back(List{{Value(std::int64_t{1})}});
  results.gradients.emplace_back("0.1", Value());
  results.mutated.emplace_back("weight", results.outputs[0]);
  results.notes.emplace_back("computed in float32");
  memory.reset();

  assay_results out{};
  out.struct_size = sizeof out;
  give_results(std::move(results), out);
  ASSERT_EQ(out.output_count, 2u);
  EXPECT_EQ(TensorView(*out.outputs[0].as.tensor).number_at(0), 3.0);
  EXPECT_EQ(out.outputs[1].as.sequence.items[0].as.integer, 1);
  ASSERT_EQ(out.gradient_count, 1u);
  EXPECT_STREQ(out.gradients[0].path, "0.1");
  EXPECT_EQ(out.gradients[0].value.kind, ASSAY_VALUE_NONE);
  ASSERT_EQ(out.mutated_count, 1u);
  EXPECT_STREQ(out.mutated[0].path, "weight");
  ASSERT_EQ(out.note_count, 1u);
  EXPECT_STREQ(out.notes[0], "computed in float32");
  EXPECT_FALSE(watch.expired());
  out.release(&out);
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(out.release, nullptr);
}

TEST(GiveResults, GivesNothingForNothing) {
  assay_results out{};
  out.struct_size = sizeof out;
  give_results(Results(), out);
  EXPECT_EQ(out.output_count + out.gradient_count + out.mutated_count + out.note_count, 0u);
  out.release(&out);
}

TEST(Guard, TurnsWhateverIsThrownIntoAStatus) {
  ErrorSlot error;
  EXPECT_EQ(guard(error.get(), [] {}), ASSAY_OK);
  EXPECT_EQ(error.message(), "no message given");
  EXPECT_EQ(guard(error.get(), [] { throw Error(ASSAY_NOT_FOUND, "no API 'x'"); }), ASSAY_NOT_FOUND);
  EXPECT_EQ(error.message(), "no API 'x'");
  EXPECT_EQ(error.get()->code, ASSAY_NOT_FOUND);
  ErrorSlot memory;
  EXPECT_EQ(guard(memory.get(), [] { throw std::bad_alloc(); }), ASSAY_OUT_OF_MEMORY);
  ErrorSlot defect;
  EXPECT_EQ(guard(defect.get(), [] { throw std::logic_error("broken"); }), ASSAY_INTERNAL);
  EXPECT_EQ(defect.message(), "broken");
  ErrorSlot number;
  EXPECT_EQ(guard(number.get(), [] { throw 1; }), ASSAY_INTERNAL);
}

TEST(Guard, AcceptsCallersThatWantNoDetail) {
  EXPECT_EQ(guard(nullptr, [] { throw Error(ASSAY_UNSUPPORTED, "no"); }), ASSAY_UNSUPPORTED);
  assay_error shorter{};
  shorter.struct_size = 8;
  EXPECT_EQ(guard(&shorter, [] { throw Error(ASSAY_UNSUPPORTED, "no"); }), ASSAY_UNSUPPORTED);
  EXPECT_EQ(shorter.message, nullptr) << "fields beyond the caller's struct_size stay untouched";
}

}  // namespace
}  // namespace assay
