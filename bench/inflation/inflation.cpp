// usage: inflation [--rows FILE] [--out DIR] [--scale N] ... : the published table of what the watch costs, measured here.
//
// Each row is measured in a process of its own and kept in OUT/rows; the tables are made of all that is there.
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <thread>

#include "base/text.hpp"
#include "child.hpp"
#include "row_run.hpp"
#include "tables.hpp"

namespace assay::bench {

namespace {

namespace po = boost::program_options;

constexpr int kUsage = 2;

struct Options {
  std::filesystem::path rows;
  std::filesystem::path out;
  RunOptions run;
  std::string slice;
  std::string only;
  bool resume = false;
  std::size_t measure = 0;  ///< the number of the row that this process is for; 0: all, in processes of their own
};

po::options_description describe(Options& options) {
  po::options_description out("options");
  out.add_options()("rows", po::value(&options.rows)->default_value(ASSAY_PUBLISHED_ROWS, "the published table"),
                    "the table to measure")("out", po::value(&options.out)->default_value("inflation-out"),
                                            "folder of the results")(
      "scale", po::value(&options.run.training.scale)->default_value(8), "divides the sizes of the published models")(
      "narrow-scale", po::value(&options.run.narrow_scale)->default_value(16),
      "the same of rows in bfloat16, which processors without instructions for it compute slowly")(
      "seq", po::value(&options.run.training.sequence), "tokens of a sample instead")(
      "batch", po::value(&options.run.training.batch), "samples of a step instead")(
      "dtype", po::value(&options.run.dtype), "float32 or bfloat16 for all rows; else bfloat16 where precision is improved")(
      "repetitions", po::value(&options.run.repetitions)->default_value(7), "steps of each kind")(
      "seconds", po::value(&options.run.seconds)->default_value(30), "after which a row with three repetitions is over")(
      "threads", po::value(&options.run.threads)->default_value(2), "of LibTorch and of the watch")(
      "slice", po::value(&options.slice), "K/N: only every N-th row, the K-th of them first (1/4)")(
      "only", po::value(&options.only), "rows whose \"MODEL MODE DIRECTION SCOPE PERTURBATION\" matches a pattern of * and ?")(
      "resume", po::bool_switch(&options.resume), "keep rows that were measured before")("help", "show this")(
      "measure-row", po::value(&options.measure), "measure this row in this process");
  return out;
}

/// K/N as a test of row numbers. Throws std::invalid_argument.
std::function<bool(std::size_t)> parse_slice(const std::string& text) {
  if (text.empty()) return [](std::size_t) { return true; };
  unsigned k = 0;
  unsigned n = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%u/%u%c", &k, &n, &rest) != 2 || k < 1 || k > n)
    throw std::invalid_argument("--slice '" + text + "': expected K/N with K from 1 to N");
  return [k, n](std::size_t number) { return number % n == k % n; };
}

std::filesystem::path file_of(const Options& options, std::size_t number) {
  return options.out / "rows" / (std::to_string(number) + ".json");
}

std::string machine() {
  std::string name = "unknown processor";
  if (std::FILE* info = std::fopen("/proc/cpuinfo", "r")) {
    char line[256];
    char model[200];
    while (std::fgets(line, sizeof line, info) != nullptr) {
      if (std::sscanf(line, "model name : %199[^\n]", model) == 1) name = escape_control(model);
    }
    std::fclose(info);
  }
  return name + ", " + std::to_string(std::thread::hardware_concurrency()) + " processors";
}

int measure_here(const Options& options, const PublishedRow& row) {
  const Status written = write_measurement(file_of(options, row.number), measure_row(row, options.run));
  if (written) return 0;
  std::fprintf(stderr, "inflation: %s\n", written.failure().message.c_str());
  return 1;
}

void show(const TableRow& row) {
  const Figures f = figures_of(row);
  const std::string name = row.published.model + " " + row.published.what();
  if (!f.measured) {
    std::printf("%-70s %s\n", name.c_str(), row.measured.failure.c_str());
  } else {
    std::printf("%-70s %8.1f ms  time %.2f (run twice %.2f%s)  memory %.2f  published %.2f, %.2f\n", name.c_str(), f.plain_ms,
                f.time.median, f.twice.median,
                f.wide.median > 0 ? (", widened " + std::to_string(f.wide.median).substr(0, 4)).c_str() : "", f.memory,
                row.published.time_inflation, row.published.memory_inflation);
  }
  std::fflush(stdout);
}

int measure_all(const Options& options, const std::vector<PublishedRow>& rows, const std::vector<std::string>& arguments) {
  const auto in_slice = parse_slice(options.slice);
  std::filesystem::create_directories(options.out / "rows");
  Table table;
  table.machine = machine();
  table.command = "inflation " + join(arguments, " ");
  bool failed = false;
  for (const PublishedRow& row : rows) {
    const std::filesystem::path file = file_of(options, row.number);
    const bool wanted = in_slice(row.number) && (options.only.empty() || glob_match(options.only, row.model + " " + row.what()));
    const bool measure = wanted && !(options.resume && std::filesystem::exists(file));
    Status ran = Done{};
    if (measure) {
      std::filesystem::remove(file);
      std::vector<std::string> own = arguments;
      own.insert(own.end(), {"--measure-row", std::to_string(row.number)});
      ran = run_self(own);
    }
    TableRow entry{row, {}};
    if (!ran) {
      entry.measured.failure = ran.failure().message;
    } else if (std::filesystem::exists(file)) {
      Result<Measurement> measured = read_measurement(file);
      if (measured)
        entry.measured = std::move(*measured);
      else
        entry.measured.failure = measured.failure().message;
    }
    failed = failed || (measure && !entry.measured.failure.empty());
    if (measure) show(entry);
    table.rows.push_back(std::move(entry));
  }
  if (const Status written = write_tables(options.out, table); !written) {
    std::fprintf(stderr, "inflation: %s\n", written.failure().message.c_str());
    return 1;
  }
  std::printf("tables: %s\n", (options.out / "inflation.md").c_str());
  return failed ? 1 : 0;
}

int run(int argc, char** argv) {
  Options options;
  const po::options_description described = describe(options);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  po::variables_map values;
  po::store(po::command_line_parser(arguments).options(described).positional({}).run(), values);
  if (values.count("help") != 0) {
    std::cout << "usage: inflation [options]\n" << described;
    return 0;
  }
  po::notify(values);
  const RunOptions& r = options.run;
  for (const std::int64_t scale : {r.training.scale, r.narrow_scale}) {
    if (scale < 1 || scale > 64) throw std::invalid_argument("--scale, --narrow-scale: expected a number from 1 to 64");
  }
  if (r.repetitions < 1 || r.threads < 1) throw std::invalid_argument("--repetitions and --threads: expected a number from 1");
  if (!r.dtype.empty() && r.dtype != "float32" && r.dtype != "bfloat16")
    throw std::invalid_argument("--dtype '" + r.dtype + "': expected float32 or bfloat16");
  const Result<std::vector<PublishedRow>> rows = read_rows(options.rows);
  if (!rows) throw std::invalid_argument(rows.failure().message);
  for (const PublishedRow& row : *rows) {
    if (model_of(row.model).empty())
      throw std::invalid_argument("row " + std::to_string(row.number) + ": there is no model '" + row.model + "'");
    if (row.number == options.measure) return measure_here(options, row);
  }
  if (options.measure != 0) throw std::invalid_argument("--measure-row: there is no such row");
  return measure_all(options, *rows, arguments);
}

}  // namespace

}  // namespace assay::bench

int main(int argc, char** argv) {
  try {
    return assay::bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "inflation: %s\n", e.what());
    return assay::bench::kUsage;
  }
}
