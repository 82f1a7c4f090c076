// The table of a trading game in words: kinds by name, fields, and legal actions, in place of the bytes of referee.proto.
#pragma once

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "referee.pb.h"

struct Table {
  const beanproto::v1::BohnanzaView &view;
  int seat;  // the own one

  // A bean field; the kind of an empty one is "".
  struct Field {
    std::string kind;
    int count;
  };

  // The name of a kind by its number, such as "blue".
  static std::string name(unsigned char kind) {
    std::string found = kind ? beanproto::v1::Kind_Name(static_cast<beanproto::v1::Kind>(kind)).substr(5) : "";
    std::transform(found.begin(), found.end(), found.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return found;
  }

  // The names of kinds, such as those of view.hand(), view.turned(), view.offer().gives() and view.aside(seat).
  static std::vector<std::string> names(const std::string &kinds) {
    std::vector<std::string> found;
    for (unsigned char kind : kinds) found.push_back(name(kind));
    return found;
  }

  std::vector<Field> fields(int of) const {
    const std::string &bytes = view.fields(of);
    std::vector<Field> found;
    for (std::size_t at = 0; at + 1 < bytes.size(); at += 2)
      found.push_back({name(bytes[at]), static_cast<unsigned char>(bytes[at + 1])});
    return found;
  }

  // Own fields that can take a card of a kind.
  std::vector<int> places(const std::string &kind) const {
    std::vector<int> found;
    int at = 0;
    for (const Field &field : fields(seat)) {
      if (!field.count || field.kind == kind) found.push_back(at);
      at++;
    }
    return found;
  }

  // Positions of cards of these kinds in the hand, ascending; none if it lacks one.
  std::optional<std::vector<int>> positions(std::string kinds) const {
    std::vector<int> found;
    for (std::size_t at = 0; at < view.hand().size(); at++) {
      std::size_t wanted = kinds.find(view.hand()[at]);
      if (wanted == std::string::npos) continue;
      kinds.erase(wanted, 1);
      found.push_back(static_cast<int>(at));
    }
    return kinds.empty() ? std::optional(found) : std::nullopt;
  }

  // All legal actions, but for offers, calls and counters, and one way to give the kinds that are wanted.
  std::vector<beanproto::v1::Move> legal() const {
    using namespace beanproto::v1;
    std::vector<Move> moves;
    auto add = [&]() -> Move & { return moves.emplace_back(); };
    auto decision = view.decision();
    if (decision == DECISION_PLANT_FIRST || decision == DECISION_PLANT_SECOND)
      for (int field : places(name(view.hand()[0]))) add().mutable_plant()->set_field(field);
    if (decision == DECISION_PLANT_SECOND || decision == DECISION_INTERLUDE) add().mutable_pass();
    if (decision == DECISION_TRADE) add().mutable_stop();
    if (decision == DECISION_ANSWER) {
      add().mutable_decline();
      auto hand = positions(view.offer().wants());
      if (hand && !(view.offer().gives().empty() && view.offer().wants().empty()))
        add().mutable_accept()->mutable_hand()->Add(hand->begin(), hand->end());
    }
    if (decision == DECISION_PICK) {
      add().mutable_refuse();
      for (const OpenAnswer &answer : view.answers()) {
        auto hand = positions(answer.answer() == ANSWER_COUNTER ? answer.wants() : "");
        if (answer.answer() == ANSWER_DECLINE || !hand) continue;
        Pick &pick = *add().mutable_pick();
        pick.set_seat(answer.seat());
        pick.mutable_hand()->Add(hand->begin(), hand->end());
      }
    }
    if (decision == DECISION_PLANT_ASIDE)
      for (std::size_t card = 0; card < view.aside(seat).size(); card++)
        for (int field : places(name(view.aside(seat)[card]))) {
          PlantAside &plant = *add().mutable_plant_aside();
          plant.set_card(static_cast<int>(card));
          plant.set_field(field);
        }
    for (unsigned char field : view.harvestable()) add().mutable_harvest()->set_field(field);
    if (view.can_buy()) add().mutable_buy_field();
    return moves;
  }
};
