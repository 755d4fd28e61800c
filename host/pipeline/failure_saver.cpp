#include "pipeline/failure_saver.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <system_error>

#include "base/text.hpp"
#include "dump/npy_writer.hpp"
#include "report/output_file.hpp"

namespace assay {

namespace {

namespace fs = std::filesystem;

/// Room that saving leaves on the disk for everything else.
constexpr std::uint64_t kRoomToLeave = std::uint64_t{1} << 30;

struct Refused {
  std::string why;
};

using Writer = rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>, rapidjson::CrtAllocator,
                                 rapidjson::kWriteNanAndInfFlag>;

std::uint64_t bytes_of(const Value& value) {
  std::uint64_t bytes = 0;
  if (const auto* tensor = value.get_if<Tensor>()) bytes = npy_size(tensor->view());
  if (const auto* list = value.get_if<List>()) {
    for (const Value& item : list->items) bytes += bytes_of(item);
  }
  if (const auto* tuple = value.get_if<Tuple>()) {
    for (const Value& item : tuple->items) bytes += bytes_of(item);
  }
  if (const auto* dict = value.get_if<Dict>()) {
    for (const auto& [name, item] : dict->items) bytes += bytes_of(item);
  }
  return bytes;
}

std::uint64_t bytes_of(const std::vector<Value>& values) {
  std::uint64_t bytes = 0;
  for (const Value& value : values) bytes += bytes_of(value);
  return bytes;
}

std::uint64_t bytes_of(const Evidence& evidence) {
  std::uint64_t bytes = bytes_of(evidence.inputs->args) + bytes_of(evidence.inputs->grad_outputs);
  for (const NamedValue& value : evidence.inputs->kwargs) bytes += bytes_of(value.second);
  for (const auto* compared : {&evidence.forward, &evidence.backward}) {
    if (*compared) bytes += bytes_of((*compared)->actual) + bytes_of((*compared)->expected);
  }
  return bytes;
}

/// A folder that nobody put a link in the place of.
void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error || !fs::is_directory(fs::symlink_status(folder, error))) {
    throw Refused{"'" + folder.string() + "' can't be made a folder" + (error ? ": " + error.message() : "")};
  }
}

void require(const Status& status) {
  if (!status) throw Refused{status.failure().message};
}

/// Writes elements as recordings have them, and their tensors beside.
class ElementWriter {
 public:
  ElementWriter(Writer& json, fs::path tensors, Framework framework)
      : json_(json), tensors_(std::move(tensors)), mindspore_(framework == Framework::kMindSpore) {}

  void list(const char* key, const std::vector<Value>& values, const std::string& name) {
    json_.Key(key);
    json_.StartArray();
    for (std::size_t i = 0; i < values.size(); ++i) element(values[i], name + "." + std::to_string(i));
    json_.EndArray();
  }

  void dict(const std::vector<NamedValue>& values, const std::string& name) {
    json_.StartObject();
    for (std::size_t i = 0; i < values.size(); ++i) {
      json_.Key(values[i].first.c_str());
      // Keys come from the recording; the name of a file must not.
      element(values[i].second, name + "." + std::to_string(i));
    }
    json_.EndObject();
  }

  void save(const Tensor& tensor, const std::string& file) const {
    Result<OutputFile> out = OutputFile::create(tensors_ / file);
    if (!out) throw Refused{out.failure().message};
    require(write_npy(tensor.view(), [&](std::string_view piece) { return out->write(piece); }));
    require(out->close());
  }

  /// The tensors of a list that no recording has a place for.
  void save_all(const std::vector<Value>& values, const std::string& name) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (const auto* tensor = values[i].get_if<Tensor>()) save(*tensor, name + "." + std::to_string(i) + ".npy");
    }
  }

 private:
  void element(const Value& value, const std::string& name) {
    if (value.is<None>()) {
      json_.Null();
    } else if (const auto* tensor = value.get_if<Tensor>()) {
      tensor_element(*tensor, name + ".npy");
    } else if (const auto* items = value.get_if<List>()) {
      sequence(items->items, name);
    } else if (const auto* tuple = value.get_if<Tuple>()) {
      sequence(tuple->items, name);
    } else if (const auto* entries = value.get_if<Dict>()) {
      dict(entries->items, name);
    } else {
      plain(value);
    }
  }

  void sequence(const std::vector<Value>& items, const std::string& name) {
    json_.StartArray();
    for (std::size_t i = 0; i < items.size(); ++i) element(items[i], name + "." + std::to_string(i));
    json_.EndArray();
  }

  void tensor_element(const Tensor& tensor, const std::string& file) {
    json_.StartObject();
    tag(mindspore_ ? "mindspore.Tensor" : "torch.Tensor");
    json_.Key("dtype");
    json_.String("torch." + std::string(dtype_name(tensor.dtype())));
    json_.Key("shape");
    json_.StartArray();
    for (const std::int64_t size : tensor.shape()) json_.Int64(size);
    json_.EndArray();
    json_.Key("data_name");
    json_.String(file);
    json_.EndObject();
    save(tensor, file);
  }

  void tag(const char* type) {
    json_.Key("type");
    json_.String(type);
  }

  template <class Write>
  void tagged(const char* type, const char* key, const Write& write) {
    json_.StartObject();
    tag(type);
    json_.Key(key);
    write();
    json_.EndObject();
  }

  void plain(const Value& value) {
    if (const auto* flag = value.get_if<bool>()) return tagged("bool", "value", [&] { json_.Bool(*flag); });
    if (const auto* number = value.get_if<std::int64_t>()) return tagged("int", "value", [&] { json_.Int64(*number); });
    if (const auto* real = value.get_if<double>()) return tagged("float", "value", [&] { json_.Double(*real); });
    if (const auto* text = value.get_if<std::string>()) return tagged("str", "value", [&] { json_.String(*text); });
    if (const auto* format = value.get_if<MemoryFormat>()) {
      return tagged("torch.memory_format", "format", [&] { json_.String(format->name); });
    }
    if (const auto* dtype = value.get_if<assay_dtype>()) {
      return tagged("torch.dtype", "value", [&] { json_.String("torch." + std::string(dtype_name(*dtype))); });
    }
    if (const auto* device = value.get_if<assay_device>()) {
      const char* kind = device->type == ASSAY_DEVICE_CPU ? "cpu" : device->type == ASSAY_DEVICE_CUDA ? "cuda:" : "npu:";
      const std::string number = device->type == ASSAY_DEVICE_CPU ? "" : std::to_string(device->id);
      return tagged("torch.device", "value", [&] { json_.String(kind + number); });
    }
    if (value.is<Ellipsis>()) {
      json_.StartObject();
      tag("ellipsis");
      json_.EndObject();
      return;
    }
    if (const auto* slice = value.get_if<assay_slice>()) return tagged("slice", "value", [&] { bounds(*slice); });
    throw Refused{"an argument is of a kind that recordings don't have"};
  }

  void bounds(const assay_slice& slice) {
    json_.StartArray();
    const std::int64_t values[] = {slice.start, slice.stop, slice.step};
    for (unsigned i = 0; i < 3; ++i) {
      if ((slice.present & (1u << i)) != 0) {
        json_.Int64(values[i]);
      } else {
        json_.Null();
      }
    }
    json_.EndArray();
  }

  Writer& json_;
  fs::path tensors_;
  bool mindspore_;
};

void write_dump(const fs::path& folder, const std::string& stem, Framework framework, const Evidence& evidence) {
  rapidjson::StringBuffer text;
  Writer json(text);
  const auto pair = [&](const char* key, const char* value) {
    json.Key(key);
    json.String(value);
  };
  ElementWriter elements(json, folder / "dump_tensor_data", framework);
  json.StartObject();
  pair("task", "tensor");
  pair("level", "L1");
  pair("framework", framework == Framework::kPyTorch ? "pytorch" : framework == Framework::kMindTorch ? "mindtorch" : "mindspore");
  pair("dump_data_dir", "dump_tensor_data");
  json.Key("data");
  json.StartObject();
  const std::string forward = stem + ".forward";
  json.Key(forward.c_str());
  json.StartObject();
  elements.list("input_args", evidence.inputs->args, forward + ".input");
  json.Key("input_kwargs");
  elements.dict(evidence.inputs->kwargs, forward + ".kwarg");
  if (evidence.forward) {
    elements.list("output", evidence.forward->actual, forward + ".output");
    elements.save_all(evidence.forward->expected, forward + ".reference");
  }
  json.EndObject();
  if (evidence.backward) {
    const std::string backward = stem + ".backward";
    json.Key(backward.c_str());
    json.StartObject();
    elements.list("input", evidence.inputs->grad_outputs, backward + ".input");
    elements.list("output", evidence.backward->actual, backward + ".output");
    elements.save_all(evidence.backward->expected, backward + ".reference");
    json.EndObject();
  }
  json.EndObject();
  json.EndObject();
  require(write_output(folder / "dump.json", std::string(text.GetString()) + "\n"));
}

}  // namespace

std::string FailureSaver::save(const std::string& stem, Framework framework, const Evidence& evidence) const {
  if (!evidence.inputs) return {};
  try {
    const std::uint64_t bytes = bytes_of(evidence);
    if (bytes > limit_) {
      throw Refused{std::to_string(bytes) + " bytes, at most " + std::to_string(limit_) + " are saved"};
    }
    make_folder(folder_);
    std::error_code error;
    const fs::space_info space = fs::space(folder_, error);
    if (!error && space.available < bytes + kRoomToLeave) throw Refused{"the disk is nearly full"};
    make_folder(folder_ / stem);
    make_folder(folder_ / stem / "dump_tensor_data");
    write_dump(folder_ / stem, stem, framework, evidence);
  } catch (const Refused& refused) {
    return "not saved: " + escape_control(refused.why);
  }
  return "saved in " + (folder_.filename() / stem).string();
}

}  // namespace assay
