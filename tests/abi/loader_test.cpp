#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "assay/abi/comparison.h"
#include "base/locations.hpp"
#include "loader/registry.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

const fs::path kZoo = ASSAY_ZOO_DIR;

/// A folder of its own for each test, removed at the end.
class Loader : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assay-loader-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = fs::canonical(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// <folder_>/<name>/ with the sound plugin's library and this manifest.
  fs::path put_plugin(const std::string& name, const std::string& manifest) {
    const fs::path folder = folder_ / name;
    fs::create_directories(folder);
    fs::copy_file(kZoo / "good" / "zoo-good.so", folder / "zoo.so", fs::copy_options::overwrite_existing);
    std::ofstream(folder / "manifest.json") << manifest;
    return folder;
  }

  static std::string manifest(const std::string& id, const std::string& more = "") {
    return R"({"manifest_version": 1, "id": ")" + id +
           R"(", "version": "1.0.0", "library": "zoo.so", "abi": {"major": 1, "minor": 0},
        "components": [{"id": "test.zoo", "kind": "comparison"}])" +
           more + "}";
  }

  std::string problem_of(const std::string& manifest_text) {
    put_plugin("p", manifest_text);
    const Registry registry = Registry::discover({folder_});
    EXPECT_TRUE(registry.plugins().empty());
    if (registry.problems().size() != 1) return std::to_string(registry.problems().size()) + " problems";
    std::string problem = registry.problems()[0];
    const std::string path = (folder_ / "p").string();
    for (std::size_t at = problem.find(path); at != std::string::npos; at = problem.find(path))
      problem.replace(at, path.size(), "P");
    return problem;
  }

  fs::path folder_;
};

Failure failure_of(const std::string& animal) {
  Registry registry = Registry::discover({kZoo / animal});
  const Result<Instance> instance = registry.create("test.zoo", "comparison", "{}");
  return instance ? Failure{FailureKind::kInternal, "created"} : instance.failure();
}

std::string message_of(const std::string& animal) {
  const Failure failure = failure_of(animal);
  EXPECT_EQ(failure.kind, FailureKind::kPlugin) << animal;
  return failure.message;
}

TEST_F(Loader, RunsASoundPlugin) {
  Registry registry = Registry::discover({kZoo / "good"});
  ASSERT_EQ(registry.plugins().size(), 1u);
  EXPECT_EQ(registry.plugins()[0].id, "test.zoo-plugin");
  EXPECT_EQ(registry.plugins()[0].library, fs::canonical(kZoo / "good" / "zoo-good.so"));
  EXPECT_TRUE(registry.problems().empty());
  const Result<Instance> instance = registry.create("test.zoo", "comparison", R"({"scale": 2})");
  ASSERT_TRUE(instance) << instance.failure().message;
  EXPECT_EQ(instance->component_id(), "test.zoo");
  EXPECT_EQ(instance->component_version(), "1.0.0");
  const auto* table = instance->extension<assay_comparison>(ASSAY_EXT_COMPARISON);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table, instance->extension<assay_comparison>(ASSAY_EXT_COMPARISON));
  EXPECT_EQ(table->struct_size, sizeof(assay_comparison));
  std::uint64_t count = 0;
  EXPECT_STREQ(table->metrics(instance->get(), &count)[0]->name, "different_elements");
  EXPECT_EQ(instance->extension<void>("assay.adapter/1"), nullptr);
}

TEST_F(Loader, KeepsThePluginWhileAnInstanceLives) {
  std::optional<Instance> kept;
  {
    Registry registry = Registry::discover({kZoo / "good"});
    kept = *registry.create("test.zoo", "comparison", "{}");
  }
  std::uint64_t count = 0;
  kept->extension<assay_comparison>(ASSAY_EXT_COMPARISON)->metrics(kept->get(), &count);
  EXPECT_EQ(count, 1u);
}

TEST_F(Loader, NamesTheFaultOfALibrary) {
  const std::string load = "load plugin 'test.zoo-plugin': ";
  EXPECT_EQ(message_of("no-entry"), load + "'" + fs::canonical(kZoo / "no-entry" / "zoo-no-entry.so").string() +
                                        "' exports no 'assay_plugin_entry'; use ASSAY_EXPORT_PLUGIN and assay_add_plugin");
  EXPECT_EQ(message_of("wrong-major"), load + "does not support ABI major 1; rebuild the plugin against this host's headers");
  EXPECT_EQ(message_of("other-major-in-descriptor"),
            load + "needs ABI 2.0, host has 1.0; rebuild the plugin against this host's headers");
  EXPECT_EQ(message_of("needs-newer-minor"),
            load + "needs ABI 1.9, host has 1.0; update assay or rebuild the plugin for the older minor");
  EXPECT_EQ(message_of("throws-in-entry"),
            load + "assay_plugin_entry threw 'not today' through the boundary; a plugin must return a status");
  EXPECT_NE(message_of("unresolved-symbol").find("undefined symbol: function_of_a_library_that_is_not_there"), std::string::npos);
}

TEST_F(Loader, NamesTheFaultOfADescriptor) {
  const std::string load = "load plugin 'test.zoo-plugin': ";
  EXPECT_EQ(message_of("short-descriptor"), load + "descriptor has struct_size 24, expected at least 64");
  EXPECT_EQ(message_of("no-components"), load + "descriptor lists no components");
  EXPECT_EQ(message_of("null-components"), load + "descriptor counts components but its list is NULL");
  EXPECT_EQ(message_of("null-component"), load + "component 0 is NULL");
  EXPECT_EQ(message_of("no-component-id"), load + "component 0 has no id");
  EXPECT_EQ(message_of("no-create"), load + "component 0 ('test.zoo') has no create");
  EXPECT_EQ(
      message_of("manifest-mismatch"),
      load +
          "library and manifest differ: version is '2.0.0' in the library and '1.0.0' in the manifest; comparison 'test.other' is "
          "missing in the manifest; comparison 'test.zoo' is missing in the library; rebuild or correct '" +
          (kZoo / "manifest-mismatch" / "manifest.json").string() + "'");
}

TEST_F(Loader, NamesTheFaultOfAnInit) {
  const std::string load = "load plugin 'test.zoo-plugin': ";
  EXPECT_EQ(message_of("init-fails"), load + "init failed with ASSAY_UNSUPPORTED: the driver is too old");
  EXPECT_EQ(message_of("throws-in-init"),
            load + "init threw 'the driver is too old' through the boundary; a plugin must return a status");
}

TEST_F(Loader, NamesTheFaultOfACreate) {
  const std::string create = "create component 'test.zoo': ";
  EXPECT_EQ(message_of("throws-in-create"),
            create + "create threw 'no memory for the model' through the boundary; a plugin must return a status");
  EXPECT_EQ(message_of("throws-a-number-in-create"), create + "create threw through the boundary; a plugin must return a status");
  EXPECT_EQ(message_of("create-fails"), create + "the device\\x0aburns (ASSAY_INTERNAL)");
  EXPECT_EQ(message_of("create-unknown-status"), create + "no message given (status 99)");
  EXPECT_EQ(message_of("create-gives-nothing"), create + "create returned ASSAY_OK without an instance");
  EXPECT_EQ(message_of("short-instance"), create + "instance has struct_size 16, expected at least 32");
  EXPECT_EQ(message_of("no-destroy"), create + "instance has no destroy");
  EXPECT_EQ(message_of("no-table"), create + "table 'assay.comparison/1' is missing");
  EXPECT_EQ(message_of("short-table"), create + "table 'assay.comparison/1' has struct_size 8, expected at least 24");
  EXPECT_EQ(message_of("null-slot"), create + "table 'assay.comparison/1' has no function 'compare'");
  EXPECT_EQ(message_of("throws-in-get-extension"),
            create + "get_extension threw 'no assay.comparison/1' through the boundary; a plugin must return a status");
  EXPECT_EQ(message_of("broken-schema"), "read schema of 'test.zoo':1:10: not valid JSON: invalid value");
}

TEST_F(Loader, TellsAMissingDeviceFromAFault) {
  const Failure failure = failure_of("create-unsupported");
  EXPECT_EQ(failure.kind, FailureKind::kUnsupported);
  EXPECT_EQ(failure.message, "create component 'test.zoo': no such device here");
}

TEST_F(Loader, SurvivesExceptionsAtTheEndOfALife) {
  EXPECT_EQ(failure_of("throws-in-destroy").message, "created");
  EXPECT_EQ(failure_of("throws-in-deinit").message, "created");
}

TEST_F(Loader, LosesOnlyTheProcessThatACrashHappensIn) {
  const pid_t child = ::fork();
  if (child == 0) {
    failure_of("crashes-in-init");
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  // A sanitizer turns the signal into an exit code of its own.
  EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV : WEXITSTATUS(status) != 0);
}

TEST_F(Loader, ChecksTheConfigurationAgainstTheSchema) {
  Registry registry = Registry::discover({kZoo / "good"});
  const auto failure = [&](const char* config) { return registry.create("test.zoo", "comparison", config).failure(); };
  EXPECT_EQ(failure(R"({"scale": "big", "skale": 1})").message,
            "read configuration of 'test.zoo': /scale: expected a number, got \"big\"\n"
            "read configuration of 'test.zoo': /skale: unknown key; did you mean 'scale'?");
  EXPECT_EQ(failure("[]").message, "read configuration of 'test.zoo': expected an object, got []");
  EXPECT_EQ(failure("{").kind, FailureKind::kInput);
}

TEST_F(Loader, ListsEveryPathThatAFailedSearchTried) {
  Registry registry = Registry::discover({kZoo / "good", folder_, "/nowhere/at/all", folder_});
  const Result<Instance> instance = registry.create("test.zo", "comparison", "{}");
  ASSERT_FALSE(instance);
  EXPECT_EQ(instance.failure().kind, FailureKind::kInput);
  EXPECT_EQ(instance.failure().message, "find comparison 'test.zo'; did you mean 'test.zoo'?; searched '" +
                                            (kZoo / "good").string() + "', '" + folder_.string() +
                                            "', '/nowhere/at/all' (not a folder); add its folder with --plugin-path or "
                                            "ASSAY_PLUGIN_PATH");
  EXPECT_EQ(registry.load("test.zoo-plugins").failure().message.substr(0, 73),
            "find plugin 'test.zoo-plugins'; did you mean 'test.zoo-plugin'?; searched");
}

TEST_F(Loader, TellsAKindFromAnother) {
  Registry registry = Registry::discover({kZoo / "good"});
  EXPECT_EQ(registry.create("test.zoo", "adapter", "{}").failure().message,
            "use component 'test.zoo' as adapter: it is of kind 'comparison'");
}

TEST_F(Loader, TakesTheFirstOfTwoPluginsWithOneId) {
  put_plugin("one/p", manifest("test.zoo-plugin"));
  put_plugin("two/p", manifest("test.zoo-plugin"));
  const Registry registry = Registry::discover({folder_ / "two", folder_ / "one"});
  ASSERT_EQ(registry.plugins().size(), 1u);
  EXPECT_EQ(registry.plugins()[0].path, folder_ / "two" / "p" / "manifest.json");
  EXPECT_TRUE(registry.problems().empty());
}

TEST(VersionedId, StandsForEveryVersionThatBeginsWithIt) {
  EXPECT_EQ(VersionedId("assay.torch").version, "");
  const VersionedId wanted("assay.torch@1.13");
  EXPECT_EQ(wanted.id, "assay.torch");
  EXPECT_EQ(wanted.version, "1.13");
  for (const char* version : {"1.13", "1.13.0", "1.13+cpu"}) EXPECT_TRUE(wanted.accepts(version)) << version;
  for (const char* version : {"", "1.1", "1.130", "1.12.0", "2.13"}) EXPECT_FALSE(wanted.accepts(version)) << version;
  EXPECT_TRUE(VersionedId("assay.torch").accepts(""));
}

TEST_F(Loader, KeepsPluginsForSeveralVersionsOfAFrameworkBesideEachOther) {
  put_plugin("one", manifest("test.zoo-plugin", R"(, "framework_version": "1.13.0")"));
  put_plugin("three", manifest("test.zoo-plugin", R"(, "framework_version": "2.15.0")"));
  put_plugin("two", manifest("test.zoo-plugin", R"(, "framework_version": "2.15.0")"));
  Registry registry = Registry::discover({folder_});
  ASSERT_EQ(registry.plugins().size(), 2u);
  EXPECT_EQ(registry.owner_of("test.zoo")->path, folder_ / "one" / "manifest.json");
  EXPECT_EQ(registry.owner_of("test.zoo@1")->path, folder_ / "one" / "manifest.json");
  EXPECT_EQ(registry.owner_of("test.zoo@2.15")->path, folder_ / "three" / "manifest.json");
  EXPECT_EQ(registry.owner_of("test.zoo@3"), nullptr);
  EXPECT_TRUE(registry.create("test.zoo@2", "comparison", "{}"));
  const std::string message = registry.create("test.zoo@3", "comparison", "{}").failure().message;
  EXPECT_NE(message.find("find comparison 'test.zoo@3'"), std::string::npos) << message;
  EXPECT_NE(message.find("there is 1.13.0, 2.15.0; searched"), std::string::npos) << message;
}

TEST_F(Loader, SearchesOptionsThenEnvironmentThenUserThenInstallation) {
  ::setenv("ASSAY_PLUGIN_PATH", "/env/one::/env/two", 1);
  ::setenv("XDG_DATA_HOME", "/data", 1);
  const std::vector<fs::path> path = default_search_path({"/option"});
  ::unsetenv("ASSAY_PLUGIN_PATH");
  ::unsetenv("XDG_DATA_HOME");
  EXPECT_EQ(path, (std::vector<fs::path>{"/option", "/env/one", "/env/two", "/data/assay/plugins",
                                         fs::path(ASSAY_BINARY_DIR) / "lib" / "assay" / "plugins"}));
}

TEST_F(Loader, RefusesAPluginThatItCanNotLoadAndSaysWhenAskedForIt) {
  put_plugin("p",
             R"({"manifest_version": 1, "id": "test.future", "version": "1", "library": "zoo.so", "abi": {"major": 2, "minor": 1},
                      "components": [{"id": "test.zoo", "kind": "comparison"}]})");
  Registry registry = Registry::discover({folder_});
  const std::string expected = "load plugin 'test.future' (" + (folder_ / "p" / "manifest.json").string() +
                               "): needs ABI 2.1, host has 1.0; rebuild the plugin against this host's headers";
  EXPECT_EQ(registry.problems(), std::vector<std::string>{expected});
  EXPECT_EQ(registry.create("test.zoo", "comparison", "{}").failure().message, expected);
  EXPECT_EQ(registry.load("test.future").failure().message, expected);
}

TEST_F(Loader, RefusesOtherPlatforms) {
  EXPECT_EQ(problem_of(manifest("test.zoo-plugin", R"(, "platform": "linux-riscv64")")).substr(0, 90),
            "load plugin 'test.zoo-plugin' (P/manifest.json): built for 'linux-riscv64', host is 'linux");
}

TEST_F(Loader, NamesEveryProblemOfAManifest) {
  EXPECT_EQ(problem_of(R"({"manifest_version": 2, "id": "Bad Id", "version": 1, "librari": "x.so", "abi": {"major": 1},
                           "unload": "maybe", "components": [{"id": "a", "kind": "metric"}]})"),
            "P/manifest.json: missing 'library'; add it (the shared object, relative to the manifest)\n"
            "P/manifest.json: /manifest_version: expected 1, got 2\n"
            "P/manifest.json: /id: expected text that matches \"^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$\", got \"Bad Id\"\n"
            "P/manifest.json: /version: expected a string, got 1\n"
            "P/manifest.json: /librari: unknown key; did you mean 'library'?\n"
            "P/manifest.json: /abi: missing 'minor'; add it (lowest minor that the plugin needs)\n"
            "P/manifest.json: /unload: expected \"allowed\" or \"never\", got \"maybe\"\n"
            "P/manifest.json: /components/0/kind: expected \"adapter\", \"comparison\", \"perturbation\" or \"operator\", got "
            "\"metric\"");
  EXPECT_EQ(problem_of("{"), "read P/manifest.json:1:2: not valid JSON: missing a name for object member");
}

TEST_F(Loader, KeepsLibrariesInsideTheManifestsFolder) {
  const auto with_library = [&](const std::string& library) {
    std::string text = manifest("test.zoo-plugin");
    return text.replace(text.find("zoo.so"), 6, library);
  };
  EXPECT_EQ(problem_of(with_library("../zoo.so")),
            "P/manifest.json: /library: expected a path inside the manifest's folder, got '../zoo.so'");
  EXPECT_EQ(problem_of(with_library("/lib/zoo.so")),
            "P/manifest.json: /library: expected a path inside the manifest's folder, got '/lib/zoo.so'");
  EXPECT_EQ(problem_of(with_library("none.so")),
            "P/manifest.json: /library: no file 'none.so' in the manifest's folder; build or install it");
  EXPECT_EQ(problem_of(with_library(".")), "P/manifest.json: /library: '.' leads out of the manifest's folder to 'P'");
  fs::create_symlink(kZoo / "good" / "zoo-good.so", folder_ / "p" / "link.so");
  EXPECT_EQ(problem_of(with_library("link.so")), "P/manifest.json: /library: 'link.so' leads out of the manifest's folder to '" +
                                                     fs::canonical(kZoo / "good" / "zoo-good.so").string() + "'");
}

TEST_F(Loader, NamesALibraryThatIsNone) {
  std::ofstream(put_plugin("p", manifest("test.zoo-plugin")) / "zoo.so") << "not a library";
  Registry registry = Registry::discover({folder_});
  EXPECT_NE(registry.load("test.zoo-plugin").failure().message.find("file too short"), std::string::npos)
      << registry.load("test.zoo-plugin").failure().message;
}

TEST_F(Loader, RefusesPluginsThatEverybodyMayWrite) {
  const fs::path folder = put_plugin("p", manifest("test.zoo-plugin"));
  for (const fs::path& file : {folder, folder / "manifest.json", folder / "zoo.so"}) {
    struct stat info {};
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    ASSERT_EQ(::chmod(file.c_str(), info.st_mode | S_IWOTH), 0);
    const Registry registry = Registry::discover({folder_});
    EXPECT_TRUE(registry.plugins().empty());
    ASSERT_EQ(registry.problems().size(), 1u) << file;
    EXPECT_EQ(registry.problems()[0], (folder / "manifest.json").string() + ": '" + file.string() +
                                          "' may be written by every user; run chmod o-w on it or set "
                                          "ASSAY_ALLOW_WRITABLE_PLUGINS=1");
    ::setenv("ASSAY_ALLOW_WRITABLE_PLUGINS", "1", 1);
    EXPECT_EQ(Registry::discover({folder_}).plugins().size(), 1u);
    ::unsetenv("ASSAY_ALLOW_WRITABLE_PLUGINS");
    ASSERT_EQ(::chmod(file.c_str(), info.st_mode), 0);
  }
}

TEST_F(Loader, FindsItsFilesWhereHomeSays) {
  ::setenv("ASSAY_HOME", folder_.c_str(), 1);
  EXPECT_EQ(share_folder(), folder_ / "share" / "assay");
  EXPECT_EQ(plugin_folder(), folder_ / "lib" / "assay" / "plugins");
  fs::create_directories(folder_ / "lib64" / "assay" / "plugins");
  EXPECT_EQ(plugin_folder(), folder_ / "lib64" / "assay" / "plugins");
  const Registry registry = Registry::discover({kZoo / "good"});
  ::unsetenv("ASSAY_HOME");
  ASSERT_EQ(registry.problems().size(), 1u);
  EXPECT_NE(registry.problems()[0].find("set ASSAY_HOME"), std::string::npos);
}

}  // namespace
}  // namespace assay
