// Reading of a Connection, whatever its protocol: rounds, pauses, waits, and the end.

#include <gtest/gtest.h>
#include <string>

#include "http/probe_connection_for_test.h"

namespace kinformer::internal::http {
namespace {

using Next = ByteStream::Next;
using Texts = std::vector<std::string>;
using std::chrono::hours;
using std::chrono::seconds;

TEST(ConnectionReads, Reading_BeginsInTheNextTask) {
  ProbeScene scene;
  scene.script->reads = {{Next::kWaitRead, "a"}};
  scene.scene.OnLoop([&] {
    scene->SetReading(true);
    EXPECT_EQ(scene.script->read_calls, 0);
  });
  EXPECT_EQ(scene.script->read_calls, 1);
  EXPECT_EQ(scene->got, Texts{"a"});
}

// However often reading is switched meanwhile, one task reads.
TEST(ConnectionReads, ReadingSwitchedTwice_ReadsOnce) {
  ProbeScene scene;
  for (int i = 1; i < 4; ++i) {
    scene.script->reads = {{Next::kWaitRead, "a"}};
    scene.scene.OnLoop([&] {
      for (const bool wanted : {true, true, false, true}) scene->SetReading(wanted);
    });
    EXPECT_EQ(scene.script->read_calls, i);
    // The socket is being waited for; switching does not read either.
    scene.scene.OnLoop([&] {
      scene->SetReading(false);
      scene->SetReading(true);
    });
    EXPECT_EQ(scene.script->read_calls, i);
    scene.scene.OnLoop([&] { scene->SetReading(false); });
    scene.MakeReadable();  // ends the wait; nobody wants to read
    EXPECT_EQ(scene.script->read_calls, i);
  }
  EXPECT_EQ(scene->got, (Texts{"a", "a", "a"}));
}

TEST(ConnectionReads, ReadingStoppedBeforeItsTask_ReadsNothing) {
  ProbeScene scene;
  scene.scene.OnLoop([&] {
    scene->SetReading(true);
    scene->SetReading(false);
  });
  EXPECT_EQ(scene.script->read_calls, 0);
}

TEST(ConnectionReads, ReadingStoppedByBytes_StopsAtOnce) {
  ProbeScene scene;
  scene.script->reads = {{Next::kAgain, "a"}, {Next::kAgain, "b"}, {Next::kAgain, "c"}};
  scene->on_bytes = [&] {
    if (scene->got.size() == 2) scene->SetReading(false);
  };
  scene.scene.OnLoop([&] { scene->SetReading(true); });
  EXPECT_EQ(scene->got, (Texts{"a", "b"}));
  EXPECT_EQ(scene.script->read_calls, 2);
  scene.MakeReadable();
  EXPECT_EQ(scene.script->read_calls, 2) << "nothing waits for the socket";
  scene.scene.OnLoop([&] { scene->SetReading(true); });
  EXPECT_EQ(scene->got, (Texts{"a", "b", "c"}));
  EXPECT_EQ(scene.script->read_calls, 4);
}

TEST(ConnectionReads, ReadingSwitchedByBytes_ContinuesInTheSameTask) {
  ProbeScene scene;
  scene.script->reads = {{Next::kAgain, "a"}, {Next::kWaitRead, "b"}};
  scene->on_bytes = [&] {
    scene->SetReading(false);
    scene->SetReading(true);
  };
  scene.scene.OnLoop([&] { scene->SetReading(true); });
  EXPECT_EQ(scene->got, (Texts{"a", "b"}));
  EXPECT_EQ(scene.script->read_calls, 2) << "no second task reads";
}

TEST(ConnectionReads, FourReads_ThenOtherWorkGetsATurn) {
  ProbeScene scene;
  for (int i = 0; i < 10; ++i) scene.script->reads.push_back({Next::kAgain, std::to_string(i)});
  std::vector<int> calls;
  std::function<void()> look = [&] {
    calls.push_back(scene.script->read_calls);
    if (calls.size() < 4) scene.scene.sim().env().loop().Post(look);
  };
  scene.scene.OnLoop([&] {
    scene->SetReading(true);
    look();
  });
  EXPECT_EQ(calls, (std::vector<int>{0, 4, 8, 11}));
  EXPECT_EQ(scene->got.size(), 10U);
  EXPECT_EQ(scene->got.back(), "9");
  // The pause between the rounds reads once, too, and reading can begin again afterwards.
  scene.scene.OnLoop([&] { scene->SetReading(false); });
  scene.MakeReadable();
  for (int i = 0; i < 5; ++i) scene.script->reads.push_back({Next::kAgain, "x"});
  scene->on_bytes = [&, switched = false]() mutable {
    if (std::exchange(switched, true)) return;
    scene.scene.sim().env().loop().Post([&] {
      scene->SetReading(false);
      scene->SetReading(true);
    });
  };
  scene.scene.OnLoop([&] { scene->SetReading(true); });
  EXPECT_EQ(scene.script->read_calls, 11 + 6);
  scene.scene.OnLoop([&] { scene->SetReading(false); });
  scene.MakeReadable();
  scene.scene.OnLoop([&] { scene->SetReading(true); });
  EXPECT_EQ(scene.script->read_calls, 11 + 7);
}

TEST(ConnectionReads, NoBytes_AreNotHandedOver) {
  ProbeScene scene;
  scene.script->reads = {{Next::kAgain, ""}, {Next::kAgain, "a"}, {Next::kWaitRead, ""}};
  scene.scene.OnLoop([&] { scene->SetReading(true); });
  EXPECT_EQ(scene->got, Texts{"a"});
  EXPECT_EQ(scene.script->read_calls, 3);
}

TEST(ConnectionReads, ReadableSocket_IsReadAgain) {
  ProbeScene scene;
  scene.scene.OnLoop([&] { scene->SetReading(true); });
  EXPECT_EQ(scene.script->read_calls, 1);
  scene.script->reads = {{Next::kClosed, ""}};
  scene.MakeReadable();
  EXPECT_EQ(scene.script->read_calls, 2);
  EXPECT_EQ(scene->closes, 1);
  EXPECT_EQ(scene.scene.open(), 0U);
  EXPECT_TRUE(scene->closed());
  scene.client->Receive();
  EXPECT_TRUE(scene.client->ended());
  scene.scene.OnLoop([&] {
    scene->SetReading(false);
    scene->SetReading(true);
  });
  EXPECT_EQ(scene.script->read_calls, 2);
}

TEST(ConnectionReads, BytesThatClose_EndReading) {
  ProbeScene scene;
  scene.script->reads = {{Next::kAgain, "a"}, {Next::kAgain, "b"}};
  scene->on_bytes = [&] { scene->Close(); };
  scene.scene.OnLoop([&] { scene->SetReading(true); });
  EXPECT_EQ(scene->got, Texts{"a"});
  EXPECT_EQ(scene.script->read_calls, 1);
  EXPECT_EQ(scene->closes, 1);
}

TEST(ConnectionReads, Close_HappensOnce) {
  ProbeScene scene;
  scene.scene.OnLoop([&] {
    scene->out().Append("abc");
    scene->SetDeadline(seconds(1));
    scene->Close();
    scene->Close();
    EXPECT_TRUE(scene->out().empty());
    EXPECT_FALSE(scene->Flush());
  });
  EXPECT_EQ(scene->closes, 1);
  EXPECT_EQ(scene.scene.open(), 0U);
  scene.scene.RunFor(hours(1));
  EXPECT_EQ(scene->deadlines, 0);
  EXPECT_EQ(scene.script->write_calls, 0);
}

TEST(ConnectionReads, CancelledWait_ClosesTheConnection) {
  ProbeScene scene;
  scene.scene.OnLoop([&] { scene->SetReading(true); });
  scene.scene.OnLoop([&] { scene->stream().socket().cancel(); });
  EXPECT_EQ(scene->closes, 1);
  EXPECT_EQ(scene.script->read_calls, 1);
}

TEST(ConnectionReads, StreamGivenAway_LeavesTheConnectionAlone) {
  ProbeScene scene;
  std::unique_ptr<ByteStream> stream;
  scene.scene.OnLoop([&] {
    scene->SetReading(true);
    scene->SetDeadline(seconds(1));
  });
  scene.scene.OnLoop([&] { stream = scene->ReleaseStream(); });
  EXPECT_TRUE(scene->closed());
  ASSERT_NE(stream, nullptr);
  scene.scene.RunFor(seconds(2));
  EXPECT_EQ(scene->deadlines, 0);
  scene.scene.OnLoop([&] { stream->socket().cancel(); });
  scene.MakeReadable();
  EXPECT_EQ(scene.script->read_calls, 1);
  EXPECT_EQ(scene->closes, 0);
  scene.scene.OnLoop([&] { scene->Close(); });
  EXPECT_EQ(scene->closes, 1);
  scene.client->Receive();
  EXPECT_FALSE(scene.client->ended()) << "the socket belongs to another connection";
  scene.scene.OnLoop([&] { stream.reset(); });
}

TEST(ConnectionReads, Lingering_DiscardsAtMost16Mebibytes) {
  const std::string part(std::size_t{64} << 10, 'x');
  for (const bool more : {false, true}) {
    ProbeScene scene;
    for (int i = 0; i < 256; ++i) scene.script->reads.push_back({Next::kAgain, part});
    if (more) scene.script->reads.push_back({Next::kWaitRead, "x"});
    scene.scene.OnLoop([&] { scene->Linger(); });
    scene.client->Receive();
    EXPECT_TRUE(scene.client->ended());
    EXPECT_EQ(scene.script->read_calls, 257);
    EXPECT_EQ(scene->closes, more ? 1 : 0);
    EXPECT_TRUE(scene->got.empty());
  }
}

TEST(ConnectionReads, Lingering_LastsTwoSeconds) {
  ProbeScene scene;
  scene.scene.OnLoop([&] { scene->Linger(); });
  EXPECT_TRUE(scene.scene.ClosesAfter(seconds(2)));
  EXPECT_EQ(scene->closes, 1);
  EXPECT_EQ(scene->deadlines, 0);
}

}  // namespace
}  // namespace kinformer::internal::http
