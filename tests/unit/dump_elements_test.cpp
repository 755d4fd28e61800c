// One test for each kind of element that dumps hold, positional and keyword alike, and for each way an entry can be wrong.
#include <cmath>

#include "dump/entry_decoder.hpp"
#include "dump_fixture.hpp"

namespace assay {
namespace {

/// The element as the only positional argument and as a keyword: both must come out alike.
std::pair<Element, Element> decode_both(const std::string& json) {
  const RecordedDirection direction = decode_entry(
      R"({"input_args": [)" + json + R"(], "input_kwargs": {"k": )" + json + "}, \"output\": []}", "Torch.f.0.forward", false);
  if (direction.error) throw std::runtime_error(*direction.error);
  return {direction.inputs.at(0), direction.kwargs.at(0).second};
}

/// Checks `check` on both.
template <class F>
void expect_both(const std::string& json, F&& check) {
  SCOPED_TRACE(json);
  const auto [positional, keyword] = decode_both(json);
  check(positional);
  check(keyword);
}

template <class T>
void expect_value(const std::string& json, const T& expected) {
  expect_both(json, [&](const Element& element) {
    const auto* value = element.get_if<Value>();
    ASSERT_NE(value, nullptr);
    const T* held = value->get_if<T>();
    ASSERT_NE(held, nullptr);
    EXPECT_EQ(*held, expected);
  });
}

void expect_opaque(const std::string& json, const std::string& reason) {
  expect_both(json, [&](const Element& element) {
    const auto* opaque = element.get_if<OpaqueElement>();
    ASSERT_NE(opaque, nullptr);
    EXPECT_EQ(opaque->reason, reason);
  });
}

std::string error_of(const std::string& entry, bool backward = false) {
  const RecordedDirection direction = decode_entry(entry, backward ? "Torch.f.0.backward" : "Torch.f.0.forward", backward);
  EXPECT_TRUE(direction.inputs.empty());
  return direction.error.value_or("none");
}

std::string error_of_argument(const std::string& json) { return error_of("{\"input_args\": [" + json + "]}"); }

TEST(DumpElements, ReadsNoneAndPlainValues) {
  expect_both("null", [](const Element& element) { EXPECT_TRUE(element.get_if<Value>()->is<None>()); });
  expect_value<bool>(R"({"type": "bool", "value": true})", true);
  expect_value<std::int64_t>(R"({"type": "int", "value": -9223372036854775808})", std::numeric_limits<std::int64_t>::min());
  expect_value<double>(R"({"type": "float", "value": 0.1})", 0.1);
  expect_value<double>(R"({"type": "float", "value": 3})", 3.0);
  expect_value<double>(R"({"type": "float", "value": -Infinity})", -std::numeric_limits<double>::infinity());
  expect_value<std::string>(R"({"type": "str", "value": "a\"b\u00e9"})", "a\"b\xc3\xa9");
  expect_both(R"({"type": "float", "value": NaN})",
              [](const Element& element) { EXPECT_TRUE(std::isnan(element.get_if<Value>()->as<double>())); });
}

TEST(DumpElements, ReadsSlicesAndEllipsis) {
  expect_both(R"({"type": "slice", "value": [1, null, -2]})", [](const Element& element) {
    const auto& slice = element.get_if<Value>()->as<assay_slice>();
    EXPECT_EQ(slice.start, 1);
    EXPECT_EQ(slice.step, -2);
    EXPECT_EQ(slice.present, static_cast<std::uint32_t>(ASSAY_SLICE_START) | static_cast<std::uint32_t>(ASSAY_SLICE_STEP));
  });
  expect_both(R"({"type": "ellipsis", "value": "..."})",
              [](const Element& element) { EXPECT_TRUE(element.get_if<Value>()->is<Ellipsis>()); });
}

TEST(DumpElements, ReadsSizesDtypesDevicesAndMemoryFormats) {
  expect_both(R"({"type": "torch.Size", "value": [0, 3]})", [](const Element& element) {
    const auto& sizes = element.get_if<Value>()->as<Tuple>().items;
    ASSERT_EQ(sizes.size(), 2u);
    EXPECT_EQ(sizes[1].as<std::int64_t>(), 3);
  });
  const auto expect_dtype = [](const std::string& json, assay_dtype dtype) {
    expect_both(json, [&](const Element& element) { EXPECT_TRUE(element.get_if<Value>()->as<assay_dtype>() == dtype); });
  };
  expect_dtype(R"({"type": "torch.dtype", "value": "torch.bfloat16"})", kBFloat16);
  expect_dtype(R"({"type": "torch.dtype", "value": "torch.half"})", kFloat16);
  expect_dtype(R"({"type": "mindspore.dtype", "value": "Float32"})", kFloat32);
  expect_dtype(R"({"type": "mindspore.dtype", "value": "Bool"})", kBool);
  expect_opaque(R"({"type": "torch.dtype", "value": "torch.quint8"})", "dtype 'torch.quint8' is not supported");
  const auto expect_device = [](const std::string& json, std::int32_t type, std::int32_t id) {
    expect_both(json, [&](const Element& element) {
      EXPECT_EQ(element.get_if<Value>()->as<assay_device>().type, type);
      EXPECT_EQ(element.get_if<Value>()->as<assay_device>().id, id);
    });
  };
  expect_device(R"({"type": "torch.device", "value": "npu:3"})", ASSAY_DEVICE_EXTENSION, 3);
  expect_device(R"({"type": "torch.device", "value": "npu:None"})", ASSAY_DEVICE_EXTENSION, 0);
  expect_device(R"({"type": "torch.device", "value": "cuda:1"})", ASSAY_DEVICE_CUDA, 1);
  expect_device(R"({"type": "torch.device", "value": "cpu"})", ASSAY_DEVICE_CPU, 0);
  expect_device(R"({"type": "torch.device", "value": 2})", ASSAY_DEVICE_EXTENSION, 2);
  expect_opaque(R"({"type": "torch.device", "value": "meta"})", "device 'meta' is not supported");
  expect_both(R"({"type": "torch.memory_format", "format": "channels_last"})",
              [](const Element& element) { EXPECT_EQ(element.get_if<Value>()->as<MemoryFormat>().name, "channels_last"); });
  expect_opaque(R"({"type": "torch.memory_format", "format": "other"})", "memory format 'other' is not supported");
}

TEST(DumpElements, ReadsNumpyScalarsWithAndWithoutPrefix) {
  expect_value<double>(R"({"type": "float32", "value": 1.5})", 1.5);
  expect_value<double>(R"({"type": "numpy.float64", "value": 2})", 2.0);
  expect_value<std::int64_t>(R"({"type": "int64", "value": 7})", 7);
  expect_value<std::int64_t>(R"({"type": "numpy.uint8", "value": 255})", 255);
  expect_value<bool>(R"({"type": "bool_", "value": false})", false);
  expect_value<std::string>(R"({"type": "numpy.str_", "value": "x"})", "x");
}

TEST(DumpElements, KeepsListsAndDictionariesInOrder) {
  expect_both(R"([{"type": "int", "value": 1}, [null, {"b": null, "a": {"type": "str", "value": "s"}}], []])",
              [](const Element& element) {
                const auto& items = element.get_if<ElementList>()->items;
                ASSERT_EQ(items.size(), 3u);
                const auto& inner = items[1].get_if<ElementList>()->items;
                const auto& dict = inner.at(1).get_if<ElementDict>()->items;
                EXPECT_EQ(dict.at(0).first, "b");
                EXPECT_EQ(dict.at(1).second.get_if<Value>()->as<std::string>(), "s");
                EXPECT_TRUE(items[2].get_if<ElementList>()->items.empty());
              });
  expect_both(R"({"type": {"type": "int", "value": 1}})", [](const Element& element) {
    EXPECT_NE(element.get_if<ElementDict>(), nullptr) << "a dictionary may have a key 'type'";
  });
}

TEST(DumpElements, ReadsTensorsWithAllTheirFields) {
  expect_both(R"({"type": "torch.nn.parameter.Parameter", "dtype": "torch.float16", "shape": [2, 0, 3], "Max": Infinity, "Min": -1,
                  "Mean": null, "Norm": NaN, "requires_grad": true, "Max_except_inf_nan": 2.5, "Min_except_inf_nan": -1.0,
                  "datapath": "old.pt", "data_name": "new.pt", "md5": "0a1b2c3d"})",
              [](const Element& element) {
                const auto* tensor = element.get_if<TensorElement>();
                ASSERT_NE(tensor, nullptr);
                EXPECT_EQ(tensor->type, "torch.nn.parameter.Parameter");
                EXPECT_EQ(tensor->dtype_text, "torch.float16");
                EXPECT_TRUE(*tensor->dtype == kFloat16);
                EXPECT_EQ(tensor->shape, (std::vector<std::int64_t>{2, 0, 3}));
                EXPECT_TRUE(std::isinf(*tensor->max));
                EXPECT_EQ(tensor->min, -1.0);
                EXPECT_FALSE(tensor->mean);
                EXPECT_TRUE(std::isnan(*tensor->norm));
                EXPECT_EQ(tensor->max_finite, 2.5);
                EXPECT_EQ(tensor->min_finite, -1.0);
                EXPECT_TRUE(tensor->requires_grad);
                EXPECT_FALSE(tensor->bounds_are_integers);
                EXPECT_EQ(tensor->data_name, "old.pt");
                EXPECT_EQ(tensor->md5, "0a1b2c3d");
              });
  expect_both(
      R"({"type": "mindspore.Tensor", "dtype": "Bool", "shape": [2], "Max": false, "Min": false, "Mean": null, "Norm": null})",
      [](const Element& element) {
        const auto* tensor = element.get_if<TensorElement>();
        EXPECT_TRUE(tensor->bounds_are_integers);
        EXPECT_EQ(tensor->max, 0.0);
        EXPECT_EQ(tensor->max_integer, 0);
      });
  expect_both(R"({"type": "mindspore.Tensor", "dtype": "HiFloat8", "shape": [], "md5": "0x0123456789abcdef"})",
              [](const Element& element) {
                EXPECT_FALSE(element.get_if<TensorElement>()->dtype);
                EXPECT_EQ(element.get_if<TensorElement>()->dtype_text, "HiFloat8");
                EXPECT_FALSE(element.get_if<TensorElement>()->max);
              });
  expect_both(
      R"({"type": "torch.Tensor", "dtype": "torch.int64", "shape": [1], "Max": 9223372036854775807, "Min": 9007199254740993})",
      [](const Element& element) {
        EXPECT_EQ(element.get_if<TensorElement>()->max_integer, std::numeric_limits<std::int64_t>::max());
        EXPECT_EQ(element.get_if<TensorElement>()->min_integer, 9007199254740993);
      });
}

TEST(DumpElements, KnowsEveryDtypeName) {
  for (const char* name : {"Float16",
                           "BFloat16",
                           "Float32",
                           "Float64",
                           "Int8",
                           "Int16",
                           "Int32",
                           "Int64",
                           "UInt8",
                           "UInt16",
                           "UInt32",
                           "UInt64",
                           "Bool",
                           "Complex64",
                           "Complex128",
                           "Float8E4M3FN",
                           "Float8E5M2",
                           "torch.float16",
                           "torch.bfloat16",
                           "torch.float32",
                           "torch.float64",
                           "torch.int8",
                           "torch.int16",
                           "torch.int32",
                           "torch.int64",
                           "torch.uint8",
                           "torch.bool",
                           "torch.complex64",
                           "torch.complex128",
                           "torch.float8_e4m3fn",
                           "torch.float8_e5m2"}) {
    const std::string json = R"({"type": "torch.Tensor", "shape": [], "dtype": ")" + std::string(name) + "\"}";
    expect_both(json, [](const Element& element) { EXPECT_TRUE(element.get_if<TensorElement>()->dtype); });
  }
  for (const char* name : {"Int4", "HiFloat8", "torch.float8_e8m0fnu", "torch.float4_e2m1fn_x2", "torch_npu.HiFloat8Tensor", ""}) {
    const std::string json = R"({"type": "torch.Tensor", "shape": [], "dtype": ")" + std::string(name) + "\"}";
    expect_both(json, [](const Element& element) { EXPECT_FALSE(element.get_if<TensorElement>()->dtype); });
  }
}

TEST(DumpElements, ReadsNumpyArraysAndPassesByTextOnes) {
  expect_both(R"({"type": "numpy.ndarray", "dtype": "float32", "shape": [2], "Max": 1, "Min": 0, "Mean": 0.5, "Norm": 1})",
              [](const Element& element) { EXPECT_TRUE(*element.get_if<TensorElement>()->dtype == kFloat32); });
  expect_opaque(R"({"type": "numpy.ndarray", "dtype": "<U3", "shape": [2]})", "a NumPy array of dtype '<U3'");
}

TEST(DumpElements, NamesWhatCanNotBeReplayed) {
  expect_opaque("{}", "an empty object: a dtype or device passed by position, or an empty dict; the recording lost it");
  expect_opaque(R"({"type": "torch.ProcessGroup", "group_ranks": [0, 1], "group_id": "2144df1c"})", "a process group");
  expect_opaque(R"({"type": "mindspore.ProcessGroup", "group_ranks": [0], "group_id": "2144df1c"})", "a process group");
  expect_opaque(R"({"type": "torch.distributed.ReduceOp", "value": "SUM"})", "a reduction of a collective");
  expect_opaque(R"({"class_type": "torch.distributed.P2POp", "tensor": {}, "op": "isend", "peer": 1, "tag": 0, "group_id": "x"})",
                "a point-to-point operation");
  expect_opaque(R"({"type": "torch._subclasses.fake_tensor.FakeTensor", "dtype": "torch.float32", "shape": [1]})",
                "a tensor of type 'torch._subclasses.fake_tensor.FakeTensor', which can't be rebuilt from the dump");
  expect_opaque(R"({"type": "int", "value": 18446744073709551615})", "an integer beyond 64 signed bits");
  expect_opaque(R"({"type": "some.Thing", "value": 1})", "an element of unknown type 'some.Thing'");
}

TEST(DumpEntries, ToleratesLeftOutLists) {
  const RecordedDirection empty = decode_entry("{}", "Torch.f.0.forward", false);
  EXPECT_FALSE(empty.error);
  EXPECT_FALSE(empty.has_inputs);
  EXPECT_FALSE(empty.has_outputs);
  const RecordedDirection backward =
      decode_entry(R"({"input": [null], "output": [], "is_recompute": true, "parameters": {}})", "Torch.f.0.backward", true);
  EXPECT_TRUE(backward.has_inputs);
  EXPECT_TRUE(backward.has_outputs);
  EXPECT_TRUE(backward.is_recompute);
  EXPECT_EQ(backward.inputs.size(), 1u);
  const RecordedDirection bare = decode_entry(R"({"output": {"type": "torch.Size", "value": []}})", "Torch.f.0.forward", false);
  EXPECT_EQ(bare.outputs.size(), 1u);
}

TEST(DumpEntries, NamesThePlaceOfWrongTypesAtEveryLevel) {
  EXPECT_EQ(error_of("5"), "/data/Torch.f.0.forward: expected an object, got an integer");
  EXPECT_EQ(error_of("[]"), "/data/Torch.f.0.forward: expected an object, got a list");
  EXPECT_EQ(error_of(R"({"input_args": 1})"), "/data/Torch.f.0.forward/input_args: expected a list, got an integer");
  EXPECT_EQ(error_of(R"({"input_args": {}})"), "/data/Torch.f.0.forward/input_args: expected a list, got an object");
  EXPECT_EQ(error_of(R"({"input_kwargs": []})"), "/data/Torch.f.0.forward/input_kwargs: expected an object, got a list");
  EXPECT_EQ(error_of(R"({"output": "x"})"), "/data/Torch.f.0.forward/output: expected a list, got a string");
  EXPECT_EQ(error_of(R"({"input": true})", true), "/data/Torch.f.0.backward/input: expected a list, got a boolean");
  EXPECT_EQ(error_of(R"({"is_recompute": 1})"), "/data/Torch.f.0.forward/is_recompute: expected a boolean, got an integer");
  EXPECT_EQ(error_of_argument("1.5"),
            "/data/Torch.f.0.forward/input_args/0: expected an element (an object, a list or null), got a number");
  EXPECT_EQ(error_of(R"({"input_kwargs": {"out": {"a": 1}}})"),
            "/data/Torch.f.0.forward/input_kwargs/out/a: expected an element (an object, a list or null), got an integer");
  EXPECT_EQ(error_of(R"({"input_kwargs": {"a/b~c": 1}})").substr(0, 47), "/data/Torch.f.0.forward/input_kwargs/a~1b~0c: e");
  EXPECT_EQ(error_of_argument(R"([null, {"type": "int"}])"), "/data/Torch.f.0.forward/input_args/0/1: 'value' is missing");
  EXPECT_EQ(error_of_argument(R"({"type": "int", "value": "1"})"),
            "/data/Torch.f.0.forward/input_args/0/value: expected an integer, got a string");
  EXPECT_EQ(error_of_argument(R"({"type": "float", "value": null})"),
            "/data/Torch.f.0.forward/input_args/0/value: expected a number, got null");
  EXPECT_EQ(error_of_argument(R"({"type": "bool", "value": 1})"),
            "/data/Torch.f.0.forward/input_args/0/value: expected a boolean, got an integer");
  EXPECT_EQ(error_of_argument(R"({"type": "slice", "value": [1, 2]})"),
            "/data/Torch.f.0.forward/input_args/0/value: expected [start, stop, step], got a list");
  EXPECT_EQ(error_of_argument(R"({"type": "slice", "value": [1, 2, "x"]})"),
            "/data/Torch.f.0.forward/input_args/0/value/2: expected an integer, got a string");
  EXPECT_EQ(error_of_argument(R"({"type": "torch.Size", "value": [1, {}]})"),
            "/data/Torch.f.0.forward/input_args/0/value/1: expected an integer, got an object");
  EXPECT_EQ(error_of_argument(R"({"type": "torch.memory_format"})"), "/data/Torch.f.0.forward/input_args/0: 'format' is missing");
  EXPECT_EQ(error_of_argument(R"({"type": "torch.dtype", "value": 7})"),
            "/data/Torch.f.0.forward/input_args/0/value: expected a string, got an integer");
}

TEST(DumpEntries, NamesWhatIsWrongWithATensor) {
  const auto error = [](const std::string& members) { return error_of_argument("{\"type\": \"torch.Tensor\"" + members + "}"); };
  EXPECT_EQ(error(""), "/data/Torch.f.0.forward/input_args/0: 'dtype' is missing");
  EXPECT_EQ(error(R"(, "dtype": 5, "shape": [])"), "/data/Torch.f.0.forward/input_args/0/dtype: expected a string, got an integer");
  EXPECT_EQ(error(R"(, "dtype": "torch.float32")"), "/data/Torch.f.0.forward/input_args/0: 'shape' is missing");
  EXPECT_EQ(error(R"(, "dtype": "torch.float32", "shape": null)"),
            "/data/Torch.f.0.forward/input_args/0/shape: expected a list, got null");
  EXPECT_EQ(error(R"(, "dtype": "torch.float32", "shape": [2, -1])"),
            "/data/Torch.f.0.forward/input_args/0/shape/1: a dimension of -1, expected 0 or more");
  EXPECT_EQ(error(R"(, "dtype": "torch.float32", "shape": [2.5])"),
            "/data/Torch.f.0.forward/input_args/0/shape/0: expected an integer, got a number");
  EXPECT_EQ(error(R"(, "dtype": "torch.float32", "shape": [4294967296, 4294967296])"),
            "/data/Torch.f.0.forward/input_args/0/shape: names more elements than a memory can hold");
  EXPECT_EQ(error(R"(, "dtype": "torch.float32", "shape": [1], "data_name": 5)"),
            "/data/Torch.f.0.forward/input_args/0/data_name: expected a string, got an integer");
  EXPECT_EQ(error(R"(, "dtype": "torch.float32", "shape": [1], "requires_grad": "yes")"),
            "/data/Torch.f.0.forward/input_args/0/requires_grad: expected a boolean, got a string");
  std::string dims = "1";
  for (int i = 0; i < 64; ++i) dims += ", 1";
  EXPECT_EQ(error(R"(, "dtype": "torch.float32", "shape": [)" + dims + "]"),
            "/data/Torch.f.0.forward/input_args/0/shape: 65 dimensions, at most 64");
}

TEST(DumpEntries, RefusesDoubledNamesAndFaultySyntax) {
  EXPECT_EQ(error_of(R"({"output": [], "output": []})"), "/data/Torch.f.0.forward: 'output' occurs twice");
  EXPECT_EQ(error_of(R"({"input_kwargs": {"a": null, "a": null}})"), "/data/Torch.f.0.forward/input_kwargs: 'a' occurs twice");
  EXPECT_EQ(error_of(R"({"input_kwargs": {"a\u0000b": null}})"),
            "/data/Torch.f.0.forward/input_kwargs: 'a\\x00b' holds a zero byte");
  EXPECT_EQ(error_of(R"({"output" []})"),
            "/data/Torch.f.0.forward: not JSON at byte 10 of the entry: missing a colon after a name of object member.");
  EXPECT_EQ(error_of(R"({"output": [nan]})"), "/data/Torch.f.0.forward: not JSON at byte 13 of the entry: invalid value.");
  EXPECT_EQ(error_of_argument(R"({"type": "float", "value": 1e999})").substr(0, 62),
            "/data/Torch.f.0.forward: not JSON at byte 43 of the entry: num");
}

TEST(DumpEntries, AcceptsFourHundredLevelsAndNoMore) {
  const auto nested = [](int levels) {
    return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
  };
  EXPECT_FALSE(decode_entry("{\"input_args\": [" + nested(400) + "]}", "Torch.f.0.forward", false).error);
  EXPECT_EQ(error_of_argument(nested(401)), "/data/Torch.f.0.forward: nested 403 levels deep, at most 402");
  EXPECT_EQ(error_of_argument(nested(1'000'000)), "/data/Torch.f.0.forward: nested 1000002 levels deep, at most 402");
}

TEST(DumpEntries, RefusesMoreElementsThanAnEntryCanNeed) {
  std::string nulls = "null";
  for (int i = 0; i < 1'000'000; ++i) nulls += ",null";
  EXPECT_EQ(error_of("{\"input_args\": [" + nulls + "]}"),
            "/data/Torch.f.0.forward/input_args/1000000: more than 1000000 elements in one entry");
}

}  // namespace
}  // namespace assay
