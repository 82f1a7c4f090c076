// The clickable places on the board for each action.

/** The places on the board (`data-at`) of an action; a click on one of them may select it. */
export function placesOf(action, seat) {
  const field = () => `field-${action.owner ?? seat}-${action.field}`;
  const places = {
    plant: () => [field(), `hand-${seat}-0`],
    harvest: () => [field()],
    plant_aside: () => [field(), `aside-${seat}-${action.card}`],
    plant_open: () => [field(), `turned-${action.card}`],
    plant_turned: () => [field(), `turned-${action.card}`],
    plant_gift: () => [field(), `gift-${seat}-0`],
    discard_open: () => [`turned-${action.card}`],
    discard_turned: () => [`turned-${action.card}`],
    discard_hand: () => [`hand-${seat}-${action.card}`],
    give: () => [action.source === "hand" ? `hand-${seat}-${action.position}` : `turned-${action.position}`],
    fulfil: () => [field()],
    harvest_top: () => [`card-${seat}`],
    lose_die: () => [`die-${action.die}`],
  };
  return places[action.action]?.() ?? [];
}
