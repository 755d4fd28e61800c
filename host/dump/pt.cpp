#include "dump/pt.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "dump/dtype_text.hpp"
#include "dump/pickle.hpp"
#include "dump/tensor_bytes.hpp"
#include "dump/zip_file.hpp"

namespace assay {

namespace {

/// Storage classes by name; UntypedStorage, whose elements are bytes, takes its dtype from the tensor.
constexpr std::array<std::pair<std::string_view, assay_dtype>, 16> kStorages{{{"torch.FloatStorage", kFloat32},
                                                                              {"torch.DoubleStorage", kFloat64},
                                                                              {"torch.HalfStorage", kFloat16},
                                                                              {"torch.BFloat16Storage", kBFloat16},
                                                                              {"torch.LongStorage", kInt64},
                                                                              {"torch.IntStorage", kInt32},
                                                                              {"torch.ShortStorage", kInt16},
                                                                              {"torch.CharStorage", kInt8},
                                                                              {"torch.ByteStorage", kUInt8},
                                                                              {"torch.BoolStorage", kBool},
                                                                              {"torch.ComplexFloatStorage", kComplex64},
                                                                              {"torch.ComplexDoubleStorage", kComplex128},
                                                                              {"torch.ComplexHalfStorage", kComplex32},
                                                                              {"torch.Float8_e4m3fnStorage", kFloat8E4M3FN},
                                                                              {"torch.Float8_e5m2Storage", kFloat8E5M2},
                                                                              {"torch.storage.UntypedStorage", kUInt8}}};

constexpr std::string_view kUntyped = "torch.storage.UntypedStorage";

/// Functions and classes that saved tensors name.
constexpr std::array<std::string_view, 11> kNames{"torch._utils._rebuild_tensor_v2",
                                                  "torch._utils._rebuild_tensor_v3",
                                                  "torch._utils._rebuild_parameter",
                                                  "torch._utils._rebuild_parameter_with_state",
                                                  "torch._tensor._rebuild_from_type_v2",
                                                  "torch.Tensor",
                                                  "torch.nn.parameter.Parameter",
                                                  "torch.nn.parameter.Buffer",
                                                  "collections.OrderedDict",
                                                  "torch.Size",
                                                  "torch.device"};

std::optional<assay_dtype> storage_dtype(std::string_view name) {
  for (const auto& [storage, dtype] : kStorages) {
    if (name == storage) return dtype;
  }
  return std::nullopt;
}

struct Storage {
  std::string_view bytes;
  std::shared_ptr<const std::byte> owner;
  assay_dtype dtype{};
  bool untyped = false;
};

class TorchObjects final : public PickleOwner {
 public:
  TorchObjects(const ZipFile& zip, std::string root, bool swapped) : zip_(zip), root_(std::move(root)), swapped_(swapped) {}

  Result<PickleId> global(PickleGraph& graph, const std::string& name) override {
    if (std::find(kNames.begin(), kNames.end(), name) != kNames.end() || storage_dtype(name)) return graph.add(PickleGlobal{name});
    if (name.compare(0, 6, "torch.") == 0) {
      if (const std::optional<assay_dtype> dtype = parse_dtype(name)) return graph.add(Value(*dtype));
    }
    return input_failure("it names '" + escape_control(name) + "', which tensors don't need; nothing in it was executed");
  }

  Result<PickleId> persistent(PickleGraph& graph, PickleId id) override {
    const auto* tuple = graph.get_if<PickleSequence>(id);
    if (tuple == nullptr || tuple->items.size() < 5) return malformed("a storage");
    const auto* kind = graph.value_if<std::string>(tuple->items[0]);
    const auto* type = graph.get_if<PickleGlobal>(tuple->items[1]);
    const auto* key = graph.value_if<std::string>(tuple->items[2]);
    const auto* count = graph.value_if<std::int64_t>(tuple->items[4]);
    const std::optional<assay_dtype> dtype = type == nullptr ? std::nullopt : storage_dtype(type->name);
    if (kind == nullptr || *kind != "storage" || !dtype || key == nullptr || count == nullptr || *count < 0)
      return malformed("a storage");
    return storage(graph, std::string(*key), *dtype, type->name == kUntyped, static_cast<std::uint64_t>(*count));
  }

  Result<PickleId> call(PickleGraph& graph, const std::string& name, const std::vector<PickleId>& items) override {
    if (name == "collections.OrderedDict") {
      if (!items.empty()) return malformed("an ordered dictionary");
      return graph.add(PickleDict{});
    }
    if (name == "torch._utils._rebuild_tensor_v2") return tensor(graph, items, false);
    if (name == "torch._utils._rebuild_tensor_v3") return tensor(graph, items, true);
    if (name == "torch._utils._rebuild_parameter" || name == "torch._utils._rebuild_parameter_with_state") {
      if (items.empty() || graph.value_if<Tensor>(items[0]) == nullptr) return malformed("a parameter");
      return items[0];
    }
    if (name == "torch._tensor._rebuild_from_type_v2") return subclass(graph, items);
    if (name == "torch.Size") {
      const std::optional<std::vector<std::int64_t>> sizes = items.size() == 1 ? integers(graph, items[0]) : std::nullopt;
      if (!sizes) return malformed("a size");
      return graph.add(Value(Tuple{{sizes->begin(), sizes->end()}}));
    }
    if (name == "torch.device") return device(graph, items);
    return input_failure("it calls '" + name + "', which is no function that tensors need");
  }

 private:
  static Failure malformed(const std::string& what) { return input_failure("it describes " + what + " in an unknown way"); }

  /// Bytes in native order and aligned for every dtype; members that are not so are copied once.
  Result<PickleId> storage(PickleGraph& graph, const std::string& key, assay_dtype dtype, bool untyped, std::uint64_t count) {
    const auto known = by_key_.find({key, dtype.code, dtype.bits});
    std::size_t index = 0;
    if (known != by_key_.end()) {
      index = known->second;
    } else {
      Result<Storage> loaded = load(key, dtype);
      if (!loaded) return loaded.failure();
      loaded->untyped = untyped;
      index = storages_.size();
      storages_.push_back(std::move(*loaded));
      by_key_.emplace(Key{key, dtype.code, dtype.bits}, index);
    }
    const std::uint64_t have = storages_[index].bytes.size() / dtype_size(dtype);
    if (count > have) {
      return input_failure("storage '" + escape_control(key) + "' claims " + std::to_string(count) + " elements, the file has " +
                           std::to_string(have));
    }
    return graph.add(PickleStorage{index});
  }

  Result<Storage> load(const std::string& key, assay_dtype dtype) const {
    const ZipEntry* entry = zip_.find(root_ + "data/" + key);
    if (entry == nullptr) return input_failure("storage '" + escape_control(key) + "' is missing in the archive");
    Result<ZipBytes> data = zip_.read(*entry);
    if (!data) return data.failure();
    const std::size_t item = is_complex(dtype) ? dtype_size(dtype) / 2 : dtype_size(dtype);
    Storage out;
    out.dtype = dtype;
    const bool swap = swapped_ && item > 1;
    if (!swap && reinterpret_cast<std::uintptr_t>(data->bytes.data()) % 16 == 0) {
      out.bytes = data->bytes;
      out.owner = std::move(data->owner);
      return out;
    }
    auto copy = std::make_shared<Tensor>(Tensor::allocate(kUInt8, {static_cast<std::int64_t>(data->bytes.size())}));
    char* const memory = copy->data_as<char>();
    std::copy(data->bytes.begin(), data->bytes.end(), memory);
    if (swap) swap_bytes(memory, data->bytes.size(), item);
    out.bytes = {memory, data->bytes.size()};
    out.owner = std::shared_ptr<const std::byte>(copy, reinterpret_cast<const std::byte*>(memory));
    return out;
  }

  static std::optional<std::vector<std::int64_t>> integers(const PickleGraph& graph, PickleId id) {
    if (const auto* size = graph.value_if<Tuple>(id)) {
      std::vector<std::int64_t> out;
      for (const Value& value : size->items) out.push_back(value.as<std::int64_t>());
      return out;
    }
    const auto* sequence = graph.get_if<PickleSequence>(id);
    if (sequence == nullptr || sequence->items.size() > kMaxDims) return std::nullopt;
    std::vector<std::int64_t> out;
    for (const PickleId item : sequence->items) {
      const auto* number = graph.value_if<std::int64_t>(item);
      if (number == nullptr || *number < 0) return std::nullopt;
      out.push_back(*number);
    }
    return out;
  }

  /// _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks[, metadata]); v3 has the dtype before the metadata.
  Result<PickleId> tensor(PickleGraph& graph, const std::vector<PickleId>& items, bool has_dtype) {
    const std::size_t required = has_dtype ? 7 : 6;
    if (items.size() < required) return malformed("a tensor");
    const auto* source = graph.get_if<PickleStorage>(items[0]);
    const auto* offset = graph.value_if<std::int64_t>(items[1]);
    std::optional<std::vector<std::int64_t>> shape = integers(graph, items[2]);
    std::optional<std::vector<std::int64_t>> strides = integers(graph, items[3]);
    const auto* dtype = has_dtype ? graph.value_if<assay_dtype>(items[6]) : nullptr;
    if (source == nullptr || offset == nullptr || *offset < 0 || !shape || !strides || shape->size() != strides->size() ||
        (has_dtype && dtype == nullptr)) {
      return malformed("a tensor");
    }
    if (items.size() > required) {
      if (std::optional<Failure> refused = check_metadata(graph, items[required])) return *refused;
    }
    const Storage& storage = storages_[source->index];
    if (storage.untyped && dtype == nullptr) return malformed("a tensor's dtype");
    if (storage.untyped && swapped_ && dtype_size(*dtype) > 1)
      return input_failure("untyped storages in big-endian order are not supported");
    StoredTensor stored;
    stored.dtype = dtype != nullptr ? *dtype : storage.dtype;
    stored.shape = std::move(*shape);
    stored.strides = std::move(*strides);
    stored.first_element = static_cast<std::uint64_t>(*offset);
    stored.bytes = storage.bytes;
    stored.owner = storage.owner;
    Result<Tensor> made = make_tensor(std::move(stored));
    if (!made) return made.failure();
    return graph.add(Value(std::move(*made)));
  }

  /// _rebuild_from_type_v2(function, class, arguments, state)
  Result<PickleId> subclass(PickleGraph& graph, const std::vector<PickleId>& items) {
    const auto* function = items.size() == 4 ? graph.get_if<PickleGlobal>(items[0]) : nullptr;
    const auto* arguments = items.size() == 4 ? graph.get_if<PickleSequence>(items[2]) : nullptr;
    if (function == nullptr || arguments == nullptr || function->name.find("_rebuild_tensor_v") == std::string::npos) {
      return malformed("a tensor of a derived class");
    }
    return call(graph, std::string(function->name), std::vector<PickleId>(arguments->items));
  }

  static Result<PickleId> device(PickleGraph& graph, const std::vector<PickleId>& items) {
    const auto* text = items.empty() ? nullptr : graph.value_if<std::string>(items[0]);
    const std::optional<assay_device> parsed = text == nullptr ? std::nullopt : parse_device(*text);
    if (!parsed) return malformed("a device");
    return graph.add(Value(*parsed));
  }

  /// The lazily conjugated and negated views of torch are not the bytes that are stored.
  static std::optional<Failure> check_metadata(const PickleGraph& graph, PickleId id) {
    const auto* dict = graph.get_if<PickleDict>(id);
    if (dict == nullptr) return std::nullopt;
    for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
      const auto* key = graph.value_if<std::string>(dict->items[i]);
      const auto* flag = graph.value_if<bool>(dict->items[i + 1]);
      if (key != nullptr && flag != nullptr && *flag && (*key == "conj" || *key == "neg")) {
        return input_failure("it holds a lazily " + std::string(*key == "conj" ? "conjugated" : "negated") +
                             " view; save a copy of the tensor instead");
      }
    }
    return std::nullopt;
  }

  using Key = std::tuple<std::string, std::uint8_t, std::uint8_t>;
  static constexpr std::size_t kMaxDims = 64;

  const ZipFile& zip_;
  std::string root_;
  bool swapped_;
  std::vector<Storage> storages_;
  std::map<Key, std::size_t> by_key_;
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

bool is_legacy_pt(const MappedFile& file) {
  static constexpr std::string_view kMagicNumber("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14);
  return file.text().substr(0, kMagicNumber.size()) == kMagicNumber;
}

Result<Value> read_pt(const MappedFile& file) {
  const Result<ZipFile> zip = ZipFile::open(file);
  if (!zip) return zip.failure();
  static constexpr std::string_view kPickle = "data.pkl";
  const auto& entries = zip->entries();
  const auto pickle = std::find_if(entries.begin(), entries.end(), [](const ZipEntry& entry) {
    return entry.name == kPickle || ends_with(entry.name, "/data.pkl");
  });
  if (pickle == entries.end()) return input_failure("the archive holds no data.pkl: not a file of torch.save");
  const std::string root(pickle->name.substr(0, pickle->name.size() - kPickle.size()));

  bool swapped = false;
  if (const ZipEntry* order = zip->find(root + "byteorder")) {
    const Result<ZipBytes> text = zip->read(*order);
    if (!text) return text.failure();
    if (text->bytes != "little" && text->bytes != "big")
      return input_failure("byte order '" + escape_control(text->bytes.substr(0, 20)) + "', expected little or big");
    swapped = text->bytes == "big";
  }

  const Result<ZipBytes> bytes = zip->read(*pickle);
  if (!bytes) return bytes.failure();
  PickleGraph graph;
  TorchObjects objects(*zip, root, swapped);
  const Result<PickleId> object = read_pickle(bytes->bytes, graph, objects);
  if (!object) return object.failure();
  return pickle_value(graph, *object);
}

}  // namespace assay
