// What is asked, in words.

/** Per decision of any family, by the name of the engine in lower case. */
export const QUESTIONS = {
  plant_first: "Plant the first card of the hand",
  plant_second: "Plant a second card, or not",
  trade: "Make an offer, ask for offers, or stop trading",
  answer: "Accept the offer, counter it, or decline",
  pick: "Take one of the answers, or none",
  plant_aside: "Plant the cards aside",
  interlude: "Anything to do between the turns?",
  plant_offered: "Plant or discard the cards left by the opponent",
  discard_hand: "Discard a card of the hand, or not",
  plant_drawn: "Plant open cards, or leave them to the opponent",
  offer_gift: "Offer a gift",
  answer_gift: "Accept the gift, or decline",
  give: "Which card to give",
  plant_turned: "Plant the turned-over cards and the gift",
  plant_gift: "Plant the gift",
  discard_bohnus: "Discard a bo(h)nus card, or not",
  drawn_bohnus: "Fulfil a bo(h)nus card just drawn?",
  harvest: "Harvest the card, or not",
  save: "Save dice, or roll again",
  lose: "Which die the Thief takes",
};
