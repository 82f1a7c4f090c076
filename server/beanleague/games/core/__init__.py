"""What all games share: the interface of a game, how seats are asked, chance, the draw pile, and options."""
