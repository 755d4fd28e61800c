#include "report/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay {

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  OutputFile out;
  out.path_ = path;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
  if (fd < 0) return out.failure("create");
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || ::ftruncate(fd, 0) != 0) {
    ::close(fd);
    return input_failure("create '" + path.string() + "': what is there is not a regular file; remove it");
  }
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
  if (std::fflush(file_.get()) != 0 || ::fdatasync(::fileno(file_.get())) != 0) return failure("write");
  struct stat info {};
  if (::fstat(::fileno(file_.get()), &info) == 0 && info.st_nlink == 0) {
    return input_failure("write '" + path_.string() + "': the file or its folder was removed while the run was going on");
  }
  if (std::fclose(file_.release()) != 0) return failure("write");
  return Done{};
}

Failure OutputFile::failure(const char* verb) const {
  const char* hint = errno == ELOOP ? " (a symbolic link; remove it)" : "";
  return input_failure(std::string(verb) + " '" + path_.string() + "': " + std::strerror(errno) + hint);
}

Status write_output(const std::filesystem::path& path, const std::function<Status(const Output&)>& produce) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.failure();
  if (Status s = produce([&](std::string_view text) { return file->write(text); }); !s) return s;
  return file->close();
}

Status write_output(const std::filesystem::path& path, std::string_view text) {
  return write_output(path, [&](const Output& out) { return out(text); });
}

}  // namespace assay
