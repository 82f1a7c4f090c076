// A bot in C++: it plants what fits and takes gifts.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "referee.grpc.pb.h"

using namespace beanproto::v1;

struct Field {
  int kind;   // 0 if it is empty
  int count;
};

// The fields of a seat: the referee sends kind and count of each as two bytes.
static std::vector<Field> fields_of(const BohnanzaView &view, int seat) {
  const std::string &bytes = view.fields(seat);
  std::vector<Field> fields;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) fields.push_back({bytes[at], bytes[at + 1]});
  return fields;
}

static int growing(const std::vector<Field> &fields, int kind) {
  auto found = std::find_if(fields.begin(), fields.end(), [&](const Field &field) { return field.kind == kind; });
  return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

// Where a card goes: where its kind grows, else to an empty field; -1 if no field takes it.
static int place_for(const std::vector<Field> &fields, int kind) {
  int field = growing(fields, kind);
  return field < 0 ? growing(fields, 0) : field;
}

static void harvest_fewest(const BohnanzaView &view, const std::vector<Field> &fields, Move &move) {
  const std::string &allowed = view.harvestable();
  auto fewer = [&](char one, char other) { return fields[one].count < fields[other].count; };
  move.mutable_harvest()->set_field(*std::min_element(allowed.begin(), allowed.end(), fewer));
}

// Answer one decision. The comments in referee.proto say which actions each may have.
static void decide(const BohnanzaView &view, int seat, Move &move) {
  const std::vector<Field> fields = fields_of(view, seat);
  switch (view.decision()) {
    case DECISION_PLANT_FIRST: {
      const int field = place_for(fields, view.hand()[0]);
      if (field < 0) return harvest_fewest(view, fields, move);
      move.mutable_plant()->set_field(field);
      return;
    }
    case DECISION_PLANT_SECOND: {
      const int field = growing(fields, view.hand()[0]);
      if (field < 0) move.mutable_pass();
      else move.mutable_plant()->set_field(field);
      return;
    }
    case DECISION_PLANT_ASIDE: {
      const int field = place_for(fields, view.aside(seat)[0]);
      if (field < 0) return harvest_fewest(view, fields, move);
      move.mutable_plant_aside()->set_card(0);
      move.mutable_plant_aside()->set_field(field);
      return;
    }
    case DECISION_TRADE:
      move.mutable_stop();
      return;
    case DECISION_ANSWER: {
      const std::string &gives = view.offer().gives();
      const bool gift = !gives.empty() && view.offer().wants().empty();
      if (gift && std::all_of(gives.begin(), gives.end(), [&](char kind) { return growing(fields, kind) >= 0; }))
        move.mutable_accept();
      else
        move.mutable_decline();
      return;
    }
    case DECISION_PICK:
      move.mutable_refuse();
      return;
    default:
      move.mutable_pass();
  }
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
      decide(request.bohnanza(), seats[request.match()], move);
    }
    if (answer.moves_size()) stream->Write(answer);
    for (const MatchEnd &end : message.ends()) seats.erase(end.match());
  }
  stream->WritesDone();
  return 0;
}
