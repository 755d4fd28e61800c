#include <cstring>
#include <type_traits>

#include "base/text.hpp"
#include "pipeline/call_plan.hpp"

namespace assay {

namespace {

/// Lengths before texts keep two signatures apart whatever the texts hold.
void add_text(std::string& out, const std::string& text) { out += std::to_string(text.size()) + ":" + text; }

void add_number(std::string& out, double number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof bytes);
}

void add_value(std::string& out, const Value& value) {
  out += static_cast<char>('A' + value.data.index());
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t>) {
          out += std::to_string(v);
        } else if constexpr (std::is_same_v<T, double>) {
          add_number(out, v);
        } else if constexpr (std::is_same_v<T, std::complex<double>>) {
          add_number(out, v.real());
          add_number(out, v.imag());
        } else if constexpr (std::is_same_v<T, std::string>) {
          add_text(out, v);
        } else if constexpr (std::is_same_v<T, assay_dtype>) {
          out += std::to_string(v.code) + "/" + std::to_string(v.bits);
        } else if constexpr (std::is_same_v<T, assay_device>) {
          out += std::to_string(v.type) + "/" + std::to_string(v.id);
        } else if constexpr (std::is_same_v<T, assay_slice>) {
          out += std::to_string(v.present);
          for (const std::int64_t bound : {v.start, v.stop, v.step}) out += "/" + std::to_string(bound);
        } else if constexpr (std::is_same_v<T, MemoryFormat>) {
          add_text(out, v.name);
        } else if constexpr (std::is_same_v<T, List> || std::is_same_v<T, Tuple>) {
          for (const Value& item : v.items) add_value(out, item);
        } else if constexpr (std::is_same_v<T, Dict>) {
          for (const auto& [name, item] : v.items) {
            add_text(out, name);
            add_value(out, item);
          }
        }
      },
      value.data);
  out += ';';
}

void add_element(std::string& out, const Element& element) {
  if (const auto* value = element.get_if<Value>()) {
    add_value(out, *value);
  } else if (const auto* tensor = element.get_if<TensorElement>()) {
    out += "t";
    add_text(out, tensor->type);
    add_text(out, tensor->dtype_text);
    add_text(out, format_shape(tensor->shape));
    out += tensor->requires_grad ? 'g' : '-';
  } else if (const auto* opaque = element.get_if<OpaqueElement>()) {
    out += "o";
    add_text(out, opaque->reason);
  } else if (const auto* list = element.get_if<ElementList>()) {
    out += "[";
    for (const Element& item : list->items) add_element(out, item);
    out += "]";
  } else if (const auto* dict = element.get_if<ElementDict>()) {
    out += "{";
    for (const auto& [name, item] : dict->items) {
      add_text(out, name);
      add_element(out, item);
    }
    out += "}";
  }
}

}  // namespace

std::string call_signature(const RecordedCall& call) {
  std::string out;
  add_text(out, call.api);
  for (const auto* direction : {&call.forward, &call.backward}) {
    out += *direction ? '|' : '!';
    if (!*direction) continue;
    // A damaged entry is like no other.
    if ((*direction)->error) add_text(out, call.stem + *(*direction)->error);
    for (const Element& element : (*direction)->inputs) add_element(out, element);
    for (const auto& [name, element] : (*direction)->kwargs) {
      add_text(out, name);
      add_element(out, element);
    }
  }
  return out;
}

}  // namespace assay
