// A bot in C++ for every game: it takes gifts of kinds that it grows, and leaves the rest to the default action.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "referee.grpc.pb.h"
#include "table.h"

using namespace beanproto::v1;

// Whether the offer is a gift of kinds that all grow in the own fields.
static bool is_wanted_gift(const Table &table) {
  auto grows = [&](const std::string &kind) {
    for (const Table::Field &field : table.fields(table.seat))
      if (field.kind == kind) return true;
    return false;
  };
  auto gives = Table::names(table.view.offer().gives());
  return table.view.offer().wants().empty() && std::all_of(gives.begin(), gives.end(), grows);
}

// Answer one decision. The request has the view of its game, here that of the trading games, for which table.h has names,
// fields and legal actions; the comments in referee.proto say what each view shows, and which decisions there are.
static Move decide(const Request &request, int seat) {
  Table table{request.bohnanza(), seat};  // empty in the other games
  if (table.view.decision() == DECISION_ANSWER && is_wanted_gift(table))
    for (const Move &move : table.legal())
      if (move.has_accept()) return move;
  Move move;
  move.mutable_default_action();
  return move;
}

int main() {
  auto channel = grpc::CreateChannel(std::getenv("BEANLEAGUE_SOCKET"), grpc::InsecureChannelCredentials());
  auto referee = Referee::NewStub(channel);
  grpc::ClientContext context;
  auto stream = referee->Play(&context);
  std::cout << "ready" << std::endl;

  BotMessage answer;
  answer.mutable_hello()->set_sdk("cpp");
  answer.mutable_hello()->set_protocol(2);
  stream->Write(answer);

  std::map<int, int> seats;  // the own seat in each match
  RefereeMessage message;
  while (stream->Read(&message)) {
    for (const MatchStart &start : message.starts()) seats[start.match()] = start.seat();
    for (const Fault &fault : message.faults())
      std::cout << "match " << fault.match() << ", decision " << fault.decision() << ": " << fault.reason() << std::endl;
    answer.Clear();
    for (const Request &request : message.requests()) {
      Move &move = *answer.add_moves();
      move = decide(request, seats[request.match()]);
      move.set_match(request.match());
      move.set_decision(request.decision());
    }
    if (answer.moves_size()) stream->Write(answer);
    for (const MatchEnd &end : message.ends()) seats.erase(end.match());
  }
  stream->WritesDone();
  return 0;
}
