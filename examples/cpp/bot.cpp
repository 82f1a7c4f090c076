// A bot in C++ for every game: it takes gifts of kinds that it grows, and leaves the rest to the default action.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "referee.grpc.pb.h"

using namespace beanproto::v1;

// Whether an offer is a gift of kinds that all grow in these fields, of which each is two bytes: kind and count.
static bool takes(const OpenOffer &offer, const std::string &fields) {
  auto grows = [&](char kind) {
    for (std::size_t field = 0; 2 * field < fields.size(); field++)
      if (fields[2 * field] == kind) return true;
    return false;
  };
  const std::string &gives = offer.gives();
  return !gives.empty() && offer.wants().empty() && std::all_of(gives.begin(), gives.end(), grows);
}

// Answer one decision. The request has the view of its game, here that of the trading games; the comments in referee.proto
// say what it shows, which decisions there are, and which actions each may have.
static void decide(const Request &request, int seat, Move &move) {
  const BohnanzaView &view = request.bohnanza();  // empty in the other games
  if (view.decision() == DECISION_ANSWER && takes(view.offer(), view.fields(seat)))
    move.mutable_accept();
  else
    move.mutable_default_action();
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
      move.set_match(request.match());
      move.set_decision(request.decision());
      decide(request, seats[request.match()], move);
    }
    if (answer.moves_size()) stream->Write(answer);
    for (const MatchEnd &end : message.ends()) seats.erase(end.match());
  }
  stream->WritesDone();
  return 0;
}
