// Checks of a plugin as a whole: manifest, library, descriptor, lifecycle.
#include <boost/dll/shared_library.hpp>
#include <chrono>
#include <string_view>

#include "base/text.hpp"
#include "loader/host_table.hpp"
#include "loader/manifest.hpp"
#include "validator/check.hpp"
#include "validator/elf_exports.hpp"

namespace assay::validator {

namespace {

using Entry = const assay_plugin*(std::uint32_t);

/// The entry point of a library that is loaded and nothing more.
class BareLibrary {
 public:
  explicit BareLibrary(const Subject& subject) {
    try {
      library_.load(subject.manifest.library, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    } catch (const std::system_error& e) {
      throw Verdict{Outcome::kFailed, std::string("the library doesn't load: ") + e.what()};
    }
    require(library_.has(ASSAY_PLUGIN_ENTRY_SYMBOL), "the library exports no " ASSAY_PLUGIN_ENTRY_SYMBOL);
    entry_ = &library_.get<Entry>(ASSAY_PLUGIN_ENTRY_SYMBOL);
  }
  /// Never unloads: a framework inside may not survive it.
  ~BareLibrary() { new boost::dll::shared_library(std::move(library_)); }
  BareLibrary(const BareLibrary&) = delete;
  BareLibrary& operator=(const BareLibrary&) = delete;

  const assay_plugin* operator()(std::uint32_t major) const {
    const assay_plugin* plugin = nullptr;
    const Status contained = contain(ASSAY_PLUGIN_ENTRY_SYMBOL, [&] { plugin = entry_(major); });
    require(static_cast<bool>(contained), contained ? "" : contained.failure().message);
    return plugin;
  }

 private:
  boost::dll::shared_library library_;
  Entry* entry_ = nullptr;
};

void is_usable(const Subject& subject) {
  const Status usable = check_compatible(subject.manifest);
  require(static_cast<bool>(usable), usable ? "" : usable.failure().message);
}

void exports_one_symbol(const Subject& subject) {
  const Result<std::vector<std::string>> symbols = exported_symbols(subject.manifest.library);
  require(static_cast<bool>(symbols), symbols ? "" : symbols.failure().message);
  require(*symbols == std::vector<std::string>{ASSAY_PLUGIN_ENTRY_SYMBOL},
          "the library exports " + (symbols->empty() ? "nothing" : "'" + join(*symbols, "', '") + "'") +
              ", expected 'assay_plugin_entry' alone; build it with assay_add_plugin");
}

void entry_refuses_other_majors(const Subject& subject) {
  const BareLibrary entry(subject);
  for (const std::uint32_t major : {0u, ASSAY_ABI_MAJOR + 1, 0xffffffffu}) {
    require(entry(major) == nullptr, "the entry point gives a descriptor for ABI major " + std::to_string(major));
  }
}

void entry_gives_one_descriptor(const Subject& subject) {
  const BareLibrary entry(subject);
  const assay_plugin* first = entry(ASSAY_ABI_MAJOR);
  require(first != nullptr, "the entry point gives no descriptor for ABI major " + std::to_string(ASSAY_ABI_MAJOR));
  require(entry(ASSAY_ABI_MAJOR) == first, "two calls of the entry point give two descriptors");
}

void descriptor_is_the_manifests(const Subject& subject) { const Live live(subject); }

void descriptor_is_complete(const Subject& subject) {
  const Live live(subject);
  const auto one_line = [](const char* what, const char* text) {
    require(text != nullptr && *text != '\0', std::string(what) + " is missing");
    require(std::string_view(text).find('\n') == std::string_view::npos, std::string(what) + " has more than one line");
  };
  require(live.plugin().reserved0 == 0, "reserved0 of the descriptor is not 0");
  one_line("the plugin's version", live.plugin().version);
  for (std::uint64_t i = 0; i < live.plugin().component_count; ++i) {
    const assay_component& component = *live.plugin().components[i];
    const std::string of = " of '" + escape_control(component.id) + "'";
    require(component.reserved0 == 0, "reserved0" + of + " is not 0");
    one_line(("the version" + of).c_str(), component.version);
    one_line(("the description" + of).c_str(), component.description);
    one_line(("the id" + of).c_str(), component.id);
    for (std::uint64_t k = 0; k < i; ++k) {
      require(std::string_view(component.id) != live.plugin().components[k]->id, "the id" + of + " is given twice");
    }
  }
}

void loads_quickly(const Subject& subject) {
  constexpr double kLimitSeconds = 3;
  const auto start = std::chrono::steady_clock::now();
  const Live live(subject);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (taken.count() > kLimitSeconds) {
    warn("loading took " + std::to_string(taken.count()) + " s, expected at most " + std::to_string(kLimitSeconds) +
         " s; move work to create");
  }
}

}  // namespace

std::vector<Check> plugin_checks() {
  return {{"plugin.is-usable", 1, "plugin", "the manifest names an ABI and a platform that this host can load", is_usable},
          {"plugin.exports-one-symbol", 2, "plugin", "the library exports assay_plugin_entry and nothing else", exports_one_symbol},
          {"plugin.entry-refuses-other-majors", 3, "plugin", "the entry point gives NULL for an ABI major that it doesn't know",
           entry_refuses_other_majors},
          {"plugin.entry-gives-one-descriptor", 4, "plugin", "the entry point gives the same static descriptor every time",
           entry_gives_one_descriptor},
          {"plugin.descriptor-is-the-manifests", 5, "plugin", "the descriptor is sound and says what the manifest says",
           descriptor_is_the_manifests},
          {"plugin.descriptor-is-complete", 6, "plugin", "ids, versions and descriptions are there, reserved fields are 0",
           descriptor_is_complete},
          {"plugin.loads-quickly", 7, "plugin", "loading the library takes less than three seconds", loads_quickly}};
}

}  // namespace assay::validator
