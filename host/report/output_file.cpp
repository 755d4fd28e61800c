#include "report/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay {

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  OutputFile out;
  out.path_ = path;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (fd < 0) return out.failure("create");
  out.file_.reset(::fdopen(fd, "w"));
  if (!out.file_) {
    ::close(fd);
    return out.failure("create");
  }
  return out;
}

Status OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) return failure("write");
  return Done{};
}

Status OutputFile::flush() {
  if (std::fflush(file_.get()) != 0) return failure("write");
  return Done{};
}

Status OutputFile::close() {
  if (!file_) return Done{};
  if (std::fclose(file_.release()) != 0) return failure("write");
  return Done{};
}

Failure OutputFile::failure(const char* verb) const {
  const char* hint = errno == ELOOP ? " (a symbolic link; remove it)" : "";
  return input_failure(std::string(verb) + " '" + path_.string() + "': " + std::strerror(errno) + hint);
}

}  // namespace assay
