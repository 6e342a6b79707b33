// Collects the pieces of a large frame until its end has come. A picture in a frame has megabytes and arrives in
// hundreds of pieces; searching all of them again with each would take seconds.

const FRAME_ENDS = ['\n\n', '\r\r', '\r\n\r\n'];
/** One less than the longest end. */
const SEAM_BYTES = 3;

export class FrameGatherer {
  readonly #bytesMax: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #seam = '';

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Everything that has come, once it contains the end of a frame or is too long; null before. */
  push(piece: Buffer): Buffer | null {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    const joint = this.#seam + piece.toString('latin1', 0, SEAM_BYTES);
    this.#seam = (this.#seam + piece.toString('latin1', Math.max(0, piece.length - SEAM_BYTES))).slice(-SEAM_BYTES);
    const hasEnded = FRAME_ENDS.some((end) => joint.includes(end) || piece.includes(end, 0, 'latin1'));
    return hasEnded || this.#bytes > this.#bytesMax ? this.take() : null;
  }

  /** Whatever has come. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
    return bytes;
  }
}
