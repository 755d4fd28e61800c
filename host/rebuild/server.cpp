#include "rebuild/server.hpp"

#include <httplib.h>
#include <sys/socket.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "base/text.hpp"

namespace assay {

namespace {

constexpr const char* kAddress = "127.0.0.1";
constexpr auto kStopInterval = std::chrono::milliseconds(50);

void refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content("assay: cannot " + escape_control(why) + "\n", "text/plain; charset=utf-8");
}

}  // namespace

Status serve_run(LiveRun& run, std::uint16_t port, const std::function<void(const std::string& url)>& ready,
                 const std::atomic<bool>& stop) {
  httplib::Server server;
  std::mutex mutex;  // the run is read by one request at a time
  // One owner of the port: the library's default lets a second server share it.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_payload_max_length(0);
  server.set_default_headers({{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}, {"X-Frame-Options", "DENY"}});
  std::string host;
  std::string local_host;
  server.set_pre_routing_handler([&](const httplib::Request& request, httplib::Response& response) {
    const std::string asked = request.get_header_value("Host");
    if (asked == host || asked == local_host) return httplib::Server::HandlerResponse::Unhandled;
    refuse(response, 403, "serve host '" + asked + "': only " + host);
    return httplib::Server::HandlerResponse::Handled;
  });
  server.Get("/", [&](const httplib::Request&, httplib::Response& response) {
    const std::lock_guard lock(mutex);
    if (Status s = run.refresh(); !s) return refuse(response, 500, s.failure().message);
    Result<std::string> page = run.page();
    if (!page) return refuse(response, 500, page.failure().message);
    response.set_content(*page, "text/html; charset=utf-8");
  });
  server.Get("/state", [&](const httplib::Request&, httplib::Response& response) {
    const std::lock_guard lock(mutex);
    if (Status s = run.refresh(); !s) return refuse(response, 500, s.failure().message);
    response.set_content(
        "{\"rows\": " + std::to_string(run.row_count()) + ", \"complete\": " + (run.complete() ? "true" : "false") + "}",
        "application/json");
  });

  const int bound = port == 0 ? server.bind_to_any_port(kAddress) : server.bind_to_port(kAddress, port) ? port : -1;
  if (bound < 0)
    return input_failure("serve on " + std::string(kAddress) + ":" + std::to_string(port) + ": the port is taken or not allowed");
  host = std::string(kAddress) + ":" + std::to_string(bound);
  local_host = "localhost:" + std::to_string(bound);
  std::thread listener([&] { server.listen_after_bind(); });
  ready("http://" + host + "/");
  while (!stop.load()) std::this_thread::sleep_for(kStopInterval);
  server.stop();
  listener.join();
  return Done{};
}

}  // namespace assay
