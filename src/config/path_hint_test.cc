#include "config/path_hint.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "config/testing/kubeconfig_texts.h"

namespace kinformer::internal::config {
namespace {

TEST(PathHint, UnexpandedTilde_HintSaysWhatToWrite) {
  EXPECT_EQ(PathHint("~/x"), "; the shell left ~ as it is: write $HOME/x");
  EXPECT_EQ(PathHint("~"), "; the shell left ~ as it is: write $HOME");
  EXPECT_EQ(PathHint("/home/me/.kube/~/ca.crt"),
            "; ~ is no home directory in a file: write the whole path");
  for (const char* path : {"", "x", "/a/b", "~x/y", "/a/b~/c", "/a/~b"}) {
    EXPECT_EQ(PathHint(path), "") << path;
  }
}

TEST(PathListHint, SaysWhatSeparatesFiles) {
  EXPECT_EQ(PathListHint("a,b"), "; a colon separates files");
  EXPECT_EQ(PathListHint("a:b;c"), "; a colon separates files");
  EXPECT_EQ(PathListHint("a:~/b"), "; the shell left ~ as it is: write $HOME/b");
  for (const char* list : {"", "a", "a:b", ":"}) EXPECT_EQ(PathListHint(list), "") << list;
}

TEST(LooksLikePath, TellsPathsFromNamesOfContexts) {
  const Folder folder;
  for (const std::string& path :
       {std::string("/a"), std::string("./a"), std::string("../a"), std::string("~/a"),
        std::string("dev.yaml"), std::string("admin.conf"), folder.Write("kc", "x")}) {
    EXPECT_TRUE(LooksLikePath(path)) << path;
  }
  for (const char* name : {"", "dev", "shop/api-example-com:6443/admin", "kind-kind", "a@b"}) {
    EXPECT_FALSE(LooksLikePath(name)) << name;
  }
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  EXPECT_TRUE(LooksLikePath("kc"));
  EXPECT_FALSE(LooksLikePath("other"));
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace kinformer::internal::config
