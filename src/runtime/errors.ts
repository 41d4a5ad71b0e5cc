/** The one base class of errors that a user may meet: what happened, in a sentence, and what to do about it. */
export class PlaygroundError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** What the user can do, a full sentence. */
    readonly hint: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'PlaygroundError';
  }
}
