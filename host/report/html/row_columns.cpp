#include "report/html/row_columns.hpp"

#include "report/html/page_json.hpp"

namespace assay::html {

namespace {

/// Adds what `write` gives to a list of JSON values.
template <class Write>
void append(std::string& items, const Write& write) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  write(writer);
  if (!items.empty()) items += ',';
  items += script_safe({buffer.GetString(), buffer.GetSize()});
}

}  // namespace

void RowColumns::add(const Row& row) {
  ++row_count_;
  append(position_, [&](Writer& writer) { writer.Uint64(row.position); });
  append(call_, [&](Writer& writer) { write_text(writer, row.call); });
  append(name_, [&](Writer& writer) { write_text(writer, row.name); });
  append(message_, [&](Writer& writer) { write_text(writer, row.message); });
  append(verdict_, [&](Writer& writer) { writer.String(std::string(verdict_name(row.verdict))); });
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    append(numbers_[i], [&](Writer& writer) { write_number(writer, i < row.numbers.size() ? row.numbers[i] : std::nullopt); });
  }
}

Status RowColumns::write(const Output& out) const {
  const auto write_list = [&](const char* before, const std::string& items, const char* after) -> Status {
    for (const std::string_view piece : {std::string_view(before), std::string_view("["), std::string_view(items),
                                         std::string_view("]"), std::string_view(after)}) {
      if (Status s = out(piece); !s) return s;
    }
    return Done{};
  };
  for (const auto& [key, items] :
       {std::pair("\"position\":", &position_), std::pair("\"call\":", &call_), std::pair("\"name\":", &name_),
        std::pair("\"message\":", &message_), std::pair("\"verdict\":", &verdict_)}) {
    if (Status s = write_list(key, *items, ","); !s) return s;
  }
  if (Status s = out("\"numbers\":["); !s) return s;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    if (Status s = write_list(i == 0 ? "" : ",", numbers_[i], ""); !s) return s;
  }
  return out("]");
}

}  // namespace assay::html
