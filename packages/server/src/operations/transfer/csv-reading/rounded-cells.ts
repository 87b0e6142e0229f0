// Finds texts of digits that a spreadsheet rounded: it keeps 15 digits of a number.

/** How many ids have to end in zeros: one that is not rounded does by chance, and 20 of them do not. */
const idsMin = 20;

const longNumber = /^\d{16,}$/;
const roundedNumber = /^\d{15}0+$/;

/** As in 2.61E+19. */
export const isInExponentForm = (cell: string): boolean => /^\d(?:[.,]\d+)?E\+\d+$/i.test(cell);

export const expectedUnrounded = 'expected the value of the old store: a spreadsheet rounded it';

/** The texts of one column. */
export class RoundedCells {
  #long = 0;
  #rounded = 0;

  add(cell: string): void {
    if (!longNumber.test(cell)) return;
    this.#long += 1;
    if (roundedNumber.test(cell)) this.#rounded += 1;
  }

  get problem(): string | undefined {
    if (this.#long < idsMin || this.#rounded < this.#long) return undefined;
    return `expected the values of the old store: all ${this.#long} with 16 or more digits have only zeros after the 15th, so a spreadsheet rounded them`;
  }
}
