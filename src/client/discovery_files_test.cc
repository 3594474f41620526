// The cache on disk, that processes share.

#include "client/discovery_files.h"

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "kinformer/client/discovery.h"
#include "kinformer/client/rest_mapper.h"

#include "client/testing/config_map_client.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

namespace fs = std::filesystem;
using testing::Json;
using testing::ScriptedResponse;
using testing::StatusFailure;

constexpr char kGroups[] =
    R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"apps"},"versions":[)"
    R"({"version":"v1","resources":[{"resource":"deployments","scope":"Namespaced",)"
    R"("singularResource":"deployment","shortNames":["deploy"],"verbs":["get"],)"
    R"("categories":["all"],"responseKind":{"group":"apps","version":"v1","kind":"Deployment"},)"
    R"("subresources":[{"subresource":"scale","verbs":["get"],"responseKind":)"
    R"({"group":"autoscaling","version":"v1","kind":"Scale"}}]}]},)"
    R"({"version":"v1beta1","resources":[{"resource":"olds","scope":"Cluster",)"
    R"("responseKind":{"kind":"Old"}}]}]},{"metadata":{"name":"metrics.k8s.io"},"versions":[)"
    R"({"version":"v1","freshness":"Stale"}]}]})";

std::string Read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}
void Write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

class DiscoveryFilesTest : public testing::ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    dir_ = fs::path(::testing::TempDir()) /
           ("discovery_" +
            std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(dir_);
    server_.fallback = [this](const HttpRequest& request) {
      const std::string& target = request.target;
      if (target == "/apis") return Json(groups_);
      if (target == "/apis/apps/v1") {
        return Json(R"({"resources":[{"name":"deployments","kind":"Deployment"}]})");
      }
      if (target == "/openapi/v3") {
        if (request.headers.Get("If-None-Match") == "\"t1\"") {
          return ScriptedResponse{.status = 304};
        }
        ScriptedResponse list = Json(R"({"paths":{"apis/apps/v1":{"serverRelativeURL":)"
                                     R"("/openapi/v3/apis/apps/v1?hash=A"}}})");
        list.headers.emplace_back("ETag", "\"t1\"");
        return list;
      }
      if (target == "/openapi/v3/apis/apps/v1?hash=A") return Json(R"({"openapi":"3.0.0"})");
      return StatusFailure(404, "NotFound", "no");
    };
  }
  void TearDown() override { fs::remove_all(dir_); }
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(5)));
  }
  // A process that starts.
  DiscoveryClient NewProcess(TimeSpan ttl = std::chrono::hours(6)) {
    return NewCachedDiscoveryClient(*client_, {.directory = dir_.string(), .ttl = ttl}).OrExit();
  }
  std::string Map(const DiscoveryClient& discovery, const std::string& name) {
    const auto found = discovery.MappingFor(name);
    return found ? found->resource.version + "/" + found->resource.resource
                 : std::string(ReasonName(found.error().reason()));
  }
  std::string Asked() {
    std::string out;
    for (const HttpRequest& request : server_.requests) out += request.target + " ";
    server_.requests.clear();
    return out;
  }
  // Writes a file that is as new as the server's answer, so that its age is no reason to ignore it.
  void WriteNow(const fs::path& path, const std::string& text) {
    Write(path, text);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(sim_.env().WallNow());
    const timespec time{static_cast<time_t>(seconds.time_since_epoch().count()), 0};
    const std::array<timespec, 2> times{time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
  }
  // The folder of the server.
  fs::path Folder() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(dir_)) found.push_back(entry.path());
    return found.size() == 1 ? found[0] : fs::path();
  }
  std::string groups_ = kGroups;
  fs::path dir_;
};

TEST_F(DiscoveryFilesTest, ANewProcess_UsesTheFilesOfTheLast_DS08) {
  Block([&] {
    const DiscoveryClient first = NewProcess();
    EXPECT_EQ(Map(first, "deploy"), "v1/deployments");
    EXPECT_TRUE(first.Fresh());
    EXPECT_EQ(Asked(), "/api /apis ");

    const DiscoveryClient second = NewProcess();
    EXPECT_EQ(Map(second, "deploy"), "v1/deployments");
    EXPECT_FALSE(second.Fresh());
    // A version that failed is in no file.
    EXPECT_EQ(Asked(), "/apis/metrics.k8s.io/v1 ");
    const auto whole = second.ServerResourcesForGroupVersion("apps/v1").OrExit();
    ASSERT_EQ(whole.resources.size(), 1U);
    const ApiResource& resource = whole.resources[0];
    EXPECT_TRUE(whole.preferred);
    EXPECT_TRUE(resource.namespaced);
    EXPECT_EQ(resource.singularName, "deployment");
    EXPECT_EQ(resource.categories, (std::vector<std::string>{"all"}));
    ASSERT_EQ(resource.subresources.size(), 1U);
    EXPECT_EQ(resource.subresources[0].kind, (GroupVersionKind{"autoscaling", "v1", "Scale"}));
    EXPECT_EQ(Asked(), "");

    // A miss in what another process has written.
    EXPECT_EQ(Map(second, "lamps"), "NotFound");
    EXPECT_EQ(Asked(), "/api /apis ");
    EXPECT_TRUE(second.Fresh());
  });
}

TEST_F(DiscoveryFilesTest, FilesHaveTheNamesContentsAndModesOfKubectls_DS08) {
  Block([&] { EXPECT_EQ(Map(NewProcess(), "deploy"), "v1/deployments"); });
  const fs::path list = Folder() / "servergroups.json";
  const fs::path resources = Folder() / "apps" / "v1" / "serverresources.json";
  EXPECT_EQ(Folder().filename().string().find_first_of(":/ "), std::string::npos);
  EXPECT_EQ(Read(resources),
            R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[)"
            R"({"name":"deployments","singularName":"deployment","namespaced":true,)"
            R"("kind":"Deployment","verbs":["get"],"shortNames":["deploy"],"categories":["all"]},)"
            R"({"name":"deployments/scale","singularName":"","namespaced":true,)"
            R"("group":"autoscaling","version":"v1","kind":"Scale","verbs":["get"]}]})");
  EXPECT_EQ(Read(list).find(R"({"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps",)"
                            R"("versions":[{"groupVersion":"apps/v1","version":"v1"},)"),
            0U)
      << Read(list);
  struct stat about{};
  for (const fs::path& file : {list, resources}) {
    ASSERT_EQ(::stat(file.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, 0660U) << file;
  }
  ASSERT_EQ(::stat(resources.parent_path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U & ~0750U, 0U);
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(dir_)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 3U) << "nothing temporary is left, and nothing of what failed";
}

TEST_F(DiscoveryFilesTest, OldFiles_AreFetchedAgain_AlsoByALongProcess_DS08) {
  Block([&] {
    const DiscoveryClient running = NewProcess(std::chrono::minutes(2));
    EXPECT_EQ(Map(running, "deploy"), "v1/deployments");
    (void)Asked();
    sim_.env().SleepFor(std::chrono::seconds(119));
    EXPECT_EQ(Map(running, "deploy"), "v1/deployments");
    EXPECT_EQ(Asked(), "");
    sim_.env().SleepFor(std::chrono::seconds(2));
    EXPECT_EQ(Map(running, "deploy"), "v1/deployments");
    EXPECT_EQ(Asked(), "/api /apis ");
    sim_.env().SleepFor(std::chrono::seconds(1));
    EXPECT_EQ(Map(NewProcess(std::chrono::milliseconds(500)), "deploy"), "v1/deployments");
    EXPECT_EQ(Asked(), "/api /apis ");
  });
}

TEST_F(DiscoveryFilesTest, AfterInvalidate_FilesOfOthersAreNotUsed_DS08) {
  Block([&] {
    EXPECT_EQ(Map(NewProcess(), "deploy"), "v1/deployments");
    (void)Asked();
    const DiscoveryClient second = NewProcess();
    second.Invalidate();
    EXPECT_EQ(Map(second, "deploy"), "v1/deployments");
    EXPECT_EQ(Asked(), "/api /apis ");
    EXPECT_TRUE(second.Fresh());
  });
}

TEST_F(DiscoveryFilesTest, DamagedFiles_CountAsAbsent_DS08) {
  Block([&] { EXPECT_EQ(Map(NewProcess(), "deploy"), "v1/deployments"); });
  const fs::path list = Folder() / "servergroups.json";
  const fs::path resources = Folder() / "apps" / "v1" / "serverresources.json";
  const std::string good_list = Read(list);
  const std::string good = Read(resources);
  const auto asked_with = [&](const fs::path& file, const std::string& text) {
    WriteNow(file, text);
    Block([&] {
      (void)Asked();
      EXPECT_EQ(Map(NewProcess(), "deployments"), "v1/deployments");
    });
    return Asked();
  };
  const std::string known = "/apis/metrics.k8s.io/v1 ";
  EXPECT_EQ(asked_with(resources, good), known) << "what failed is in no file";
  EXPECT_EQ(asked_with(list, good_list), known);
  const std::string whole = "/api /apis ";
  const std::string one = "/apis/apps/v1 /apis/metrics.k8s.io/v1 ";
  EXPECT_EQ(asked_with(resources, good.substr(0, good.size() / 2)), one);
  EXPECT_EQ(asked_with(resources, ""), one);
  EXPECT_EQ(asked_with(resources, "\xff\xfe"), one);
  EXPECT_EQ(asked_with(resources, R"({"kind":"Status","code":500})"), one);
  EXPECT_EQ(asked_with(resources, R"({"kind":"APIResourceList","groupVersion":"apps/v2",)"
                                  R"("resources":[{"name":"x","kind":"X"}]})"),
            one)
      << "the file of another version";
  EXPECT_EQ(asked_with(list, good_list.substr(0, good_list.size() - 1)), whole);
  EXPECT_EQ(asked_with(list, R"({"kind":"APIGroupList","groups":[]})"), whole);
  EXPECT_EQ(asked_with(list, ""), whole);
  // They have been replaced by good ones.
  Block([&] { EXPECT_EQ(Map(NewProcess(), "deploy"), "v1/deployments"); });
  EXPECT_EQ(Asked(), "/apis/metrics.k8s.io/v1 ");
  // A folder in the place of a file, and one where nothing can be written.
  fs::remove(list);
  fs::create_directories(list / "full");
  Block([&] { EXPECT_EQ(Map(NewProcess(), "deploy"), "v1/deployments"); });
  Write(dir_ / "file", "");
  Block([&] {
    const auto nowhere =
        NewCachedDiscoveryClient(*client_, {.directory = (dir_ / "file").string()}).OrExit();
    EXPECT_EQ(Map(nowhere, "deploy"), "v1/deployments");
  });
  EXPECT_EQ(NewCachedDiscoveryClient(*client_, {}).error().reason(), Reason::kInvalidArgument);
}

TEST_F(DiscoveryFilesTest, OpenApiDocuments_AreReusedByETagAndHash_UnlessTheirSumIsWrong_DS08) {
  const auto schema = [&] {
    std::string text;
    Block([&] { text = *NewProcess().OpenAPIV3Schema("apis/apps/v1").OrExit(); });
    return text;
  };
  EXPECT_EQ(schema(), R"({"openapi":"3.0.0"})");
  EXPECT_EQ(Asked(), "/openapi/v3 /openapi/v3/apis/apps/v1?hash=A ");
  EXPECT_EQ(schema(), R"({"openapi":"3.0.0"})");
  ASSERT_EQ(server_.requests.size(), 1U) << "only whether the list has changed";
  EXPECT_EQ(server_.requests[0].headers.Get("If-None-Match"), "\"t1\"");
  (void)Asked();
  for (const auto& entry : fs::directory_iterator(Folder() / "openapi" / "v3")) {
    std::string text = Read(entry.path());
    text.back() = text.back() == '}' ? ']' : '}';
    Write(entry.path(), text);
  }
  EXPECT_EQ(schema(), R"({"openapi":"3.0.0"})");
  EXPECT_EQ(Asked(), "/openapi/v3 /openapi/v3/apis/apps/v1?hash=A ");
}

// ---- The files alone

internal::client::ApiGroupVersions OneVersion(const std::string& group) {
  ApiGroupVersion version;
  version.group = group;
  version.version = "v1";
  version.preferred = true;
  ApiResource resource;
  resource.resource = {group, "v1", "things"};
  resource.kind = "Thing";
  version.resources = {resource};
  return {version};
}

TEST_F(DiscoveryFilesTest, AServersFolder_HasKubectlsName_AndNeverLeavesTheDirectory) {
  const auto folder = [](const std::string& server) {
    return internal::client::DiscoveryFiles("/d", server, std::chrono::hours(6)).folder();
  };
  EXPECT_EQ(folder("https://127.0.0.1:6443"), "/d/127.0.0.1_6443");
  EXPECT_EQ(folder("https://h.example.com/k8s/clusters/c-1"), "/d/h.example.com/k8s/clusters/c_1");
  EXPECT_EQ(folder("https://[::1]:6443"), "/d/___1__6443");
  EXPECT_EQ(folder("https://h/../../etc"), "/d/h/_./_./etc");
  EXPECT_EQ(folder("http://.."), "/d/_.");
}

TEST_F(DiscoveryFilesTest, FilesOfGroupsThatHaveGone_AreRemovedAfterADay) {
  const internal::client::DiscoveryFiles files(dir_.string(), "https://h:1", std::chrono::hours(6));
  const WallTime start = sim_.env().WallNow();
  ASSERT_TRUE(files.Store(OneVersion("old.example.com"), start));
  const fs::path old = fs::path(files.folder()) / "old.example.com" / "v1" / "serverresources.json";
  Write(fs::path(files.folder()) / "mine.txt", "not of the cache");
  ASSERT_TRUE(files.Store(OneVersion("new.example.com"), start + std::chrono::hours(23)));
  EXPECT_TRUE(fs::exists(old));
  ASSERT_TRUE(files.Store(OneVersion("new.example.com"), start + std::chrono::hours(25)));
  EXPECT_FALSE(fs::exists(old.parent_path().parent_path()));
  EXPECT_TRUE(fs::exists(fs::path(files.folder()) / "mine.txt"));
  const auto loaded = files.Load(start + std::chrono::hours(26));
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->groups.size(), 1U);
  EXPECT_EQ(loaded->groups[0].resources.size(), 1U);
  EXPECT_FALSE(files.Load(start + std::chrono::hours(31))) << "six hours after it was written";
  EXPECT_FALSE(files.Load(start + std::chrono::hours(24))) << "written in the future";
}

TEST_F(DiscoveryFilesTest, DocumentsOfPathsThatHaveGone_AreRemoved) {
  const internal::client::DiscoveryFiles files(dir_.string(), "https://h:1", std::chrono::hours(6));
  const WallTime now = sim_.env().WallNow();
  ASSERT_TRUE(files.StoreDocument("apis/a/v1", {"/a?hash=1", "one"}, now));
  ASSERT_TRUE(files.StoreDocument("apis/b/v1", {"/b?hash=1", "two"}, now));
  files.KeepDocuments({{"apis/b/v1", {}}}, now);
  EXPECT_FALSE(files.LoadDocument("apis/a/v1"));
  const auto kept = files.LoadDocument("apis/b/v1");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->tag, "/b?hash=1");
  EXPECT_EQ(kept->body, "two");
}

}  // namespace
}  // namespace kinformer
