// Faulty recordings: each fault has its own message, and what is sound beside it is still read.
#include "dump/inputs.hpp"
#include "dump_fixture.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string open_failure(const fs::path& path, const DumpOptions& options = {}) {
  const Result<Dump> dump = Dump::open(path, options);
  if (dump) return "opened";
  EXPECT_EQ(dump.failure().kind, FailureKind::kInput);
  return dump.failure().message;
}

/// What opening a dump.json of this text says, without the file's name.
std::string text_failure(std::string_view text) {
  const ScratchFolder folder;
  const fs::path file = folder.write("dump.json", text);
  const std::string message = open_failure(file);
  const std::string start = "read '" + file.string() + "': ";
  EXPECT_EQ(message.substr(0, start.size()), start);
  return message.size() < start.size() ? message : message.substr(start.size());
}

TEST(DumpBadInput, NamesMissingFilesAndFolders) {
  const ScratchFolder folder;
  EXPECT_EQ(open_failure(folder.path() / "none"), "read '" + (folder.path() / "none").string() + "': no such file or folder");
  EXPECT_EQ(open_failure(folder.path()), "read '" + folder.path().string() + "': holds no dump.json and no step*/rank*/ with one");
  EXPECT_EQ(open_failure("/dev/null"), "read '/dev/null': not a regular file");
}

TEST(DumpBadInput, NamesWhereTheTextBreaks) {
  EXPECT_EQ(text_failure(""), "the file is empty");
  EXPECT_EQ(text_failure(" \n"), "the file is empty");
  EXPECT_EQ(text_failure("[1]"), "not JSON at byte 0 (line 1): expected '{', got '['");
  EXPECT_EQ(text_failure("{\n \"task\": \"tensor\",\n \"data\": {\n  \"Torch.add.0.forward\": {\n"),
            "truncated, the text ends at byte 59 (line 5) where '}' was expected");
  EXPECT_EQ(text_failure("{\"task\": \"ten"),
            "truncated, the text ends at byte 13 (line 1) where the end of a string was expected");
  EXPECT_EQ(text_failure("{\"task\": \"tensor\""), "truncated, the text ends at byte 17 (line 1) where ',' or '}' was expected");
  EXPECT_EQ(text_failure("{\"data\": {\"a\": [}}}"), "not JSON at byte 16 (line 1): expected ']', got '}'");
  EXPECT_EQ(text_failure("{\"data\" {}}"), "not JSON at byte 8 (line 1): expected ':', got '{'");
  EXPECT_EQ(text_failure("{\"data\": }"), "not JSON at byte 9 (line 1): expected a value, got '}'");
  EXPECT_EQ(text_failure("{data: 1}"), "not JSON at byte 1 (line 1): expected a string, got 'd'");
  EXPECT_EQ(text_failure(dump_text("") + "x"), "not JSON at byte 92 (line 1): expected the end of the file, got 'x'");
  EXPECT_EQ(text_failure("\x7f"
                         "ELF"),
            "not JSON at byte 0 (line 1): expected '{', got '\\x7f'");
}

TEST(DumpBadInput, NamesWrongTypesAtTheTopLevel) {
  EXPECT_EQ(text_failure(R"({"level": "L1", "data": []})"), "/data: expected an object, got a list");
  EXPECT_EQ(text_failure(R"({"level": "L1", "data": 3.5})"), "/data: expected an object, got a number");
  EXPECT_EQ(text_failure(R"({"level": "L1"})"), "/data is missing: not a dump of API calls");
  EXPECT_EQ(text_failure(R"({"task": null, "level": "L1", "data": {}})"), "/task: expected a string, got null");
  EXPECT_EQ(text_failure(R"({"level": 1, "data": {}})"), "/level: expected a string, got a number");
  EXPECT_EQ(text_failure(R"({"data": {}})"), "/level is missing, expected 'L1' or 'mix'");
  EXPECT_EQ(text_failure(R"({"level": "L0", "data": {}})"),
            "/level: expected 'L1' or 'mix', got 'L0'; record the run at one of these levels");
  EXPECT_EQ(text_failure(R"({"level": "L1", "framework": "caffe", "data": {}})"),
            "/framework: expected 'pytorch', 'mindspore' or 'mindtorch', got 'caffe'");
  EXPECT_EQ(text_failure(R"({"level": "L1", "dump_data_dir": [], "data": {}})"), "/dump_data_dir: expected a string, got a list");
}

TEST(DumpBadInput, AcceptsAnyOrderOfMembersAndForeignOnes) {
  const ScratchFolder folder;
  folder.write("dump.json",
               "\xef\xbb\xbf"
               R"({"x": [1, {"y": "}"}], "data": {"Torch.add.0.forward": {}}, "level": "mix", "task": "statistics",
                            "framework": "PyTorch"})");
  const Result<Dump> dump = Dump::open(folder.path(), {});
  ASSERT_TRUE(dump) << dump.failure().message;
  EXPECT_EQ(dump->size(), 1u);
  EXPECT_EQ(dump->header().level, "mix");
  EXPECT_TRUE(dump->header().framework == Framework::kPyTorch);
  EXPECT_FALSE(dump->header().framework_assumed);
}

TEST(DumpBadInput, AssumesMindSporeWithoutAFramework) {
  const ScratchFolder folder;
  folder.write("dump.json", R"({"level": "L1", "data": {}})");
  const Result<Dump> dump = Dump::open(folder.path(), {});
  ASSERT_TRUE(dump);
  EXPECT_TRUE(dump->header().framework == Framework::kMindSpore);
  EXPECT_TRUE(dump->header().framework_assumed);
}

TEST(DumpBadInput, KeepsTheOthersWhenOneEntryIsFaulty) {
  const ScratchFolder folder;
  folder.write("dump.json", dump_text(R"("Torch.add.0.forward": {"input_args": 5},
      "Torch.mul.0.forward": {"input_args": [null], "input_kwargs": {"a" 1}},
      "Torch.mul.0.backward": {"input": [null]},
      "Torch.sub.0.forward": )" + std::string(500, '[') +
                                      std::string(500, ']') + R"(,
      "Torch.div.0.forward": {"input_args": [{"type": "int", "value": 3}]})"));
  const Result<Dump> dump = Dump::open(folder.path(), {});
  ASSERT_TRUE(dump) << dump.failure().message;
  ASSERT_EQ(dump->size(), 4u);
  EXPECT_EQ(*dump->read(0).forward->error, "/data/Torch.add.0.forward/input_args: expected a list, got an integer");
  EXPECT_NE(dump->read(1).forward->error->find("missing a colon"), std::string::npos);
  EXPECT_FALSE(dump->read(1).backward->error);
  EXPECT_EQ(*dump->read(2).forward->error, "/data/Torch.sub.0.forward: nested 500 levels deep, at most 402");
  EXPECT_EQ(dump->read(3).forward->inputs[0].get_if<Value>()->as<std::int64_t>(), 3);
}

TEST(DumpBadInput, ListsTheKeysItLeavesOut) {
  const ScratchFolder folder;
  folder.write("dump.json", dump_text(R"("Module.layer.Linear.forward.0": {}, "Cell.net.Net.backward.1": {},
      "Module.layer.Linear.parameters_grad.0": {}, "Torch.add.0": {}, "Torch.add.x.forward": {}, "Torch.add.-1.forward": {},
      "Torch.a.b.c.0.forward": {}, "add.0.forward": {}, "=cmd|'/c calc'!A1.add.0.forward": {}, "Torch.+add.0.forward": {},
      "Torch..0.forward": {}, "Torch.add.0.forward": {"input_args": [null]}, "Torch.add.0.forward": {"input_args": []},
      "Torch.\u0061dd.1.forward": {}, "": {}, "Torch.add.99999999999999999999.forward": {}}, "data": {"Torch.x.0.forward": {})"));
  const Result<Dump> dump = Dump::open(folder.path(), {});
  ASSERT_TRUE(dump) << dump.failure().message;
  ASSERT_EQ(dump->size(), 2u);
  EXPECT_EQ(dump->stem(1), "Torch.add.1");
  EXPECT_EQ(dump->read(0).forward->inputs.size(), 1u) << "the first of two equal keys counts";
  std::vector<std::string> reasons;
  for (const SkippedKey& skipped : dump->skipped_keys()) reasons.push_back(skipped.key + ": " + skipped.reason);
  EXPECT_EQ(reasons,
            (std::vector<std::string>{
                "Module.layer.Linear.forward.0: a module's entry; only API calls are replayed",
                "Cell.net.Net.backward.1: a module's entry; only API calls are replayed",
                "Module.layer.Linear.parameters_grad.0: a module's entry; only API calls are replayed",
                "Torch.add.0: ends in neither '.forward' nor '.backward'",
                "Torch.add.x.forward: 'x' before the direction is not a call index",
                "Torch.add.-1.forward: '-1' before the direction is not a call index",
                "Torch.a.b.c.0.forward: 5 parts before the direction, expected 3 or 4 (Type.name.index)",
                "add.0.forward: 2 parts before the direction, expected 3 or 4 (Type.name.index)",
                "=cmd|'/c calc'!A1.add.0.forward: '=cmd|'/c calc'!A1' can't be part of an API name",
                "Torch.+add.0.forward: '+add' can't be part of an API name", "Torch..0.forward: '' can't be part of an API name",
                "Torch.add.0.forward: occurs twice; the first one counts", ": ends in neither '.forward' nor '.backward'",
                "Torch.add.99999999999999999999.forward: '99999999999999999999' before the direction is not a call index",
                "data: occurs twice at the top level; the first one counts"}));
}

TEST(DumpFolders, FindStepAndRank) {
  const ScratchFolder folder;
  for (const char* place : {"step0/rank0", "step0/rank3", "step12/rank", "stepx/rank0"}) {
    folder.write(std::string(place) + "/dump.json", dump_text("\"Torch." + std::string("add.0.forward\": {}")));
  }
  EXPECT_EQ(open_failure(folder.path()), "'" + folder.path().string() + "' has step 0, 12; choose one with --step");
  EXPECT_EQ(open_failure(folder.path(), {7, {}}), "no step 7: '" + folder.path().string() + "' has step 0, 12");
  EXPECT_EQ(open_failure(folder.path(), {0, {}}),
            "'" + (folder.path() / "step0").string() + "' has rank 0, 3; choose one with --rank");
  EXPECT_EQ(open_failure(folder.path(), {0, 1}), "no rank 1: '" + (folder.path() / "step0").string() + "' has rank 0, 3");
  const auto json_of = [&](const fs::path& path, const DumpOptions& options) {
    const Result<Dump> dump = Dump::open(path, options);
    return dump ? dump->json_path() : fs::path(dump.failure().message);
  };
  EXPECT_EQ(json_of(folder.path(), {0, 3}), folder.path() / "step0/rank3/dump.json");
  EXPECT_EQ(json_of(folder.path(), {12, {}}), folder.path() / "step12/rank/dump.json");
  EXPECT_EQ(json_of(folder.path() / "step0", {{}, 3}), folder.path() / "step0/rank3/dump.json");
  EXPECT_EQ(json_of(folder.path() / "step0/rank3", {}), folder.path() / "step0/rank3/dump.json");
  EXPECT_EQ(open_failure(folder.path() / "step0/rank3/dump.json", {0, {}}),
            "'" + (folder.path() / "step0/rank3/dump.json").string() + "' is one dump; leave out --step and --rank");
  EXPECT_EQ(open_failure(folder.path() / "step0/rank3", {0, {}}),
            "no step 0: '" + (folder.path() / "step0/rank3").string() + "' has no step*/");
}

const std::string kNumbers = npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", bytes_of<float>({1, 2}));

TEST(DumpFolders, LookBesideDumpJsonWhenTheRecordedFolderIsGone) {
  const ScratchFolder folder;
  folder.write("moved/x.npy", kNumbers);
  folder.write("dump_tensor_data/x.npy", kNumbers);
  const auto tensor_dir = [&](const std::string& recorded) {
    folder.write("dump.json", dump_text("", "pytorch", recorded));
    return Dump::open(folder.path(), {})->tensor_dir();
  };
  EXPECT_EQ(tensor_dir("\"" + (folder.path() / "moved").string() + "\""), folder.path() / "moved");
  EXPECT_EQ(tensor_dir("\"/gone/away\""), folder.path() / "dump_tensor_data");
  EXPECT_EQ(tensor_dir("\"moved\""), folder.path() / "moved");
  EXPECT_EQ(tensor_dir("\"dump_tensor_data\""), folder.path() / "dump_tensor_data");
  EXPECT_EQ(tensor_dir("null"), folder.path() / "dump_tensor_data");
}

class TensorFiles : public ::testing::Test {
 protected:
  TensorFiles() {
    folder_.write("outside.npy", kNumbers);
    folder_.write("dump_tensor_data/x.npy", kNumbers);
    folder_.write("dump_tensor_data/deep/y.npy", kNumbers);
    fs::create_symlink("../outside.npy", folder_.path() / "dump_tensor_data/link.npy");
    fs::create_symlink("x.npy", folder_.path() / "dump_tensor_data/inside.npy");
    fs::create_directory_symlink("..", folder_.path() / "dump_tensor_data/up");
  }

  /// "" when the tensor is read, else why not.
  std::string load(const std::string& name, const std::string& shape = "[2]", const std::string& dtype = "torch.float32") {
    folder_.write("dump.json", dump_text(R"("Torch.abs.0.forward": {"input_args": [{"type": "torch.Tensor", "dtype": ")" + dtype +
                                         R"(", "shape": )" + shape + R"(, "data_name": ")" + name + "\"}]}"));
    const Dump dump = *Dump::open(folder_.path(), {});
    const RecordedCall call = dump.read(0);
    if (call.forward->error) return *call.forward->error;
    const Result<Tensor> tensor = dump.load(*call.forward->inputs[0].get_if<TensorElement>());
    if (tensor) return "";
    EXPECT_EQ(tensor.failure().kind, FailureKind::kInput);
    return tensor.failure().message;
  }

  [[nodiscard]] std::string place() const { return (folder_.path() / "dump_tensor_data").string(); }

  ScratchFolder folder_;
};

TEST_F(TensorFiles, AreReadInsideTheirFolderOnly) {
  EXPECT_EQ(load("x.npy"), "");
  EXPECT_EQ(load("deep/y.npy"), "");
  EXPECT_EQ(load("inside.npy"), "");
  EXPECT_EQ(load("none.npy"), "read tensor 'none.npy': no such file in '" + place() + "'");
  EXPECT_EQ(load("../outside.npy"), "read tensor '../outside.npy': the name leaves the dump's tensor folder");
  EXPECT_EQ(load("deep/../../outside.npy"), "read tensor 'deep/../../outside.npy': the name leaves the dump's tensor folder");
  EXPECT_EQ(load("/etc/passwd"),
            "read tensor '/etc/passwd': the name is an absolute path, expected one inside the dump's tensor folder");
  EXPECT_EQ(load("link.npy"), "read tensor 'link.npy': a link leads out of the dump's tensor folder");
  EXPECT_EQ(load("up/outside.npy"), "read tensor 'up/outside.npy': a link leads out of the dump's tensor folder");
  EXPECT_EQ(load("x\\u0000.npy"), "read tensor 'x\\x00.npy': the name leaves the dump's tensor folder");
  EXPECT_NE(load("deep").find("not a regular file"), std::string::npos);
}

TEST_F(TensorFiles, MustAgreeWithTheRecording) {
  EXPECT_EQ(load("x.npy", "[1, 2]"), "read tensor 'x.npy': the file has shape (2,), dump.json says (1, 2)");
  EXPECT_EQ(load("x.npy", "[2]", "torch.int32"), "read tensor 'x.npy': the file has dtype float32, dump.json says 'torch.int32'");
  EXPECT_EQ(load("x.npy", "[2]", "torch.qint8"), "read tensor 'x.npy': dtype 'torch.qint8' of dump.json is not supported");
  EXPECT_EQ(load("x.npy", "[2]", "torch.bfloat16"), "");
  EXPECT_EQ(load("", "[2]"), "the dump holds no data of this tensor, only its statistics");
  EXPECT_EQ(load("", "[0, 2]"), "");
}

TEST_F(TensorFiles, AreKnownByTheirContent) {
  folder_.write("dump_tensor_data/a.pt", kNumbers);
  EXPECT_EQ(load("a.pt"), "");
  folder_.write("dump_tensor_data/a.pt", "");
  EXPECT_EQ(load("a.pt"), "read tensor 'a.pt': the file is empty");
  folder_.write("dump_tensor_data/a.pt", "hello");
  EXPECT_EQ(load("a.pt"), "read tensor 'a.pt': neither a .npy nor a .pt file");
}

}  // namespace
}  // namespace assay
