// The C++ port of MindStudio Probe's inputs against what PyTorch drew (tests/data/torch_inputs.json, made by make_torch_inputs.py).
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <optional>
#include <random>

#include "base/files.hpp"
#include "dump/element_decoder.hpp"
#include "dump/inputs.hpp"
#include "dump/torch_draw.hpp"
#include "dump_fixture.hpp"

namespace assay {
namespace {

rapidjson::Document golden() {
  const Result<std::string> text = read_text(std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/data/torch_inputs.json");
  if (!text) throw std::runtime_error(text.failure().message);
  rapidjson::Document document;
  document.Parse<rapidjson::kParseNanAndInfFlag | rapidjson::kParseFullPrecisionFlag>(*text);
  return document;
}

std::string json_of(const rapidjson::Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>, rapidjson::CrtAllocator,
                    rapidjson::kWriteNanAndInfFlag>
      writer(buffer);
  value.Accept(writer);
  return buffer.GetString();
}

std::string hex_of(const Tensor& tensor) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  const auto* bytes = tensor.view().data_as<unsigned char>();
  for (std::size_t i = 0; i < tensor.nbytes(); ++i) {
    out += kDigits[bytes[i] >> 4];
    out += kDigits[bytes[i] & 15];
  }
  return out;
}

TEST(TorchInputs, DrawsTheBitsOfPyTorchForEveryDtypeAndSpecialRange) {
  const rapidjson::Document document = golden();
  const auto& cases = document["single"];
  ASSERT_GT(cases.Size(), 30u);
  for (const auto& item : cases.GetArray()) {
    SCOPED_TRACE(json_of(item["element"]));
    const JsonPlace place;
    const TensorElement element = decode_tensor(item["element"], "torch.Tensor", place);
    const TorchDraw draw = plan_torch_draw(element, "Torch.add", "0");
    std::mt19937 words(1234);
    const Result<Tensor> tensor = draw_torch_tensor(draw, words);
    ASSERT_TRUE(tensor) << tensor.failure().message;
    EXPECT_EQ(hex_of(*tensor), item["values"].GetString());
    std::mt19937 expected(1234);
    expected.discard(draw.words);
    EXPECT_TRUE(words == expected) << "the plan's count of words is wrong";
  }
}

class Recording {
 public:
  Recording() : document_(golden()) {
    folder_.write("dump.json", json_of(document_["dump"]));
    dump_.emplace(*Dump::open(folder_.path(), {}));
  }
  [[nodiscard]] const Dump& dump() const { return *dump_; }
  [[nodiscard]] const rapidjson::Value& expected() const { return document_["expected"]; }

 private:
  ScratchFolder folder_;
  rapidjson::Document document_;
  std::optional<Dump> dump_;
};

const Element* find_element(const RecordedDirection& direction, const std::string& path) {
  const std::size_t dot = path.find('.');
  const std::string head = path.substr(0, dot);
  const Element* element = nullptr;
  if (head.find_first_not_of("0123456789") == std::string::npos) {
    element = &direction.inputs.at(std::stoul(head));
  } else {
    for (const auto& [name, item] : direction.kwargs) {
      if (name == head) element = &item;
    }
  }
  return dot == std::string::npos ? element : &element->get_if<ElementList>()->items.at(std::stoul(path.substr(dot + 1)));
}

/// Every expected tensor of one entry, built on its own.
void check_entry(const InputBuilder& inputs, const Dump& dump, const std::string& key, const rapidjson::Value& tensors) {
  const std::string stem = key.substr(0, key.rfind('.'));
  const std::string direction = key.substr(key.rfind('.') + 1);
  const RecordedCall call = dump.read(dump.find(stem));
  const RecordedDirection& recorded = direction == "forward" ? *call.forward : *call.backward;
  for (const auto& item : tensors.GetObject()) {
    const std::string path = item.name.GetString();
    SCOPED_TRACE(key + " " + path);
    const Result<Value> value = inputs.build(*find_element(recorded, path), stem, direction, path);
    ASSERT_TRUE(value) << value.failure().message;
    EXPECT_EQ(hex_of(value->as<Tensor>()), item.value.GetString());
  }
}

TEST(TorchInputs, FollowsTheGeneratorThroughAWholeRecording) {
  const Recording recording;
  const InputBuilder inputs(recording.dump(), InputRule::kMsprobe, 0);
  for (const auto& entry : recording.expected().GetObject())
    check_entry(inputs, recording.dump(), entry.name.GetString(), entry.value);
}

TEST(TorchInputs, DependOnNoOrderOfTheCallsInThisProcess) {
  const Recording recording;
  std::vector<std::string> keys;
  for (const auto& entry : recording.expected().GetObject()) keys.emplace_back(entry.name.GetString());
  std::mt19937 order(7);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(keys.begin(), keys.end(), order);
    const InputBuilder inputs(recording.dump(), InputRule::kMsprobe, 0);
    for (const std::string& key : keys) check_entry(inputs, recording.dump(), key, recording.expected()[key.c_str()]);
  }
}

TEST(TorchInputs, SaysWhyNothingCanBeDrawn) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"dtype": "torch.float32", "shape": [2], "Max": null, "Min": null})", "Max or Min was not recorded"},
      {R"({"dtype": "torch.complex64", "shape": [2], "Max": 1, "Min": 0})",
       "MindStudio Probe draws no values of dtype 'complex64'"},
      {R"({"dtype": "torch.int64", "shape": [2], "Max": 0, "Min": 1})", "Min is above Max"},
      {R"({"dtype": "torch.int8", "shape": [2], "Max": 300, "Min": 1})", "Min or Max is outside the dtype's range"},
      {R"({"dtype": "torch.int64", "shape": [2], "Max": Infinity, "Min": 1})", "Min or Max of integers is not finite"},
      {R"({"dtype": "torch.float32", "shape": [], "Max": Infinity, "Min": 1})", "Max of a single value is infinite"},
      {R"({"dtype": "torch.float16", "shape": [2], "Max": 70000.0, "Min": 1})", "Min or Max is outside the dtype's range"},
  };
  for (const auto& [json, message] : cases) {
    SCOPED_TRACE(json);
    rapidjson::Document document;
    document.Parse<rapidjson::kParseNanAndInfFlag>(json);
    const JsonPlace place;
    std::mt19937 words(1234);
    const Result<Tensor> tensor =
        draw_torch_tensor(plan_torch_draw(decode_tensor(document, "torch.Tensor", place), "Torch.add", "0"), words);
    ASSERT_FALSE(tensor);
    EXPECT_EQ(tensor.failure().kind, FailureKind::kUnsupported);
    EXPECT_EQ(tensor.failure().message, message);
  }
}

TEST(TorchInputs, GivesFusedAttentionItsCompressedMask) {
  const ScratchFolder folder;
  folder.write("dump.json", dump_text(R"("NPU.npu_fusion_attention.0.forward": {"input_args": [], "input_kwargs": {
      "atten_mask": {"type": "torch.Tensor", "dtype": "torch.bool", "shape": [2048, 2048], "Max": true, "Min": false},
      "sparse_mode": {"type": "int", "value": 3}}})"));
  const Dump dump = *Dump::open(folder.path(), {});
  const RecordedCall call = dump.read(0);
  for (const InputRule rule : {InputRule::kMsprobe, InputRule::kAssay}) {
    const InputBuilder inputs(dump, rule, 0);
    const Result<Value> value = inputs.build(call.forward->kwargs[0].second, call.stem, "forward", "atten_mask");
    ASSERT_TRUE(value) << value.failure().message;
    const TensorView mask = value->as<Tensor>().view();
    EXPECT_EQ(mask.number_at(0), 0);
    EXPECT_EQ(mask.number_at(1), 1);
    EXPECT_EQ(mask.number_at(2048), 0);
    EXPECT_EQ(mask.number_at(2047 * 2048 - 1), 1);
  }
}

}  // namespace
}  // namespace assay
