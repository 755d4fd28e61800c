#include "dump/pickle.hpp"

#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "base/text.hpp"

namespace assay {

namespace {

/// Enough for tens of thousands of tensors; each byte can cost some tens of bytes here.
constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
/// No function of the list takes as many.
constexpr std::size_t kMaxArguments = 16;

class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, PickleGraph& graph, PickleOwner& owner) : bytes_(bytes), graph_(graph), owner_(owner) {}

  Result<PickleId> run() {
    while (!failure_) {
      const std::size_t at = position_;
      const std::uint64_t opcode = number(1);
      if (failure_) break;
      if (opcode == '.') {
        const PickleId top = pop();
        if (failure_) break;
        return top;
      }
      if (!structure(opcode) && !scalar(opcode) && !object(opcode)) {
        refuse("opcode " + std::to_string(opcode) + " at byte " + std::to_string(at) + " is not one that tensors need");
      }
    }
    return *failure_;
  }

 private:
  // Containers and the stack.
  bool structure(std::uint64_t opcode) {
    switch (opcode) {
      case 0x80: take(1); return true;  // PROTO
      case 0x95: take(8); return true;  // FRAME
      case '(': marks_.push_back(stack_.size()); return true;
      case '0': pop(); return true;
      case '}': push(PickleDict{}); return true;
      case ']': push(PickleSequence{false, {}}); return true;
      case ')': push(PickleSequence{true, {}}); return true;
      case 't': push(PickleSequence{true, pop_to_mark()}); return true;
      case 0x85: push_tuple(1); return true;
      case 0x86: push_tuple(2); return true;
      case 0x87: push_tuple(3); return true;
      case 'a': extend<PickleSequence>(pop_some(1)); return true;
      case 'e': extend<PickleSequence>(pop_to_mark()); return true;
      case 's': extend<PickleDict>(pop_some(2)); return true;
      case 'u': extend<PickleDict>(pop_to_mark()); return true;
      case 'q': put(number(1)); return true;
      case 'r': put(number(4)); return true;
      case 0x94: put(memo_.size()); return true;  // MEMOIZE
      case 'h': get(number(1)); return true;
      case 'j': get(number(4)); return true;
      default: return false;
    }
  }

  bool scalar(std::uint64_t opcode) {
    switch (opcode) {
      case 'N': push(Value()); return true;
      case 0x88: push(Value(true)); return true;
      case 0x89: push(Value(false)); return true;
      case 'K': push(Value(static_cast<std::int64_t>(number(1)))); return true;
      case 'M': push(Value(static_cast<std::int64_t>(number(2)))); return true;
      case 'J': push(Value(static_cast<std::int64_t>(static_cast<std::int32_t>(number(4))))); return true;
      case 0x8a: long_integer(number(1)); return true;
      case 'G': {
        const std::uint64_t big_endian = number(8);
        push(Value(std::bit_cast<double>(__builtin_bswap64(big_endian))));
        return true;
      }
      case 'X': push(Value(std::string(take(number(4))))); return true;
      case 0x8c: push(Value(std::string(take(number(1))))); return true;  // SHORT_BINUNICODE
      case 0x8d: push(Value(std::string(take(number(8))))); return true;  // BINUNICODE8
      default: return false;
    }
  }

  bool object(std::uint64_t opcode) {
    switch (opcode) {
      case 'c': {
        const std::string module(line());
        push_result(owner_.global(graph_, module + "." + std::string(line())));
        return true;
      }
      case 0x93: stack_global(); return true;
      case 'R': reduce(); return true;
      case 'Q': {
        const PickleId id = pop();
        if (!failure_) push_result(owner_.persistent(graph_, id));
        return true;
      }
      case 'b':  // BUILD: attributes of the object below, which data don't need
        pop();
        if (!failure_ && (stack_.empty() || graph_.get_if<PickleDict>(stack_.back()) == nullptr)) {
          refuse("it sets attributes of an object that has none");
        }
        return true;
      default: return false;
    }
  }

  void refuse(std::string message) {
    if (!failure_) failure_ = input_failure("the pickle can't be read: " + std::move(message));
  }

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - position_) {
      position_ = bytes_.size();
      refuse("it ends inside an opcode, at byte " + std::to_string(bytes_.size()));
      return {};
    }
    const std::string_view piece = bytes_.substr(position_, size);
    position_ += size;
    return piece;
  }

  /// Little-endian.
  std::uint64_t number(std::size_t size) {
    const std::string_view piece = take(size);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < piece.size(); ++i) value |= std::uint64_t{static_cast<unsigned char>(piece[i])} << (8 * i);
    return value;
  }

  std::string_view line() {
    const std::size_t end = bytes_.find('\n', position_);
    if (end == std::string_view::npos) return take(bytes_.size());
    const std::string_view text = take(end - position_);
    ++position_;
    return text;
  }

  void long_integer(std::uint64_t size) {
    const std::string_view digits = take(size);
    if (digits.size() > 8) return refuse("an integer beyond 64 bits");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) value |= std::uint64_t{static_cast<unsigned char>(digits[i])} << (8 * i);
    const bool negative = !digits.empty() && (static_cast<unsigned char>(digits.back()) & 0x80u) != 0;
    if (negative && digits.size() < 8) value |= ~std::uint64_t{0} << (8 * digits.size());
    push(Value(static_cast<std::int64_t>(value)));
  }

  void push(PickleNode node) {
    if (!failure_) stack_.push_back(graph_.add(std::move(node)));
  }

  void push_result(Result<PickleId> node) {
    if (failure_) return;
    if (node) {
      stack_.push_back(*node);
    } else {
      failure_ = node.failure();
    }
  }

  PickleId pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
      refuse("it takes more from its stack than it has put there");
      return 0;
    }
    const PickleId top = stack_.back();
    stack_.pop_back();
    return top;
  }

  std::vector<PickleId> pop_some(std::size_t count) {
    std::vector<PickleId> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }

  std::vector<PickleId> pop_to_mark() {
    if (marks_.empty()) {
      refuse("it takes more from its stack than it has put there");
      return {};
    }
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleId> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }

  void push_tuple(std::size_t count) {
    std::vector<PickleId> items = pop_some(count);
    push(PickleSequence{true, std::move(items)});
  }

  template <class Container>
  void extend(const std::vector<PickleId>& items) {
    if (failure_) return;
    auto* container = stack_.empty() ? nullptr : std::get_if<Container>(&graph_[stack_.back()]);
    if (container == nullptr || (std::is_same_v<Container, PickleDict> && items.size() % 2 != 0)) {
      return refuse("it adds items to something that holds none");
    }
    container->items.insert(container->items.end(), items.begin(), items.end());
  }

  void put(std::uint64_t slot) {
    if (failure_) return;
    if (stack_.empty()) return refuse("it remembers an item that is not there");
    memo_[slot] = stack_.back();
  }

  void get(std::uint64_t slot) {
    if (failure_) return;
    const auto found = memo_.find(slot);
    if (found == memo_.end()) return refuse("it recalls an item that it never kept");
    stack_.push_back(found->second);
  }

  void stack_global() {
    const PickleId name = pop();
    const PickleId module = pop();
    if (failure_) return;
    const auto* name_text = graph_.value_if<std::string>(name);
    const auto* module_text = graph_.value_if<std::string>(module);
    if (name_text == nullptr || module_text == nullptr) return refuse("a name that is no text");
    push_result(owner_.global(graph_, *module_text + "." + *name_text));
  }

  void reduce() {
    const PickleId arguments = pop();
    const PickleId callable = pop();
    if (failure_) return;
    const auto* name = graph_.get_if<PickleGlobal>(callable);
    const auto* tuple = graph_.get_if<PickleSequence>(arguments);
    if (name == nullptr || tuple == nullptr || !tuple->tuple) return refuse("a call of something that is no function");
    if (tuple->items.size() > kMaxArguments) return refuse("a call with " + std::to_string(tuple->items.size()) + " arguments");
    // Copies: the owner adds nodes, which moves the ones that are there.
    const std::string function = name->name;
    const std::vector<PickleId> items = tuple->items;
    push_result(owner_.call(graph_, function, items));
  }

  std::string_view bytes_;
  PickleGraph& graph_;
  PickleOwner& owner_;
  std::size_t position_ = 0;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, PickleId> memo_;
  std::optional<Failure> failure_;
};

/// Writes a graph out as a tree: shared nodes are copied, so the number of copies is limited.
class TreeBuilder {
 public:
  explicit TreeBuilder(const PickleGraph& graph) : graph_(graph) {}

  Result<Value> build(PickleId id, int depth) {
    if (depth > ASSAY_VALUE_MAX_DEPTH)
      return input_failure("nested deeper than " + std::to_string(ASSAY_VALUE_MAX_DEPTH) + " levels");
    if (++count_ > kMaxValues) return input_failure("holds more than " + std::to_string(kMaxValues) + " values");
    if (const auto* value = graph_.get_if<Value>(id)) return *value;
    if (const auto* sequence = graph_.get_if<PickleSequence>(id)) {
      std::vector<Value> items;
      for (const PickleId item : sequence->items) {
        Result<Value> built = build(item, depth + 1);
        if (!built) return built;
        items.push_back(std::move(*built));
      }
      return sequence->tuple ? Value(Tuple{std::move(items)}) : Value(List{std::move(items)});
    }
    if (const auto* dict = graph_.get_if<PickleDict>(id)) return build_dict(*dict, depth);
    if (const auto* global = graph_.get_if<PickleGlobal>(id)) {
      return input_failure("holds the function '" + escape_control(global->name) + "', expected data");
    }
    return input_failure("holds a bare storage, expected a tensor");
  }

 private:
  static constexpr std::size_t kMaxValues = 1'000'000;

  Result<Value> build_dict(const PickleDict& dict, int depth) {
    Dict out;
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
      const auto* key = graph_.value_if<std::string>(dict.items[i]);
      if (key == nullptr) return input_failure("holds a dictionary whose keys are not text");
      Result<Value> value = build(dict.items[i + 1], depth + 1);
      if (!value) return value;
      out.items.emplace_back(*key, std::move(*value));
    }
    return Value(std::move(out));
  }

  const PickleGraph& graph_;
  std::size_t count_ = 0;
};

}  // namespace

Result<PickleId> read_pickle(std::string_view bytes, PickleGraph& graph, PickleOwner& owner) {
  if (bytes.size() > kMaxBytes) {
    return input_failure("the pickle has " + std::to_string(bytes.size()) + " bytes, at most " + std::to_string(kMaxBytes) +
                         " are read");
  }
  return PickleMachine(bytes, graph, owner).run();
}

Result<Value> pickle_value(const PickleGraph& graph, PickleId id) { return TreeBuilder(graph).build(id, 0); }

}  // namespace assay
