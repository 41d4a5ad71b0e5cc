/** What may be asked of a team by somebody who is not its task. */
import { PlaygroundError } from '../runtime/errors.ts';
import type { Told } from './prompt.ts';

/** Characters of a question, or of a secret: more would cost memory that no plan has reckoned with. */
export const MAX_QUESTION = 2000;

/** Throws a PlaygroundError (`question-empty`, `question-length`) for what cannot be asked. */
export function checkQuestion({ question, secret = '' }: Told): void {
  if (question.trim() === '') throw new PlaygroundError('question-empty', 'There is no question yet.', 'Write one, or take one of the examples.');
  for (const [name, text] of [['question', question], ['secret', secret]] as const) {
    if (text.length <= MAX_QUESTION) continue;
    throw new PlaygroundError(
      'question-length',
      `The ${name} has ${text.length.toLocaleString('en')} characters, but at most ${MAX_QUESTION.toLocaleString('en')} can be asked.`,
      'Shorten it.',
    );
  }
}
