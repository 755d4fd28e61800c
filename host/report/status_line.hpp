// The line at the bottom of the terminal while something runs: how far it is, how fast, how long it takes, what was worst so far.
//
//   StatusLine line(stderr, "APIs", 1000);
//   line.update(done, "3 errors, worst 3.5e+05 ulp Mint.silu.0.forward");   // draws at most ten times a second
//   line.clear();                                                           // before anything else is printed
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace assay {

/// Columns that text takes on a terminal: East Asian characters are two wide, combining ones none.
std::size_t display_width(std::string_view text);

/// The text, or its beginning and "…" where it is wider than `columns`.
std::string fit_width(std::string_view text, std::size_t columns);

/// Columns of the terminal behind a file; 80 where it is none or doesn't say.
std::size_t terminal_columns(std::FILE* file);

/// "340 ms", "12 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);

class StatusLine {
 public:
  /// `shown` off: nothing is ever drawn. `total` 0: not known.
  StatusLine(std::FILE* file, std::string unit, std::size_t total, bool shown);

  void update(std::size_t done, const std::string& more);
  void clear();

  /// What update() draws, without limits of width and time.
  [[nodiscard]] std::string text(std::size_t done, double seconds, const std::string& more) const;

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* file_;
  std::string unit_;
  std::size_t total_;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace assay
