/** Texts to train on, as the trainer's own prompt functions write them, so that every prompt of a run is in distribution. */
import type { Game } from '../marft/game.ts';
import { agentMessages, transcriptMessages, WORLD, type Reply, type Said } from '../marft/prompt.ts';
import type { Problem } from '../tasks/types.ts';
import type { ChatTokenizer } from '../tokenizer/types.ts';

/** One text to train on; both arrays are `[tokens]`. */
export interface TrainingSequence {
  ids: Int32Array;
  /** 1 where a token is to be predicted: what agents say, with the token that ends their turn; 0 elsewhere. */
  weights: Float32Array;
}

/** The agent's prompt, and its utterance to learn. */
export function turnSequence(
  tokenizer: ChatTokenizer,
  game: Game,
  agent: number,
  problem: Problem,
  said: readonly Said[],
  utterance: string,
  earlier: readonly (Said | Reply)[] = [],
): TrainingSequence {
  const prompt = tokenizer.chat(agentMessages(game, agent, problem, said, earlier), true).ids;
  const learnt = withStop(tokenizer, utterance);
  const ids = new Int32Array(prompt.length + learnt.length);
  ids.set(prompt);
  ids.set(learnt, prompt.length);
  return { ids, weights: new Float32Array(ids.length).fill(1, prompt.length) };
}

/** What all said, with every utterance to learn. The turn's own end follows each of them in the chat template. */
export function transcriptSequence(
  tokenizer: ChatTokenizer,
  game: Game,
  problem: Problem,
  said: readonly (Said<Int32Array> | Reply)[],
): TrainingSequence {
  const { ids, idPartStarts } = tokenizer.chat(transcriptMessages(game, problem, said), false);
  const weights = new Float32Array(ids.length);
  const utterances = said.flatMap((one) => (one.agent === WORLD || typeof one.content === 'string' ? [] : [one.content]));
  utterances.forEach((content, index) => {
    const start = idPartStarts[index] ?? 0;
    weights.fill(1, start, start + content.length + 1);
  });
  return { ids, weights };
}

function withStop(tokenizer: ChatTokenizer, text: string): Int32Array {
  const [stop] = tokenizer.stopIds;
  if (stop === undefined) throw new RangeError('the tokenizer has no stop token');
  return Int32Array.from([...tokenizer.encode(text), stop]);
}
