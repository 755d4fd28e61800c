// Two result tables against each other: reading, the peer's files, our own summary, and everything that can be wrong with a table.
#include <random>

#include "base/text.hpp"
#include "compare/comparison.hpp"
#include "compare/precision_files.hpp"
#include "compare/side.hpp"
#include "compare_fixture.hpp"
#include "config/json.hpp"

namespace assay {
namespace {

const std::filesystem::path kData = std::filesystem::path(ASSAY_SOURCE_DIR) / "tests" / "data" / "compare";

const Cells kGood = {{"二进制一致错误率", "0.0"}};
const Cells kBad = {{"二进制一致错误率", "0.5"}};

Cells row(const std::string& api, const Cells& cells) { return details_row(api + ".0.forward.output.0", "int64", cells); }

class CompareTables : public ::testing::Test {
 protected:
  Result<Comparison> compare(const std::string& tested, const std::string& baseline, CompareOptions options = {}) {
    return compare_tables(folder_.write("tested.csv", tested), folder_.write("baseline.csv", baseline), options);
  }
  Comparison compared(const std::string& tested, const std::string& baseline, CompareOptions options = {}) {
    Result<Comparison> out = compare(tested, baseline, std::move(options));
    if (!out) throw std::runtime_error(out.failure().message);
    return *out;
  }
  static std::string kinds(const Comparison& comparison) {
    std::vector<std::string> parts;
    for (const Change& change : comparison.changes) {
      parts.push_back(change.stem + (change.backward ? "<" : ">") + change_name(change.kind));
    }
    return join(parts, ", ");
  }
  static std::string notes(const ComparedSide& side) { return join(side.notes, "\n"); }

  ScratchFolder folder_;
};

TEST_F(CompareTables, WriteThePeersFiles) {
  for (const std::string standard : {"msprobe-2026-04", "msprobe-2026-08"}) {
    CompareOptions options;
    options.standard = standard;
    Result<Comparison> out = compare_tables(kData / "npu_details.csv", kData / "gpu_details.csv", options);
    ASSERT_TRUE(out) << out.failure().message;
    ASSERT_TRUE(
        write_precision_files(folder_.path(), "20260801120000", out->warning_word, out->precision_rows, out->precision_results));
    for (const std::string what : {"result", "details"}) {
      EXPECT_EQ(read_file(folder_.path() / ("api_precision_compare_" + what + "_20260801120000.csv")),
                read_file(kData / (standard + "_" + what + ".csv")))
          << standard << " " << what;
    }
  }
}

TEST_F(CompareTables, SumUpWhatChanged) {
  const Cells sharp = {{"二进制一致错误率", "0.0"}, {"最大绝对误差", "0.0"}, {"相对误差最大值", "0.001"}};
  const Cells blunt = {{"二进制一致错误率", "0.0"}, {"相对误差最大值", "0.5"}, {"Status", "error"}};
  const Comparison out = compared(TableText().of({row("Torch.a", kGood), row("Torch.b", kBad), row("Torch.c", sharp),
                                                  row("Torch.d", {}), row("Torch.e", kGood)}),
                                  TableText().of({row("Torch.a", kGood), row("Torch.b", kGood), row("Torch.c", blunt),
                                                  row("Torch.d", {}), row("Torch.f", kGood)}));
  EXPECT_EQ(kinds(out),
            "Torch.a.0>same, Torch.b.0>worse, Torch.c.0>better, Torch.d.0>not judged, Torch.e.0>appeared, Torch.f.0>vanished");
  EXPECT_EQ(out.changes[1].message, "output.0: binary error rate is 0.5, expected 0");
  EXPECT_EQ(out.common(), 4u);
  ASSERT_TRUE(write_comparison(folder_.path(), out));
  const std::string table = read_file(folder_.path() / "compare.csv");
  EXPECT_NE(table.find("Torch.b.0,forward,worse,pass,pass,output.0,二进制一致错误率,0.5,0.0,5000.0,"), std::string::npos) << table;
  const std::string json = read_file(folder_.path() / "compare.json");
  EXPECT_NE(json.find("\"worse\": 1"), std::string::npos) << json;
}

TEST_F(CompareTables, ReadEveryWayToWriteATable) {
  const std::vector<Cells> rows = {row("Torch.a", kGood), row("Torch.b", kBad)};
  const std::string expected =
      kinds(compared(TableText().of(rows), TableText().of({row("Torch.a", kGood), row("Torch.b", kGood)})));
  EXPECT_EQ(expected, "Torch.a.0>same, Torch.b.0>worse");
  TableText plain{"", "\n", torch_columns()};
  TableText turned{"", "\r\n", {torch_columns().rbegin(), torch_columns().rend()}};
  TableText more{"\xef\xbb\xbf", "\n", torch_columns()};
  more.columns.insert(more.columns.begin() + 3, "a column of tomorrow");
  for (const TableText& text : {plain, turned, more}) {
    const Comparison out = compared(text.of(rows), TableText().of({row("Torch.a", kGood), row("Torch.b", kGood)}));
    EXPECT_EQ(kinds(out), expected);
    EXPECT_EQ(out.tested.note_count, 0u) << notes(out.tested);
  }
}

TEST_F(CompareTables, SayWhatIsOddInARowAndGoOn) {
  const Cells quoted = {{"二进制一致错误率", "0"}, {"Message", "\"two\nlines, =1\""}, {"Status", "error"}};
  std::string text = TableText().of({row("Torch.a", kGood), row("Torch.a", kGood), row("Torch.b", kGood), row("Torch.b", kBad),
                                     row("Torch.c", {{"二进制一致错误率", "=cmd"}}), row("Torch.d", quoted),
                                     row("Torch.e", {{"二进制一致错误率", "0"}, {"Status", "fine"}})});
  text += "Torch.f.0.forward.output.0,torn\r\n,";
  for (std::size_t i = 2; i < torch_columns().size(); ++i) text += ",";
  text += "\r\nTorch.g.0.forward.output.0,\"never closed";
  const Comparison out = compared(text, TableText().of({row("Torch.a", kGood), row("Torch.b", kGood), row("Torch.c", kGood),
                                                        row("Torch.d", kGood), row("Torch.e", kGood)}));
  EXPECT_EQ(kinds(out), "Torch.a.0>same, Torch.b.0>not judged, Torch.c.0>not judged, Torch.d.0>same, Torch.e.0>same");
  const std::string said = notes(out.tested);
  for (const char* part : {"line 3: 'Torch.a.0.forward.output.0' is also in line 2 with the same values; the row is left out",
                           "line 5: 'Torch.b.0.forward.output.0' is also in line 4 with other values",
                           "line 6: '=cmd' in column 二进制一致错误率 is no number; read as not available",
                           "line 9: 'fine' is no verdict; read as none", "line 10: 2 cells, expected 23; the row is left out",
                           "line 11: no API name; the row is left out", "line 12: the quote opened in line 12 is never closed",
                           "line 12: 2 cells, expected 23"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " not in\n" << said;
  }
  EXPECT_EQ(out.tested.note_count, 8u) << said;
}

TEST_F(CompareTables, NeutraliseCellsThatASpreadsheetWouldRun) {
  const Cells evil = {{"DEVICE Dtype", " "}, {"Message", "@SUM(A1:A9)"}};
  const std::string text =
      TableText().of({details_row("=cmd|'/C calc'!A0", "int64", evil), row("-Torch.x", evil), row("Torch.a", kGood)});
  const Comparison out = compared(text, text);
  ASSERT_TRUE(write_comparison(folder_.path(), out));
  ASSERT_TRUE(write_precision_files(folder_.path(), "0", out.warning_word, out.precision_rows, out.precision_results));
  for (const char* name : {"compare.csv", "api_precision_compare_details_0.csv", "api_precision_compare_result_0.csv"}) {
    const std::string written = read_file(folder_.path() / name);
    EXPECT_NE(written.find("'=cmd"), std::string::npos) << name;
    // In compare.csv the name of the output stands before the message.
    EXPECT_NE(written.find(std::string(name) == "compare.csv" ? ": @SUM" : "'@SUM"), std::string::npos) << name;
    for (const char* start : {"\n=", "\n-", ",@", ",="}) EXPECT_EQ(written.find(start), std::string::npos) << name << written;
  }
}

TEST_F(CompareTables, RefuseWhatIsNoTable) {
  const std::string good = TableText().of({row("Torch.a", kGood)});
  const auto said = [&](const std::string& text) {
    const Result<Comparison> out = compare(text, good);
    return out ? std::string("accepted") : out.failure().message;
  };
  EXPECT_NE(said("").find("empty"), std::string::npos);
  EXPECT_NE(said("a,b\n1,2\n").find("no header that assay knows (a, b)"), std::string::npos);
  EXPECT_NE(said("API Name;DEVICE Dtype\n").find("separated by ';'"), std::string::npos);
  EXPECT_NE(said("API Name\tDEVICE Dtype\n").find("separated by tabs"), std::string::npos);
  EXPECT_NE(said("API Name,DEVICE Dtype,均方根误差\n").find("columns are missing: 小值域错误占比, 相对误差最大值"),
            std::string::npos);
  EXPECT_NE(said("API Name,DEVICE Dtype,api name\n").find("column 'api name' is there twice"), std::string::npos);
  EXPECT_NE(said(std::string("\xff\xfe"
                             "A\0P\0",
                             6))
                .find("zero byte"),
            std::string::npos);
  EXPECT_NE(said("API Name,Forward Test Success,Backward Test Success,Message\n").find("give two tables of one kind"),
            std::string::npos);
  CompareOptions options;
  options.standard = "msprobe-mint";
  EXPECT_NE(compare(good, good, options).failure().message.find("there are msprobe-2026-04, msprobe-2026-08"), std::string::npos);
}

TEST_F(CompareTables, CompareResultTablesByTheirVerdicts) {
  const std::string header = "API name,Forward Test Success,Backward Test Success,Message\r\n";
  const Comparison out =
      compared(header + "Torch.a.0,pass,error\r\nTorch.b.0,SKIP,SKIP,no kernel\r\nTorch.c.0,pass, \r\nTorch.d.0,pass,Warning\r\n",
               header + "Torch.a.0,error,pass\r\nTorch.b.0,pass, \r\nTorch.c.0,pass, \r\nTorch.d.0,pass,warning\r\n");
  EXPECT_EQ(
      kinds(out),
      "Torch.a.0>better, Torch.a.0<worse, Torch.b.0>vanished, Torch.b.0<appeared, Torch.c.0>same, Torch.d.0>same, Torch.d.0<same");
  EXPECT_EQ(out.changes[2].message, "no kernel");
}

TEST_F(CompareTables, CompareMintAndOwnDetailsByTheirMetrics) {
  const std::string mint = "API Name,Bench Dtype,Tested Dtype,Shape,Cosine,MaxAbsErr,MaxRelativeErr,Status,Message\r\n";
  EXPECT_EQ(kinds(compared(mint + "Mint.a.0.forward.output.0,Float32,Float32,\"(2,)\",1.0,0,0.5,pass,\r\n",
                           mint + "Mint.a.0.forward.output.0,Float32,Float32,\"(2,)\",1.0,0,0.001,pass,\r\n")),
            "Mint.a.0>worse");
  const std::string own = "api_name,verdict,reason,message,actual_dtype,expected_dtype,shape,max_ulp,worst_index,notes\n";
  const Comparison out = compared(own +
                                      "Torch.a.0.forward.output.0,pass,,,float32,float32,\"(2,)\",1.0,,\nTorch.a.0.backward.output."
                                      "1.0,pass,,,float32,float32,\"(2,)\",2.0,,\n",
                                  own +
                                      "Torch.a.0.forward.output.0,pass,,,float32,float32,\"(2,)\",9.0,,\nTorch.a.0.backward.output."
                                      "1.0,pass,,,float32,float32,\"(2,)\",0.0,,\n");
  EXPECT_EQ(kinds(out), "Torch.a.0>better, Torch.a.0<same");
}

TEST_F(CompareTables, LookOnlyAtWhatIsSelected) {
  CompareOptions options;
  options.selects = [](const std::string&, const std::string& api) { return glob_match("Torch.a*", api); };
  const std::string text = TableText().of({row("Torch.a", kGood), row("Torch.b", kGood), row("Torch.acos", kGood)});
  const Comparison out = compared(text, text, options);
  EXPECT_EQ(kinds(out), "Torch.a.0>same, Torch.acos.0>same");
  EXPECT_EQ(out.precision_rows.size(), 2u);
}

TEST_F(CompareTables, SurviveWhateverIsInAFile) {
  const std::string good = read_file(kData / "npu_details.csv");
  const auto baseline = folder_.write("baseline.csv", good);
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  std::size_t accepted = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = good;
    // Most rounds leave the header alone, so that the rows are reached.
    const std::size_t start = round % 4 == 0 ? 0 : good.find('\n') + 1;
    for (std::size_t i = below(8) + 1; i > 0 && text.size() > start; --i) {
      const std::size_t at = start + below(text.size() - start);
      switch (below(5)) {
        case 0: text[at] = static_cast<char>(below(256)); break;
        case 1: text.insert(at, 1, "\",\r\n ="[below(6)]); break;
        case 2: text.erase(at, below(40)); break;
        case 3: text.insert(at, text.substr(below(text.size()), below(200))); break;
        default: text.resize(at + 1); break;
      }
    }
    const Result<Comparison> out = compare_tables(folder_.write("tested.csv", text), baseline, {});
    if (!out) {
      EXPECT_EQ(out.failure().kind, FailureKind::kInput);
      continue;
    }
    ++accepted;
    ASSERT_TRUE(write_comparison(folder_.path(), *out));
    EXPECT_TRUE(parse_json(read_file(folder_.path() / "compare.json"), "compare.json"));
  }
  EXPECT_GT(accepted, 50u);
}

TEST_F(CompareTables, TellTablesRunsAndDumpsApart) {
  const auto table = folder_.write("t.csv", TableText().of({}));
  const auto dump = folder_.write("dump.json", "\n {}");
  std::filesystem::create_directory(folder_.path() / "run");
  folder_.write("run/results.jsonl", "");
  EXPECT_EQ(find_side(table)->kind, SideKind::kTable);
  EXPECT_EQ(find_side(dump)->kind, SideKind::kDump);
  EXPECT_EQ(find_side(folder_.path())->kind, SideKind::kDump);
  EXPECT_EQ(find_side(folder_.path() / "run")->kind, SideKind::kRun);
  EXPECT_EQ(find_side(folder_.path() / "run" / "results.jsonl")->path, folder_.path() / "run");
  EXPECT_NE(find_side(folder_.path() / "none").failure().message.find("no such file or folder"), std::string::npos);
  EXPECT_NE(
      check_same_kind(*find_side(table), *find_side(dump)).failure().message.find("the first is a result table, the second a dump"),
      std::string::npos);
}

}  // namespace
}  // namespace assay
