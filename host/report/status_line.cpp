#include "report/status_line.hpp"

#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <cmath>

#include "base/text.hpp"

namespace assay {

namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr std::size_t kUsualColumns = 80;

/// The thread's locale is one that reads UTF-8 while this lives.
class Utf8Scope {
 public:
  Utf8Scope() : previous_(::uselocale(utf8())) {}
  ~Utf8Scope() { ::uselocale(previous_); }
  Utf8Scope(const Utf8Scope&) = delete;
  Utf8Scope& operator=(const Utf8Scope&) = delete;

 private:
  static locale_t utf8() {
    static const locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return locale;
  }
  locale_t previous_;
};

/// Bytes and columns of the character that the text begins with.
std::pair<std::size_t, std::size_t> first_character(std::string_view text) {
  std::mbstate_t state{};
  wchar_t wide = 0;
  const std::size_t bytes = ::mbrtowc(&wide, text.data(), text.size(), &state);
  if (bytes == 0 || bytes > text.size()) return {1, 1};
  const int columns = ::wcwidth(wide);
  return {bytes, columns < 0 ? 1 : static_cast<std::size_t>(columns)};
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.1f" : "%.0f", value);
  return text;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  const Utf8Scope scope;
  std::size_t width = 0;
  while (!text.empty()) {
    const auto [bytes, columns] = first_character(text);
    width += columns;
    text.remove_prefix(bytes);
  }
  return width;
}

std::string fit_width(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  const Utf8Scope scope;
  std::size_t width = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const auto [bytes, more] = first_character(text.substr(end));
    if (width + more > columns - 1) break;
    width += more;
    end += bytes;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::size_t terminal_columns(std::FILE* file) {
  winsize size{};
  if (::ioctl(::fileno(file), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

std::string duration_text(double seconds) {
  if (seconds < 1) return std::to_string(std::lround(seconds * 1000)) + " ms";
  const auto whole = static_cast<long>(std::lround(std::min(seconds, 1e9)));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

StatusLine::StatusLine(std::FILE* file, std::string unit, std::size_t total, bool shown)
    : file_(file), unit_(std::move(unit)), total_(total), shown_(shown) {}

std::string StatusLine::text(std::size_t done, double seconds, const std::string& more) const {
  std::string line = std::to_string(done);
  if (total_ != 0) line += "/" + std::to_string(total_);
  line += " " + unit_;
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  if (rate > 0) line += ", " + rounded(rate) + "/s";
  if (rate > 0 && total_ > done) line += ", " + duration_text(static_cast<double>(total_ - done) / rate) + " left";
  return more.empty() ? line : line + ", " + more;
}

void StatusLine::update(std::size_t done, const std::string& more) {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now - last_ < kInterval) return;
  last_ = now;
  const std::string line = text(done, std::chrono::duration<double>(now - start_).count(), escape_control(more));
  // One column stays free: a full line would wrap on some terminals.
  std::fprintf(file_, "\r\x1b[K%s", fit_width(line, terminal_columns(file_) - 1).c_str());
  std::fflush(file_);
  drawn_ = true;
}

void StatusLine::clear() {
  if (!drawn_) return;
  std::fflush(stdout);
  std::fputs("\r\x1b[K", file_);
  std::fflush(file_);
  drawn_ = false;
}

}  // namespace assay
