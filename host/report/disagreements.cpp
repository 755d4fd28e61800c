#include "report/disagreements.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/text.hpp"
#include "report/csv.hpp"
#include "report/output_file.hpp"

namespace assay {

namespace {

constexpr std::array<Verdict, 4> kVerdicts = {Verdict::kPass, Verdict::kWarning, Verdict::kError, Verdict::kSkip};

std::size_t count_of(const Disagreement& disagreement, Verdict verdict) {
  return disagreement.counts[static_cast<std::size_t>(std::find(kVerdicts.begin(), kVerdicts.end(), verdict) - kVerdicts.begin())];
}

std::string odd_places(const Disagreement& disagreement) {
  const std::size_t more = count_of(disagreement, disagreement.odd) - disagreement.odd_in.size();
  return join(disagreement.odd_in, ", ") + (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

}  // namespace

class DisagreementSink final : public ResultSink {
 public:
  DisagreementSink(Disagreements& all, std::uint32_t recording) : all_(all), recording_(recording) {}

  Status begin(const RunInfo&) override { return Done{}; }
  Status add(const ApiResult& result) override {
    all_.add(recording_, result);
    return Done{};
  }
  Status finish(const RunSummary&) override { return Done{}; }

 private:
  Disagreements& all_;
  std::uint32_t recording_;
};

void Disagreements::Tally::add(Verdict verdict, std::uint32_t recording) {
  const auto place = static_cast<std::size_t>(std::find(kVerdicts.begin(), kVerdicts.end(), verdict) - kVerdicts.begin());
  if (place == kVerdicts.size()) return;
  if (counts[place] < kNamed) first[place][counts[place]] = recording;
  ++counts[place];
}

std::unique_ptr<ResultSink> Disagreements::sink(const std::string& recording) {
  recordings_.push_back(recording);
  return std::make_unique<DisagreementSink>(*this, static_cast<std::uint32_t>(recordings_.size() - 1));
}

void Disagreements::add(std::uint32_t recording, const ApiResult& result) {
  const auto [found, added] = index_.emplace(result.stem, calls_.size());
  if (added) calls_.push_back({result.stem, {}});
  Call& call = calls_[found->second];
  call.directions[0].add(result.forward.verdict, recording);
  call.directions[1].add(result.backward.verdict, recording);
}

std::vector<Disagreement> Disagreements::list() const {
  std::vector<Disagreement> out;
  for (const Call& call : calls_) {
    for (const std::size_t direction : {0u, 1u}) {
      const Tally& tally = call.directions[direction];
      Disagreement entry;
      entry.name = call.stem + (direction == 0 ? ".forward" : ".backward");
      std::copy(tally.counts.begin(), tally.counts.end(), entry.counts.begin());
      std::size_t kinds = 0, odd = kVerdicts.size();
      for (std::size_t i = 0; i < kVerdicts.size(); ++i) {
        if (tally.counts[i] == 0) continue;
        ++kinds;
        // As many on both sides: the worse one is what to look at.
        if (odd == kVerdicts.size() || tally.counts[i] < tally.counts[odd] ||
            (tally.counts[i] == tally.counts[odd] && kVerdicts[i] != Verdict::kSkip)) {
          odd = i;
        }
      }
      if (kinds < 2) continue;
      entry.odd = kVerdicts[odd];
      for (std::size_t i = 0; i < std::min<std::size_t>(tally.counts[odd], kNamed); ++i) {
        entry.odd_in.push_back(recordings_[tally.first[odd][i]]);
      }
      out.push_back(std::move(entry));
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Disagreement& left, const Disagreement& right) {
    const auto key = [](const Disagreement& d) {
      return std::tuple(count_of(d, Verdict::kError) == 0, d.odd != Verdict::kError, count_of(d, d.odd));
    };
    return key(left) < key(right);
  });
  return out;
}

Status write_disagreements(const std::vector<Disagreement>& list, const std::filesystem::path& path) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.failure();
  const std::string header =
      csv_line({"api_name", "recordings", "pass", "warning", "error", "skip", "odd_verdict", "odd_in"}, "\n");
  if (Status s = file->write(header); !s) return s;
  for (const Disagreement& entry : list) {
    std::vector<std::string> cells = {csv_cell(entry.name),
                                      std::to_string(std::accumulate(entry.counts.begin(), entry.counts.end(), std::size_t{0}))};
    for (const std::size_t count : entry.counts) cells.push_back(std::to_string(count));
    cells.emplace_back(verdict_name(entry.odd));
    cells.push_back(csv_cell(odd_places(entry)));
    if (Status s = file->write(csv_line(cells, "\n")); !s) return s;
  }
  return file->close();
}

std::string disagreement_text(const Disagreement& disagreement) {
  std::string text = std::string(verdict_name(disagreement.odd)) + " in " + odd_places(disagreement);
  for (std::size_t i = 0; i < kVerdicts.size(); ++i) {
    if (kVerdicts[i] == disagreement.odd || disagreement.counts[i] == 0) continue;
    text += ", " + std::string(verdict_name(kVerdicts[i])) + " in " + std::to_string(disagreement.counts[i]);
  }
  return text;
}

}  // namespace assay
