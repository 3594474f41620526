// The load process: many plain sockets, one thread, and as little work per byte as possible, since
// it runs on the same machine as the server.

#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <string_view>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "kinformer/internal/registry.h"

#include "apiserver/shared.h"
#include "object/transcode/transcode.h"
#include "wire/envelope.h"

namespace kinformer::bench {
namespace {

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::_Exit(1);
}

constexpr std::size_t kStreams = 100;  // streams of one HTTP/2 connection

constexpr std::string_view kNumber = "000000000";

std::string Numbered(const std::string& prefix, std::size_t number) {
  const std::string digits = std::to_string(number);
  return prefix + std::string(9 - std::min<std::size_t>(9, digits.size()), '0') + digits;
}

// A pod as the ReplicaSet controller creates it.
constexpr std::string_view kReplica =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-000000000",
"namespace":"default","labels":{"app":"web","tier":"front","pod-template-hash":"6d4cf56db6"},
"annotations":{"prometheus.io/scrape":"true","prometheus.io/port":"9102"},
"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-6d4cf56db6",
"uid":"0b1c7a52-2f8e-4f0e-9d8b-5a2f6a1e7c33","controller":true,"blockOwnerDeletion":true}]},
"spec":{"containers":[{"name":"web","image":"example/web:1.4.2","ports":[{"name":"http",
"containerPort":8080,"protocol":"TCP"}],"env":[{"name":"LEVEL","value":"info"},{"name":"NODE",
"valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"spec.nodeName"}}}],
"resources":{"limits":{"cpu":"500m","memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},
"livenessProbe":{"httpGet":{"path":"/healthz","port":"http","scheme":"HTTP"},
"initialDelaySeconds":5,"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,
"failureThreshold":3},"volumeMounts":[{"name":"config","mountPath":"/etc/web"}],
"imagePullPolicy":"IfNotPresent"}],"volumes":[{"name":"config","configMap":{"name":"web",
"defaultMode":420}}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,
"dnsPolicy":"ClusterFirst","serviceAccountName":"default","schedulerName":"default-scheduler"}})";

// A Widget of kWidgetDefinition: some members get their default, and one is unknown.
constexpr std::string_view kWidget =
    R"({"apiVersion":"bench.example/v1","kind":"Widget","metadata":{
"name":"widget-000000000","namespace":"default","labels":{"app":"bench"}},"spec":{"size":3,
"color":"red","parts":[{"name":"a","weight":12},{"name":"b"}],"options":{"fast":"yes"},
"extra":"unknown"}})";

std::string BodyOf(const Settings& settings) {
  if (settings.resource == "widgets") return std::string(kWidget);
  if (settings.resource == "replicas") return std::string(kReplica);
  if (settings.resource == "pods") return PodJson("default", 0);
  return ConfigMapJson("default", 0, settings.bytes);
}

// Returns the request that creates object number 0.
std::string CreateRequest(const Settings& settings) {
  const bool widgets = settings.resource == "widgets";
  const bool pods = settings.resource == "pods" || settings.resource == "replicas";
  std::string body = BodyOf(settings);
  std::erase(body, '\n');
  std::string media = "application/json";
  if (settings.protobuf) {
    const std::string kind = pods ? "Pod" : "ConfigMap";
    media = "application/vnd.kubernetes.protobuf";
    body = wire::SealEnvelope(
        "v1", kind,
        internal::JsonToProtobuf(*internal::FindType("", "v1", kind)->message, body).OrExit());
  }
  return "POST /" + std::string(widgets ? "apis/bench.example/v1" : "api/v1") +
         "/namespaces/default/" + (pods ? "pods" : settings.resource) +
         " HTTP/1.1\r\nHost: localhost\r\nAccept: " + media + "\r\nContent-Type: " + media +
         "\r\nUser-Agent: bench\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

// One connection, and the last byte of its last read.
struct Client {
  nghttp2_session* session = nullptr;
  char last_of[kStreams] = {};  // of each stream
  int fd = -1;
  SSL* ssl = nullptr;
  char last = 0;
  bool connected = false;
  std::string tail{};
  std::size_t outstanding = 0;
  std::size_t next = 0;  // number of its next object
  std::size_t end = 0;
  std::string unsent{};
};

class Load {
 public:
  Load(const Settings& settings, Shared& shared) : settings_(settings), shared_(shared) {
    buffer_.resize(std::size_t{1} << 20);
    epoll_ = ::epoll_create1(0);
    if (settings_.tls) context_ = SSL_CTX_new(TLS_client_method());
    if (settings_.mode != "create") return;
    create_ = CreateRequest(settings_);
    for (std::size_t at = 0; (at = create_.find(kNumber, at)) != create_.npos; ++at) {
      places_.push_back(at);
    }
  }

  void Connect() {
    while (shared_.port.load() == 0) ::usleep(1000);
    clients_.resize(settings_.connections / (settings_.http2 ? kStreams : 1));
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      Client& client = clients_[i];
      client.fd = ::socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(static_cast<std::uint16_t>(shared_.port.load()));
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      if (::connect(client.fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        Die("connect");
      }
      const int one = 1;
      ::setsockopt(client.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      if (context_ != nullptr) {
        client.ssl = SSL_new(context_);
        SSL_set_fd(client.ssl, client.fd);
        if (settings_.http2) {
          SSL_set_alpn_protos(client.ssl, reinterpret_cast<const unsigned char*>("\x02h2"), 3);
        }
        if (SSL_connect(client.ssl) != 1) Die("TLS");
      }
      First(i);
      ::fcntl(client.fd, F_SETFL, O_NONBLOCK);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, client.fd, &event);
      if (i % 500 == 499) Turn(0);  // reads, so that the server's answers do not fill the sockets
    }
  }

  [[noreturn]] void Run() {
    for (;;) Turn(1000);
  }

 private:
  [[nodiscard]] std::string WatchTarget(std::size_t i) const {
    const std::string where =
        settings_.namespaces == 0 ? "" : "/namespaces/" + NamespaceName(i % settings_.namespaces);
    return "/api/v1" + where + "/configmaps?watch=1&timeoutSeconds=3600&resourceVersion=" +
           std::to_string(shared_.wanted.load());
  }

  // Opens a connection with a hundred watches.
  void Http2(Client& client, std::size_t i) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name, std::size_t,
                      const std::uint8_t*, std::size_t, std::uint8_t, void* self) {
          if (name[0] == ':') static_cast<Load*>(self)->shared_.connected.fetch_add(1);
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                      std::size_t size, void* self) {
          auto& load = *static_cast<Load*>(self);
          load.TakeEvents(load.reading_->last_of[id / 2],
                          {reinterpret_cast<const char*>(data), size});
          return 0;
        });
    nghttp2_session_client_new(&client.session, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    // Same window size as Go's client.
    const nghttp2_settings_entry window{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 4U << 20};
    nghttp2_submit_settings(client.session, NGHTTP2_FLAG_NONE, &window, 1);
    nghttp2_session_set_local_window_size(client.session, NGHTTP2_FLAG_NONE, 0, 1 << 30);
    for (std::size_t n = 0; n < kStreams; ++n) {
      std::string target = WatchTarget(i * kStreams + n);
      std::pair<std::string, std::string> fields[] = {{":method", "GET"},
                                                      {":scheme", "https"},
                                                      {":authority", "localhost"},
                                                      {":path", target},
                                                      {"accept", "application/json"}};
      std::vector<nghttp2_nv> values;
      for (auto& [name, value] : fields) {
        values.push_back({reinterpret_cast<std::uint8_t*>(name.data()),
                          reinterpret_cast<std::uint8_t*>(value.data()), name.size(), value.size(),
                          NGHTTP2_NV_FLAG_NONE});
      }
      nghttp2_submit_request(client.session, nullptr, values.data(), values.size(), nullptr,
                             nullptr);
    }
    SendFrames(client);
  }
  static void SendFrames(Client& client) {
    const std::uint8_t* bytes = nullptr;
    for (ssize_t size = 0; (size = nghttp2_session_mem_send(client.session, &bytes)) > 0;) {
      Send(client, {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
    }
  }

  void First(std::size_t i) {
    Client& client = clients_[i];
    if (settings_.http2) return Http2(client, i);
    if (settings_.mode == "watch") {
      Send(client, "GET " + WatchTarget(i) +
                       " HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n");
      return;
    }
    if (settings_.mode == "list") {
      Send(client,
           std::string("GET /api/v1/pods HTTP/1.1\r\nHost: localhost\r\nAccept: application/") +
               (settings_.protobuf ? "vnd.kubernetes.protobuf" : "json") + "\r\n\r\n");
      return;
    }
    const std::size_t each = shared_.wanted.load() / settings_.connections;
    client.next = i * each;
    client.end = client.next + each;
    More(client);
  }

  // Sends more requests, so that the pipeline is never empty.
  void More(Client& client) {
    if (client.outstanding > settings_.batch / 2) return;
    std::string text = std::move(client.unsent);
    client.unsent.clear();
    for (; client.outstanding < settings_.batch && client.next < client.end;
         ++client.outstanding, ++client.next) {
      if (settings_.mode == "get") {
        text +=
            "GET /api/v1/namespaces/default/configmaps/map-000000000 HTTP/1.1\r\nHost: "
            "localhost\r\nAccept: application/json\r\nUser-Agent: bench\r\n\r\n";
        continue;
      }
      Number(client.next);
      text += create_;
    }
    Send(client, text);
  }

  // Writes a number into every place of the request that contains one.
  void Number(std::size_t number) {
    const std::string digits = Numbered("", number);
    for (const std::size_t place : places_) create_.replace(place, digits.size(), digits);
  }

  static void Send(Client& client, std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = client.ssl != nullptr
                               ? SSL_write(client.ssl, text.data(), static_cast<int>(text.size()))
                               : ::send(client.fd, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        if (errno != EAGAIN) Die("send");
        client.unsent = text;
        return;
      }
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  void Turn(int wait) {
    epoll_event events[256];
    const int count = ::epoll_wait(epoll_, events, 256, wait);
    for (int i = 0; i < count; ++i) {
      Client& client = clients_[events[i].data.u64];
      for (;;) {
        const ssize_t got =
            client.ssl != nullptr
                ? SSL_read(client.ssl, buffer_.data(), static_cast<int>(buffer_.size()))
                : ::recv(client.fd, buffer_.data(), buffer_.size(), 0);
        if (got == 0) Die("the server has closed a connection");
        if (got < 0) break;
        Take(client, {buffer_.data(), static_cast<std::size_t>(got)});
        if (client.ssl == nullptr && static_cast<std::size_t>(got) < buffer_.size()) break;
      }
      if (settings_.mode == "get" || settings_.mode == "create") More(client);
    }
  }

  void Take(Client& client, std::string_view text) {
    shared_.bytes.fetch_add(text.size(), std::memory_order_relaxed);
    if (client.session != nullptr) {
      reading_ = &client;
      nghttp2_session_mem_recv(client.session, reinterpret_cast<const std::uint8_t*>(text.data()),
                               text.size());
      return SendFrames(client);
    }
    if (!client.connected) {
      client.connected = true;
      shared_.connected.fetch_add(1);
    }
    if (settings_.mode == "watch") return TakeEvents(client.last, text);
    if (settings_.mode == "list") {
      // The list ends with the last chunk.
      client.tail.append(text.substr(text.size() - std::min<std::size_t>(text.size(), 8)));
      if (client.tail.ends_with("\r\n0\r\n\r\n")) shared_.delivered.fetch_add(1);
      client.tail.erase(0, client.tail.size() - std::min<std::size_t>(client.tail.size(), 8));
      return;
    }
    constexpr std::string_view kGood = "HTTP/1.1 20";
    constexpr std::string_view kAny = "HTTP/1.1 ";
    client.tail.append(text);
    std::string_view rest = client.tail;
    std::size_t answers = 0;
    for (std::size_t at; (at = rest.find(kAny)) != rest.npos && at + kGood.size() <= rest.size();) {
      if (!rest.substr(at).starts_with(kGood)) shared_.failed.fetch_add(1);
      ++answers;
      rest.remove_prefix(at + kGood.size());
    }
    client.tail = std::string(rest.substr(rest.size() - std::min(rest.size(), kGood.size() - 1)));
    client.outstanding -= answers;
    shared_.delivered.fetch_add(answers, std::memory_order_relaxed);
  }

  // Frames end with "}\n", which occurs nowhere else.
  void TakeEvents(char& last, std::string_view text) {
    std::uint64_t events = text.front() == '\n' && last == '}' ? 1 : 0;
    last = text.back();
    for (const char* at = text.data(); at < text.data() + text.size();) {
      const auto left = static_cast<std::size_t>(text.data() + text.size() - at);
      const auto* line = static_cast<const char*>(std::memchr(at, '\n', left));
      if (line == nullptr) break;
      if (line > text.data() && line[-1] == '}') ++events;
      at = line + 1;
    }
    if (events > 0) shared_.delivered.fetch_add(events, std::memory_order_relaxed);
  }

  const Settings& settings_;
  Shared& shared_;
  std::vector<char> buffer_;
  int epoll_ = -1;
  SSL_CTX* context_ = nullptr;
  std::vector<Client> clients_{};
  Client* reading_ = nullptr;
  std::string create_{};               // a request
  std::vector<std::size_t> places_{};  // positions of the object's number in it
};

}  // namespace

std::string NamespaceName(std::size_t i) {
  const std::string digits = std::to_string(i);
  return "ns-" + std::string(4 - std::min<std::size_t>(4, digits.size()), '0') + digits;
}

std::string PodJson(const std::string& namespace_, std::size_t number) {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + Numbered("pod-", number) +
         R"(","namespace":")" + namespace_ + R"(","labels":{"app":"bench"}},"spec":{"nodeName":")" +
         Numbered("node-", number % 5000) +
         R"(","containers":[{"name":"main","image":"example/main:1"}]},)"
         R"("status":{"phase":"Running"}})";
}

const char* const kWidgetDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.bench.example}
spec:
  group: bench.example
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [color]
            properties:
              size: {type: integer, minimum: 1, maximum: 100, default: 1}
              color: {type: string, enum: [red, green, blue]}
              mode: {type: string, default: auto}
              replicas: {type: integer, default: 1}
              parts:
                type: array
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string, maxLength: 63}
                    weight: {type: integer, default: 10}
              options: {type: object, additionalProperties: {type: string}}
          status: {type: object, properties: {phase: {type: string}}}
)";

std::string ConfigMapJson(const std::string& namespace_, std::size_t number, std::size_t bytes) {
  const std::string name = Numbered("map-", number);
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name +
         R"(","namespace":")" + namespace_ + R"(","labels":{"app":"bench"}},"data":{"value":")" +
         std::string(bytes, 'v') + R"("}})";
}

void RunLoad(const Settings& settings, Shared& shared) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_IGN);
  Load load(settings, shared);
  load.Connect();
  load.Run();
}

}  // namespace kinformer::bench
