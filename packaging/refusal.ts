/** A reason not to release, for the person who runs the release: one line that says what to do. */
export class Refusal extends Error {}
