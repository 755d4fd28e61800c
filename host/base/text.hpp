// Small text work shared by the rooms of the host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The shortest text that reads back as the same double, in Python's spelling ("1.0", "1e-05", "nan", "inf").
std::string format_number(double value);

/// "(2, 3)", "(4,)", "()": a shape as a Python tuple.
std::string format_shape(const std::vector<std::int64_t>& shape);

/// Text between the separators, empty parts kept.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// Control characters and bytes that are not UTF-8 as \xNN or \uNNNN, so that data can't drive a terminal, break a line or turn the
/// direction of text. The result is well-formed UTF-8.
std::string escape_control(std::string_view text);

/// The text as one word of a POSIX shell, in quotes only where it needs them.
std::string shell_word(const std::string& text);

/// Whether the text matches a shell pattern of '*' and '?'.
bool glob_match(std::string_view pattern, std::string_view text);

/// Names among `known` that look like `name`, for "did you mean"; at most three.
std::vector<std::string> similar_names(std::string_view name, const std::vector<std::string>& known);

}  // namespace assay
