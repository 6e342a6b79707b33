// What a piece of a body takes in memory besides its bytes: whoever sends it may do so byte by byte.

export const PIECE_BYTES = 200;
