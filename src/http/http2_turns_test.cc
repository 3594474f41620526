// Turns of HTTP/2 connections: several streams that come, go, and wake together, and how much is
// done before other work of the loop.

#include <gtest/gtest.h>
#include <string>

#include "http/http2_client_for_test.h"
#include "http/http2_frames_for_test.h"
#include "http/probe_connection_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using Next = ByteStream::Next;
using std::chrono::milliseconds;
constexpr auto kHttp2 = ConnectionScene::Kind::kHttp2;

// A connection whose socket takes all.
struct Rounds {
  explicit Rounds(Duration tick = {}) : scene(tick) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    client_socket = ends[1];
    client = std::make_unique<RawClient>(scene.sim(), ends[1], -1);
    scene.OnLoop([&] {
      boost::asio::ip::tcp::socket socket(scene.io());
      socket.assign(boost::asio::ip::tcp::v4(), ends[0]);
      auto connection = NewHttp2Connection(
          scene.host(), std::make_unique<ScriptedStream>(std::move(socket), script), {});
      scene.host().connections.emplace(connection.get(), connection);
      connection->Start();
    });
  }
  // Delivers bytes of the client; nothing else runs meanwhile.
  void ArriveNow(std::string bytes) {
    script->reads.push_back({Next::kWaitRead, std::move(bytes)});
    EXPECT_EQ(::send(client_socket, "!", 1, MSG_NOSIGNAL), 1);
  }
  void Arrive(std::string bytes) {
    ArriveNow(std::move(bytes));
    Settle(scene.sim());
  }

  ConnectionScene scene;
  std::shared_ptr<StreamScript> script = std::make_shared<StreamScript>();
  std::unique_ptr<RawClient> client{};
  int client_socket = -1;
};

// Records `value` between tasks of the loop, from the time when `work` calls its argument until the
// value stops changing.
template <class Value>
std::vector<std::size_t> Watched(ConnectionScene& scene,
                                 const std::function<void(const std::function<void()>&)>& work,
                                 const Value& value) {
  std::vector<std::size_t> seen;
  int same = 0;
  std::function<void()> look = [&] {
    const std::size_t now = value();
    same = !seen.empty() && seen.back() == now ? same + 1 : 0;
    if (same == 0) seen.push_back(now);
    if (same < 50) scene.sim().env().loop().Post(look);
  };
  scene.OnLoop([&] { work(look); });
  return seen;
}

TEST(Http2Turns, RequestsThatComeTogether_AreTakenInOneTurn_UnlessTimeIsUp) {
  for (const bool slow : {false, true}) {
    SCOPED_TRACE(slow);
    Rounds rounds(slow ? milliseconds(1) : milliseconds(0));
    rounds.Arrive(Greeting());
    std::string frames;
    for (std::uint32_t id = 1; id < 11; id += 2) frames += Get(id);
    const auto counts = Watched(
        rounds.scene,
        [&](const std::function<void()>& look) {
          rounds.scene.handler().on_request = [&rounds, &look, first = true]() mutable {
            if (std::exchange(first, false)) rounds.scene.sim().env().loop().Post(look);
          };
          rounds.ArriveNow(frames);
        },
        [&] { return rounds.scene.handler().requests.size(); });
    EXPECT_EQ(counts,
              slow ? (std::vector<std::size_t>{1, 2, 3, 4, 5}) : (std::vector<std::size_t>{5}));
    for (std::uint32_t id = 1; id < 11; id += 2) {
      EXPECT_EQ(PayloadsIn(rounds.script->written, kDataFrame, id),
                std::vector<std::string>{"GET / "});
    }
  }
}

TEST(Http2Turns, HeadsThatComeTogether_AreAllJudged) {
  for (const bool slow : {false, true}) {
    SCOPED_TRACE(slow);
    ConnectionScene scene(slow ? milliseconds(1) : milliseconds(0));
    const auto client = scene.Connect(kHttp2);
    client->Exchange(Greeting());
    std::string frames;
    for (std::uint32_t id = 1; id < 11; id += 2) {
      frames += Put(id);
      scene.handler().gates.emplace_back(Script::Of({}, 100))->ready = false;
    }
    const auto gates = scene.handler().gates;
    client->Exchange(frames);
    EXPECT_EQ(scene.handler().judged.size(), 5U);
    // All gates open in one turn.
    scene.OnLoop([&] {
      for (const auto& gate : gates) {
        gate->ready = true;
        gate->wake();
        gate->wake();
      }
    });
    std::string ends;
    for (std::uint32_t id = 1; id < 11; id += 2) ends += Frame(kDataFrame, kEndStream, id, "b");
    const std::string got = client->Exchange(ends);
    for (std::uint32_t id = 1; id < 11; id += 2) {
      EXPECT_EQ(PayloadsIn(got, kDataFrame, id), std::vector<std::string>{"PUT / b"});
    }
    EXPECT_EQ(scene.handler().judged.size(), 5U);
  }
}

TEST(Http2Turns, ResponsesThatWakeTogether_AllGoOn) {
  for (const bool slow : {false, true}) {
    SCOPED_TRACE(slow);
    ConnectionScene scene(slow ? milliseconds(1) : milliseconds(0));
    const auto client = scene.Connect(kHttp2);
    std::vector<std::shared_ptr<Script>> scripts;
    std::string frames = Greeting();
    for (std::uint32_t id = 1; id < 11; id += 2) {
      scripts.push_back(scene.handler().Add({{"a", State::kWait}}));
      frames += Get(id);
    }
    client->Exchange(frames);
    // The third one is given up by its client before.
    client->Exchange(Frame(kResetFrame, 0, 5, BigEndian(NGHTTP2_CANCEL, 4)));
    EXPECT_EQ(scripts[2]->alive, 0);
    scene.OnLoop([&] {
      for (const auto& script : scripts) {
        script->parts = {{"b", State::kEnd}};
        script->wake();
      }
    });
    const std::string got = client->Receive();
    for (std::uint32_t id = 1; id < 11; id += 2) {
      EXPECT_EQ(PayloadsIn(got, kDataFrame, id),
                id == 5 ? std::vector<std::string>{} : std::vector<std::string>{"b"});
    }
  }
}

// Body bytes of streams that their clients give up at the gate no longer pause the connection.
TEST(Http2Turns, StreamGivenUpAtItsGate_ReturnsItsBytes) {
  ConnectionScene scene;
  const auto client = scene.Connect(kHttp2);
  client->Exchange(Greeting());
  const std::string part(16000, 'b');
  for (std::uint32_t id = 1; id < 11; id += 2) {
    const auto gate = scene.handler().gates.emplace_back(Script::Of({}, 100));
    gate->ready = false;
    client->Exchange(Put(id) + Frame(kDataFrame, 0, id, part) + Frame(kDataFrame, 0, id, part));
    EXPECT_EQ(gate->alive, 1);
    client->Exchange(Frame(kResetFrame, 0, id, BigEndian(NGHTTP2_CANCEL, 4)));
    EXPECT_EQ(gate->alive, 0);
  }
  EXPECT_EQ(PayloadsIn(client->Exchange(Get(11)), kDataFrame, 11),
            std::vector<std::string>{"GET / "});
}

// Bytes that came together with the head count, too.
TEST(Http2Turns, BytesBeforeTheGate_CountToItsLimit) {
  ConnectionScene scene;
  scene.keep_server_ends = true;
  const auto client = scene.Connect(kHttp2);
  client->Exchange(Greeting());
  const auto gate = scene.handler().gates.emplace_back(Script::Of({}, 100));
  gate->ready = false;
  const std::string part = Frame(kDataFrame, 0, 1, std::string(16384, 'b'));
  client->Exchange(Put(1) + part + part);
  client->Exchange(part);
  client->Exchange(Frame(kDataFrame, 0, 1, std::string(16383, 'b')));
  EXPECT_EQ(client->Unread(), 0U);
  client->Exchange(Frame(kDataFrame, 0, 1, "b"));
  EXPECT_EQ(client->Unread(), 0U);
  client->Exchange(Frame(kDataFrame, 0, 1, "c"));
  EXPECT_EQ(client->Unread(), 10U);
}

// A silent connection stays silent: responses that wake, new limits, and farewells.
TEST(Http2Turns, StalledConnection_SaysNothingMore) {
  ConnectionScene scene;
  const auto client = scene.Connect(kHttp2);
  const auto late = scene.handler().Add({{"late", State::kEnd}});
  late->ready = false;
  const auto script = scene.handler().Add({{"", State::kWait}});
  script->effect.cut = ConnectionEffect::Cut::kStall;
  client->Exchange(Greeting() + Get(1) + Get(3));
  script->parts = {{"", State::kAbort}};
  scene.Wake(script);
  client->Receive();
  EXPECT_EQ(late->alive, 0);
  late->ready = true;
  scene.Wake(late);
  scene.OnLoop([&] {
    scene.connection().SetMaxStreams(3);
    scene.connection().GoAway();
  });
  EXPECT_EQ(client->Exchange(Get(5)), "");
  EXPECT_EQ(scene.open(), 1U);
}

TEST(Http2Turns, ClosedConnection_ReleasesItsResponsesAtOnce) {
  ConnectionScene scene;
  const auto client = scene.Connect(kHttp2);
  const auto script = scene.handler().Add({{"a", State::kWait}});
  client->Exchange(Greeting() + Get(1));
  const auto kept = scene.connection().shared_from_this();
  scene.CloseAll();
  EXPECT_EQ(script->alive, 0);
}

TEST(Http2Rounds, LongBody_IsWrittenIn128Kibibytes_FourTimesPerTurn) {
  Rounds rounds;
  const auto body = rounds.scene.handler().Add({{"", State::kWait}});
  rounds.Arrive(Greeting() + Get(1));
  rounds.script->written.clear();
  std::size_t total = 0;
  for (int i = 0; i < 40; ++i) {
    body->parts.push_back({std::string(65536, 'x'), i == 39 ? State::kEnd : State::kMore});
    total += 65536;
  }
  const int calls = rounds.script->write_calls;
  const auto written = Watched(
      rounds.scene,
      [&](const std::function<void()>& look) {
        body->wake();
        look();
      },
      [&] { return rounds.script->written.size(); });
  // Eight frames, each with its head, fill the outbox.
  const std::size_t round = 8 * (16384 + 9);
  EXPECT_EQ(written, (std::vector<std::size_t>{0, 4 * round, 8 * round, 12 * round, 16 * round,
                                               20 * round}));
  EXPECT_EQ(rounds.script->write_calls, calls + 20);
  std::size_t data = 0;
  for (const std::string& part : PayloadsIn(rounds.script->written, kDataFrame, 1))
    data += part.size();
  EXPECT_EQ(data, total);
  for (const std::size_t asked : body->asked) EXPECT_EQ(asked, 65536U);
}

// Heads fill the outbox as bodies do.
TEST(Http2Rounds, ManyHeads_AreWrittenIn128Kibibytes) {
  Rounds rounds;
  std::string frames = Greeting();
  for (std::uint32_t i = 0; i < 40; ++i) {
    const auto script = rounds.scene.handler().Add({{"", State::kEnd}});
    script->headers.Add("x", std::string(8000, static_cast<char>('a' + i % 26)));
    frames += Get(2 * i + 1);
  }
  rounds.Arrive(frames);
  for (std::uint32_t i = 0; i < 40; ++i) {
    EXPECT_EQ(PayloadsIn(rounds.script->written, kHeadersFrame, 2 * i + 1).size(), 1U);
  }
  EXPECT_LT(rounds.script->most_offered, (std::size_t{128} << 10) + 8200);
  EXPECT_GE(rounds.script->most_offered, std::size_t{128} << 10);
}

// Data that is ready on other streams is dropped.
TEST(Http2Rounds, Cut_EndsLongBodiesOfOtherStreams) {
  Rounds rounds;
  const auto cut = rounds.scene.handler().Add({{"", State::kWait}});
  cut->effect.cut = ConnectionEffect::Cut::kConnection;
  const auto other = rounds.scene.handler().Add({{"", State::kWait}});
  rounds.Arrive(Greeting() + Get(1) + Get(3));
  rounds.script->written.clear();
  rounds.scene.OnLoop([&] {
    cut->parts = {{"", State::kAbort}};
    for (int i = 0; i < 20; ++i) other->parts.push_back({std::string(65536, 'x'), State::kMore});
    cut->wake();
    other->wake();
  });
  EXPECT_EQ(rounds.scene.open(), 0U);
  EXPECT_LE(rounds.script->written.size(), std::size_t{8} * (16384 + 9));
  EXPECT_EQ(other->alive, 0);
}

}  // namespace
}  // namespace kinformer::internal::http
