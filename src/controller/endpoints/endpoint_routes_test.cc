// Paths of an EndpointServer, and the length from which answers are compressed.

#include <chrono>
#include <cstddef>
#include <curl/curl.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/endpoints/endpoint_server.h"

#include "controller/endpoints/text_response.h"

namespace kinformer {
namespace {

// Answers with a text, and with the path that it was asked for.
class Texts final : public Handler {
 public:
  explicit Texts(std::string text) : text_(std::move(text)) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    return internal::endpoints::TextResponse(200, text_ + " " + request.target);
  }

 private:
  const std::string text_;
};

std::size_t Append(char* bytes, std::size_t size, std::size_t count, void* to) {
  static_cast<std::string*>(to)->append(bytes, size * count);
  return size * count;
}

class EndpointRoutes : public ::testing::Test {
 protected:
  EndpointRoutes() : server_(EndpointServer::Listen(runtime_.env(), "127.0.0.1:0", {}).OrExit()) {}

  void Serve(const std::string& path, const std::string& text) {
    server_->Handle(path, std::make_shared<Texts>(text));
  }
  // Returns the status and the body. Blocks.
  std::string Get(const std::string& path) {
    std::string body;
    headers_.clear();
    CURL* const curl = curl_easy_init();
    const std::string url = "http://127.0.0.1:" + std::to_string(server_->port()) + path;
    curl_slist* const list = curl_slist_append(nullptr, "Accept-Encoding: gzip");
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 10L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Append);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &headers_);
    curl_easy_perform(curl);
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(list);
    curl_easy_cleanup(curl);
    return std::to_string(status) + " " + body;
  }

  Runtime runtime_;
  const std::unique_ptr<EndpointServer> server_;
  std::string headers_;
};

TEST_F(EndpointRoutes, LongestPath_GetsTheRequest) {
  Serve("/a", "a");
  Serve("/a/b", "ab");
  Serve("/folder/", "folder");
  struct Row {
    const char* path;
    const char* answer;  // null: 404
  };
  for (const Row& row : std::vector<Row>{{"/a", "200 a /a"},
                                         {"/a?x=1", "200 a /a?x=1"},
                                         {"/a?x=/b", "200 a /a?x=/b"},
                                         {"/a/", "200 a /a/"},
                                         {"/a/c", "200 a /a/c"},
                                         {"/ab", nullptr},
                                         {"/a.b", nullptr},
                                         {"/a/b", "200 ab /a/b"},
                                         {"/a/b/c?d", "200 ab /a/b/c?d"},
                                         {"/a/bc", "200 a /a/bc"},
                                         {"/folder", nullptr},
                                         {"/folder/", "200 folder /folder/"},
                                         {"/folder/x", "200 folder /folder/x"},
                                         {"/folderx", nullptr},
                                         {"/", nullptr},
                                         {"/?a=/a", nullptr},
                                         {"/b/a", nullptr}}) {
    const std::string answer = Get(row.path);
    if (row.answer != nullptr) {
      EXPECT_EQ(answer, row.answer) << row.path;
    } else {
      EXPECT_EQ(answer.substr(0, 4), "404 ") << row.path;
    }
  }
  Serve("/a", "new");
  EXPECT_EQ(Get("/a"), "200 new /a") << "the last handler of a path";
  EXPECT_EQ(Get("/a/b"), "200 ab /a/b");
  Serve("/", "rest");
  EXPECT_EQ(Get("/folderx"), "200 rest /folderx");
  EXPECT_EQ(Get("/a"), "200 new /a");
}

TEST_F(EndpointRoutes, AnswersAboveAKibibyte_AreCompressed) {
  constexpr std::size_t kPath = 3;  // " /x"
  for (const std::size_t size : {std::size_t{1023}, std::size_t{1024}, std::size_t{1025}}) {
    Serve("/x", std::string(size - kPath, 't'));
    const std::string answer = Get("/x");
    EXPECT_EQ(headers_.find("gzip") != std::string::npos, size > 1024) << size;
    EXPECT_EQ(answer.size() - 4 == size, size <= 1024) << size;
  }
}

TEST(EndpointServerWithoutAddress, HasNoPortAndEndsAtOnce) {
  Runtime runtime;
  const auto server = EndpointServer::Listen(runtime.env(), "0", {}).OrExit();
  EXPECT_EQ(server->port(), 0);
  server->Handle("/a", std::make_shared<Texts>("a"));
  server->Shutdown(std::chrono::seconds(1));
  const Error error = EndpointServer::Listen(runtime.env(), "x", {}).error();
  EXPECT_EQ(error.reason(), Reason::kConfig);
  // An own certificate for such a name cannot be made.
  const Error name = EndpointServer::Listen(runtime.env(), "a,b:0", {.tls = true}).error();
  EXPECT_EQ(name.reason(), Reason::kConfig);
  EXPECT_TRUE(name.message().starts_with("the server at \"a,b:0\": ")) << name;
  EXPECT_EQ(name.message().find("give another address"), std::string::npos) << name;
}

}  // namespace
}  // namespace kinformer
