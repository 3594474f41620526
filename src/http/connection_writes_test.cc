// Writing and deadlines of a Connection, whatever its protocol.

#include <gtest/gtest.h>
#include <string>

#include "http/probe_connection_for_test.h"

namespace kinformer::internal::http {
namespace {

using Next = ByteStream::Next;
using Cut = ConnectionEffect::Cut;
using std::chrono::hours;
using std::chrono::seconds;

// Whether the deadline expires after exactly `time`.
bool ExpiresAfter(ProbeScene& scene, Duration time) {
  const int before = scene->deadlines;
  scene.scene.RunFor(time - Duration(1));
  if (scene->deadlines != before) return false;
  scene.scene.RunFor(Duration(1));
  return scene->deadlines == before + 1;
}

TEST(ConnectionWrites, Flush_WritesAllInOrder) {
  ProbeScene scene;
  scene.script->writes = {{Next::kAgain, 1}, {Next::kAgain, 3}};
  scene.scene.OnLoop([&] {
    EXPECT_TRUE(scene->Flush()) << "there is nothing to write";
    EXPECT_EQ(scene.script->write_calls, 0);
    scene->out().Append("abc");
    scene->out().Append("defg");
    EXPECT_TRUE(scene->Flush());
    EXPECT_TRUE(scene->out().empty());
    EXPECT_FALSE(scene->blocked());
  });
  EXPECT_EQ(scene.script->written, "abcdefg");
  EXPECT_EQ(scene.script->write_calls, 3);
  EXPECT_EQ(scene.scene.host().sent, 7U);
  EXPECT_EQ(scene->pumps, 0);
  scene.scene.RunFor(hours(1));
  EXPECT_EQ(scene->deadlines, 0);
}

TEST(ConnectionWrites, FullSocket_IsWaitedForOnce) {
  ProbeScene scene;
  scene.script->writes = {{Next::kWaitWrite, 2}};
  bool was_blocked = true;
  scene->on_pump = [&] { was_blocked = scene->blocked(); };
  scene.scene.OnLoop([&] {
    scene->out().Append("abc");
    EXPECT_FALSE(scene->Flush());
    EXPECT_TRUE(scene->blocked());
    EXPECT_EQ(scene->out().size(), 1U);
    EXPECT_FALSE(scene->Flush());
    scene->WaitFor(Next::kWaitWrite);
  });
  EXPECT_EQ(scene.script->write_calls, 1);
  EXPECT_EQ(scene.scene.host().sent, 2U);
  EXPECT_EQ(scene->pumps, 1);
  EXPECT_FALSE(was_blocked);
  scene.scene.OnLoop([&] { EXPECT_TRUE(scene->Flush()); });
  EXPECT_EQ(scene.script->written, "abc");
}

TEST(ConnectionWrites, BrokenSocket_ClosesTheConnection) {
  ProbeScene scene;
  scene.script->writes = {{Next::kClosed, 1}};
  scene.scene.OnLoop([&] {
    scene->out().Append("abc");
    EXPECT_FALSE(scene->Flush());
    EXPECT_FALSE(scene->Flush());
  });
  EXPECT_EQ(scene.scene.host().sent, 1U);
  EXPECT_EQ(scene.script->write_calls, 1);
  EXPECT_EQ(scene->closes, 1);
  EXPECT_EQ(scene.scene.open(), 0U);
}

// The timeout begins with the first refusal and with each byte that was written since.
TEST(ConnectionWrites, WriteTimeout_BeginsAtTheLastByteWritten) {
  struct Row {
    std::size_t first;
    std::size_t second;
    Duration left;  // after the second write, 20 s after the first
  };
  for (const Row& row : std::vector<Row>{{0, 0, seconds(40)},
                                         {0, 1, seconds(60)},
                                         {1, 0, seconds(40)},
                                         {1, 1, seconds(60)},
                                         {2, 5, seconds(60)}}) {
    SCOPED_TRACE(std::to_string(row.first) + " " + std::to_string(row.second));
    ProbeScene scene;
    scene.script->writes = {{Next::kWaitWrite, row.first}};
    scene.scene.OnLoop([&] {
      scene->out().Append("0123456789");
      scene->Flush();
    });
    scene.scene.RunFor(seconds(20));
    scene.script->writes = {{Next::kWaitWrite, row.second}};
    scene.scene.OnLoop([&] { EXPECT_FALSE(scene->Flush()); });
    EXPECT_TRUE(ExpiresAfter(scene, row.left));
    EXPECT_EQ(scene.script->written, std::string("0123456789").substr(0, row.first + row.second));
  }
}

TEST(ConnectionWrites, WriteTimeout_BeginsAnewAfterACompleteFlush) {
  ProbeScene scene;
  scene.script->writes = {{Next::kWaitWrite, 0}};
  scene.scene.OnLoop([&] {
    scene->out().Append("a");
    scene->Flush();
  });
  scene.scene.RunFor(seconds(20));
  scene.scene.OnLoop([&] { EXPECT_TRUE(scene->Flush()); });
  scene.script->writes = {{Next::kWaitWrite, 0}};
  scene.scene.OnLoop([&] {
    scene->out().Append("b");
    scene->Flush();
  });
  EXPECT_TRUE(ExpiresAfter(scene, seconds(60)));
}

TEST(ConnectionDeadlines, Deadline_ExpiresOnceAndExactly) {
  ProbeScene scene;
  scene.scene.OnLoop([&] { scene->SetDeadline(seconds(10)); });
  EXPECT_TRUE(ExpiresAfter(scene, seconds(10)));
  scene.scene.RunFor(hours(1));
  EXPECT_EQ(scene->deadlines, 1);
  scene.scene.OnLoop([&] { scene->SetDeadline(seconds(3)); });
  EXPECT_TRUE(ExpiresAfter(scene, seconds(3)));
}

TEST(ConnectionDeadlines, Deadline_CanBeMoved) {
  struct Row {
    int first;
    int second;  // set one second later
  };
  for (const Row& row : std::vector<Row>{{10, 20}, {10, 10}, {10, 9}, {10, 3}, {10, 100}}) {
    SCOPED_TRACE(row.second);
    ProbeScene scene;
    scene.scene.OnLoop([&] { scene->SetDeadline(seconds(row.first)); });
    scene.scene.RunFor(seconds(1));
    scene.scene.OnLoop([&] { scene->SetDeadline(seconds(row.second)); });
    EXPECT_TRUE(ExpiresAfter(scene, seconds(row.second)));
    scene.scene.RunFor(hours(1));
    EXPECT_EQ(scene->deadlines, 1);
  }
}

TEST(ConnectionDeadlines, ClearedDeadline_DoesNotExpire) {
  for (const bool forget : {true, false}) {
    ProbeScene scene;
    const auto clear = [&] { forget ? scene->ForgetDeadline() : scene->ClearDeadline(); };
    scene.scene.OnLoop([&] { scene->SetDeadline(seconds(10)); });
    scene.scene.RunFor(seconds(9));
    scene.scene.OnLoop(clear);
    scene.scene.RunFor(hours(1));
    EXPECT_EQ(scene->deadlines, 0);
    scene.scene.OnLoop([&] { scene->SetDeadline(seconds(7)); });
    EXPECT_TRUE(ExpiresAfter(scene, seconds(7)));
    // Cleared and set again while the first timer is still armed.
    scene.scene.OnLoop([&] { scene->SetDeadline(seconds(10)); });
    scene.scene.OnLoop([&] {
      clear();
      scene->SetDeadline(seconds(5));
    });
    EXPECT_TRUE(ExpiresAfter(scene, seconds(5)));
    scene.scene.OnLoop([&] { scene->SetDeadline(seconds(10)); });
    scene.scene.OnLoop([&] {
      clear();
      scene->SetDeadline(seconds(50));
    });
    EXPECT_TRUE(ExpiresAfter(scene, seconds(50)));
  }
}

// The connection stays open, but nothing happens on it any more.
TEST(ConnectionWrites, FrozenConnection_IsSilent) {
  ProbeScene scene;
  scene.scene.OnLoop([&] { scene->SetReading(true); });
  scene.scene.OnLoop([&] {
    scene->out().Append("abc");
    scene->SetDeadline(seconds(1));
    scene->WaitFor(Next::kWaitWrite);
    scene->Freeze();
    EXPECT_TRUE(scene->closed());
    EXPECT_TRUE(scene->out().empty());
    scene->out().Append("def");
  });
  scene.MakeReadable();
  scene.scene.OnLoop([&] { EXPECT_FALSE(scene->Flush()); });
  scene.scene.RunFor(hours(1));
  EXPECT_EQ(scene.script->read_calls, 1);
  EXPECT_EQ(scene.script->write_calls, 0);
  EXPECT_EQ(scene->pumps, 0);
  EXPECT_EQ(scene->deadlines, 0);
  EXPECT_EQ(scene->closes, 0);
  EXPECT_EQ(scene.scene.open(), 1U);
}

TEST(ConnectionWrites, OnlyAStall_LeavesTheClientWaiting) {
  struct Row {
    Cut cut;
    bool full;
    bool left_waiting;
    bool frozen;
  };
  for (const Row& row : std::vector<Row>{{Cut::kStream, false, false, false},
                                         {Cut::kConnection, false, false, false},
                                         {Cut::kStall, false, true, true},
                                         {Cut::kStall, true, true, false}}) {
    SCOPED_TRACE(static_cast<int>(row.cut));
    ProbeScene scene;
    if (row.full) scene.script->writes = {{Next::kWaitWrite, 1}};
    scene.scene.OnLoop([&] {
      scene->out().Append("abc");
      ConnectionEffect effect;
      effect.cut = row.cut;
      EXPECT_EQ(scene->LeaveWaiting(effect), row.left_waiting);
      EXPECT_EQ(scene->closed(), row.frozen);
    });
    EXPECT_EQ(scene.script->written, row.full ? "a" : row.left_waiting ? "abc" : "");
    EXPECT_EQ(scene->closes, 0);
  }
}

}  // namespace
}  // namespace kinformer::internal::http
